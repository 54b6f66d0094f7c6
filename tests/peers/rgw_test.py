"""dray against Ceph's S3 gateway. What dray stored is read back, and listed, by Debian's awscli."""

import json
import signal

from rows import row
from rows.checksums import KINDS

MIB = 1 << 20


def in_rgw(**options):
    return {"serve": None, "shared": ("rgw",), **options}


def aws(t, *words: str):
    """Debian's awscli 2.9, which knows no AWS_ENDPOINT_URL. `words` begin with s3 or s3api."""
    return t.run(["/usr/bin/aws", "--endpoint-url", t.env["AWS_ENDPOINT_URL"], *words])


def enter(t, bucket: str, **changed) -> None:
    """The row's programs speak to the gateway from here on, in a bucket of the row's own."""
    t.env |= {name: value for name, value in t.shared["rgw"].items() if name.startswith("AWS_")}
    t.env |= {"AWS_DEFAULT_REGION": t.env["AWS_REGION"]}
    t.s3.make(bucket)
    t.env |= changed


def arrives(t, bucket: str, size: int, key: str = "file.bin", words: tuple[str, ...] = ()) -> None:
    """Up by dray, back by aws."""
    t.file("file.bin", size=size)
    t.dray(["cp", *words, "file.bin", f"s3://{bucket}/{key}"]).exits(0)
    aws(t, "s3", "cp", "--only-show-errors", f"s3://{bucket}/{key}", "by-aws.bin").exits(0)
    t.same("file.bin", "by-aws.bin")


@row("dray mb s3://BUCKET (rgw)", **in_rgw())
def bucket_is_seen_by_aws(t):
    enter(t, "rgw-mb")
    t.dray("mb s3://rgw-mb-dray").exits(0)
    aws(t, "s3", "ls").exits(0).prints("rgw-mb-dray")
    t.dray("head s3://rgw-mb-dray").exits(0)


def size_row(size: int):
    @row(f"dray cp FILE s3://BUCKET/KEY (rgw, {size} bytes)", **in_rgw())
    def file_arrives_whole(t):
        enter(t, f"rgw-size-{size}")
        arrives(t, f"rgw-size-{size}", size)
        t.check(not t.s3.uploads(f"rgw-size-{size}"), "an unfinished upload is left")


for each in (0, 1234, 8 * MIB, 8 * MIB + 1, 50 * MIB):
    size_row(each)


@row("dray cp FILE s3://BUCKET/KEY (rgw, 1 GiB)", **in_rgw(seconds=240, alone=True))
def one_gibibyte_arrives_whole(t):
    enter(t, "rgw-large")
    arrives(t, "rgw-large", 1024 * MIB)


def checksum_row(kind: str):
    @row(f"dray cp --checksum {kind} FILE s3://BUCKET/KEY (rgw)", **in_rgw())
    def store_that_knows_no_checksums_takes_the_file(t):
        """This release of Ceph ignores the headers; newer ones check them."""
        enter(t, f"rgw-checksum-{kind}")
        for key, size in (("one", 1000), ("parts", 6 * MIB)):
            path = t.file(key, size=size)
            t.dray(f"cp --checksum {kind} --part-size 5M {key} s3://rgw-checksum-{kind}/{key}").exits(0)
            t.s3.holds(f"rgw-checksum-{kind}", key, path)


for each in (*KINDS, "none"):
    checksum_row(each)


def awkward_row(bucket: str, key: str):
    @row(f"dray cp FILE {ascii('s3://BUCKET/' + key)} (rgw)", **in_rgw())
    def awkward_key_is_that_key(t):
        enter(t, bucket)
        arrives(t, bucket, 100, key)
        t.check(list(t.s3.objects(bucket)) == [key], f"listed: {list(t.s3.objects(bucket))}")
        t.dray(["head", f"s3://{bucket}/{key}"]).exits(0).prints("100")


awkward_row("rgw-names", "a +%20 é&=#'(1)~.bin")
awkward_row("rgw-slashes", "p//x/./y.bin")


@row("dray cp --metadata k=v --content-type TYPE FILE s3://BUCKET/KEY (rgw)", **in_rgw())
def metadata_and_type_are_read_by_aws(t):
    enter(t, "rgw-metadata")
    for name, size in (("one.csv", 1000), ("parts.csv", 9 * MIB)):
        t.file(name, size=size)
        t.dray(f"cp --metadata colour=blue --content-type text/csv {name} s3://rgw-metadata/").exits(0)
        told = json.loads(aws(t, "s3api", "head-object", "--bucket", "rgw-metadata", "--key", name).exits(0).out)
        t.check((told["ContentType"], told["Metadata"]) == ("text/csv", {"colour": "blue"}), f"{told}")
        t.dray(f"head s3://rgw-metadata/{name}").exits(0).prints("text/csv", "colour=blue", str(size))


@row("dray cp A B none C s3://BUCKET/p/ (rgw)", **in_rgw())
def several_files_are_listed_by_aws(t):
    enter(t, "rgw-several")
    for name, size in (("a", 10), ("b", 9 * MIB), ("c", 0)):
        t.file(name, size=size)
    t.dray("cp a b none c s3://rgw-several/p/").exits(1).says("none", "3 done, 1 failed")
    aws(t, "s3", "ls", "--recursive", "s3://rgw-several/").exits(0).prints("10 p/a", f"{9 * MIB} p/b", "0 p/c")


@row("dray cp BIG s3://BUCKET/KEY (rgw, SIGINT)", **in_rgw())
def interrupted_upload_is_aborted(t):
    enter(t, "rgw-interrupted")
    t.file("big.bin", size=30 * MIB)
    running = t.start("cp --bandwidth-limit 4M --part-size 5M big.bin s3://rgw-interrupted/file")
    t.until(lambda: t.s3.uploads("rgw-interrupted"), "the upload's beginning")
    running.signal(signal.SIGINT)
    running.finish(8).exits(130).says("nothing is left behind")
    told = aws(t, "s3api", "list-multipart-uploads", "--bucket", "rgw-interrupted").exits(0)
    t.check("UploadId" not in told.out, f"left: {told.out}")
    t.s3.nothing_in("rgw-interrupted")


def missing_bucket_row(size: int):
    @row(f"dray cp FILE s3://MISSING/KEY (rgw, {size} bytes)", **in_rgw())
    def missing_bucket_is_named(t):
        enter(t, f"rgw-other-{size}")
        t.file("file.bin", size=size)
        t.dray("cp file.bin s3://rgw-no-such-bucket/file.bin").exits(1).says("NoSuchBucket", "rgw-no-such-bucket")


for each in (100, 20 * MIB):
    missing_bucket_row(each)


@row("dray head s3://BUCKET/MISSING (rgw)", **in_rgw())
def missing_key_is_an_error(t):
    enter(t, "rgw-missing")
    t.dray("head s3://rgw-missing/none.bin").exits(1).says('ERROR "head s3://rgw-missing/none.bin"')


@row("dray cp FILE s3://BUCKET/KEY (rgw, wrong secret)", **in_rgw())
def wrong_secret_is_refused(t):
    enter(t, "rgw-secret", AWS_SECRET_ACCESS_KEY="not/the+secret")
    t.file("file.bin", size=100)
    t.dray("cp file.bin s3://rgw-secret/file.bin").exits(1).says("SignatureDoesNotMatch").never_prints("not/the+secret")


@row("dray cp FILE s3://BUCKET/KEY (rgw, unknown access key)", **in_rgw())
def unknown_access_key_is_refused(t):
    enter(t, "rgw-key", AWS_ACCESS_KEY_ID="RGWNOSUCHACCESSKEY00")
    t.file("file.bin", size=100)
    t.dray("cp file.bin s3://rgw-key/file.bin").exits(1).says("InvalidAccessKeyId")


@row("dray cp FILE s3://BUCKET/KEY (rgw, another user's bucket)", **in_rgw())
def foreign_bucket_is_refused(t):
    other = t.shared["rgw"]
    enter(t, "rgw-foreign", AWS_ACCESS_KEY_ID=other["RGW_OTHER_ACCESS_KEY_ID"], AWS_SECRET_ACCESS_KEY=other["RGW_OTHER_SECRET_ACCESS_KEY"])
    t.file("file.bin", size=100)
    t.dray("cp file.bin s3://rgw-foreign/file.bin").exits(1).says("AccessDenied")


def stream_row(size: int):
    @row(f"dray pipe s3://BUCKET/KEY (rgw, {size} bytes)", **in_rgw())
    def stream_arrives_whole(t):
        enter(t, f"rgw-pipe-{size}")
        t.dray(f"pipe s3://rgw-pipe-{size}/file.bin", stdin=t.file("file.bin", size=size)).exits(0)
        aws(t, "s3", "cp", "--only-show-errors", f"s3://rgw-pipe-{size}/file.bin", "back.bin").exits(0)
        t.same("file.bin", "back.bin")


for each in (0, 1000, 8 * MIB, 20 * MIB):
    stream_row(each)


@row("dray bench --prepare WORKLOAD BUCKET default 1 (rgw)", **in_rgw())
def benchmark_runs_against_it(t):
    enter(t, "rgw-bench")
    tasks = [{"action": "upload", "key": f"upload/{n}", "size": 300_000} for n in range(10)]
    t.file("w.run.json", json.dumps({"version": 2, "comment": "", "filesOnDisk": True, "checksum": "CRC32", "maxRepeatCount": 2,
                                     "maxRepeatSecs": 10, "tasks": tasks}))
    t.dray("bench --prepare w.run.json rgw-bench default 1").exits(0).prints("Run:2 Secs:", "Overall Throughput (Gb/s) Median:")
    t.check(t.s3.objects("rgw-bench") == {task["key"]: 300_000 for task in tasks}, f"{t.s3.objects('rgw-bench')}")
