"""Programs that rows start: each in a process group of its own, so that it can be stopped with all its children."""

import os
import shlex
import signal
import subprocess
import threading
import time
from pathlib import Path

from rows.declare import Failed

SANITIZER_EXIT = 77  # script/stages.bash tells the sanitizers so

_running: set[subprocess.Popen] = set()
_lock = threading.Lock()


def words(command: str | list) -> list[str]:
    """"cp a b" or ["cp", "a b"]: a string is split as the shell would, a list stays."""
    return shlex.split(command) if isinstance(command, str) else [os.fspath(part) for part in command]


def start(arguments: list[str], **options) -> subprocess.Popen:
    process = subprocess.Popen(arguments, start_new_session=True, **options)
    with _lock:
        _running.add(process)
    return process


def stop(process: subprocess.Popen, with_signal: int = signal.SIGKILL, patience: float = 10) -> int:
    """Signals the whole group, waits, kills what is left. Returns the exit code (negative: the signal)."""
    deadline = time.monotonic() + patience
    for number in (with_signal, signal.SIGKILL):
        if process.poll() is None:
            try:
                os.killpg(process.pid, number)
            except ProcessLookupError:
                pass
            try:
                process.wait(timeout=max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                continue
    forget(process)
    return process.returncode


def forget(process: subprocess.Popen) -> None:
    """The leader has ended: children that it left behind end too."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    with _lock:
        _running.discard(process)


def stop_all() -> None:
    with _lock:
        left = list(_running)
    for process in left:
        stop(process)


class Done:
    """A program that has ended. The expectations below return it, so that they can be strung together."""

    def __init__(self, command: list[str], code: int, out: bytes, err: bytes, seconds: float):
        self.command, self.code, self.seconds = command, code, seconds
        self.out_bytes, self.err_bytes = out, err
        self.out = out.decode("utf-8", "backslashreplace")
        self.err = err.decode("utf-8", "backslashreplace")
        # Other people's programs have a 77 of their own: s3cmd ends so when it is refused.
        sanitizer_exit = code == SANITIZER_EXIT and Path(command[0]).name == "dray"
        if sanitizer_exit or "Sanitizer" in self.err or "runtime error: " in self.err:
            self.fail("a sanitizer spoke")

    def fail(self, what: str):
        cut = lambda text: text if len(text) < 3000 else text[:1500] + "\n[...]\n" + text[-1500:]
        raise Failed(f"{what}\n  command: {shlex.join(self.command)}\n  exit code: {self.code}\n"
                     f"  stdout: {cut(self.out)!r}\n  stderr: {cut(self.err)!r}")

    def exits(self, *codes: int) -> "Done":
        if self.code not in codes:
            self.fail(f"expected exit code {' or '.join(map(str, codes))}")
        return self

    def prints(self, *texts: str) -> "Done":
        for text in texts:
            if text not in self.out:
                self.fail(f"expected on stdout: {text!r}")
        return self

    def prints_exactly(self, text: str | bytes) -> "Done":
        if self.out_bytes != (text.encode() if isinstance(text, str) else text):
            self.fail(f"expected stdout to be exactly {text[:300]!r}")
        return self

    def prints_lines(self, *lines: str) -> "Done":
        """These lines in any order and no other: where commands finish side by side."""
        if sorted(self.out.splitlines()) != sorted(lines):
            self.fail(f"expected these lines on stdout: {sorted(lines)!r}")
        return self

    def never_prints(self, *texts: str) -> "Done":
        for text in texts:
            if text in self.out or text in self.err:
                self.fail(f"not expected anywhere: {text!r}")
        return self

    def says(self, *texts: str) -> "Done":
        """On stderr, in any case of letters."""
        for text in texts:
            if text.lower() not in self.err.lower():
                self.fail(f"expected on stderr: {text!r}")
        return self

    def says_nothing(self) -> "Done":
        if self.err:
            self.fail("expected an empty stderr")
        return self


class Running:
    """A program that goes on beside the row. What it prints must fit into a pipe (64 KiB)."""

    def __init__(self, command: list[str], *, env: dict, folder: Path, stdin=subprocess.DEVNULL):
        self._command, self._began = command, time.monotonic()
        self._process = start(command, env=env, cwd=folder, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.pid, self.stdin = self._process.pid, self._process.stdin

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def finish(self, seconds: float) -> Done:
        """Waits for its end; no end in that time fails the row."""
        late = False
        try:
            out, err = self._process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            late = True
            stop(self._process)
            out, err = self._process.communicate()
        forget(self._process)
        done = Done(self._command, self._process.returncode, out, err, time.monotonic() - self._began)
        if late:
            done.fail(f"no end within {seconds:.0f} s")
        return done

    def close(self) -> None:
        stop(self._process)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                stream.close()


def run(command: list[str], *, seconds: float, env: dict, folder: Path, stdin: bytes | Path | None = None) -> Done:
    """Runs to the end; past its time it is stopped and the row fails, with what it printed until then."""
    began = time.monotonic()
    source = open(stdin, "rb") if isinstance(stdin, Path) else None
    try:
        process = start(command, env=env, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                        stdin=source or (subprocess.DEVNULL if stdin is None else subprocess.PIPE))
    except FileNotFoundError as error:
        raise Failed(f"{command[0]} is not there ({error}): script/setup, script/build") from None
    finally:
        if source:
            source.close()
    late = False
    try:
        out, err = process.communicate(stdin if isinstance(stdin, bytes) else None, timeout=max(0.1, seconds))
    except subprocess.TimeoutExpired:
        late = True
        stop(process)
        out, err = process.communicate()
    forget(process)
    done = Done(command, process.returncode, out, err, time.monotonic() - began)
    if late:
        done.fail(f"no end after {seconds:.0f} s")
    return done
