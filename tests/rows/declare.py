"""What a row is before it runs: title, needs, limits. And how the files that hold rows are read."""

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable


class Skip(Exception):
    """Raise it in a row that cannot run here, with the reason: it is listed and counted, never silent."""


class Failed(AssertionError):
    """What a row saw is not what it expects."""


@dataclass(frozen=True)
class Declaration:
    command: str  # as typed
    body: Callable
    serve: str | None  # arguments of the row's own `dray serve`; None: no server
    shared: tuple[str, ...]  # names of servers that all rows share, as the `run` beside the rows offers them
    seconds: float  # limit for the whole row
    alone: bool  # no other row beside it: it measures, or it fills the machine

    @property
    def title(self) -> str:
        return f"{self.command}: {self.body.__name__.replace('_', ' ')}"


_declared: list[Declaration] = []


def row(command: str, *, serve: str | None = "--memory", shared: tuple[str, ...] = (), seconds: float = 60, alone: bool = False):
    """Makes a row of the function below it."""

    def declare(body: Callable) -> Callable:
        _declared.append(Declaration(command, body, serve, shared, seconds, alone))
        return body

    return declare


def read_rows(folder: Path) -> list[Declaration]:
    """The rows of all *_test.py files in the folder, in order."""
    _declared.clear()
    sys.path.insert(0, str(folder))  # rows of one folder may share a module of their own
    for path in sorted(folder.glob("*_test.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    rows = list(_declared)
    titles = [r.title for r in rows]
    if twice := {t for t in titles if titles.count(t) > 1}:
        raise SystemExit(f"two rows of one title: {sorted(twice)}")
    return rows
