"""The words of shared numbers: elements of the field, whatever kind the numbers have."""

from __future__ import annotations

from tacit._native import Array, Kind


def words(x: Array) -> Array:
    """The same numbers as elements of the field; of a fixed-point number, its multiple of the last place."""
    # Nothing is cut off, so nothing is sent, however many bits they have.
    return x.truncate(0, bits=1) if x.has_kind else x


def kind_of(x: Array) -> Kind | None:
    """The kind of shared numbers; none for elements of the field."""
    return x.kind if x.has_kind else None


def of_kind(x: Array, kind: Kind | None) -> Array:
    """Words as numbers of a kind, which the caller knows that they are."""
    return x if kind is None else x.within(kind)
