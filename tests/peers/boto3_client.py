"""boto3_client.py VERB BUCKET [KEY [FILE]]: the same verbs as the other clients of clients.py, by boto3.

Works with Debian's boto3 and with newer ones. `put-stream` sends a body that cannot be read twice, `put-new` wants there
to be no such key; `many` puts, lists and removes 1,100 objects.
"""

import io
import os
import sys

import boto3
from botocore.config import Config


def main(verb: str, bucket: str, key: str = "", file: str = "") -> None:
    s3 = boto3.client(
        "s3",
        endpoint_url=os.environ["AWS_ENDPOINT_URL"],
        region_name=os.environ["AWS_REGION"],
        config=Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"}),
    )
    if verb == "mb":
        s3.create_bucket(Bucket=bucket)
    elif verb == "rb":
        s3.delete_bucket(Bucket=bucket)
    elif verb == "put":
        s3.upload_file(file, bucket, key)
    elif verb == "put-stream":
        with open(file, "rb") as body:
            s3.upload_fileobj(io.BufferedReader(body.raw), bucket, key)
    elif verb == "put-new":
        with open(file, "rb") as body:
            s3.put_object(Bucket=bucket, Key=key, Body=body, IfNoneMatch="*")
    elif verb == "get":
        s3.download_file(bucket, key, file)
    elif verb == "rm":
        s3.delete_object(Bucket=bucket, Key=key)
    elif verb == "ls":
        for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket):
            for found in page.get("Contents", []):
                print(found["Size"], found["Key"])
    elif verb == "many":
        for n in range(1100):
            s3.put_object(Bucket=bucket, Key=f"{n:04}", Body=b"x")
        keys = [f["Key"] for p in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket) for f in p.get("Contents", [])]
        assert keys == [f"{n:04}" for n in range(1100)], f"{len(keys)} keys listed"
        for at in range(0, 1100, 1000):
            gone = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": k} for k in keys[at : at + 1000]]})
            assert not gone.get("Errors"), gone["Errors"][:3]
        assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0
    else:
        raise SystemExit(f"no such verb: {verb}")


if __name__ == "__main__":
    main(*sys.argv[1:])
