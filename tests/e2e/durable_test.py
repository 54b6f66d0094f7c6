"""serve DIR: what was stored stays stored, and what was not finished was never there."""

import contextlib
import json
import signal

from rows import Skip, row
from rows.s3 import S3

MIB = 1 << 20
KEYS = "--access-key EXAMPLEKEY --secret-key example/secret+1"  # those of one start are those of the next


def start(t, **options):
    """A server in the row's folder `store`, and the row's programs speak to it from here on."""
    (t.folder / "store").mkdir(exist_ok=True)
    server = t.start_server(f"store {KEYS}", **options)
    t.env |= server.env
    return server


@row("dray serve DIR (twice)", serve=None)
def objects_and_all_about_them_survive(t):
    server = start(t)
    t.bucket("bucket", "other")
    big = t.file("big.bin", size=11 * MIB)
    t.dray("cp --metadata colour=blue --content-type a/b --checksum crc32c big.bin s3://bucket/d/big.bin").exits(0)
    t.dray("pipe s3://bucket/small", stdin="hello\n").exits(0)
    before = t.s3.head("bucket", "d/big.bin")
    server.stop()

    start(t)
    t.s3.holds("bucket", "d/big.bin", big)
    t.s3.holds("bucket", "small", b"hello\n")
    after = t.s3.head("bucket", "d/big.bin")
    for header in ("etag", "last-modified", "content-type", "x-amz-meta-colour", "x-amz-checksum-crc32c", "x-amz-checksum-type"):
        t.check(header in before and before[header] == after.get(header), f"{header} was {before.get(header)}, is {after.get(header)}")
    t.s3.nothing_in("other")
    t.check(list(t.s3.objects("bucket")) == ["d/big.bin", "small"], f"{t.s3.objects('bucket')}")


@row("dray serve DIR (twice)", serve=None)
def what_was_replaced_or_removed_does_not_come_back(t):
    server = start(t)
    t.bucket("bucket")
    for content in ("one", "two"):
        t.dray("pipe s3://bucket/replaced", stdin=content).exits(0)
        t.dray("pipe s3://bucket/removed", stdin=content).exits(0)
    t.s3.delete("bucket", "removed")
    server.stop()
    start(t)
    t.s3.holds("bucket", "replaced", b"two")
    t.s3.nothing_in("bucket", but=("replaced",))


def bytes_below(folder) -> int:
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # renamed meanwhile
            total += path.stat().st_size if path.is_file() else 0
    return total


def kill_row(words: str, size: int):
    @row(f"dray cp {words} FILE s3://bucket/file (kill -9 of serve DIR)", serve=None)
    def no_half_object_and_earlier_ones_are_whole(t):
        server = start(t)
        t.bucket("bucket")
        t.dray("pipe s3://bucket/earlier", stdin="hello\n").exits(0)
        t.dray("pipe s3://bucket/file", stdin="old content\n").exits(0)
        t.file("file.bin", size=size)
        running = t.start(f"cp {words} --bandwidth-limit 4M --retries 0 file.bin s3://bucket/file")
        t.until(lambda: bytes_below(t.folder / "store/.dray") > 2 * MIB, "the first bytes on the disk")
        server.stop(signal.SIGKILL)
        running.finish(20).exits(1).says("ERROR")

        start(t)
        t.s3.holds("bucket", "earlier", b"hello\n")
        t.s3.holds("bucket", "file", b"old content\n")
        t.check(list(t.s3.objects("bucket")) == ["earlier", "file"], f"{t.s3.objects('bucket')}")
        t.dray(f"cp {words} file.bin s3://bucket/file").exits(0)
        t.s3.holds("bucket", "file", t.folder / "file.bin")


kill_row("--part-size 5M", 30 * MIB)
kill_row("--multipart-threshold 1G", 12 * MIB)


@row("dray cp FILE s3://bucket/file (kill -9 of serve DIR, then a start)", serve=None)
def upload_goes_on_over_a_restart(t):
    server = start(t)
    t.bucket("bucket")
    path = t.file("file.bin", size=20 * MIB)
    running = t.start("cp --part-size 5M --bandwidth-limit 8M --concurrency 2 file.bin s3://bucket/file")
    ((key, upload),) = t.until(lambda: t.s3.uploads("bucket"), "the upload's beginning")
    t.until(lambda: t.s3.parts("bucket", key, upload), "its first part")
    server.stop(signal.SIGKILL)
    again = t.start_server(f"store {KEYS} --port {server.port}")
    running.finish(30).exits(0)
    S3(again.env).holds("bucket", "file", path)


SMALL_DISK = ("unshare", "--mount", "--map-root-user", "sh", "-c", 'mount -t tmpfs -o size=24m none store && exec "$0" "$@"')


def full_disk_row(words: str):
    @row(f"dray cp {words} FILE s3://bucket/file (serve DIR on a full disk)".replace("  ", " "), serve=None)
    def full_disk_is_told_and_nothing_left(t):
        t.needs("unshare")
        (t.folder / "store").mkdir()
        if t.run([*SMALL_DISK, "true"]).code != 0:
            raise Skip("this machine lets nobody mount a file system")
        start(t, before=SMALL_DISK)
        t.bucket("bucket")
        t.dray("pipe s3://bucket/earlier", stdin="hello\n").exits(0)
        t.file("file.bin", size=40 * MIB)
        done = t.dray(f"cp {words} --retries 1 file.bin s3://bucket/file").exits(1)
        done.says("InsufficientStorage", "full").prints_exactly("")
        t.s3.holds("bucket", "earlier", b"hello\n")
        t.s3.nothing_in("bucket", but=("earlier",))
        path = t.file("fits.bin", size=16 * MIB)  # what the failed one took was given back
        t.dray("cp fits.bin s3://bucket/fits").exits(0)
        t.s3.holds("bucket", "fits", path)


full_disk_row("--part-size 5M")
full_disk_row("--multipart-threshold 1G")


@row("dray serve DIR (of another server)", serve=None)
def folder_of_another_server_is_refused(t):
    start(t)
    t.dray("serve --port 0 store", seconds=10).exits(1).says("store", "another")


@row("dray cp a.txt s3://bucket/../../outside (serve DIR)", serve=None)
def keys_never_lead_out_of_the_folder(t):
    server = start(t)
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    keys = ("../../outside", "../.dray/lock", "/etc/outside", ".bucket", "..", ".", "a/", "a")
    for key in keys:
        t.dray(["cp", "--if-none-match", "a.txt", f"s3://bucket/{key}" if not key.endswith("/") else f"s3://bucket/{key}x"]).exits(0)
    server.stop()
    t.check(sorted(p.name for p in t.folder.iterdir() if not p.name.startswith(".")) == ["a.txt", "store"], "a file outside")
    start(t)
    wanted = sorted(key if not key.endswith("/") else key + "x" for key in keys)
    t.check(sorted(t.s3.objects("bucket")) == wanted, f"{t.s3.objects('bucket')}")
    t.check(json.loads(t.dray(["head", "--json", "s3://bucket/../../outside"]).exits(0).out.splitlines()[0])["object"]["size"] == 6, "lost")
