"""Inputs of outside parties, at the computing parties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit._native import Array, Kind
from tacit.language.operators import concatenate


def bounds(kind: Kind) -> tuple[int, int]:
    """The smallest and the largest number of a kind, in units of its last bit."""
    bits = kind.bits - kind.signed
    return (-(1 << bits) if kind.signed else 0), (1 << bits) - 1


def hold(given: Mapping[str, Array], kind: Kind) -> Array:
    """For each party, whether its elements of the field are numbers of a kind: 1 or 0.

    The smallest number of the kind is subtracted. Then numbers of the kind are neither negative nor above a
    bound. Both are comparisons of numbers between -p/2 and p/2, as every element of the field is.
    """
    least, most = bounds(kind)
    from_zero = concatenate([array.reshape(-1) for array in given.values()]) - least
    inside = (from_zero >= 0) & (from_zero < most - least + 1)
    return inside.reshape(len(given), -1).all(axis=1)


def of_kind(given: Mapping[str, Array], kind: Kind, held: list[Any]) -> dict[str, Array]:
    """The inputs of parties whose numbers are of a kind."""
    return {party: array.within(kind) for (party, array), one in zip(given.items(), held, strict=True) if one}
