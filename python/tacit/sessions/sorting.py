"""Sorting rows by secret keys, among three parties or more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit._native import Array, Kind, KindError, ShapeError
from tacit.language.operators import array
from tacit.sessions.exchange_network import sorting_network
from tacit.sessions.exchanges import Rows, row_count
from tacit.sessions.words import is_float, kind_of, of_kind, words

if TYPE_CHECKING:
    from tacit.sessions.session import PartySession


def sort_by(session: PartySession, keys: Any, *payload: Any) -> list[Array]:
    """The keys in ascending order, and the rows of other arrays, along their first axis, in the same order.

    Keys with a kind are sorted stably: the rows of equal keys keep their order. The field must have room for
    keys with their positions behind them, as in `argsort`. The rows of equal keys that are elements of the
    field come in an order that is not specified.

    Cost: n · log2(n)² / 4 comparisons for n keys, in log2(n)² / 2 steps, and for each a product for the key
    and each number in a row of the payload, and one more if keys have a kind.
    """
    session.require_field("sort_by")
    keys = array(keys)
    if keys.ndim != 1:
        raise ShapeError(f"sort_by: keys of shape {keys.shape}; they take one axis")
    if is_float(keys):
        raise KindError(f"sort_by: keys of {keys.kind}; convert them with x.astype(t.fixed(i, f))")
    arrays = [keys, *(array(x) for x in payload)]
    if row_count(arrays, "sort_by") < 2:
        return arrays
    kind = _order_kind(keys)
    rows = Rows([_order(keys, kind), *arrays])
    for step in sorting_network(rows.count):
        firsts, seconds = map(list, zip(*step.pairs, strict=True))
        order = of_kind(rows.column(0), kind)
        rows.exchange(step, words(order[seconds] < order[firsts]))
    return rows.arrays()[1:]


def _order_kind(keys: Array) -> Kind | None:
    """The kind of keys followed by their positions, if the keys have a kind."""
    kind = kind_of(keys)
    if kind is None:
        return None
    bits = kind.bits + _position_bits(keys)
    return Kind.int(bits) if kind.signed else Kind.uint(bits)


def _order(keys: Array, kind: Kind | None) -> Array:
    """The sort keys: the keys, followed by their positions if they have a kind."""
    if kind is None:
        return keys
    return of_kind(words(keys) * (1 << _position_bits(keys)) + list(range(keys.shape[0])), kind)


def _position_bits(keys: Array) -> int:
    return (keys.shape[0] - 1).bit_length()
