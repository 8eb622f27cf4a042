"""Plain numbers, one or nested lists of them, computed with as Python computes."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from tacit._native import InputError, Kind

Numbers = Any
"""An integer, or lists of them."""


def elementwise(function: Callable[..., Any], *operands: Numbers) -> Numbers:
    """A function of numbers for each element; a single number meets every element of a list."""
    lengths = [len(operand) for operand in operands if isinstance(operand, list)]
    if not lengths:
        return function(*operands)
    parts = [operand if isinstance(operand, list) else [operand] * lengths[0] for operand in operands]
    return [elementwise(function, *row) for row in zip(*parts, strict=True)]


def dot(x: Numbers, y: Numbers) -> Numbers:
    """The inner product; of a matrix, that of each row."""
    if x and isinstance(x[0], list):
        return [dot(row, y) for row in x]
    return sum(a * b for a, b in zip(x, y, strict=True))


def flat(x: Numbers) -> list[int]:
    """All the numbers, in a row."""
    return [number for part in x for number in flat(part)] if isinstance(x, list) else [x]


def bounds(kind: Kind) -> tuple[int, int]:
    """The least and the largest number of a kind."""
    if kind.modulus is not None:
        return 0, kind.modulus - 1
    if kind.signed:
        return -(1 << (kind.bits - 1)), (1 << (kind.bits - 1)) - 1
    return 0, (1 << kind.bits) - 1


def named(kind: Kind) -> str:
    """A kind in the words of TASTYL."""
    if kind.modulus is not None:
        return f"Modular(modulus={kind.modulus})"
    return f"{'Signed' if kind.signed else 'Unsigned'}(bitlen={kind.bits})"


def within(x: Numbers, kind: Kind, what: str) -> Numbers:
    """The same numbers, each of which must be one of the kind."""
    low, high = bounds(kind)
    for number in flat(x):
        if not low <= number <= high:
            raise InputError(f"{what}: {number} does not fit {named(kind)}, which holds {low} to {high}")
    return x


def checked(x: Any, kind: Kind, shape: tuple[int, ...], what: str) -> Numbers:
    """What was given, as numbers of this kind and shape."""
    if not shape:
        if isinstance(x, bool):
            x = int(x)
        if not isinstance(x, int):
            raise InputError(f"{what}: {x!r} where an integer is expected")
        return within(x, kind, what)
    if not isinstance(x, list) or len(x) != shape[0]:
        found = f"{len(x)} values" if isinstance(x, list) else repr(x)
        raise InputError(f"{what}: {found} where a list of {shape[0]} is expected")
    return [checked(part, kind, shape[1:], f"{what}[{place}]") for place, part in enumerate(x)]


def drawn(kind: Kind, shape: tuple[int, ...], below: Callable[[int], int] = secrets.randbelow) -> Numbers:
    """Uniform numbers of a kind."""
    if shape:
        return [drawn(kind, shape[1:], below) for _ in range(shape[0])]
    low, high = bounds(kind)
    return low + below(high - low + 1)
