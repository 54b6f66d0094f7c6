"""cp: what it is told about an object, several files at once, and what it must not do."""

import json

from rows import row

MIB = 1 << 20


@row("dray cp a.txt s3://bucket/a.txt")
def small_file_arrives(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.dray("cp a.txt s3://bucket/a.txt").exits(0).prints_exactly("cp a.txt s3://bucket/a.txt\n").says_nothing()
    t.s3.holds("bucket", "a.txt", b"hello\n")


@row("dray cp a.txt s3://bucket/a.txt (again)")
def object_is_replaced(t):
    t.bucket("bucket")
    t.s3.put("bucket", "a.txt", b"old and longer\n")
    t.file("a.txt", "new\n")
    t.dray("cp a.txt s3://bucket/a.txt").exits(0)
    t.s3.holds("bucket", "a.txt", b"new\n")


@row("dray cp d/a.txt s3://bucket/p/")
def object_keeps_its_name_below_a_slash(t):
    t.bucket("bucket")
    t.file("d/a.txt", "hello\n")
    t.dray("cp d/a.txt s3://bucket/p/").exits(0).prints_exactly("cp d/a.txt s3://bucket/p/a.txt\n")
    t.s3.holds("bucket", "p/a.txt", b"hello\n")


@row("dray cp a.txt s3://bucket")
def bucket_alone_is_a_folder(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.dray("cp a.txt s3://bucket").exits(0)
    t.s3.holds("bucket", "a.txt", b"hello\n")


@row("dray cp a b c s3://bucket/p/")
def several_files_go_below_the_prefix(t):
    t.bucket("bucket")
    files = {name: t.file(name, size=size) for name, size in (("a", 10), ("b", 9 * MIB), ("c", 0))}
    done = t.dray("cp a b c s3://bucket/p/").exits(0)
    done.prints_lines(*(f"cp {name} s3://bucket/p/{name}" for name in files)).says("3 done, 0 failed, 0 skipped")
    for name, path in files.items():
        t.s3.holds("bucket", f"p/{name}", path)


@row("dray cp FILES s3://bucket/")
def hundred_files_all_arrive(t):
    t.bucket("bucket")
    names = [f"f{n}" for n in range(100)]
    for name in names:
        t.file(name, f"content of {name}")
    t.dray(["cp", *names, "s3://bucket/"]).exits(0).says("100 done")
    t.check(sorted(t.s3.objects("bucket")) == sorted(names), "some are missing")
    for name in names[::10]:
        t.s3.holds("bucket", name, f"content of {name}".encode())


@row("dray cp none.txt a.txt s3://bucket/")
def one_missing_file_does_not_stop_the_rest(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    done = t.dray("cp none.txt a.txt s3://bucket/").exits(1).prints_exactly("cp a.txt s3://bucket/a.txt\n")
    done.says('ERROR "cp none.txt s3://bucket/none.txt":', "no such file", "1 done, 1 failed, 0 skipped")
    t.s3.holds("bucket", "a.txt", b"hello\n")


@row("dray cp a b s3://bucket/one")
def many_to_one_name_is_refused(t):
    t.bucket("bucket")
    t.file("a", "a")
    t.file("b", "b")
    t.dray("cp a b s3://bucket/one").exits(5).says("several sources for one name")
    t.s3.nothing_in("bucket")


@row("dray cp d/a e/a s3://bucket/")
def two_files_of_one_name_are_refused(t):
    t.bucket("bucket")
    t.file("d/a", "d")
    t.file("e/a", "e")
    t.dray("cp d/a e/a s3://bucket/").exits(5).says("d/a", "e/a", "both")
    t.s3.nothing_in("bucket")


def type_row(name: str, expected: str, words: str = ""):
    @row(f"dray cp {words} {name} s3://bucket/".replace("  ", " "))
    def object_has_the_type(t):
        t.bucket("bucket")
        t.file(name, "x")
        t.dray(f"cp {words} {name} s3://bucket/").exits(0)
        told = t.s3.head("bucket", name)["content-type"]
        t.check(told == expected, f"{expected} expected, stored as {told}")


type_row("a.txt", "text/plain")
type_row("a.JSON", "application/json")
type_row("a.html", "text/html")
type_row("a.tar.gz", "application/gzip")
type_row("noextension", "binary/octet-stream")
type_row("b.txt", "image/png", "--content-type image/png")


@row("dray cp --metadata k=v a.txt s3://bucket/a.txt")
def metadata_is_kept(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.file("big.bin", size=9 * MIB)
    for name in ("a.txt", "big.bin"):
        t.dray(f"cp --metadata colour=blue --metadata note=a=b {name} s3://bucket/").exits(0)
        head = t.s3.head("bucket", name)
        t.check((head.get("x-amz-meta-colour"), head.get("x-amz-meta-note")) == ("blue", "a=b"), f"{head}")
        t.dray(f"head s3://bucket/{name}").exits(0).prints("colour=blue", "note=a=b")


def if_none_match_row(size: int):
    @row(f"dray cp --if-none-match FILE s3://bucket/a.txt (of {size} bytes)")
    def object_that_exists_stays(t):
        t.bucket("bucket")
        t.file("file.bin", size=size)
        t.dray("cp --if-none-match file.bin s3://bucket/new").exits(0)
        t.s3.holds("bucket", "new", t.folder / "file.bin")
        t.s3.put("bucket", "a.txt", b"old\n")
        t.dray("cp --if-none-match file.bin s3://bucket/a.txt").exits(1).says("PreconditionFailed")
        t.s3.holds("bucket", "a.txt", b"old\n")
        t.s3.nothing_in("bucket", but=("a.txt", "new"))


if_none_match_row(6)
if_none_match_row(9 * MIB)


@row("dray cp -n a.txt s3://bucket/a.txt")
def object_that_exists_is_skipped(t):
    t.bucket("bucket")
    t.s3.put("bucket", "a.txt", b"old\n")
    t.file("a.txt", "new\n")
    t.dray("cp -n a.txt s3://bucket/a.txt").exits(0).prints_exactly("").says("SKIPPED", "exists")
    t.s3.holds("bucket", "a.txt", b"old\n")


@row("dray cp --dry-run a.txt none.txt s3://bucket/")
def dry_run_tells_and_uploads_nothing(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.dray("cp --dry-run a.txt s3://bucket/").exits(0).prints_exactly("cp a.txt s3://bucket/a.txt\n").says("dry run")
    t.dray("cp --dry-run a.txt none.txt s3://bucket/").exits(1).says("none.txt")
    line = json.loads(t.dray("cp --json --dry-run a.txt s3://bucket/").exits(0).out.splitlines()[0])
    t.check(line["dry_run"] is True, f"{line}")
    t.s3.nothing_in("bucket")


@row("dray cp --bandwidth-limit 4M FILE s3://bucket/file")
def bandwidth_is_kept_to(t):
    t.bucket("bucket")
    t.file("file.bin", size=6 * MIB)
    done = t.dray("cp --bandwidth-limit 4M file.bin s3://bucket/file").exits(0)
    t.check(1.0 < done.seconds, f"6 MiB at 4 MiB/s took {done.seconds:.2f} s")
