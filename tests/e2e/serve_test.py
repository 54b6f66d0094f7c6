"""serve: how it starts, what it tells, who may ask, how it ends."""

import datetime
import signal
import socket

from rows import row
from rows.s3 import S3


@row("dray serve --memory --port 0")
def first_line_is_where_it_listens(t):
    t.check(t.server.out[0] == f"listening on {t.server.url}", t.server.out[0])
    t.check(t.server.env["AWS_ENDPOINT_URL"] == t.server.url, f"{t.server.env}")
    socket.create_connection(("127.0.0.1", t.server.port), timeout=5).close()


@row("dray serve --memory --port 0")
def sigterm_ends_it_with_a_connection_open(t):
    with socket.create_connection(("127.0.0.1", t.server.port), timeout=5) as idle:
        idle.sendall(b"GET / HTTP/1.1\r\nHost:")
        t.check(t.server.stop(signal.SIGTERM) == 0, "SIGTERM is how its work ends well")


@row("dray serve --memory --port 0")
def ctrl_c_ends_it(t):
    code = t.server.stop(signal.SIGINT)
    t.check(code == 130, f"exit code {code}")


@row("dray serve --memory --port 0")
def keys_differ_from_start_to_start(t):
    other = t.start_server("--memory")
    t.check(other.env["AWS_SECRET_ACCESS_KEY"] != t.server.env["AWS_SECRET_ACCESS_KEY"], "two servers made the same secret")
    t.check(S3(other.env | {"AWS_SECRET_ACCESS_KEY": t.env["AWS_SECRET_ACCESS_KEY"]}).request("GET").status == 403, "the other's secret is taken")


@row("dray serve --access-key AK --secret-key SK", serve="--memory --access-key EXAMPLEKEY --secret-key example/secret+1")
def given_keys_are_the_keys(t):
    t.check((t.env["AWS_ACCESS_KEY_ID"], t.env["AWS_SECRET_ACCESS_KEY"]) == ("EXAMPLEKEY", "example/secret+1"), f"{t.server.env}")
    t.bucket("bucket")
    t.check(S3(t.env | {"AWS_ACCESS_KEY_ID": "OTHERKEY"}).request("GET").code == "InvalidAccessKeyId", "another access key is taken")
    t.check(S3(t.env | {"AWS_SECRET_ACCESS_KEY": "other"}).request("GET").code == "SignatureDoesNotMatch", "another secret is taken")


@row("dray serve --region eu-central-1", serve="--memory --region eu-central-1")
def region_is_part_of_the_signature(t):
    t.check(t.env["AWS_REGION"] == "eu-central-1", f"{t.server.env}")
    t.bucket("bucket")
    t.check(S3(t.env | {"AWS_REGION": "us-west-2"}).request("GET", "bucket").code == "AuthorizationHeaderMalformed", "another region is taken")


@row("dray serve --port TAKEN", serve=None)
def taken_port_fails_at_once(t):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        t.dray(f"serve --memory --port {port}", seconds=10).exits(1).says(str(port))


@row("dray serve MISSING", serve=None)
def missing_folder_fails_by_name(t):
    t.dray("serve --port 0 no/such/folder", seconds=10).exits(1).says("no/such/folder")


@row("dray serve --null", serve="--null")
def null_store_makes_objects_up(t):
    t.bucket("bucket")
    content = t.s3.get("bucket", "made-up.sz1000000")
    t.check(len(content) == 1_000_000, f"{len(content)} bytes, not the size in its name")
    t.dray("head s3://bucket/made-up.sz1000000").exits(0).prints("1000000")


@row("dray serve --null", serve="--null")
def null_store_keeps_names_and_sizes(t):
    t.bucket("bucket")
    t.dray(["cp", t.file("a b", size=1234), t.file("c", size=9 << 20), "s3://bucket/"]).exits(0)
    t.check(t.s3.objects("bucket") == {"a b": 1234, "c": 9 << 20}, f"{t.s3.objects('bucket')}")


@row("curl PRESIGNED")
def presigned_url_needs_no_keys(t):
    t.bucket("bucket")
    t.dray("pipe 's3://bucket/a b+c'", stdin="hello\n").exits(0)
    url = t.s3.presigned("GET", "bucket", "a b+c", 60)
    reply = t.s3.send("GET", url)
    t.check((reply.status, reply.body) == (200, b"hello\n"), f"{reply}")
    t.check(t.s3.send("GET", url.replace("X-Amz-Expires=60", "X-Amz-Expires=600")).code == "SignatureDoesNotMatch", "a changed URL is taken")
    t.check(t.s3.send("DELETE", url).status == 403, "a URL for GET is good for DELETE")
    t.s3.holds("bucket", "a b+c", b"hello\n")


@row("curl PRESIGNED (expired)")
def expired_url_is_refused(t):
    t.bucket("bucket")
    t.s3.put("bucket", "a", b"hello\n")
    before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=10)
    reply = t.s3.send("GET", t.s3.presigned("GET", "bucket", "a", 60, before))
    t.check((reply.status, reply.code) == (403, "AccessDenied"), f"{reply}")
    t.check(b"hello" not in reply.body, "the content is there all the same")


@row("curl URL (no signature)")
def unsigned_request_is_refused(t):
    t.bucket("bucket")
    t.s3.put("bucket", "a", b"hello\n")
    for method, path in (("GET", "/bucket/a"), ("GET", "/"), ("PUT", "/bucket/b"), ("DELETE", "/bucket/a")):
        reply = t.s3.send(method, path)
        t.check(reply.status == 403 and b"hello" not in reply.body, f"{method} {path}: {reply}")
    t.s3.nothing_in("bucket", but=("a",))
