"""The words of shared numbers: elements of the field, whatever the kind of the numbers."""

from __future__ import annotations

from tacit._native import Array, Kind


def words(x: Array) -> Array:
    """The same numbers as elements of the field; for a fixed-point number, its multiple of the last place."""
    # Nothing is truncated, so nothing is sent, however many bits they have.
    return x.truncate(0, bits=1) if x.has_kind else x


def kind_of(x: Array) -> Kind | None:
    """The kind of shared numbers; None for elements of the field."""
    return x.kind if x.has_kind else None


def of_kind(x: Array, kind: Kind | None) -> Array:
    """Words as numbers of a kind; the caller must know that they are of this kind."""
    return x if kind is None else x.within(kind)
