"""A table or figure of a paper, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

FIGURE_ONLY = "figure only"
"""The note on a point that was read from a plot, not from the text."""


@dataclass(frozen=True)
class Cell:
    """One number. `value` is None where the paper's text does not have it; then `note` says why."""

    row: str
    column: str
    value: float | None
    unit: str
    note: str = ""


@dataclass(frozen=True)
class Table:
    """A table or figure, with the machine that its numbers come from."""

    paper: str
    name: str
    title: str
    machine: str
    columns: Mapping[str, str]
    """Units of the columns."""
    rows: Mapping[str, Sequence[float | None]]
    notes: Mapping[str, str] = field(default_factory=dict)
    """The paper's remarks on rows, by a row's name or a part of it; an empty name stands for all rows."""
    absent: str = "the paper has no number here"
    """Why a value is None."""

    def cells(self) -> Iterator[Cell]:
        """All cells, row by row."""
        for row, values in self.rows.items():
            own = next((note for part, note in self.notes.items() if part and part in row), "")
            said = own or self.notes.get("", "")
            for (column, unit), value in zip(self.columns.items(), values, strict=True):
                yield Cell(row, column, value, unit, said if value is not None else own or self.absent)

    def row(self, name: str) -> tuple[float, ...]:
        """The numbers of a row that has all of them."""
        return tuple(self.value(name, column) for column in self.columns)

    def value(self, row: str, column: str) -> float:
        """A number that the paper has. Errors: `KeyError` where it does not."""
        found = self.rows[row][list(self.columns).index(column)]
        if found is None:
            raise KeyError(f"{self.paper}, {self.name} has no number for {row}, {column}")
        return found


def units(unit: str, *columns: str) -> dict[str, str]:
    """Columns that have the same unit."""
    return dict.fromkeys(columns, unit)


def without_values(rows: Sequence[str], columns: Sequence[str]) -> dict[str, tuple[None, ...]]:
    """Rows of a figure whose points the text does not tell."""
    return {row: (None,) * len(columns) for row in rows}
