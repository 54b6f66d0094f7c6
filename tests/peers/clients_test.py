"""Other people's clients against `dray serve`, over http: each makes a bucket, puts, lists, gets, removes."""

from clients import Client, aws, clients
from rows import Skip, row
from rows.declare import Failed

MIB = 1 << 20


def ready(t, client: Client) -> None:
    if client.missing:
        raise Skip(client.missing) if client.optional else Failed(client.missing)
    t.env |= {"AWS_DEFAULT_REGION": t.env["AWS_REGION"]}


def client_of_name(t, name: str) -> Client:
    client = next(c for c in clients() if c.name == name)
    ready(t, client)
    return client


def do(t, client: Client, *words: str, env: dict | None = None):
    return t.run(client.command(t, *words), env=env)


def there_and_back(t, client: Client, size: int, key: str) -> None:
    path = t.file("file.bin", size=size)
    do(t, client, "mb", "bucket").exits(0)
    do(t, client, "put", "bucket", key, "file.bin").exits(0)
    t.s3.holds("bucket", key, path)
    do(t, client, "ls", "bucket").exits(0).prints(key, str(size))
    do(t, client, "get", "bucket", key, "back.bin").exits(0)
    t.same("file.bin", "back.bin")
    do(t, client, "rm", "bucket", key).exits(0)
    t.s3.nothing_in("bucket")
    do(t, client, "ls", "bucket").exits(0).never_prints(key)
    do(t, client, "rb", "bucket").exits(0)
    t.check(t.s3.request("HEAD", "bucket").status == 404, "the bucket is still there")


def declare_rows(client: Client) -> None:
    @row(f"{client.name}: mb, put, ls, get, rm, rb", seconds=90)
    def small_file_there_and_back(t):
        ready(t, client)
        there_and_back(t, client, 1234, "folder/file.bin")

    @row(f"{client.name}: mb, put, ls, get, rm, rb", seconds=90)
    def empty_file_there_and_back(t):
        ready(t, client)
        there_and_back(t, client, 0, "empty.bin")

    @row(f"{client.name}: mb, put, ls, get, rm, rb", seconds=90)
    def awkward_key_there_and_back(t):
        ready(t, client)
        there_and_back(t, client, 100, "a b+c=é&~(1)/x@y.bin")

    @row(f"{client.name}: put, get of 20 MiB", seconds=120)
    def file_of_parts_there_and_back(t):
        ready(t, client)
        path = t.file("file.bin", size=20 * MIB)
        do(t, client, "mb", "bucket").exits(0)
        do(t, client, "put", "bucket", "file.bin", "file.bin").exits(0)
        t.check("-" in t.s3.head("bucket", "file.bin")["etag"], "the ETag tells of no parts: the client sent it whole")
        t.s3.holds("bucket", "file.bin", path)
        t.check(not t.s3.uploads("bucket"), "an unfinished upload is left")
        do(t, client, "get", "bucket", "file.bin", "back.bin").exits(0)
        t.same("file.bin", "back.bin")

    @row(f"{client.name}: get of what dray cp put", seconds=90)
    def file_of_parts_by_dray_is_read(t):
        ready(t, client)
        t.bucket("bucket")
        t.file("file.bin", size=9 * MIB)
        t.dray("cp file.bin s3://bucket/file.bin").exits(0)
        do(t, client, "get", "bucket", "file.bin", "back.bin").exits(0)
        t.same("file.bin", "back.bin")

    @row(f"{client.name}: get of a missing key", seconds=90)
    def missing_key_is_an_error(t):
        ready(t, client)
        t.bucket("bucket")
        done = do(t, client, "get", "bucket", "none.bin", "back.bin")
        t.check(done.code != 0, "a missing key was no error")

    @row(f"{client.name}: put with a wrong secret", seconds=90)
    def wrong_secret_is_refused(t):
        ready(t, client)
        t.bucket("bucket")
        t.file("file.bin", size=10)
        good = t.env["AWS_SECRET_ACCESS_KEY"]
        t.env["AWS_SECRET_ACCESS_KEY"] = "not/the+secret"  # some clients are told by their arguments
        done = do(t, client, "put", "bucket", "file.bin", "file.bin")
        t.env["AWS_SECRET_ACCESS_KEY"] = good
        t.check(done.code != 0, "a wrong secret was taken")
        t.check(client.refusal in done.out + done.err, f"expected {client.refusal} in {done.err[-500:]!r}")
        t.s3.nothing_in("bucket")


for each in clients():
    declare_rows(each)


@row("boto3: 1,100 objects", seconds=180)
def listing_of_two_pages_and_deletes_of_a_thousand(t):
    boto3 = client_of_name(t, "boto3")
    t.bucket("bucket")
    do(t, boto3, "many", "bucket").exits(0)


def stream_row(name: str):
    @row(f"{name}: put of a stream", seconds=90)
    def body_that_is_read_once_arrives(t):
        client = client_of_name(t, name)
        t.bucket("bucket")
        for size in (1000, 20 * MIB):
            path = t.file("file.bin", size=size)
            do(t, client, "put-stream", "bucket", "file.bin", "file.bin").exits(0)
            t.s3.holds("bucket", "file.bin", path)


def condition_row(name: str):
    @row(f"{name}: put with If-None-Match", seconds=90)
    def object_that_exists_stays(t):
        client = client_of_name(t, name)
        t.bucket("bucket")
        path = t.file("file.bin", size=1000)
        do(t, client, "put-new", "bucket", "file.bin", "file.bin").exits(0)
        t.file("other.bin", size=10)
        done = do(t, client, "put-new", "bucket", "file.bin", "other.bin")
        t.check(done.code != 0 and "PreconditionFailed" in done.err, f"exit code {done.code}, {done.err[-500:]!r}")
        t.s3.holds("bucket", "file.bin", path)


stream_row("boto3")
stream_row("boto3 (newer)")
condition_row("boto3 (newer)")


@row("aws: s3 ls of one level", seconds=90)
def folders_are_told_as_prefixes(t):
    client_of_name(t, "aws")
    t.bucket("bucket")
    for key in ("top.txt", "d/one.txt", "d/e/two.txt"):
        t.s3.put("bucket", key, b"x")
    words = aws(t, "ls", "bucket")
    words.remove("--recursive")
    t.run(words).exits(0).prints("PRE d/", "top.txt").never_prints("one.txt")
    t.run([*words[:-1], "s3://bucket/d/"]).exits(0).prints("PRE e/", "one.txt").never_prints("two.txt")


@row("aws: s3 presign", seconds=90)
def its_url_is_taken(t):
    client_of_name(t, "aws")
    t.bucket("bucket")
    t.s3.put("bucket", "a b+c", b"hello\n")
    url = t.run([*aws(t, "mb", "")[:-2], "presign", "s3://bucket/a b+c"]).exits(0).out.strip()
    reply = t.s3.send("GET", url.removeprefix(t.server.url))
    t.check((reply.status, reply.body) == (200, b"hello\n"), f"{reply}")


@row("aws: s3api create-multipart-upload, upload-part, list-parts, abort", seconds=120)
def unfinished_upload_is_told_and_aborted(t):
    client_of_name(t, "aws")
    t.bucket("bucket")
    t.file("part.bin", size=6 * MIB)
    api = [*aws(t, "mb", "")[:-3], "s3api"]
    text = lambda *words: t.run([*api, *words, "--output", "text"]).exits(0).out.strip()
    upload = text("create-multipart-upload", "--bucket", "bucket", "--key", "k", "--query", "UploadId")
    one = ["--bucket", "bucket", "--key", "k", "--upload-id", upload]
    text("upload-part", *one, "--part-number", "7", "--body", "part.bin")
    t.check(text("list-parts", *one, "--query", "Parts[].[PartNumber,Size]").split() == ["7", str(6 * MIB)], "other parts are told")
    t.check(text("list-multipart-uploads", "--bucket", "bucket", "--query", "Uploads[].[Key,UploadId]").split() == ["k", upload], "other uploads are told")
    text("abort-multipart-upload", *one)
    t.s3.nothing_in("bucket")
