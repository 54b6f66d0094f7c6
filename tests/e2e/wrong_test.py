"""What is wrong with the input, the account or the way to the store: the exit code, and a message that says what was
tried, what happened, and what to do."""

import os
import socket

from rows import row

MIB = 1 << 20
KEYS = {"AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "SK", "AWS_REGION": "us-east-1"}


@row("dray cp none.txt s3://bucket/none.txt")
def missing_file_fails_by_name(t):
    t.bucket("bucket")
    t.dray("cp none.txt s3://bucket/none.txt").exits(1).says('ERROR "cp none.txt s3://bucket/none.txt":', "no such file").prints_exactly("")
    t.s3.nothing_in("bucket")


@row("dray cp FOLDER s3://bucket/")
def folder_fails_with_advice(t):
    t.bucket("bucket")
    t.file("folder/a.txt", "x")
    t.dray("cp folder s3://bucket/").exits(1).says("folder", "name the files in it").prints_exactly("")
    t.s3.nothing_in("bucket")


@row("dray cp UNREADABLE a.txt s3://bucket/")
def unreadable_file_is_a_warning_and_the_rest_goes(t):
    t.needs("setpriv")
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.file("unreadable", "x").chmod(0)
    # Root reads everything: without the right to, it is as anybody.
    strip = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"] if os.getuid() == 0 else []
    done = t.run([*strip, t.program, "cp", "unreadable", "a.txt", "s3://bucket/"]).exits(4)
    done.says('WARNING "cp unreadable s3://bucket/unreadable":', "permission denied", "1 done, 0 failed, 1 skipped")
    t.s3.holds("bucket", "a.txt", b"hello\n")
    t.s3.nothing_in("bucket", but=("a.txt",))


@row("dray cp BROKENLINK s3://bucket/")
def broken_link_fails_by_name(t):
    t.bucket("bucket")
    (t.folder / "link").symlink_to("nowhere")
    t.dray("cp link s3://bucket/").exits(1).says('ERROR "cp link s3://bucket/link"', "no such file")
    t.s3.nothing_in("bucket")


@row("dray cp SOCKET s3://bucket/")
def socket_is_skipped_with_a_warning(t):
    t.bucket("bucket")
    with socket.socket(socket.AF_UNIX) as there:
        there.bind(os.path.relpath(t.folder / "socket"))
        t.dray("cp socket s3://bucket/").exits(4).says("neither a file nor a FIFO")
    t.s3.nothing_in("bucket")


def missing_bucket_row(size: int):
    @row(f"dray cp FILE s3://missing/a.txt (of {size} bytes)")
    def missing_bucket_is_named_by_its_code(t):
        t.file("a.txt", size=size)
        t.dray("cp a.txt s3://missing/a.txt").exits(1).says("s3://missing", "NoSuchBucket", "dray mb")


missing_bucket_row(6)
missing_bucket_row(9 * MIB)


@row("dray cp a.txt s3://bucket/a.txt (wrong secret)")
def wrong_secret_fails_and_is_not_shown(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    done = t.dray("cp a.txt s3://bucket/a.txt", env={"AWS_SECRET_ACCESS_KEY": "not/the+secret"}).exits(1)
    done.says("SignatureDoesNotMatch", "PutObject s3://bucket/a.txt", "secret").never_prints("not/the+secret")
    t.s3.nothing_in("bucket")


@row("dray cp a.txt s3://bucket/a.txt (wrong access key)")
def wrong_access_key_fails(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.dray("cp a.txt s3://bucket/a.txt", env={"AWS_ACCESS_KEY_ID": "NOSUCHKEY"}).exits(1).says("InvalidAccessKeyId", "access key")
    t.s3.nothing_in("bucket")


@row("dray cp --no-sign-request a.txt s3://bucket/a.txt")
def anonymous_request_is_refused(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.dray("cp --no-sign-request a.txt s3://bucket/a.txt").exits(1).says("AccessDenied")
    t.s3.nothing_in("bucket")


@row("dray cp --profile NAME a.txt s3://bucket/a.txt")
def profile_brings_its_keys(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    keys = f"aws_access_key_id = {t.env['AWS_ACCESS_KEY_ID']}\naws_secret_access_key = {t.env['AWS_SECRET_ACCESS_KEY']}\n"
    t.file(".home/.aws/credentials", f"[default]\naws_access_key_id = WRONG\naws_secret_access_key = wrong\n[work]\n{keys}")
    none = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}
    t.dray("cp a.txt s3://bucket/a.txt", env=none).exits(1).says("InvalidAccessKeyId")
    t.dray("cp --profile work a.txt s3://bucket/a.txt", env=none).exits(0)
    t.s3.holds("bucket", "a.txt", b"hello\n")
    t.dray("cp --profile nosuch a.txt s3://bucket/b.txt", env=none).exits(1).says("no profile 'nosuch'")
    t.s3.nothing_in("bucket", but=("a.txt",))


@row("dray cp a.txt s3://bucket/a.txt (no credentials)")
def no_credentials_names_who_was_asked(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    none = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}
    t.dray("cp a.txt s3://bucket/a.txt", env=none).exits(1).says("credentials", "AWS_ACCESS_KEY_ID")
    t.s3.nothing_in("bucket")


@row("dray cp --endpoint-url http://127.0.0.1:9 a.txt s3://bucket/a.txt", serve=None)
def refused_connection_names_the_address_quickly(t):
    t.file("a.txt", "hello\n")
    done = t.dray("cp --endpoint-url http://127.0.0.1:9 a.txt s3://bucket/a.txt", env=KEYS, seconds=20).exits(1)
    done.says("127.0.0.1:9", "refused", "check the endpoint")
    t.check(done.seconds < 10, f"it took {done.seconds:.1f} s to say so")


@row("dray cp --endpoint-url http://no-such-host.invalid a.txt s3://bucket/a.txt", serve=None)
def unknown_host_is_named_quickly(t):
    t.file("a.txt", "hello\n")
    done = t.dray("cp --endpoint-url http://no-such-host.invalid a.txt s3://bucket/a.txt", env=KEYS, seconds=20).exits(1).says("no-such-host.invalid")
    t.check(done.seconds < 10, f"it took {done.seconds:.1f} s to say so")


@row("dray cp --timeout 1 --retries 0 a.txt s3://bucket/a.txt", serve=None)
def silent_server_is_given_up_in_time(t):
    t.file("a.txt", "hello\n")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        done = t.dray(f"cp --timeout 1 --retries 0 --endpoint-url {url} a.txt s3://bucket/a.txt", env=KEYS, seconds=20).exits(1)
    done.says("PutObject s3://bucket/a.txt", url.removeprefix("http://"), "timed out")
    t.check(done.seconds < 5, f"it took {done.seconds:.1f} s")


def foreign_server_row(kind: str, answer: bytes, *said: str):
    @row(f"dray cp --endpoint-url http://NOTS3 a.txt s3://bucket/a.txt ({kind})", serve=None)
    def answer_that_is_not_of_s3_is_an_error(t):
        t.file("a.txt", "hello\n")
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(10)
            url = f"http://127.0.0.1:{server.getsockname()[1]}"
            running = t.start(f"cp --retries 0 --endpoint-url {url} a.txt s3://bucket/a.txt", env=KEYS)
            with server.accept()[0] as connection:
                connection.recv(65536)
                connection.sendall(answer)
        running.finish(20).exits(1).prints_exactly("").says("PutObject", *said)


foreign_server_row("ssh", b"SSH-2.0-OpenSSH_9.2\r\n")
foreign_server_row("nothing", b"")
foreign_server_row("html", b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<html>no\n", "404")
foreign_server_row("success without an ETag", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<html>ok\n")


@row("dray cp a.txt s3://bucket/KEY (of 1025 bytes)")
def key_too_long_is_named(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.dray(["cp", "a.txt", "s3://bucket/" + "k" * 1025]).exits(2).says("1024")
    t.s3.nothing_in("bucket")


@row("dray cp --metadata TOOLARGE a.txt s3://bucket/a.txt")
def metadata_that_is_too_large_is_refused(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.dray(["cp", "--metadata", "k=" + "v" * 3000, "a.txt", "s3://bucket/a.txt"]).exits(1).says("metadata")
    t.s3.nothing_in("bucket")


@row("dray cp --region eu-central-1 a.txt s3://bucket/a.txt")
def wrong_region_is_named_with_the_right_one(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.dray("cp --region eu-central-1 a.txt s3://bucket/a.txt").exits(1).says("eu-central-1", "us-east-1", "check the region")
    t.s3.nothing_in("bucket")


@row("dray cp --addressing virtual a.txt s3://bucket/a.txt")
def virtual_addressing_of_a_number_is_refused_with_advice(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.dray("cp --addressing virtual a.txt s3://bucket/a.txt").exits(1).says("127.0.0.1", "path addressing")
    t.s3.nothing_in("bucket")


@row("dray cp --endpoint-url https://127.0.0.1:9 a.txt s3://bucket/a.txt", serve=None)
def https_is_refused_with_advice(t):
    t.file("a.txt", "hello\n")
    t.dray("cp --endpoint-url https://127.0.0.1:9 a.txt s3://bucket/a.txt", env=KEYS).exits(1).says("https is not supported yet", "http://")
