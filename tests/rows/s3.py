"""S3, as a witness sees it: a small client of the standard library's, which shares nothing with dray or its server.

    s3 = S3(t.env)             # or t.s3, in a row
    s3.holds("bucket", "a.txt", t.folder / "a.txt")
    s3.uploads("bucket")       # [(key, upload id)]

A method that is told what should be there (`holds`, `nothing_in`) fails the row if it is not; so does an error that the
method has no answer for. One connection for each request; may be used by any thread.
"""

import base64
import datetime
import hashlib
import http.client
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator
from urllib.parse import urlsplit

from rows import sigv4
from rows.declare import Failed

SECONDS = 20


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes

    @property
    def code(self) -> str:
        """NoSuchKey and the like; empty if the reply names none."""
        found = re.search(rb"<Code>([^<]*)</Code>", self.body)
        return found[1].decode() if found else ""


class S3:
    """Reads endpoint, keys and region as programs do, from AWS_* variables. http only, path style only."""

    def __init__(self, env: dict[str, str]):
        self.host = urlsplit(env["AWS_ENDPOINT_URL"]).netloc
        self.keys = sigv4.Keys(env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"], env["AWS_REGION"])

    # --- requests

    def request(self, method: str, bucket: str = "", key: str = "", *, query: dict | None = None, headers: dict | None = None,
                body: bytes = b"") -> Reply:
        """Signed; whatever the server answers."""
        path, query = self._path(bucket, key), query or {}
        headers = sigv4.signed_headers(self.keys, method, path, query, {"host": self.host} | (headers or {}), body)
        return self.send(method, path + ("?" + sigv4.encode_query(query) if query else ""), headers, body)

    def send(self, method: str, target: str, headers: dict | None = None, body: bytes = b"") -> Reply:
        """As it is, without a signature."""
        connection = http.client.HTTPConnection(self.host, timeout=SECONDS)
        try:
            connection.request(method, target, body=body or None, headers=headers or {})
            reply = connection.getresponse()
            return Reply(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read())
        except (OSError, http.client.HTTPException) as error:
            raise Failed(f"witness: {method} {target.split('?')[0]}: {error!r}") from None
        finally:
            connection.close()

    def presigned(self, method: str, bucket: str, key: str, seconds: int, at: datetime.datetime | None = None) -> str:
        """A URL's path and query, for `send`."""
        path = self._path(bucket, key)
        return path + "?" + sigv4.presigned_query(self.keys, method, path, self.host, seconds, at)

    @staticmethod
    def _path(bucket: str, key: str) -> str:
        return "/" + bucket + ("/" + sigv4.encode(key, safe="/") if key else "")

    def _good(self, *arguments, **options) -> Reply:
        reply = self.request(*arguments, **options)
        if reply.status // 100 != 2:
            raise Failed(f"witness: {arguments}: status {reply.status} {reply.code} {reply.body[:300]!r}")
        return reply

    # --- one bucket, one object

    def make(self, bucket: str) -> None:
        self._good("PUT", bucket)

    def get(self, bucket: str, key: str) -> bytes:
        return self._good("GET", bucket, key).body

    def head(self, bucket: str, key: str) -> dict[str, str]:
        """Its headers, the stored checksum among them."""
        return self._good("HEAD", bucket, key, headers={"x-amz-checksum-mode": "ENABLED"}).headers

    def put(self, bucket: str, key: str, body: bytes) -> None:
        md5 = base64.b64encode(hashlib.md5(body).digest()).decode()
        self._good("PUT", bucket, key, headers={"content-md5": md5}, body=body)

    def delete(self, bucket: str, key: str) -> None:
        self._good("DELETE", bucket, key)

    # --- lists

    def _pages(self, bucket: str, key: str, query: dict, markers: dict[str, str]) -> Iterator[ElementTree.Element]:
        """Each page without its namespace; `markers` tells which element begins the next page as which parameter."""
        while True:
            page = ElementTree.fromstring(re.sub(rb' xmlns="[^"]*"', b"", self._good("GET", bucket, key, query=query).body))
            yield page
            if page.findtext("IsTruncated") != "true":
                return
            query = query | {parameter: page.findtext(element, "") for element, parameter in markers.items()}

    def objects(self, bucket: str) -> dict[str, int]:
        """Keys and sizes, in the order of the listing."""
        pages = self._pages(bucket, "", {"list-type": "2"}, {"NextContinuationToken": "continuation-token"})
        return {found.findtext("Key", ""): int(found.findtext("Size", "")) for page in pages for found in page.iter("Contents")}

    def uploads(self, bucket: str) -> list[tuple[str, str]]:
        """(key, id) of each unfinished multipart upload."""
        pages = self._pages(bucket, "", {"uploads": ""}, {"NextKeyMarker": "key-marker", "NextUploadIdMarker": "upload-id-marker"})
        return [(found.findtext("Key", ""), found.findtext("UploadId", "")) for page in pages for found in page.iter("Upload")]

    def parts(self, bucket: str, key: str, upload: str) -> list[tuple[int, int]]:
        """(number, size) of what has arrived."""
        pages = self._pages(bucket, key, {"uploadId": upload}, {"NextPartNumberMarker": "part-number-marker"})
        return [(int(found.findtext("PartNumber", "")), int(found.findtext("Size", ""))) for page in pages for found in page.iter("Part")]

    # --- what should be there

    def holds(self, bucket: str, key: str, content: bytes | Path) -> None:
        """Byte for byte, and HEAD tells the same size."""
        stored, wanted = self.get(bucket, key), content.read_bytes() if isinstance(content, Path) else content
        if stored != wanted:
            at = next((n for n, (a, b) in enumerate(zip(stored, wanted)) if a != b), min(len(stored), len(wanted)))
            raise Failed(f"s3://{bucket}/{key} holds {len(stored)} bytes, not the {len(wanted)} expected; they differ from byte {at} on")
        if (told := self.head(bucket, key).get("content-length")) != str(len(wanted)):
            raise Failed(f"s3://{bucket}/{key}: HEAD tells of {told} bytes, {len(wanted)} are there")

    def nothing_in(self, bucket: str, *, but: tuple[str, ...] = ()) -> None:
        """No object but those named, and no unfinished upload at all."""
        if others := [key for key in self.objects(bucket) if key not in but]:
            raise Failed(f"should not be in {bucket}: {others}")
        if left := self.uploads(bucket):
            raise Failed(f"unfinished uploads in {bucket}: {left}")
