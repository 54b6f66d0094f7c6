"""What is printed where: lines for people, lines for programs, and nothing where nothing was asked for."""

import json
import os
import pty

from rows import row
from rows.declare import Failed

MIB = 1 << 20


def json_lines(done) -> tuple[list[dict], dict]:
    """The operations and the summary. Every line must be one object, the last the summary, and its sum must be right."""
    lines = []
    for text in done.out.splitlines():
        try:
            lines.append(json.loads(text))
        except ValueError:
            done.fail(f"no JSON: {text!r}")
    if not lines or "summary" not in lines[-1] or any("summary" in line for line in lines[:-1]):
        done.fail("one summary was expected, as the last line")
    summary = lines[-1]["summary"]
    if summary["planned"] != summary["done"] + summary["failed"] + summary["skipped"]:
        done.fail("planned is not done + failed + skipped")
    return lines[:-1], summary


@row("dray cp --json a.txt s3://bucket/a.txt")
def json_tells_operation_and_summary(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    operations, summary = json_lines(t.dray("cp --json a.txt s3://bucket/a.txt").exits(0).says_nothing())
    t.check(len(operations) == 1, f"{operations}")
    done = operations[0]
    t.check(done["operation"] == "cp" and done["success"] is True, f"{done}")
    t.check((done["source"], done["destination"], done["object"]["size"]) == ("a.txt", "s3://bucket/a.txt", 6), f"{done}")
    head = t.s3.head("bucket", "a.txt")
    t.check(done["object"]["etag"] == head["etag"].strip('"'), f"{done} but {head}")
    t.check(done["object"]["checksum"] == head["x-amz-checksum-crc64nvme"], f"{done} but {head}")
    t.check((summary["planned"], summary["done"], summary["bytes"]) == (1, 1, 6), f"{summary}")


@row("dray cp --json -n FILES s3://bucket/")
def json_adds_up_for_done_failed_and_skipped(t):
    t.bucket("bucket")
    t.s3.put("bucket", "there", b"old")
    for name in ("there", "a", "b\nc"):
        t.file(name, "12345")
    operations, summary = json_lines(t.dray(["cp", "--json", "-n", "there", "a", "none", "b\nc", "s3://bucket/"]).exits(1))
    t.check(len(operations) == 4, f"{operations}")
    t.check((summary["planned"], summary["done"], summary["failed"], summary["skipped"], summary["bytes"]) == (4, 2, 1, 1, 10), f"{summary}")
    failed = next(line for line in operations if not line["success"])
    t.check(failed["source"] == "none" and failed["error"]["kind"] == "not_found" and failed["error"]["message"], f"{failed}")
    t.check(next(line for line in operations if line["source"] == "there").get("skipped") is True, f"{operations}")


@row("dray cp --json a.txt s3://missing/a.txt")
def json_names_code_and_request_of_a_refusal(t):
    t.file("a.txt", "hello\n")
    operations, _ = json_lines(t.dray("cp --json a.txt s3://missing/a.txt").exits(1).says_nothing())
    error = operations[0]["error"]
    t.check((error["code"], error["http_status"]) == ("NoSuchBucket", 404) and error["request_id"], f"{error}")


@row("dray cp -q a.txt s3://bucket/a.txt")
def quiet_prints_nothing(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.file("b.txt", "hello\n")
    t.dray("cp -q a.txt s3://bucket/a.txt").exits(0).prints_exactly("").says_nothing()
    t.dray("cp -q a.txt b.txt s3://bucket/").exits(0).prints_exactly("").says_nothing()
    t.dray("pipe -q s3://bucket/c", stdin="x").exits(0).prints_exactly("").says_nothing()
    t.s3.holds("bucket", "b.txt", b"hello\n")


@row("dray cp -q none.txt s3://bucket/a.txt")
def quiet_still_tells_errors(t):
    t.bucket("bucket")
    t.dray("cp -q none.txt s3://bucket/a.txt").exits(1).prints_exactly("").says("none.txt")


@row("dray -q cp a.txt s3://bucket/a.txt")
def global_options_may_come_first(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.dray("-q cp a.txt s3://bucket/a.txt").exits(0).prints_exactly("")


@row("dray cp --stats FILE s3://bucket/file")
def stats_tell_connections_and_memory(t):
    t.bucket("bucket")
    t.file("file.bin", size=20 * MIB)
    t.dray("cp --stats file.bin s3://bucket/file").exits(0).says("connection", "retries", "CPU s/GiB", "peak memory")
    _, summary = json_lines(t.dray("cp --json --stats --concurrency 2 file.bin s3://bucket/file").exits(0))
    t.check(1 <= summary["stats"]["peak_connections"] <= 2, f"{summary}")
    t.check(summary["stats"]["peak_memory"] > MIB and summary["stats"]["cpu_seconds"] > 0, f"{summary}")


@row("dray cp a.txt s3://bucket/a.txt | true")
def closed_standard_output_is_no_crash(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    for words in ("", "--json"):
        done = t.run(["bash", "-c", f'"$0" cp {words} a.txt s3://bucket/a.txt | true; echo ${{PIPESTATUS[0]}}', t.program])
        t.check(done.out.strip() in ("0", "1", "141"), f"dray ended with {done.out.strip()}")
        t.s3.holds("bucket", "a.txt", b"hello\n")


@row("dray cp a.txt s3://bucket/a.txt >/dev/full")
def full_standard_output_is_a_failure(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    t.run(["bash", "-c", '"$0" cp a.txt s3://bucket/a.txt >/dev/full', t.program]).exits(1).says("standard output", "no space")


@row("dray cp a.txt s3://bucket/a.txt >&- 2>&-")
def closed_descriptors_are_no_crash(t):
    t.bucket("bucket")
    t.file("a.txt", "hello\n")
    done = t.run(["bash", "-c", '"$0" cp a.txt s3://bucket/a.txt <&- >&- 2>&-; echo $?', t.program])
    t.check(done.out.strip() in ("0", "1"), f"dray ended with {done.out.strip()}")
    t.s3.holds("bucket", "a.txt", b"hello\n")


def on_a_terminal(t, command: str) -> bytes:
    """What the program writes to stderr when that is a terminal."""
    ours, theirs = pty.openpty()
    done = t.run(["bash", "-c", f'"$0" {command} 2>"$1" >/dev/null', t.program, os.ttyname(theirs)], env={"TERM": "xterm"})
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # how a terminal tells that nobody has it any more
        pass
    os.close(ours)
    done.exits(0)
    return shown


@row("dray cp FILE s3://bucket/file 2>TERMINAL")
def terminal_shows_a_bar_and_is_clean_afterwards(t):
    t.bucket("bucket")
    t.file("file.bin", size=4 * MIB)
    shown = on_a_terminal(t, "cp --bandwidth-limit 4M file.bin s3://bucket/file")
    t.check(b"\r" in shown and b"% " in shown and b"of 4.0 MiB" in shown, f"no bar: {shown[:300]!r}")
    t.check(shown.endswith(b"\r\x1b[K"), f"the bar is not taken away: {shown[-100:]!r}")
    if on_a_terminal(t, "cp --progress none file.bin s3://bucket/file"):
        raise Failed("--progress none shows something")
