"""Columns of numbers from tables through Arrow's PyCapsule interface, and from databases through ADBC."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tacit._native import InputError, UsageError

MAX_ROWS = 1 << 26
"""More rows than that are refused before they become Python's integers."""

_DRIVERS = {"sqlite": "adbc_driver_sqlite.dbapi"}
"""The module that opens databases of each scheme."""


@dataclass(frozen=True)
class Query:
    """The rows of an SQL query as the inputs of a role: a column for each input."""

    database: str
    """A URL such as `sqlite:///folder/file.db`, or the path of an SQLite file."""
    text: str
    """The query. The database is opened read-only."""

    def columns(self) -> dict[str, list[Any]]:
        """The columns by name.

        Errors: `InputError` if the query fails or a column has values other than numbers; `UsageError` if the
        database cannot be opened, or the extra `sql` is not installed.
        """
        table = self._fetch()
        return columns_of(table, f"the query on {self.database}")

    def _fetch(self) -> Any:
        scheme, place = self._split()
        driver = _module(_DRIVERS[scheme], "SQL queries", "sql")
        try:
            # Read-only, so that a missing database is an error and not a new empty one.
            connection = driver.connect(f"file:{quote(place)}?mode=ro")
        except Exception as error:
            raise UsageError(f"{self.database}: {_first_line(error)}") from None
        with connection, connection.cursor() as cursor:
            try:
                cursor.execute(self.text)
                return cursor.fetch_arrow_table()
            except Exception as error:
                raise InputError(f"{self.database}: {_first_line(error)}") from None

    def _split(self) -> tuple[str, str]:
        scheme, colon, place = self.database.partition("://")
        if not colon:
            return "sqlite", self.database
        if scheme not in _DRIVERS:
            raise UsageError(
                f"{self.database}: there is no driver for {scheme}; drivers are {', '.join(_DRIVERS)}"
            )
        # Three slashes lead to a path from here, four to one from the root.
        return scheme, place.removeprefix("/")


def sql(database: str, query: str) -> Query:
    """The rows of an SQL query as the inputs of a role: `t.sql("people.db", "select age from p")`."""
    return Query(database, query)


def columns_of(given: object, where: str) -> dict[str, list[Any]]:
    """The columns of a table, a batch of records or a stream of them."""
    arrow = _module("pyarrow", "Arrow tables", "arrow")
    table = _imported(lambda: arrow.table(given), where)
    names = table.column_names
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{where} has two columns {twice}")
    return {name: _numbers(table.column(name), f"{where}: column {name}") for name in names}


def column_of(given: object, where: str) -> list[Any]:
    """The numbers of an array or a chunked array."""
    arrow = _module("pyarrow", "Arrow arrays", "arrow")
    in_pieces = hasattr(given, "__arrow_c_stream__")
    return _numbers(
        _imported(lambda: (arrow.chunked_array if in_pieces else arrow.array)(given), where), where
    )


def read_parquet(path: Path) -> Any:
    """A Parquet file as a table of pyarrow."""
    arrow = _module("pyarrow.parquet", "Parquet files", "arrow")
    return _imported(lambda: arrow.read_table(path), str(path))


def table_of(columns: Mapping[str, Any], where: str) -> Any:
    """Arrays of one length as a table of pyarrow; single numbers make a row."""
    lists = {name: value if isinstance(value, list) else [value] for name, value in columns.items()}
    lengths = list(dict.fromkeys(map(len, lists.values())))
    if len(lengths) > 1:
        raise UsageError(f"{where} cannot form a table: they have {lengths[0]} and {lengths[1]} elements")
    arrow = _module("pyarrow", "Arrow tables", "arrow")
    try:
        return arrow.table(lists)
    except (arrow.ArrowException, OverflowError) as error:
        raise UsageError(f"{where} cannot form a table: {_first_line(error)}") from None


def _imported(make: Any, where: str) -> Any:
    try:
        return make()
    except Exception as error:
        raise InputError(f"{where} cannot be read: {_first_line(error)}") from None


def _numbers(column: Any, where: str) -> list[Any]:
    """The values of a column, nested if it has lists."""
    if len(column) > MAX_ROWS:
        raise InputError(f"{where} has {len(column)} rows, more than {MAX_ROWS}")
    _check(column.type, where)
    values: list[Any] = column.to_pylist()
    missing = _missing(values)
    if missing is not None:
        raise InputError(f"{where} has no value in row {missing}; every row needs one")
    return values


def _check(kind: Any, where: str) -> None:
    """Refuses types other than numbers, truth values and lists of these."""
    types = _module("pyarrow", "Arrow tables", "arrow").types
    while types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        kind = kind.value_type
    if not (
        types.is_integer(kind) or types.is_boolean(kind) or types.is_floating(kind) or types.is_decimal(kind)
    ):
        raise InputError(f"{where} has the type {kind}; only numbers and truth values can be inputs")


def _missing(values: list[Any]) -> int | None:
    """The first row without a value, or with a list that lacks one."""
    for row, value in enumerate(values):
        if value is None or (isinstance(value, list) and _missing(value) is not None):
            return row
    return None


def _module(name: str, what: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(
            f"{what} are read with the package {name.partition('.')[0]}, which is not installed: "
            f"pip install 'tacit[{extra}]'"
        ) from None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
