"""bench: its lines are read by other people's programs, which compare S3 clients."""

import json
import re
import statistics

from rows import row

MIB = 1 << 20
NUMBERS = r"Median:(\d+\.\d+) Mean:(\d+\.\d+) Min:(\d+\.\d+) Max:(\d+\.\d+) Variance:(\d+\.\d+) StdDev:(\d+\.\d+)"


def workload(t, **changed) -> None:
    fields = {"version": 2, "comment": "", "filesOnDisk": True, "checksum": None, "maxRepeatCount": 2, "maxRepeatSecs": 60,
              "tasks": [{"action": "upload", "key": "upload/one", "size": 9 * MIB}, {"action": "upload", "key": "upload/two", "size": 1000}]}
    t.file("w.run.json", json.dumps(fields | changed))


def check_lines(t, out: str, runs: int) -> None:
    """As the programs read them: re.match() on each line."""
    rates = [float(found[1]) for line in out.splitlines() if (found := re.match(r"^Run:\d+ .* Gb/s:(\d+\.\d+)", line))]
    seconds = [float(found[1]) for line in out.splitlines() if (found := re.match(r"^Run:\d+ Secs:(\d+\.\d+) .*", line))]
    t.check(len(rates) == len(seconds) == runs, f"{runs} runs expected: {out!r}")
    t.check(all(s > 0 for s in seconds), f"{seconds}")
    overall = re.search(rf"^Overall Duration \(Secs\) {NUMBERS}$", out, re.MULTILINE)
    t.check(overall is not None and re.search(rf"^Overall Throughput \(Gb/s\) {NUMBERS}$", out, re.MULTILINE) is not None, f"no Overall lines: {out!r}")
    told = [float(number) for number in overall.groups()[:4]]
    for number, expected in zip(told, (statistics.median(seconds), statistics.mean(seconds), min(seconds), max(seconds))):
        t.check(abs(number - expected) <= 0.0011, f"{told} does not follow from {seconds}")
    t.check(re.search(r"^Peak RSS:\d+\.\d+ MiB$", out, re.MULTILINE) is not None, f"no Peak RSS: {out!r}")
    t.check(re.search(r"\d[eE][-+]?\d", out) is None, f"a number with an exponent: {out!r}")


def bench_row(words: str, **fields):
    @row(f"dray bench {words} WORKLOAD bucket us-east-1 10")
    def runs_are_told_in_the_published_format(t):
        workload(t, **fields)
        done = t.dray(f"bench {words} w.run.json bucket us-east-1 10").exits(0)
        check_lines(t, done.out, runs=2)
        for key, size in (("upload/one", 9 * MIB), ("upload/two", 1000)):
            t.check((t.folder / key).stat().st_size == size, f"{key} was not made")
            t.s3.holds("bucket", key, t.folder / key)
        t.check(not t.s3.uploads("bucket"), "unfinished uploads are left")


bench_row("--prepare")
bench_row("--prepare --readers serial", checksum="CRC64NVME")
bench_row("--prepare --readers parallel", checksum="CRC32")
bench_row("--prepare --cold --part-size 5M")


@row("dray bench WORKLOAD bucket us-east-1 10 (filesOnDisk false)")
def content_from_memory_is_uploaded(t):
    t.bucket("bucket")
    workload(t, filesOnDisk=False)
    check_lines(t, t.dray("bench w.run.json bucket us-east-1 10").exits(0).out, runs=2)
    t.check(t.s3.objects("bucket") == {"upload/one": 9 * MIB, "upload/two": 1000}, f"{t.s3.objects('bucket')}")
    t.check(not (t.folder / "upload").exists(), "files were made")


@row("dray bench --prepare-only WORKLOAD bucket us-east-1 10")
def prepare_only_runs_nothing(t):
    workload(t)
    t.dray("bench --prepare-only w.run.json bucket us-east-1 10").exits(0).never_prints("Run:")
    t.s3.nothing_in("bucket")
    t.check((t.folder / "upload/one").stat().st_size == 9 * MIB, "no file was made")


@row("dray bench WORKLOAD bucket us-east-1 10 (version 1)")
def other_version_exits_123(t):
    workload(t, version=1)
    t.dray("bench w.run.json bucket us-east-1 10").exits(123).says("Skipping benchmark - ").prints_exactly("")


def broken_row(kind: str, content: str):
    @row(f"dray bench WORKLOAD bucket us-east-1 10 ({kind})")
    def broken_workload_exits_255(t):
        t.file("w.run.json", content)
        t.dray("bench w.run.json bucket us-east-1 10").exits(255).says("FAIL - ", "w.run.json").prints_exactly("")


broken_row("no JSON", '{"version": 2')
broken_row("empty", "")
broken_row("no tasks", '{"version": 2, "comment": "", "filesOnDisk": true, "checksum": null, "maxRepeatCount": 1, "maxRepeatSecs": 1}')
broken_row("a size that is none", '{"version": 2, "comment": "", "filesOnDisk": true, "checksum": null, "maxRepeatCount": 1, "maxRepeatSecs": 1, '
           '"tasks": [{"action": "upload", "key": "a", "size": -5}]}')


@row("dray bench MISSING bucket us-east-1 10")
def missing_workload_exits_255(t):
    t.dray("bench none.run.json bucket us-east-1 10").exits(255).says("FAIL - ", "none.run.json")


@row("dray bench WORKLOAD bucket us-east-1 10 (no files)")
def missing_file_exits_255_with_advice(t):
    t.bucket("bucket")
    workload(t)
    t.dray("bench w.run.json bucket us-east-1 10").exits(255).says("FAIL - ", "upload/one", "--prepare").never_prints("Overall")


@row("dray bench WORKLOAD missing us-east-1 10")
def missing_bucket_exits_255(t):
    workload(t, filesOnDisk=False)
    t.dray("bench w.run.json missing us-east-1 10").exits(255).says("FAIL - ", "NoSuchBucket").never_prints("Overall")
