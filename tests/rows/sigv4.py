"""AWS Signature Version 4 for S3, after AWS's own page ("Signature Calculations for the Authorization Header" and "Using
Query Parameters" in the S3 API reference). Written apart from dray's, so that the two cannot be wrong together."""

import datetime
import hashlib
import hmac
from dataclasses import dataclass
from urllib.parse import quote

ALGORITHM = "AWS4-HMAC-SHA256"
UNSIGNED = "UNSIGNED-PAYLOAD"


@dataclass(frozen=True)
class Keys:
    access: str
    secret: str
    region: str


def encode(text: str, safe: str = "") -> str:
    """Every byte but A-Z a-z 0-9 - . _ ~ as %XX."""
    return quote(text, safe=safe)


def encode_query(query: dict[str, str]) -> str:
    return "&".join(sorted(f"{encode(name)}={encode(value)}" for name, value in query.items()))


def _scope(keys: Keys, stamp: str) -> str:
    return f"{stamp[:8]}/{keys.region}/s3/aws4_request"


def _signature(keys: Keys, stamp: str, canonical_request: str) -> str:
    to_sign = "\n".join([ALGORITHM, stamp, _scope(keys, stamp), hashlib.sha256(canonical_request.encode()).hexdigest()])
    key = ("AWS4" + keys.secret).encode()
    for word in (stamp[:8], keys.region, "s3", "aws4_request", to_sign):
        key = hmac.new(key, word.encode(), hashlib.sha256).digest()
    return key.hex()


def _canonical(method: str, path: str, query: dict[str, str], headers: dict[str, str], payload: str) -> str:
    names = sorted(headers)
    return "\n".join([method, path, encode_query(query), *(f"{name}:{headers[name].strip()}" for name in names), "", ";".join(names), payload])


def _stamp(at: datetime.datetime | None) -> str:
    return (at or datetime.datetime.now(datetime.timezone.utc)).strftime("%Y%m%dT%H%M%SZ")


def signed_headers(keys: Keys, method: str, path: str, query: dict[str, str], headers: dict[str, str], body: bytes) -> dict[str, str]:
    """The headers of a request that carries its signature in one of them. `path` is encoded already, names are in lower
    case, `host` is among them."""
    stamp, payload = _stamp(None), hashlib.sha256(body).hexdigest()
    headers = headers | {"x-amz-date": stamp, "x-amz-content-sha256": payload}
    signature = _signature(keys, stamp, _canonical(method, path, query, headers, payload))
    return headers | {"authorization": f"{ALGORITHM} Credential={keys.access}/{_scope(keys, stamp)},"
                                       f"SignedHeaders={';'.join(sorted(headers))},Signature={signature}"}


def presigned_query(keys: Keys, method: str, path: str, host: str, seconds: int, at: datetime.datetime | None = None) -> str:
    """The query of a URL that anybody may use for `seconds` from `at` (now)."""
    stamp = _stamp(at)
    query = {
        "X-Amz-Algorithm": ALGORITHM,
        "X-Amz-Credential": f"{keys.access}/{_scope(keys, stamp)}",
        "X-Amz-Date": stamp,
        "X-Amz-Expires": str(seconds),
        "X-Amz-SignedHeaders": "host",
    }
    signature = _signature(keys, stamp, _canonical(method, path, query, {"host": host}, UNSIGNED))
    return encode_query(query | {"X-Amz-Signature": signature})
