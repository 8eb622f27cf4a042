"""Public values: what roles give, as JSON for the engine, and what they receive, as Python's own numbers."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from tacit._native import Array, InputError, Kind
from tacit.language import floats

EXACT_FLOAT_BITS = 54
"""Signed numbers of so many bits are floats without any rounding."""

LARGEST_EXACT_SCALE = 900
"""A float times two to this is exact, or infinite; what is too small to be exact rounds to zero."""


@dataclass(frozen=True)
class Port:
    """An input or output of a role."""

    role: str
    name: str
    kind: Kind
    shape: tuple[int, ...]

    def encode(self, value: Any) -> Any:
        """A value as the integers that the engine takes, nested; shapes and ranges are checked there."""
        where = f"{self.role}.{self.name}"
        return _encoded(plain(value, where), self.kind, where)

    def text(self, value: Any) -> str:
        """A value as JSON for the engine."""
        try:
            return json.dumps(self.encode(value), allow_nan=False, default=_number)
        except ValueError as error:
            raise InputError(f"{self.role}.{self.name}: {error}") from None

    @property
    def is_empty(self) -> bool:
        """Whether it has no elements, and so no place in a program."""
        return 0 in self.shape

    def nothing(self, value: Any = None) -> Any:
        """The nested lists of an array without elements.

        Errors: `InputError`, for a `value` that is not of that shape.
        """
        where = f"{self.role}.{self.name}"
        if value is not None and not _is_nothing(plain(value, where), self.shape):
            raise InputError(f"{where}: an array of shape {self.shape} has no elements; some are given")
        return nothing(self.shape)

    def decode(self, value: Any) -> Any:
        """A value of the engine, nested integers, as numbers of this kind."""
        kind = self.kind
        if kind.is_bool:
            return _mapped(value, bool)
        if kind.is_float:
            return _mapped(value, lambda number: floats.decode(number, kind.bits))
        if kind.fraction is None:
            return value
        scale = 1 << kind.fraction
        if kind.bits <= EXACT_FLOAT_BITS and kind.fraction <= 1000:
            return _mapped(value, lambda number: number / scale)
        return _mapped(value, lambda number: Fraction(number, scale))


def encode_role(role: str, ports: list[Port], given: Mapping[str, Any]) -> str:
    """The inputs of a role, by name, as a JSON object."""
    return encode_columns(role, ports, by_name(given, role), lambda _, value: value)


def encode_columns(
    role: str, ports: list[Port], values: dict[str, Any], fitted: Callable[[Port, Any], Any]
) -> str:
    """As :func:`encode_role`, of values by composed names, each of which is fitted to its port first."""
    known = {composed(port.name): port for port in ports}
    for port in ports:
        if port.is_empty:
            port.nothing(values.pop(composed(port.name), None))
    encoded = {
        known[name].name: known[name].encode(fitted(known[name], value))
        for name, value in values.items()
        if name in known or _unknown(role, name, ports)
    }
    try:
        return json.dumps(encoded, allow_nan=False, default=_number)
    except ValueError as error:
        raise InputError(f"role {role}: {error}") from None


def decode_role(ports: list[Port], text: str) -> dict[str, Any]:
    """The outputs of a role from a JSON object."""
    values: dict[str, Any] = json.loads(text)
    return {
        port.name: port.nothing() if port.is_empty else port.decode(values[port.name])
        for port in ports
        if port.is_empty or port.name in values
    }


def nothing(shape: tuple[int, ...]) -> list[Any]:
    """The nested lists of an array of a shape without elements."""
    return [] if shape[0] == 0 else [nothing(shape[1:]) for _ in range(shape[0])]


def _is_nothing(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether nested lists have this shape; those of an empty array show only its first axes."""
    if not isinstance(value, (list, tuple)) or len(value) != shape[0]:
        return False
    return all(_is_nothing(item, shape[1:]) for item in value)


def _unknown(role: str, name: str, ports: list[Port]) -> NoReturn:
    names = ", ".join(port.name for port in ports) or "no inputs"
    raise InputError(f"{role}.{name} is unknown; {role} gives {names}")


def is_table(given: object) -> bool:
    """Whether this is a table or a batch of records, by its Arrow interface."""
    return hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__")


def composed(name: str) -> str:
    """A name in Unicode's composed form."""
    return unicodedata.normalize("NFC", name)


def by_name(given: Mapping[str, Any], role: str) -> dict[str, Any]:
    """The inputs of a role by their composed names."""
    values = {composed(str(name)): value for name, value in given.items()}
    if len(values) < len(given):
        raise InputError(f"role {role}: two of its inputs have the same name, written in two ways")
    return values


def plain(value: Any, where: str) -> Any:
    """Numbers and nested lists of them, from arrays, columns, files and whatever else gives them in order."""
    if type(value) in (int, float, bool, list, tuple):
        return value
    if isinstance(value, Path):
        if value.suffix.lower() in (".csv", ".tsv"):
            from tacit.table_files import CsvTable

            return CsvTable.read(value).numbers()
        return from_json(value)
    if is_table(value):
        from tacit.tables import column_of

        return column_of(value, where)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (bytes, bytearray)):
        return list(value)
    if hasattr(value, "__array__"):
        return value.__array__().tolist()
    if isinstance(value, str):
        raise InputError(
            f"{where}: the text {value!r} where numbers are expected; a file is given as a pathlib.Path"
        )
    if isinstance(value, (Set, Array)):
        what = (
            "a set, which has no order"
            if isinstance(value, Set)
            else "a secret array, which cannot be an input"
        )
        raise InputError(f"{where}: {what}")
    return list(value) if isinstance(value, Iterable) and not isinstance(value, Mapping) else value


def _encoded(value: Any, kind: Kind, where: str) -> Any:
    if isinstance(value, (list, tuple)):
        if kind.fraction is None and kind.modulus is None and _all_integers(value):
            return value
        if kind.fraction is not None and (scaled := _scaled_floats(value, kind)) is not None:
            return scaled
        places = [f"{where}[{place}]" for place in range(len(value))]
        return [_encoded(plain(item, place), kind, place) for place, item in zip(places, value, strict=True)]
    if kind.is_float:
        return floats.encode(value, kind.bits)
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{where}: {value} is not a number to compute with")
    if kind.fraction is not None:
        return _scaled(value, kind, where)
    number = _integer(value, kind, where)
    if kind.modulus is not None and not 0 <= _number(number) < kind.modulus:
        raise InputError(f"{where}: {number} is not an element of {kind}")
    return number


def _integer(value: Any, kind: Kind, where: str) -> Any:
    """An integer from any integer type; other values are left for the engine to refuse."""
    if isinstance(value, (Decimal, Fraction)):
        if isinstance(value, Fraction) or value.is_finite():
            if value == int(value):
                return int(value)
            raise InputError(f"{where}: {value} has a fraction where {kind} is expected")
        raise InputError(f"{where}: {value} is not a number to compute with")
    if value is None or isinstance(value, (int, float, Mapping)):
        return value
    try:
        return _number(value)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _all_integers(value: list[Any] | tuple[Any, ...]) -> bool:
    """Whether a list, or a list of lists, holds only integers, the usual case."""
    if value and isinstance(value[0], list):
        return all(isinstance(row, list) and set(map(type, row)) <= {int} for row in value)
    return set(map(type, value)) <= {int}


def _scaled_floats(value: list[Any] | tuple[Any, ...], kind: Kind) -> list[int] | None:
    """As :func:`_scaled` of each, for a list of floats that all fit, the usual case."""
    fraction, limit = kind.fraction or 0, 1 << (kind.bits - 1)
    if fraction > LARGEST_EXACT_SCALE or not set(map(type, value)) <= {float}:
        return None
    scale = float(1 << fraction)
    try:
        found = [round(number * scale) for number in value]
    except (ValueError, OverflowError):
        return None
    return found if not found or (-limit <= min(found) and max(found) < limit) else None


def _scaled(value: Any, kind: Kind, where: str) -> int:
    """A number times `2**fraction`, to the nearest integer, ties to even."""
    scale, limit = 1 << (kind.fraction or 0), 1 << (kind.bits - 1)
    try:
        scaled = round(Fraction(value) * scale)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{where}: {value!r} is not a number to compute with") from None
    if not -limit <= scaled < limit:
        least, most = Fraction(-limit, scale), Fraction(limit - 1, scale)
        known = f"whose numbers are {_written(least)} to {_written(most)}"
        instead = "give one of these, or a wider kind at all parties"
        raise InputError(f"{where}: {value} does not fit in {kind}, {known}; {instead}")
    return scaled


def _written(number: Fraction) -> str:
    """A number in decimal digits, where these are few."""
    return str(float(number)) if Fraction(float(number)) == number else str(number)


def _number(value: Any) -> int:
    """An integer of another library as one of Python."""
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        raise InputError(f"{value!r} where an integer is expected") from None


def _mapped(value: Any, convert: Any) -> Any:
    return [_mapped(item, convert) for item in value] if isinstance(value, list) else convert(value)


def from_json(path: Path) -> Any:
    """What a file of JSON holds."""
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}") from None
