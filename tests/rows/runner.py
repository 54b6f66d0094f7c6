"""Runs rows and tells how they went: the main program of tests/e2e/run and tests/peers/run."""

import argparse
import concurrent.futures
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from rows import process
from rows.declare import Declaration, Failed, Skip, read_rows
from rows.running import Row

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass
class Outcome:
    declaration: Declaration
    result: str  # pass, fail or skip
    why: str = ""
    seconds: float = 0


class Shared:
    """Servers that rows share, each started at its first use by a function that returns (what rows get, how to stop)."""

    def __init__(self, offers: dict[str, Callable]):
        self._offers, self._lock, self._ready = offers, threading.Lock(), {}

    def get(self, name: str):
        with self._lock:
            if name not in self._ready:
                try:
                    self._ready[name] = self._offers[name]()
                except Exception as error:  # each row that needs it fails with the same words
                    self._ready[name] = (error, lambda: None)
            got = self._ready[name][0]
        if isinstance(got, Exception):
            raise Failed(f"{name} did not start: {got}")
        return got

    def stop(self) -> None:
        for _, stop in self._ready.values():
            stop()
        self._ready = {}


def run_row(declaration: Declaration, program: Path, shared: Shared, folder: Path) -> Outcome:
    began, result, why = time.monotonic(), "pass", ""
    t = None
    try:
        servers = {name: shared.get(name) for name in declaration.shared}
        t = Row(declaration, program, servers, folder)
        declaration.body(t)
        t.stop_servers()
    except Skip as reason:
        result, why = "skip", str(reason)
    except Failed as failure:
        result, why = "fail", str(failure)
    except Exception:
        result, why = "fail", traceback.format_exc()
    finally:
        if t is not None:
            t.close()
    return Outcome(declaration, result, why, time.monotonic() - began)


def report(outcome: Outcome) -> None:
    word = {"pass": "PASS", "fail": "FAIL", "skip": "SKIP"}[outcome.result]
    print(f"{word} {outcome.declaration.title} ({outcome.seconds:.1f} s)", flush=True)


def explain(outcomes: list[Outcome]) -> None:
    """Why rows failed or were skipped, after all of them: the end of a log is what people see first."""
    for outcome in sorted((o for o in outcomes if o.why), key=lambda o: o.result == "fail"):
        print(f"\n{outcome.result}: {outcome.declaration.title}")
        for line in outcome.why.splitlines():
            print(f"  {line}")
    print()


def run_all(rows: list[Declaration], at_once: int, run_one: Callable) -> list[Outcome]:
    """The rows that share the machine first, then those that want it alone."""
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        for outcome in concurrent.futures.as_completed([pool.submit(run_one, r) for r in rows if not r.alone]):
            report(outcome.result())
            outcomes.append(outcome.result())
    for declaration in (r for r in rows if r.alone):
        outcomes.append(run_one(declaration))
        report(outcomes[-1])
    return outcomes


def main(folder: Path, offers: dict[str, Callable]) -> int:
    options = argparse.ArgumentParser(description=f"runs the rows of {folder.relative_to(REPOSITORY)}/*_test.py")
    options.add_argument("words", nargs="*", help="only rows with all these words in the title")
    options.add_argument("--dray", type=Path, default=REPOSITORY / "build/release/dray", help="the program to test")
    options.add_argument("--list", action="store_true", help="print the titles, run nothing")
    options.add_argument("--results", type=Path, help="add a line for each row to this file (see script/stages.bash)")
    options.add_argument("--stage", default=folder.name, help="this run's name in those lines")
    options.add_argument("-j", type=int, default=2 * (os.cpu_count() or 1), help="rows at once; most of them wait for most of their time")
    given = options.parse_args()

    rows = [r for r in read_rows(folder) if all(word in r.title for word in given.words)]
    if given.list:
        print("\n".join(r.title for r in rows))
        return 0
    if not rows:
        print("no such row")
        return 2

    program = given.dray.resolve()
    shared = Shared(offers)
    files = Path(tempfile.mkdtemp(prefix="dray-rows-"))

    def clean_up():
        process.stop_all()
        shared.stop()
        shutil.rmtree(files, ignore_errors=True)

    def interrupted(number, _frame):
        clean_up()
        os._exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, interrupted)
    try:
        outcomes = run_all(rows, max(1, given.j), lambda declaration: run_row(declaration, program, shared, files))
    finally:
        clean_up()

    explain(outcomes)
    count = {result: sum(o.result == result for o in outcomes) for result in ("pass", "fail", "skip")}
    if given.results:
        with open(given.results, "a", encoding="utf-8") as out:
            for o in outcomes:
                out.write(f"{o.result}\t{given.stage}\t{o.declaration.title}\t{o.why.splitlines()[0] if o.why else ''}\n")
    print(f"{count['pass']} passed, {count['fail']} failed, {count['skip']} skipped")
    return 1 if count["fail"] else 0
