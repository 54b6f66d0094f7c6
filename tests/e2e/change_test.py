"""A source that changes while it is uploaded: exit 1, a message that names it, no object, nothing left open."""

import os

from rows import row

MIB = 1 << 20


def append(path):
    with open(path, "ab") as out:
        out.write(b"more")


def truncate(path):
    os.truncate(path, 1 * MIB)


def shrink_at_the_end(path):
    os.truncate(path, path.stat().st_size - 1)


def overwrite(path):
    with open(path, "r+b") as out:
        out.seek(-100, os.SEEK_END)
        out.write(b"other content")


def replace(path):
    other = path.with_name("other")
    other.write_bytes(os.urandom(path.stat().st_size))
    other.rename(path)


def remove(path):
    path.unlink()


def begin(t, words: str, size: int):
    path = t.file("source.bin", size=size)
    return path, t.start(f"cp {words} source.bin s3://bucket/file")


def refused(t, running) -> None:
    running.finish(20).exits(1).prints_exactly("").says('ERROR "cp source.bin s3://bucket/file":', "source.bin", "while")
    t.s3.nothing_in("bucket")


def change_row(change, words: str = ""):
    command = f"dray cp {words}".rstrip()

    @row(f"{command} BIG s3://bucket/file ({change.__name__.replace('_', ' ')} meanwhile)")
    def source_of_many_parts_changes(t):
        t.bucket("bucket")
        path, running = begin(t, f"{words} --bandwidth-limit 8M --concurrency 2 --part-size 5M", 30 * MIB)
        ((key, upload),) = t.until(lambda: t.s3.uploads("bucket"), "the upload's beginning")
        t.until(lambda: t.s3.parts("bucket", key, upload), "its first part")
        change(path)
        refused(t, running)


def change_in_one_request_row(change):
    @row(f"dray cp FILE s3://bucket/file ({change.__name__.replace('_', ' ')} meanwhile)")
    def source_of_one_request_changes(t):
        t.bucket("bucket")
        path, running = begin(t, "--bandwidth-limit 4M", 6 * MIB)
        opened = lambda: any(os.path.realpath(link) == str(path.resolve()) for link in descriptors(running.pid))
        t.until(lambda: running.ended or opened(), "the file to be opened")
        change(path)
        refused(t, running)


def descriptors(pid: int) -> list[str]:
    folder = f"/proc/{pid}/fd"
    return [f"{folder}/{name}" for name in os.listdir(folder)]


for each in (append, truncate, shrink_at_the_end, overwrite, replace, remove):
    change_row(each)
    change_in_one_request_row(each)
change_row(append, "--readers serial")
change_row(overwrite, "--direct-io")
