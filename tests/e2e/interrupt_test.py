"""Signals during a slow upload of parts: the exit code tells which, soon, and nothing stays on the server."""

import os
import signal

from rows import row

MIB = 1 << 20
SECONDS = 8


def begin(t, words: str = ""):
    """A slow upload whose first part has arrived."""
    t.bucket("bucket")
    t.file("big.bin", size=30 * MIB)
    running = t.start(f"cp {words} --bandwidth-limit 8M --concurrency 3 --part-size 5M big.bin s3://bucket/file")
    ((key, upload),) = t.until(lambda: t.s3.uploads("bucket"), "the upload's beginning")
    t.until(lambda: t.s3.parts("bucket", key, upload), "its first part")
    return running


def signal_row(number: int, code: int):
    @row(f"dray cp BIG s3://bucket/file ({signal.Signals(number).name})")
    def upload_is_aborted_and_nothing_left(t):
        running = begin(t)
        running.signal(number)
        running.finish(SECONDS).exits(code).prints_exactly("").says(f"interrupted by {signal.Signals(number).name}", "nothing is left behind")
        t.s3.nothing_in("bucket")


signal_row(signal.SIGINT, 130)
signal_row(signal.SIGTERM, 143)
signal_row(signal.SIGHUP, 129)


@row("dray cp --json BIG s3://bucket/file (SIGINT)")
def json_tells_of_the_interruption(t):
    running = begin(t, "--json")
    running.signal(signal.SIGINT)
    running.finish(SECONDS).exits(130).prints('"success":false', '"kind":"cancelled"', '"interrupted":"SIGINT"')
    t.s3.nothing_in("bucket")


@row("dray cp A BIG C s3://bucket/ (SIGINT)")
def what_was_done_stays_and_is_counted(t):
    t.bucket("bucket")
    t.file("a", "hello\n")
    t.file("big.bin", size=30 * MIB)
    t.file("c", size=30 * MIB)
    running = t.start("cp --bandwidth-limit 4M --part-size 5M a big.bin c s3://bucket/")
    t.until(lambda: t.s3.uploads("bucket") and t.s3.objects("bucket"), "the upload's beginning")
    running.signal(signal.SIGINT)
    running.finish(SECONDS).exits(130).prints_exactly("cp a s3://bucket/a\n").says("1 of 3 done", "2 cancelled")
    t.s3.nothing_in("bucket", but=("a",))


@row("dray pipe s3://bucket/file (SIGINT)")
def stream_that_never_ends_is_interrupted(t):
    t.bucket("bucket")
    reading, writing = os.pipe()  # nobody writes
    running = t.start("pipe s3://bucket/file", stdin=reading)
    t.until(lambda: len(os.listdir(f"/proc/{running.pid}/task")) > 3, "its threads")
    running.signal(signal.SIGINT)
    running.finish(SECONDS).exits(130)
    os.close(reading)
    os.close(writing)
    t.s3.nothing_in("bucket")


@row("dray cp BIG s3://bucket/file (SIGINT, SIGINT)")
def second_signal_ends_it_at_once(t):
    running = begin(t)
    t.server.process.send_signal(signal.SIGSTOP)  # nothing can be aborted
    running.signal(signal.SIGINT)
    try:
        t.until(lambda: not pending(running.pid), "the first signal to be taken")
        running.signal(signal.SIGINT)
        running.finish(2).exits(130).says("may be left behind")
    finally:
        t.server.process.send_signal(signal.SIGCONT)


def pending(pid: int) -> bool:
    """Whether a signal waits for the process still: two of a kind would become one."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return any(int(line.split()[1], 16) for line in status if line.startswith("ShdPnd:"))


@row("dray cp BIG s3://bucket/file (SIGINT, server gone)")
def server_that_no_longer_answers_does_not_hold_it_back(t):
    running = begin(t)
    t.server.process.send_signal(signal.SIGSTOP)
    running.signal(signal.SIGINT)
    try:
        running.finish(SECONDS).exits(130).says("left behind")
    finally:
        t.server.process.send_signal(signal.SIGCONT)


@row("nohup dray cp BIG s3://bucket/file (SIGHUP)")
def nohup_is_respected(t):
    t.bucket("bucket")
    path = t.file("big.bin", size=6 * MIB)
    done = t.run(["bash", "-c", 'trap "" HUP; "$0" cp --bandwidth-limit 8M --part-size 5M big.bin s3://bucket/file & '
                  'while ! ls -l /proc/$!/fd | grep -q big.bin; do sleep 0.01; done; kill -HUP $!; wait $!', t.program])
    done.exits(0)
    t.s3.holds("bucket", "file", path)
