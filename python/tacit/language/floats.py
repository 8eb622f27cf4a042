"""Floating-point numbers as JSON for the engine, bit for bit."""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Any

_FRACTION_BITS = 52
"""Bits of a double's fraction."""

_NAN = re.compile(r"(-?)NaN(?:\(0x([0-9a-f]+)\))?")


def encode(value: Any, bits: int) -> Any:
    """A number for JSON; infinities and NaN are written as names."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (Decimal, Fraction)):
        value = float(value)
    if not isinstance(value, float) or math.isfinite(value):
        return value
    sign = "-" if math.copysign(1, value) < 0 else ""
    if math.isinf(value):
        return f"{sign}Infinity"
    (word,) = struct.unpack("<Q", struct.pack("<d", value))
    payload = word & ((1 << _FRACTION_BITS) - 1)
    dropped, quiet = (29, 22) if bits == 32 else (0, 51)
    payload >>= dropped
    return f"{sign}NaN" if payload == 1 << quiet else f"{sign}NaN({max(payload, 1):#x})"


def decode(value: Any, bits: int) -> float:
    """The float that a number from JSON stands for."""
    if not isinstance(value, str):
        return float(value) if bits == 64 else float(struct.unpack("<f", struct.pack("<f", value))[0])
    found = _NAN.fullmatch(value)
    if found is None:
        return -math.inf if value == "-Infinity" else math.inf
    shift, quiet = (29, 22) if bits == 32 else (0, 51)
    payload = int(found[2], 16) if found[2] else 1 << quiet
    word = (bool(found[1]) << 63) | (0x7FF << _FRACTION_BITS) | (payload << shift)
    return float(struct.unpack("<d", struct.pack("<Q", word))[0])


def named(value: Any) -> Any:
    """A result for JSON, with infinities and NaN written as names."""
    if isinstance(value, dict):
        return {name: named(one) for name, one in value.items()}
    if isinstance(value, list):
        return [named(one) for one in value]
    return encode(value, 64) if isinstance(value, float) else value


def text(value: Any) -> str:
    """JSON of columns in which fractions keep every digit."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(text, value)) + "]"
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Fraction):
        value = float(value)
    return _quoted(encode(value, 64))


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
