"""A number of a paper beside ours, and how ours came about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import Any

from tacit import TacitError, UsageError
from tacit.bench.programs import BenchError
from tacit.bench.published.tables import Cell, Table
from tacit.bench.rows import Row


class State(str, Enum):
    """The origin of a number of ours."""

    MEASURED = "measured"
    SHRUNK = "shrunk"
    """Measured at a smaller size, which the note says; scaled only if the note says how."""
    SKIPPED = "skipped"
    """Not measured, for the reason in the note."""


@dataclass(frozen=True)
class Ours:
    """A number of ours."""

    value: float | None
    state: State
    note: str = ""
    comparable: bool = True
    """Whether the number is for the paper's size, or scaled to it."""


def skipped(reason: str) -> Ours:
    """No number, for this reason."""
    return Ours(None, State.SKIPPED, reason)


class Found:
    """What was measured, by the names of rows."""

    def __init__(self) -> None:
        self._values: dict[str, float] = {}
        self._failures: list[str] = []

    def take(self, rows: Iterable[Row]) -> None:
        """Adds rows, one by one: those before a failure stay."""
        for row in rows:
            self._values[row.name] = row.value

    def fail(self, what: str, error: Exception) -> None:
        """Notes why something was not measured."""
        said = str(error).splitlines() or [repr(error)]
        self._failures.append(f"{what} failed: {said[0]}")

    def __contains__(self, name: str) -> bool:
        return name in self._values

    @property
    def values(self) -> Mapping[str, float]:
        """Those of all rows."""
        return self._values

    def measured(self, *names: str, factor: float = 1.0, note: str = "") -> Ours:
        """The sum of these rows times a factor. If one is missing, what failed is the reason."""
        if any(name not in self._values for name in names):
            return skipped("; ".join(self._failures) or "there is no measurement of it")
        return Ours(factor * sum(self._values[name] for name in names), State.MEASURED, note)

    def shrunk(self, *names: str, factor: float = 1.0, note: str, scaled: bool = True) -> Ours:
        """The same, of a smaller size."""
        found = self.measured(*names, factor=factor, note=note)
        return Ours(found.value, State.SHRUNK, note, scaled) if found.value is not None else found


@dataclass(frozen=True)
class Step:
    """One measurement."""

    what: str
    measure: Callable[[], Iterable[Row]]


@dataclass(frozen=True)
class Paper:
    """The tables of a paper, and how they are measured."""

    name: str
    tables: Sequence[Table]
    steps: Callable[[bool], Iterator[Step]]
    """What to measure; in quick mode if it is true."""
    ours: Callable[[Table, Cell, Found], Ours]
    """Our number for a cell."""
    promised: Callable[[Table, Cell], bool] = lambda _table, _cell: False
    """Whether our number is to be at most the paper's: then that is its bar."""

    def run(self, quick: bool, tell: Callable[[str], None]) -> list[PaperRow]:
        """Measures, and puts all rows together. What cannot be measured does not stop the rest."""
        found = Found()
        for step in self.steps(quick):
            tell(f"{self.name}: {step.what}")
            try:
                found.take(step.measure())
            except (BenchError, TacitError, OSError) as error:
                found.fail(step.what, error)
        return self.rows(found)

    def rows(self, found: Found) -> list[PaperRow]:
        """Every cell beside what was found."""
        return [
            PaperRow.of(table, cell, self.ours(table, cell, found), self.promised(table, cell))
            for table in self.tables
            for cell in table.cells()
        ]


@dataclass(frozen=True)
class PaperRow:
    """A number of a paper beside ours."""

    paper: str
    table: str
    row: str
    column: str
    unit: str
    published: float | None
    published_note: str
    value: float | None
    state: State
    note: str
    ratio: float | None
    """Ours as a part of the paper's, where both are numbers for one size."""
    bar: float | None
    """The most that was promised; None where nothing was, or where it was not measured."""

    @property
    def ok(self) -> bool | None:
        """Whether it is as promised; None where nothing was."""
        return None if self.bar is None or self.value is None else self.value <= self.bar

    @property
    def name(self) -> str:
        """The place of the number in the paper."""
        return f"{self.paper}, {self.table}: {self.row}, {self.column}"

    @staticmethod
    def of(table: Table, cell: Cell, ours: Ours, promised: bool = False) -> PaperRow:
        """Both numbers."""
        both = ours.value is not None and ours.comparable and cell.value
        ratio = ours.value / cell.value if both and ours.value is not None and cell.value else None
        return PaperRow(
            table.paper,
            table.name,
            cell.row,
            cell.column,
            cell.unit,
            cell.value,
            cell.note,
            ours.value,
            ours.state,
            ours.note,
            ratio,
            cell.value if promised and ours.state is State.MEASURED else None,
        )

    def fields(self) -> dict[str, Any]:
        """The row as an object of the file."""
        return {
            "name": self.name,
            "paper": self.paper,
            "table": self.table,
            "row": self.row,
            "column": self.column,
            "value": self.value,
            "unit": self.unit,
            "published": self.published,
            "published_note": self.published_note,
            "ratio": self.ratio,
            "bar": self.bar,
            "ok": self.ok,
            "state": self.state.value,
            "note": self.note,
        }

    @staticmethod
    def parse(fields: Mapping[str, Any]) -> PaperRow:
        """From the file. Errors: `UsageError` where a field is missing or has another type."""
        try:
            return PaperRow(
                _text(fields["paper"]),
                _text(fields["table"]),
                _text(fields["row"]),
                _text(fields["column"]),
                _text(fields["unit"]),
                _number(fields["published"]),
                _text(fields["published_note"]),
                _number(fields["value"]),
                State(fields["state"]),
                _text(fields["note"]),
                _number(fields["ratio"]),
                _number(fields["bar"]),
            )
        except KeyError as error:
            raise UsageError(f"a row has no field {error}") from None
        except ValueError as error:
            raise UsageError(f"a row is wrong: {error}") from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value


def _number(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    return value
