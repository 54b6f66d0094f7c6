"""cp of files of every size that changes the way they go: what arrives is what was sent, byte for byte, and the checksum
that the server keeps is the one computed here."""

from rows import row
from rows.checksums import KINDS, checksum, composite

MIB = 1 << 20
PART = 5 * MIB


def size_row(size: int, parts: int, words: str = "--part-size 5M"):
    @row(f"dray cp {words} FILE s3://bucket/file (of {size} bytes)")
    def file_arrives_whole(t):
        t.bucket("bucket")
        path = t.file("file.bin", size=size)
        t.dray(f"cp {words} file.bin s3://bucket/file").exits(0).prints_exactly("cp file.bin s3://bucket/file\n")
        t.s3.holds("bucket", "file", path)
        etag = t.s3.head("bucket", "file")["etag"].strip('"')
        t.check(etag.endswith(f"-{parts}") if parts else "-" not in etag, f"{parts} parts expected, the ETag is {etag}")
        t.check(not t.s3.uploads("bucket"), "an unfinished upload is left")


size_row(0, parts=0)
size_row(1, parts=0)
size_row(PART - 1, parts=0)
size_row(PART, parts=0)
size_row(PART + 1, parts=2)
size_row(3 * PART + 1, parts=4)
size_row(3 * PART + 1, parts=4, words="--part-size 5M --direct-io")
size_row(3 * PART + 1, parts=4, words="--part-size 5M --readers serial")
size_row(3 * PART + 1, parts=4, words="--part-size 5M --concurrency 1")
size_row(3 * PART + 1, parts=0, words="--part-size 5M --multipart-threshold 20M")
size_row(6 * MIB, parts=2, words="--part-size 5M --multipart-threshold 1M")
size_row(8 * MIB, parts=0, words="")
size_row(8 * MIB + 1, parts=2, words="")
size_row(20 * MIB, parts=3, words="--memory-limit 40M")


def checksum_row(kind: str, size: int):
    @row(f"dray cp --checksum {kind} FILE s3://bucket/file (of {size} bytes)")
    def server_keeps_the_checksum_of_the_content(t):
        t.bucket("bucket")
        content = t.file("file.bin", size=size).read_bytes()
        t.dray(f"cp --checksum {kind} file.bin s3://bucket/file").exits(0)
        t.s3.holds("bucket", "file", content)
        head = t.s3.head("bucket", "file")
        t.check(head.get(f"x-amz-checksum-{kind}") == checksum(kind, content), f"{head}")
        t.check(head.get("x-amz-checksum-type") == "FULL_OBJECT", f"{head}")


def parts_checksum_row(kind: str):
    @row(f"dray cp --checksum {kind} --part-size 5M FILE s3://bucket/file (of two parts)")
    def server_keeps_the_checksum_of_the_content(t):
        t.bucket("bucket")
        content = t.file("file.bin", size=PART + 1000).read_bytes()
        t.dray(f"cp --checksum {kind} --part-size 5M file.bin s3://bucket/file").exits(0)
        head = t.s3.head("bucket", "file")
        if head.get("x-amz-checksum-type") == "COMPOSITE":
            t.check(kind != "crc64nvme", "crc64nvme is of the whole object only")
            expected = composite(kind, [content[:PART], content[PART:]])
        else:
            t.check(kind.startswith("crc"), f"no parts' {kind} can give the whole object's")
            expected = checksum(kind, content)
        t.check(head.get(f"x-amz-checksum-{kind}") == expected, f"{expected} expected: {head}")


for each in KINDS:
    for count in (0, 1, 100_003):
        checksum_row(each, count)
    parts_checksum_row(each)


@row("dray cp --checksum none FILE s3://bucket/file")
def no_checksum_is_sent(t):
    t.bucket("bucket")
    path = t.file("file.bin", size=100)
    t.dray("cp --checksum none file.bin s3://bucket/file").exits(0)
    t.s3.holds("bucket", "file", path)


@row("dray head s3://bucket/digits")
def checksum_is_the_published_check_value(t):
    t.bucket("bucket")
    t.file("digits", "123456789")  # CRC-64/NVME: ae8b14860a799888
    t.dray("cp digits s3://bucket/digits").exits(0)
    t.dray("head s3://bucket/digits").exits(0).prints("crc64nvme rosUhgp5mIg=")
