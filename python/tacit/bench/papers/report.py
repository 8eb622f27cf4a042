"""All rows of a run, with machine, revision and date, as a file."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from tacit import UsageError
from tacit.bench.machine import describe
from tacit.bench.papers.aby import ABY
from tacit.bench.papers.cbmc import CBMC
from tacit.bench.papers.dgk import DGK
from tacit.bench.papers.pfe import PFE
from tacit.bench.papers.rows import Paper, PaperRow, State
from tacit.bench.papers.tasty import TASTY
from tacit.bench.papers.viff import VIFF
from tacit.bench.published.tables import Table

PAPERS = {paper.name: paper for paper in (TASTY, ABY, VIFF, DGK, PFE, CBMC)}

MAX_BYTES = 1 << 26

TIMES = ("s", "ms", "µs")


@dataclass(frozen=True)
class Report:
    """The measurements, with their machine and date."""

    machine: str
    cores: int
    revision: str
    date: str
    quick: bool
    seconds: float
    """How long measuring took."""
    rows: Sequence[PaperRow]

    @property
    def missed(self) -> list[PaperRow]:
        """Rows above their bar."""
        return [row for row in self.rows if row.ok is False]

    @property
    def tables(self) -> list[tuple[Table, list[PaperRow]]]:
        """The rows of each table, in the papers' order."""
        found: dict[tuple[str, str], list[PaperRow]] = {}
        for row in self.rows:
            found.setdefault((row.paper, row.table), []).append(row)
        return [(_table(*key), rows) for key, rows in found.items()]

    def count(self, state: State, paper: str | None = None) -> int:
        """Rows of this state, of a paper or of all."""
        return sum(row.state is state and paper in (None, row.paper) for row in self.rows)

    def speed(self, paper: str) -> float | None:
        """The median of our times as a part of the paper's."""
        ratios = [row.ratio for row in self.rows if row.paper == paper and row.ratio and row.unit in TIMES]
        return median(ratios) if ratios else None

    def text(self) -> str:
        """The file: a line for each row."""
        head = {
            "bench": "papers",
            **{
                key: getattr(self, key)
                for key in ("machine", "cores", "revision", "date", "quick", "seconds")
            },
        }
        lines = ",\n".join(json.dumps(row.fields(), ensure_ascii=False) for row in self.rows)
        return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "rows": [\n{lines}\n]}}\n'


def _table(paper: str, name: str) -> Table:
    return next(table for table in PAPERS[paper].tables if table.name == name)


def measure(papers: Sequence[Paper], quick: bool, tell: Callable[[str], None]) -> Report:
    """Measures these papers."""
    start = time.monotonic()
    rows = [row for paper in papers for row in paper.run(quick, tell)]
    return _report(describe(), quick, time.monotonic() - start, rows)


def _report(told: Mapping[str, Any], quick: bool, seconds: float, rows: Sequence[PaperRow]) -> Report:
    return Report(
        str(told["machine"]),
        int(told["cores"]),
        str(told["revision"]),
        str(told["date"]),
        quick,
        round(seconds, 1),
        rows,
    )


def load(path: Path) -> Report:
    """A report from its file. Errors: `UsageError` where it cannot be read or is none."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path} is larger than {MAX_BYTES} bytes, so it is not a report of papers")
        told = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is not JSON; `tacit bench papers` writes such a file") from None
    try:
        rows = [PaperRow.parse(fields) for fields in told["rows"]]
        report = _report(told, bool(told["quick"]), float(told["seconds"]), rows)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, OverflowError):
        raise UsageError(f"{path} is not a report that `tacit bench papers` wrote") from None
    known = {(table.paper, table.name) for paper in PAPERS.values() for table in paper.tables}
    strange = next((row for row in rows if (row.paper, row.table) not in known), None)
    if strange is not None:
        raise UsageError(
            f"{path} has a row of {strange.paper}, {strange.table}, which is not a table of the papers"
        )
    return report


def chosen(names: str | None) -> list[Paper]:
    """The papers of a list of names, all without one. Errors: `UsageError` where a name is unknown."""
    if names is None:
        return list(PAPERS.values())
    by_name = {name.lower(): paper for name, paper in PAPERS.items()}
    found: list[Paper] = []
    for name in names.split(","):
        paper = by_name.get(name.strip().lower())
        if paper is None:
            raise UsageError(f"--only {name}: there is no such paper; there are {', '.join(PAPERS)}")
        found.append(paper)
    return found
