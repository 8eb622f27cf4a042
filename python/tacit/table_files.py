"""Tables in files: CSV, as written by spreadsheets and databases, and Parquet."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Any

from tacit._native import InputError, UsageError
from tacit.tables import column_of, read_parquet

MAX_BYTES = 1 << 30
"""Larger files are refused before they are read."""

DELIMITERS = ",;\t|"
"""Possible delimiters of cells; the first line decides."""

LONGEST_INTEGER = 4300
"""Digits of the longest number that is read as an integer, as in Python."""

SUFFIXES = (".csv", ".tsv", ".parquet")
"""Suffixes of files with tables."""

_DECIMAL = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d{1,4})?", re.ASCII)

_NAMED = re.compile(r"[+-]?(nan|inf|infinity)", re.ASCII | re.IGNORECASE)

_TRUTHS = {"true": 1, "false": 0}


def is_table_file(path: Path) -> bool:
    """Whether a file holds a table, by its name."""
    return path.suffix.lower() in SUFFIXES


@dataclass(frozen=True)
class TableFile:
    """A file whose columns are the inputs of a role; columns without an input are ignored."""

    path: Path
    renamed: Mapping[str, str]
    """The column of each input whose column has another name."""
    delimiter: str | None = None
    """The delimiter of CSV cells; by default, it is detected from the first line."""

    def columns(self) -> Columns:
        """The columns, each of which is read on demand."""
        where = str(self.path)
        if self.path.suffix.lower() != ".parquet":
            cells = CsvTable.read(self.path, self.delimiter)
            return Columns(where, cells.header, cells.column, self.renamed, cells.line)
        whole = read_parquet(self.path)
        names = whole.column_names

        def read(place: int) -> list[Any]:
            return column_of(whole.column(place), f"{where}: column {names[place]}")

        return Columns(where, names, read, self.renamed)


def table(
    path: str | PathLike[str],
    columns: Mapping[str, str] | None = None,
    *,
    delimiter: str | None = None,
) -> TableFile:
    """A CSV or Parquet file as the inputs of a role: `t.table("people.csv", {"age": "Age in years"})`.

    `columns` maps inputs to columns of other names. `delimiter` separates the cells of a CSV file; by default
    it is detected from the first line.
    """
    if delimiter is not None and len(delimiter) != 1:
        raise UsageError(f"a delimiter is one character, not {delimiter!r}")
    return TableFile(Path(path), dict(columns or {}), delimiter)


class Columns(Mapping[str, Any]):
    """Columns by name; a column's cells are only checked when it is read."""

    def __init__(
        self,
        where: str,
        names: Sequence[str],
        read: Callable[[int], list[Any]],
        renamed: Mapping[str, str],
        row: Callable[[int], str] = "row {}".format,
    ) -> None:
        """`read` returns the numbers of the column at an index, and `row` the location of a row for errors.

        `renamed` are other names for some columns.
        """
        self._where, self._names, self._read, self._row = (
            where,
            [unicodedata.normalize("NFC", name) for name in names],
            read,
            row,
        )
        self._renamed = renamed
        for column in renamed.values():
            self._place(column)

    def of_numbers(self) -> dict[str, list[Any]]:
        """The columns that have only numbers."""
        found = {}
        for name in self:
            with contextlib.suppress(InputError):
                found[name] = self[name]
        return found

    def __getitem__(self, name: str) -> list[Any]:
        if name not in self:
            raise KeyError(name)
        return self.column(name)

    def column(self, name: str) -> list[Any]:
        """The numbers of a column.

        Errors: `InputError` if no column has this name, or if it has anything but numbers.
        """
        return self._read(self._place(self._renamed.get(name, name)))

    def place(self, name: str, row: int) -> str:
        """The location of a number of a column, for errors."""
        return f"{self._where}, {self._row(row)}, column {self._renamed.get(name, name)}"

    def _place(self, column: str) -> int:
        column = unicodedata.normalize("NFC", column)
        if self._names.count(column) > 1:
            raise InputError(f"{self._where} has two columns {column}")
        if column not in self._names:
            raise InputError(f"{self._where} has no column {column}; it has {', '.join(self._names)}")
        return self._names.index(column)

    def __contains__(self, name: object) -> bool:
        return name in self._renamed or name in self._names

    def __iter__(self) -> Iterator[str]:
        taken = set(self._renamed.values())
        return iter([*self._renamed, *(name for name in dict.fromkeys(self._names) if name not in taken)])

    def __len__(self) -> int:
        return len(list(iter(self)))


@dataclass(frozen=True)
class CsvTable:
    """The cells of a CSV file, and their lines."""

    path: Path
    rows: list[list[str]]
    lines: list[int]

    @classmethod
    def read(cls, path: Path, delimiter: str | None = None) -> CsvTable:
        """The rows of a file, which must have equal lengths; empty lines are skipped.

        Errors: `InputError` for a file that cannot be read or is not CSV.
        """
        text = _text(path)
        rows, lines = [], []
        reader = csv.reader(
            io.StringIO(text, newline=""), delimiter=delimiter or _delimiter(text), strict=True
        )
        try:
            for row in reader:
                if row:
                    rows.append(row)
                    lines.append(reader.line_num)
        except csv.Error as error:
            raise InputError(f"{path}, line {reader.line_num}: not CSV: {error}") from None
        if not rows:
            raise InputError(f"{path} is empty")
        for row, line in zip(rows, lines, strict=True):
            if len(row) != len(rows[0]):
                raise InputError(
                    f"{path}, line {line}: {_cells(len(row))} where line {lines[0]} has {len(rows[0])}"
                )
        return cls(path, rows, lines)

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return [name.strip() for name in self.rows[0]]

    def line(self, row: int) -> str:
        """The line of a row below the names, for errors."""
        return f"line {self.lines[row + 1]}"

    def column(self, place: int) -> list[int | float | Decimal]:
        """The numbers below the name of a column."""
        name = self.header[place]
        below = zip(self.rows[1:], self.lines[1:], strict=True)
        return [self._number(row[place], line, f"column {name}") for row, line in below]

    def numbers(self) -> list[Any]:
        """The numbers of a file without names: a list of rows, or of numbers where a row has one."""
        found = [
            [self._number(cell, line, f"column {place}") for place, cell in enumerate(row, 1)]
            for row, line in zip(self.rows, self.lines, strict=True)
        ]
        return [row[0] for row in found] if len(self.rows[0]) == 1 else found

    def _number(self, cell: str, line: int, column: str) -> int | float | Decimal:
        try:
            return number(cell)
        except ValueError as error:
            raise InputError(f"{self.path}, line {line}, {column}: {error}") from None


def number(cell: str) -> int | float | Decimal:
    """The number in a cell. A number without a fraction is an integer, however it is written.

    Errors: `ValueError` for anything else.
    """
    text = cell.strip()
    if text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    if _NAMED.fullmatch(text):
        return float(text)
    if not text:
        raise ValueError("no value; every row needs one")
    if _DECIMAL.fullmatch(text) is None:
        raise ValueError(f"{cell!r} is not a number")
    value = Decimal(text)
    is_negative_zero = not value and value.is_signed()
    if is_negative_zero or value.adjusted() > LONGEST_INTEGER or value != value.to_integral_value():
        return value
    return int(value)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} is larger than {MAX_BYTES} bytes")
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not text in UTF-8: {error.reason} at byte {error.start}") from None


def _delimiter(text: str) -> str:
    """The most frequent delimiter in the first line that has one."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    unquoted = re.sub(r'"[^"]*"', "", first)
    return max(DELIMITERS, key=unquoted.count)


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"
