"""The inputs of a role from files and tables, whose modules take a while to import."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from tacit._native import InputError, Kind
from tacit.language.values import Port, by_name, composed, encode_columns, from_json, is_table
from tacit.table_files import Columns, TableFile, is_table_file, table
from tacit.tables import Query, columns_of


def encode_given(role: str, ports: list[Port], given: Any) -> str:
    """The inputs of a role as a JSON object. `given` maps names to values, or is a file or table of them."""
    values = columns(given, role)
    of_columns = isinstance(given, Query) or isinstance(values, Columns) or is_table(given)
    if isinstance(values, Columns):
        # A file may have more columns than the program has inputs.
        values = {composed(port.name): _of_file(values, port) for port in ports}
    return encode_columns(role, ports, values, _fitted if of_columns else lambda _, value: value)


def columns(given: Any, role: str) -> dict[str, Any] | Columns:
    """The inputs of a role by name, from a mapping, a file or a table."""
    if isinstance(given, TableFile):
        return given.columns()
    if isinstance(given, Mapping):
        return by_name(given, role)
    if isinstance(given, (str, Path)):
        path = Path(given)
        if is_table_file(path):
            return table(path).columns()
        value = from_json(path)
        if isinstance(value, dict):
            return by_name(value, role)
        raise InputError(f"{path} is not a JSON object that maps variables to values")
    if isinstance(given, Query):
        return given.columns()
    if is_table(given):
        return columns_of(given, f"the table of {role}")
    raise InputError(
        f"the inputs of {role} are a mapping from name to value, a file or a table, not {type(given)}"
    )


def _fitted(port: Port, column: list[Any]) -> Any:
    """A column of a table as the value of an input: one row makes a number where one is wanted."""
    kind = port.kind
    if (
        kind.fraction is None
        and not kind.is_float
        and any(isinstance(value, (float, Decimal)) for value in column)
    ):
        raise InputError(f"{port.role}.{port.name}: the column holds fractions; {kind} takes integers")
    return column[0] if port.shape == () and len(column) == 1 else column


def _of_file(columns: Columns, port: Port) -> list[Any]:
    """The column of an input, each of whose numbers the input can hold."""
    column = columns.column(port.name)
    refused = next((row for row, value in enumerate(column) if _why_not(value, port.kind)), None)
    if refused is not None:
        place, value = columns.place(port.name, refused), column[refused]
        raise InputError(f"{place}: {value} {_why_not(value, port.kind)} as {port.role}.{port.name}")
    return column


def _why_not(value: Any, kind: Kind) -> str | None:
    """Why a number of a file does not fit a kind, if it does not; lists are checked by their inputs."""
    if kind.is_float or isinstance(value, list):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return f"is not a number to compute with; {kind} is expected"
    if kind.fraction is None and value != int(value):
        return f"has a fraction where {kind} is expected"
    return None if _fits(value, kind) else f"does not fit in {kind}, which is expected"


def _fits(value: Any, kind: Kind) -> bool:
    """Whether a number fits a kind, after rounding if the kind has a binary point."""
    if kind.modulus is not None:
        return bool(0 <= value < kind.modulus)
    fraction = kind.fraction or 0
    limit = 1 << (kind.bits - kind.signed - fraction)
    least = -limit if kind.signed else 0
    if least <= value <= limit - 1:
        return True
    return least << fraction <= round(Fraction(value) * (1 << fraction)) < limit << fraction
