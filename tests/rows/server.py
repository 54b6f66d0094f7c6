"""A `dray serve` of a row's own."""

import re
import shlex
import signal
import subprocess
import threading
import time
from pathlib import Path

from rows import process
from rows.declare import Failed

WANTED = ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION")


class Server:
    """Started by the constructor, which returns once the server says that it listens. `stop` ends it and proves that it
    ends well. `env` is what it printed for its clients, `url` where it listens."""

    def __init__(self, program: list[str], arguments: str | list, *, env: dict, folder: Path, seconds: float = 20):
        self.url, self.env, self.out = "", {}, []
        self.command = [*program, "serve", "--port", "0", *process.words(arguments)]
        self._err = open(folder / ".serve.err", "w+b")
        try:
            self.process = process.start(self.command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=self._err)
        except FileNotFoundError:
            raise Failed(f"{program[0]} is not there: script/build") from None
        self._ready = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        if not self._ready.wait(seconds) or len(self.env) < len(WANTED):
            process.stop(self.process)
            self.fail(f"no \"listening on URL\" line with {', '.join(WANTED)} after it")
        self.port = int(self.url.rsplit(":", 1)[1])

    def _read(self) -> None:
        for raw in self.process.stdout:
            line = raw.decode("utf-8", "backslashreplace").rstrip("\n")
            self.out.append(line)
            if len(self.out) == 1 and (found := re.fullmatch(r"listening on (https?://\S+:\d+)", line)):
                self.url = found[1]
            if found := re.fullmatch(r"(?:export )?([A-Z0-9_]+)=(.*)", line):
                self.env[found[1]] = "".join(shlex.split(found[2]))
            if self.url and all(name in self.env for name in WANTED):
                self._ready.set()
        self._ready.set()  # ended: whoever waits need not wait on

    def said(self) -> str:
        self._err.flush()
        self._err.seek(0)
        return self._err.read().decode("utf-8", "backslashreplace")

    def fail(self, what: str):
        raise Failed(f"server: {what}\n  command: {shlex.join(self.command)}\n  exit code: {self.process.poll()}\n"
                     f"  stdout: {self.out[:20]}\n  stderr: {self.said()[-3000:]!r}")

    def stop(self, with_signal: int = signal.SIGTERM) -> int:
        """Ends it and returns its exit code; a server that died before, hangs, or trips a sanitizer fails the row."""
        early = self.process.poll() is not None
        began = time.monotonic()
        code = process.stop(self.process, with_signal, patience=10)
        if early:
            self.fail("ended by itself")
        if code == -signal.SIGKILL and with_signal != signal.SIGKILL:
            self.fail(f"still there {time.monotonic() - began:.0f} s after signal {with_signal}")
        if code == process.SANITIZER_EXIT or "Sanitizer" in self.said():
            self.fail("a sanitizer spoke")
        if with_signal == signal.SIGTERM and code not in (0, 128 + signal.SIGTERM):
            self.fail(f"exit code {code} after SIGTERM")
        return code

    def close(self) -> None:
        """For the end of a row that has failed already: no questions asked."""
        process.stop(self.process)
        self._err.close()
