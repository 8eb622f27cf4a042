"""The words of shared numbers: elements of the field, whatever the kind of the numbers."""

from __future__ import annotations

from tacit._native import Array, Kind, KindError


def words(x: Array) -> Array:
    """The same numbers as elements of the field; for a fixed-point number, its multiple of the last place.

    Errors: `KindError`, for floats.
    """
    if is_float(x):
        raise KindError(
            f"this takes numbers that may be elements of the field, not {x.kind}; "
            "convert it to an integer or t.fixed(i, f) with x.astype(kind)"
        )
    # Nothing is truncated, so nothing is sent, however many bits they have.
    return x.truncate(0, bits=1) if x.has_kind else x


def is_float(x: Array) -> bool:
    """Whether these are floats, which are shared bit by bit."""
    return x.has_kind and x.kind.is_float


def kind_of(x: Array) -> Kind | None:
    """The kind of shared numbers; None for elements of the field."""
    return x.kind if x.has_kind else None


def of_kind(x: Array, kind: Kind | None) -> Array:
    """Words as numbers of a kind; the caller must know that they are of this kind."""
    return x if kind is None else x.within(kind)
