"""Names: of files and of keys, as people and programs really have them."""

from rows import row

AWKWARD = ["a b.txt", "a\nb.txt", "été – 日本.txt", "100%.txt", "%41.txt", "a+b.txt", "a&b=c#d?e.txt", "'\"$(x)`.txt", "back\\slash.txt", "*[1]{a}.txt",
           "\u2028.txt", "e\u0301.txt", "x" * 251 + ".txt", " ", "~"]


def named(name: str) -> str:
    """For a title: one line, and not too long."""
    return ascii(name if len(name) < 40 else f"{name[:5]}... ({len(name)} bytes)")


def name_row(name: str):
    @row(f"dray cp {named(name)} s3://bucket/p/")
    def name_of_the_file_becomes_the_key(t):
        t.bucket("bucket")
        t.file(name, f"content of {name}")
        t.dray(["cp", name, "s3://bucket/p/"]).exits(0)
        t.check(list(t.s3.objects("bucket")) == [f"p/{name}"], f"listed: {list(t.s3.objects('bucket'))}")
        t.s3.holds("bucket", f"p/{name}", f"content of {name}".encode())
        t.dray(["head", f"s3://bucket/p/{name}"]).exits(0)


for each in AWKWARD:
    name_row(each)


def key_row(key: str):
    @row(f"dray cp a.txt s3://bucket/{named(key)}")
    def key_is_taken_as_it_is_typed(t):
        t.bucket("bucket")
        t.file("a.txt", "hello\n")
        t.dray(["cp", "a.txt", f"s3://bucket/{key}"]).exits(0)
        t.check(list(t.s3.objects("bucket")) == [key], f"listed: {list(t.s3.objects('bucket'))}")
        t.s3.holds("bucket", key, b"hello\n")


for each in ("/lead", "p//x", "p/./x", "p/../../x", "s3://in/it", "%2F", "a:b", "k" * 1024):
    key_row(each)


@row("dray cp LATIN1 s3://bucket/")
def name_that_is_not_utf8_is_skipped_with_a_warning(t):
    t.bucket("bucket")
    name = t.folder / "caf\udce9.txt"  # the byte e9
    name.write_text("x")
    t.dray(["cp", name.name, "s3://bucket/"]).exits(4).says("UTF-8", "rename it")
    t.s3.nothing_in("bucket")
    t.dray(["cp", name.name, "s3://bucket/cafe.txt"]).exits(0)
    t.s3.holds("bucket", "cafe.txt", b"x")


@row("dray cp -dash s3://bucket/")
def file_whose_name_begins_with_a_dash(t):
    t.bucket("bucket")
    t.file("-dash", "x")
    t.dray("cp ./-dash s3://bucket/").exits(0)
    t.s3.holds("bucket", "-dash", b"x")
    t.dray("cp -- -dash s3://bucket/other").exits(0)
    t.s3.holds("bucket", "other", b"x")


@row("dray cp LINK s3://bucket/")
def link_is_followed_and_gives_its_name(t):
    t.bucket("bucket")
    t.file("real", "x")
    (t.folder / "link").symlink_to("real")
    t.dray("cp link s3://bucket/").exits(0)
    t.s3.holds("bucket", "link", b"x")
