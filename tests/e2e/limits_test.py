"""The limits of S3 and of the process, with files of zeros that take no room, against a server that keeps nothing."""

import json
import signal
import sys
import threading
from pathlib import Path

from rows import row

MIB = 1 << 20
GIB = 1 << 30

# A small parent: what a process inherits from a large one would count as its own peak.
PEAK = "import os, resource, sys; code = os.spawnvp(os.P_WAIT, sys.argv[1], sys.argv[1:]); " \
       "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, file=sys.stderr); sys.exit(code)"


def connections_to(port: int) -> int:
    """How many are open now, as the kernel tells."""
    ends = (line.split()[1:4] for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    # The table moves while it is read, and may show one twice.
    return len({remote for local, remote, state in ends if local.endswith(f":{port:04X}") and state == "01"})


class MostConnections:
    """Looks again and again until it is told to stop; says the most it saw."""

    def __init__(self, port: int):
        self._port, self._most, self._stop = port, 0, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._stop.wait(0.01):
            self._most = max(self._most, connections_to(self._port))

    def stop(self) -> int:
        self._stop.set()
        self._thread.join()
        return self._most


@row("dray cp --multipart-threshold 1T FILE s3://bucket/file (over 5 GiB)", serve="--null", alone=True)
def file_larger_than_one_put_may_be(t):
    """Past the page cache: five gigabytes of it are better used."""
    t.bucket("bucket")
    size = 5 * GIB + 3
    t.sparse("large", size)
    t.dray("cp --direct-io --multipart-threshold 1T large s3://bucket/file").exits(0)
    t.check(t.s3.objects("bucket") == {"file": size}, f"{t.s3.objects('bucket')}")
    t.check(t.s3.head("bucket", "file")["etag"].strip('"').endswith("-641"), "641 parts were expected")
    t.check(not t.s3.uploads("bucket"), "an unfinished upload is left")


@row("dray cp --part-size 5M FILE s3://bucket/file (10,001 times 5 MiB)", serve="--null")
def part_size_grows_so_that_ten_thousand_suffice(t):
    t.bucket("bucket")
    t.sparse("large", 10_001 * 5 * MIB)
    running = t.start("cp --part-size 5M --bandwidth-limit 64M large s3://bucket/file")
    ((key, upload),) = t.until(lambda: t.s3.uploads("bucket"), "the upload's beginning")
    parts = t.until(lambda: t.s3.parts("bucket", key, upload), "its first part")
    t.check(all(size == 6 * MIB for _, size in parts), f"parts of 6 MiB were expected: {parts}")
    running.signal(signal.SIGINT)
    running.finish(8).exits(130).says("parts of 6291456 bytes, more than asked for")
    t.s3.nothing_in("bucket")


@row("dray cp --concurrency 250 FILE s3://bucket/file (2 GiB)", serve="--null", alone=True)
def memory_and_connections_stay_within_bounds(t):
    t.needs_real_memory()
    t.bucket("bucket")
    t.sparse("large", 2 * GIB)
    most = MostConnections(t.server.port)
    done = t.run([sys.executable, "-SE", "-c", PEAK, t.program, "cp", "--json", "--stats", "--concurrency", "250", "large", "s3://bucket/file"])
    seen = most.stop()
    done.exits(0)
    peak, stats = int(done.err.split()[-1]), json.loads(done.out.splitlines()[-1])["summary"]["stats"]
    t.check(t.s3.objects("bucket") == {"file": 2 * GIB}, f"{t.s3.objects('bucket')}")
    t.check(peak <= 64 * MIB, f"{peak / MIB:.1f} MiB of memory at its peak")
    t.check(abs(peak - stats["peak_memory"]) < 4 * MIB, f"--stats tells {stats['peak_memory']} bytes, it was {peak}")
    t.check(50 <= seen <= 250 and stats["peak_connections"] <= 250, f"{seen} connections seen, --stats tells {stats['peak_connections']}")


@row("dray pipe --memory-limit 48M s3://bucket/file (512 MiB)", serve="--null", alone=True)
def stream_stays_within_its_memory(t):
    t.needs_real_memory()
    t.bucket("bucket")
    limited = f'head -c {512 * MIB} /dev/zero | "$@"'
    done = t.run(["bash", "-c", limited, "bash", sys.executable, "-SE", "-c", PEAK, t.program, "pipe", "--memory-limit", "48M", "s3://bucket/file"])
    peak = int(done.exits(0).err.split()[-1])
    t.check(t.s3.objects("bucket") == {"file": 512 * MIB}, f"{t.s3.objects('bucket')}")
    t.check(peak <= 48 * MIB, f"{peak / MIB:.1f} MiB of memory at its peak")
