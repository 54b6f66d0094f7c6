"""Streams: standard input and FIFOs, whose end is known only when it comes."""

import os
import threading

from rows import row

MIB = 1 << 20
PART = 8 * MIB  # the default part


def stream_row(command: str, size: int, parts: int, words: str = ""):
    @row(f"dray {command} {words}".rstrip() + f" ({size} bytes)")
    def stream_arrives_whole(t):
        t.bucket("bucket")
        path = t.file("file.bin", size=size)
        t.dray(f"{command} {words}", stdin=path).exits(0).prints_exactly(f"{command}\n")
        t.s3.holds("bucket", "file", path)
        etag = t.s3.head("bucket", "file")["etag"].strip('"')
        t.check(etag.endswith(f"-{parts}") if parts else "-" not in etag, f"{parts} parts expected, the ETag is {etag}")
        t.check(not t.s3.uploads("bucket"), "an unfinished upload is left")


stream_row("pipe s3://bucket/file", 0, parts=0)
stream_row("pipe s3://bucket/file", 1, parts=0)
stream_row("pipe s3://bucket/file", PART - 1, parts=0)
stream_row("pipe s3://bucket/file", PART, parts=1)  # that it has ended is seen too late for one PUT
stream_row("pipe s3://bucket/file", 20 * MIB, parts=3)
stream_row("cp - s3://bucket/file", 20 * MIB, parts=3)
stream_row("pipe s3://bucket/file", 2 * PART, parts=2)
stream_row("pipe s3://bucket/file", 10 * MIB, parts=2, words="--part-size 5M")
stream_row("pipe s3://bucket/file", 20 * MIB, parts=3, words="--memory-limit 40M --checksum sha256")


@row("dray cp FIFO s3://bucket/file")
def fifo_is_read_to_its_end(t):
    t.bucket("bucket")
    content = t.file("file.bin", size=9 * MIB).read_bytes()
    os.mkfifo(t.folder / "fifo")
    running = t.start("cp fifo s3://bucket/file")
    writer = threading.Thread(target=lambda: (t.folder / "fifo").write_bytes(content), daemon=True)
    writer.start()
    running.finish(30).exits(0).prints_exactly("cp fifo s3://bucket/file\n")
    writer.join(10)
    t.s3.holds("bucket", "file", content)


@row("PROGRAM | dray pipe s3://bucket/file")
def slow_pipe_is_waited_for(t):
    t.bucket("bucket")
    done = t.run(["bash", "-c", '{ printf one; sleep 0.3; printf two; } | "$0" pipe s3://bucket/file', t.program])
    done.exits(0).says_nothing()
    t.s3.holds("bucket", "file", b"onetwo")


@row("dray pipe --expected-size 60G s3://bucket/file")
def expected_size_sets_the_size_of_parts(t):
    t.bucket("bucket")
    path = t.file("file.bin", size=8 * MIB)  # one part of what 60 GiB would need: 7 MiB at least
    t.dray("pipe --expected-size 60G --part-size 5M s3://bucket/file", stdin=path).exits(0)
    t.s3.holds("bucket", "file", path)
    t.check(t.s3.head("bucket", "file")["etag"].strip('"').endswith("-2"), "parts of 7 MiB were expected")


@row("dray cp --content-type text/csv - s3://bucket/file")
def stream_has_the_type_given(t):
    t.bucket("bucket")
    t.dray("cp --content-type text/csv - s3://bucket/file", stdin="a,b\n").exits(0)
    t.check(t.s3.head("bucket", "file")["content-type"] == "text/csv", "another type")


@row("dray cp - s3://bucket/p/")
def stream_without_a_name_is_refused(t):
    t.bucket("bucket")
    t.dray("cp - s3://bucket/p/", stdin="x").exits(2).says("no name")
    t.s3.nothing_in("bucket")


@row("dray pipe s3://bucket/file <&-")
def closed_standard_input_is_no_empty_object(t):
    t.bucket("bucket")
    done = t.run(["bash", "-c", '"$0" pipe s3://bucket/file <&-', t.program])
    done.exits(1).says("ERROR")
    t.s3.nothing_in("bucket")
