"""A running row: what its function gets as `t`."""

import hashlib
import os
import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Callable

from rows import process
from rows.declare import Declaration, Failed, Skip
from rows.s3 import S3
from rows.server import Server


class Row:
    """Owns a folder, the servers that it started and a deadline; `close` gives all back. `shared` holds the servers that
    all rows use, by name. One thread uses it."""

    def __init__(self, declaration: Declaration, program: Path, shared: dict, under: Path):
        self.program, self.shared = program, shared
        self.deadline = time.monotonic() + declaration.seconds
        self.folder = Path(tempfile.mkdtemp(prefix="row-", dir=under))
        for name in ("home", "tmp"):
            (self.folder / f".{name}").mkdir()
        # A row sees nothing of the machine's own settings: no profile, no region, no proxy.
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder / ".home"),
            "TMPDIR": str(self.folder / ".tmp"),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "AWS_EC2_METADATA_DISABLED": "true",
        } | {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}
        self._servers: list[Server] = []
        self._started: list[process.Running] = []
        self.server: Server | None = None
        if declaration.serve is not None:
            try:
                self.server = self.start_server(declaration.serve)
            except BaseException:
                self.close()
                raise
            self.env |= self.server.env

    # --- what is there before

    def file(self, name: str, content: str | bytes | None = None, *, size: int = 0, seed: int = 1) -> Path:
        """A file in the row's folder: the content given, or `size` bytes that are the same for the same seed."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is not None:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            return path
        bytes_of = random.Random(seed).randbytes
        with open(path, "wb") as out:
            for at in range(0, size, 1 << 20):
                out.write(bytes_of(min(1 << 20, size - at)))
        return path

    def sparse(self, name: str, size: int) -> Path:
        """A file of zeros that takes no room on the disk."""
        path = self.folder / name
        with open(path, "wb") as out:
            out.truncate(size)
        return path

    def start_server(self, arguments: str | list = "--memory", *, before: tuple[str, ...] = ()) -> Server:
        """One more `dray serve`; the row's environment stays with its first. `before` are words in front of the program,
        such as those of `unshare`."""
        server = Server([*before, str(self.program)], arguments, env=self.env, folder=self.folder)
        self._servers.append(server)
        return server

    def bucket(self, *names: str) -> None:
        for name in names:
            self.dray(["mb", f"s3://{name}"]).exits(0)

    # --- what is typed

    def dray(self, command: str | list, *, stdin: str | bytes | Path | None = None, env: dict | None = None, seconds: float | None = None) -> process.Done:
        """Runs dray with the row's environment, in its folder. `env` adds variables; None as a value takes one away."""
        return self.run([self.program, *process.words(command)], stdin=stdin, env=env, seconds=seconds)

    def run(self, command: str | list, *, stdin: str | bytes | Path | None = None, env: dict | None = None, seconds: float | None = None) -> process.Done:
        """The same for any program."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Failed("the row's time is over")
        stdin = stdin.encode() if isinstance(stdin, str) else stdin
        return process.run(process.words(command), seconds=min(left, seconds or left), env=self._with(env), folder=self.folder, stdin=stdin)

    def start(self, command: str | list, *, stdin=subprocess.DEVNULL, env: dict | None = None) -> process.Running:
        """A dray that goes on beside the row, for signals and the like. The end of the row kills it."""
        started = process.Running([str(self.program), *process.words(command)], env=self._with(env), folder=self.folder, stdin=stdin)
        self._started.append(started)
        return started

    def until(self, truth: Callable, what: str, seconds: float = 10):
        """Waits until it returns something true, and returns that."""
        deadline = min(self.deadline, time.monotonic() + seconds)
        while not (found := truth()):
            if time.monotonic() > deadline:
                raise Failed(f"waited in vain for {what}")
            time.sleep(0.01)
        return found

    def _with(self, extra: dict | None) -> dict:
        return {name: value for name, value in (self.env | (extra or {})).items() if value is not None}

    # --- what is there afterwards

    @property
    def s3(self) -> S3:
        """The witness, with the row's endpoint and keys."""
        return S3(self.env)

    def same(self, left: str | Path, right: str | Path) -> None:
        """Two files hold the same bytes."""
        sums = []
        for name in (left, right):
            path = self.folder / name
            if not path.is_file():
                raise Failed(f"{name} is not there")
            with open(path, "rb") as content:
                sums.append((path.stat().st_size, hashlib.file_digest(content, "sha256").hexdigest()))
        if sums[0] != sums[1]:
            raise Failed(f"{left} ({sums[0][0]} bytes) and {right} ({sums[1][0]} bytes) differ")

    def check(self, truth: bool, otherwise: str) -> None:
        if not truth:
            raise Failed(otherwise)

    def needs(self, *programs: str) -> None:
        """Skips the row, with the reason, where a program is missing that script/setup cannot install."""
        for name in programs:
            if shutil.which(name) is None:
                raise Skip(f"{name} is not installed")

    def needs_real_memory(self) -> None:
        """Skips the row where a sanitizer's shadow would be measured."""
        if any(name in self.program.read_bytes() for name in (b"__asan_init", b"__tsan_init")):
            raise Skip("a sanitizer's own memory would be measured")

    def stop_servers(self) -> None:
        """The good end of a row: each server ends well when asked to."""
        while self._servers:
            server = self._servers.pop()
            if server.process.returncode is None:
                server.stop()
            server.close()

    def close(self) -> None:
        for started in self._started:
            started.close()
        for server in self._servers:
            server.close()
        shutil.rmtree(self.folder, ignore_errors=True)
