"""How other people's S3 clients are told to do the same few things. Each is driven by the program's own command line, or,
for the libraries, by a small program (boto3_client.py, js/client.mjs) that takes `VERB BUCKET [KEY [FILE]]`."""

import functools
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable
from urllib.parse import urlsplit

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]


@dataclass(frozen=True)
class Client:
    """`command(t, verb, bucket, key, file)` returns the words to run; the verbs are mb, put, ls, get, rm, rb. `missing`
    says why it cannot be used here, or nothing: that is a skip when it is `optional` (no package of Debian has it), else
    a failure, for script/setup should have brought it."""

    name: str
    command: Callable
    missing: str = ""
    optional: bool = False
    refusal: str = "403"  # what it says when the server answers SignatureDoesNotMatch


def installed(path: str) -> str:
    return "" if shutil.which(path) else f"{path} is not installed: script/setup"


def aws(t, verb, bucket, key="", file=""):
    url = f"s3://{bucket}/{key}"
    words = {"mb": ["mb", f"s3://{bucket}"], "rb": ["rb", f"s3://{bucket}"], "put": ["cp", "--only-show-errors", file, url],
             "ls": ["ls", "--recursive", f"s3://{bucket}"], "get": ["cp", "--only-show-errors", url, file], "rm": ["rm", url]}
    # awscli 2.9 knows no AWS_ENDPOINT_URL.
    return ["/usr/bin/aws", "--endpoint-url", t.env["AWS_ENDPOINT_URL"], "--region", t.env["AWS_REGION"], "s3", *words[verb]]


def s3cmd(t, verb, bucket, key="", file=""):
    config = t.folder / ".s3cfg"
    if not config.exists():
        host = urlsplit(t.env["AWS_ENDPOINT_URL"]).netloc
        config.write_text(f"[default]\nhost_base = {host}\nhost_bucket = {host}\nuse_https = False\nbucket_location = {t.env['AWS_REGION']}\n")
    url = f"s3://{bucket}/{key}"
    words = {"mb": ["mb", f"s3://{bucket}"], "rb": ["rb", f"s3://{bucket}"], "put": ["put", file, url], "ls": ["ls", "-r", f"s3://{bucket}/"],
             "get": ["get", url, file], "rm": ["del", url]}
    keys = [f"--access_key={t.env['AWS_ACCESS_KEY_ID']}", f"--secret_key={t.env['AWS_SECRET_ACCESS_KEY']}"]
    return ["/usr/bin/s3cmd", "-c", config, *keys, "--no-progress", "--multipart-chunk-size-mb=5", *words[verb]]


def rclone(t, verb, bucket, key="", file=""):
    remote = f":s3,provider=Other,env_auth=true,endpoint='{t.env['AWS_ENDPOINT_URL']}',region={t.env['AWS_REGION']}:{bucket}"
    words = {"mb": ["mkdir", remote], "rb": ["rmdir", remote], "put": ["copyto", file, f"{remote}/{key}"], "ls": ["lsl", remote],
             "get": ["copyto", "--error-on-no-transfer", f"{remote}/{key}", file], "rm": ["deletefile", f"{remote}/{key}"]}
    return ["/usr/bin/rclone", "--retries", "1", "--s3-upload-cutoff", "5M", "--s3-chunk-size", "5M", *words[verb]]


def boto3(python: str):
    return lambda t, *words: [python, HERE / "boto3_client.py", *words]


def javascript(t, *words):
    return ["node", HERE / "js/client.mjs", REPOSITORY / "build/peers-npm", *words]


@functools.cache
def newer_boto3() -> tuple[str, str]:
    """(a Python on PATH that has a boto3 with the checksum defaults of 2025, "") or ("", why there is none)."""
    python = shutil.which("python3")
    if not python:
        return "", "no python3 on PATH"
    asked = subprocess.run([python, "-c", "import boto3, sys; print(boto3.__version__, sys.executable)"], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        return "", f"{python} has no boto3"
    version, executable = asked.stdout.split()
    if tuple(map(int, version.split(".")[:2])) < (1, 36):
        return "", f"{python} has boto3 {version}, the new checksum defaults begin with 1.36"
    return executable, ""


def clients() -> list[Client]:
    npm = REPOSITORY / "build/peers-npm/node_modules/@aws-sdk/client-s3"
    newer, none = newer_boto3()
    return [
        Client("aws", aws, installed("/usr/bin/aws"), refusal="SignatureDoesNotMatch"),
        Client("s3cmd", s3cmd, installed("/usr/bin/s3cmd")),
        Client("rclone", rclone, installed("/usr/bin/rclone")),
        Client("boto3", boto3("/usr/bin/python3"), "" if os.path.isdir("/usr/lib/python3/dist-packages/boto3") else "python3-boto3 is not installed: script/setup",
               refusal="SignatureDoesNotMatch"),
        Client("boto3 (newer)", boto3(newer), none, optional=True, refusal="SignatureDoesNotMatch"),
        Client("@aws-sdk/client-s3", javascript, "" if npm.is_dir() else "it is not installed: script/setup", refusal="SignatureDoesNotMatch"),
    ]
