"""The installed library: the example compiles against it as other people's programs would, and uploads a file."""

import shutil
from pathlib import Path

from rows import Skip, row
from rows.declare import Failed

ROOT = Path(__file__).resolve().parents[2]
CMAKELISTS = """\
cmake_minimum_required(VERSION 3.20)
project(example CXX)
find_package(dray REQUIRED)
add_executable(upload {source})
target_compile_features(upload PRIVATE cxx_std_20)
target_link_libraries(upload PRIVATE dray::dray)
"""


def install(t) -> Path:
    """What `cmake --install` puts into a folder of the row's own."""
    build = t.program.parent
    if not (build / "cmake_install.cmake").exists():
        raise Skip(f"{t.program} does not lie in a build folder")
    if "DRAY_SANITIZE:STRING=\n" not in (build / "CMakeCache.txt").read_text() + "\n":
        raise Skip("the library of this build needs a sanitizer's own flags")
    for name in ("cmake", "g++", "pkg-config"):
        if not shutil.which(name):
            raise Failed(f"{name} is not installed: script/setup")
    t.run(["cmake", "--install", build, "--prefix", t.folder / "prefix"]).exits(0)
    return t.folder / "prefix"


def upload(t, program: Path) -> None:
    t.bucket("bucket")
    path = t.file("file.bin", size=(9 << 20) + 1)
    t.run([program, "file.bin", "s3://bucket/d/file"]).exits(0).prints(f"{(9 << 20) + 1} bytes", "crc64nvme")
    t.s3.holds("bucket", "d/file", path)
    t.run([program, "none.bin", "s3://bucket/d/none"]).exits(1).says("none.bin")


@row("g++ examples/upload.cpp $(pkg-config --cflags --libs dray)", seconds=120)
def example_builds_with_pkg_config(t):
    prefix = install(t)
    (pc,) = prefix.rglob("dray.pc")
    flags = t.run("pkg-config --static --cflags --libs dray", env={"PKG_CONFIG_PATH": str(pc.parent)}).exits(0).out.split()
    t.run(["g++", "-std=c++20", "-o", "upload", ROOT / "examples/upload.cpp", *flags]).exits(0)
    upload(t, t.folder / "upload")


@row("find_package(dray)", seconds=120)
def example_builds_with_find_package(t):
    prefix = install(t)
    t.file("project/CMakeLists.txt", CMAKELISTS.format(source=ROOT / "examples/upload.cpp"))
    t.run(["cmake", "-S", "project", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}"]).exits(0)
    t.run(["cmake", "--build", "build"]).exits(0)
    upload(t, t.folder / "build/upload")


@row("PREFIX/bin/dray version")
def installed_program_runs(t):
    prefix = install(t)
    t.check(t.run([prefix / "bin/dray", "version"]).exits(0).out == t.dray("version").exits(0).out, "another version")
    t.check((prefix / "include/dray/dray.h").is_file(), "no headers")
