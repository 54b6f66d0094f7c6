"""mb and head: one bucket or object at a time."""

import json

from rows import row


@row("dray mb s3://bucket")
def bucket_is_made(t):
    t.dray("mb s3://bucket").exits(0).prints_exactly("mb s3://bucket\n")
    t.s3.nothing_in("bucket")
    t.dray("head s3://bucket").exits(0).prints("bucket")


@row("dray mb s3://bucket (again)")
def bucket_that_exists_is_told(t):
    t.bucket("bucket")
    t.dray("mb s3://bucket").exits(1).says("CreateBucket s3://bucket", "BucketAlreadyOwnedByYou")


@row("dray mb s3://Not_A_Name")
def impossible_name_is_refused(t):
    t.dray("mb s3://Not_A_Name").exits(1).says("Not_A_Name", "lower-case letters")


@row("dray head s3://missing")
def missing_bucket_fails(t):
    t.dray("head s3://missing").exits(1).says('ERROR "head s3://missing":')


@row("dray head s3://bucket/a.txt")
def size_and_type_are_told(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.dray("cp a.txt s3://bucket/a.txt").exits(0)
    t.dray("head s3://bucket/a.txt").exits(0).prints("s3://bucket/a.txt", "6", "text/plain").says_nothing()
    told = json.loads(t.dray("head --json s3://bucket/a.txt").exits(0).out.splitlines()[0])
    t.check(told["success"] is True and told["object"]["size"] == 6, f"{told}")
    t.check(told["object"]["etag"] == t.s3.head("bucket", "a.txt")["etag"].strip('"'), f"{told}")


@row("dray stat s3://bucket/a.txt")
def stat_is_head_by_another_name(t):
    t.bucket("bucket")
    t.dray("pipe s3://bucket/a.txt", stdin="hello\n").exits(0)
    t.check(t.dray("stat s3://bucket/a.txt").exits(0).out == t.dray("head s3://bucket/a.txt").exits(0).out, "they differ")


@row("dray head s3://bucket/none")
def missing_key_fails(t):
    t.bucket("bucket")
    t.dray("head s3://bucket/none").exits(1).says('ERROR "head s3://bucket/none":').prints_exactly("")


@row("dray head s3://bucket/a.txt (put by another client)")
def object_of_another_client_is_told(t):
    t.bucket("bucket")
    t.s3.put("bucket", "a.txt", b"hello\n")
    t.dray("head s3://bucket/a.txt").exits(0).prints("6", "b1946ac92492d2347c6235b4d2611184")


@row("dray head --addressing path s3://bucket/a.txt")
def path_addressing_is_taken(t):
    t.bucket("bucket")
    t.s3.put("bucket", "a.txt", b"hello\n")
    t.dray("head --addressing path s3://bucket/a.txt").exits(0)
    t.dray(f"head --endpoint-url http://localhost:{t.server.port} s3://bucket/a.txt", env={"AWS_ENDPOINT_URL": None}).exits(0)
