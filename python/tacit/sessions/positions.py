"""Secret positions among three parties or more: unit vectors, and entries of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit._native import Array, KindError, ShapeError
from tacit.language.operators import array, broadcast_to, concatenate

if TYPE_CHECKING:
    from tacit.sessions.session import PartySession


def unit_vector(session: PartySession, index: Any, length: int) -> Array:
    """Bits along a new last axis: 1 at a secret index, 0 elsewhere.

    An index that is negative or not below `length` gives zeros only. The index is an integer with a kind,
    such as `t.u8`; of elements of the field, promise the range first: `x.within(t.u8)`.

    Cost: the bits of the index, and products: `length`, about 2 · √`length` more, and one for each bit that
    the kind has beyond those that `length` needs. Products take log log `length` rounds.
    """
    session.require_field("unit_vector")
    index = array(index)
    if length < 1:
        raise ShapeError(f"unit_vector: a vector of {length} elements has no place for a 1; give 1 or more")
    if not index.has_kind:
        raise KindError(
            "unit_vector at an element of the field, whose range is not known: promise it with "
            "x.within(t.uint(bits))"
        )
    if index.kind.fraction is not None:
        raise KindError(f"unit_vector at {index.kind}; a position is an integer")
    bits = index.bits()
    # A sign bit must not be set.
    reached = min(length, 1 << bits.shape[-1] - index.kind.signed)
    chosen = chosen_by_bits(bits, reached)
    if reached == length:
        return chosen
    zeros = broadcast_to(chosen[..., :1] ^ chosen[..., :1], (*index.shape, length - reached))
    return concatenate([chosen, zeros], axis=-1)


def lookup(session: PartySession, table: Any, index: Any) -> Array:
    """The entries of a table, along its first axis, at secret positions; 0 for a position beyond the table.

    The table is shared or public. As in `unit_vector`, positions have a kind; it must have no sign.

    Cost: as `unit_vector`, and for a shared table one product for each number of the result.
    """
    session.require_field("lookup")
    return array(table).lookup(array(index))


def chosen_by_bits(bits: Array, count: int) -> Array:
    """Unit vectors of length `count` from the bits of positions, lowest first along the last axis."""
    known = bits.shape[-1]
    if count == 1:
        return _all_zero(bits)
    if known == 1:
        return concatenate([~bits, bits], axis=-1)
    half = max((count - 1).bit_length() // 2, 1)
    low = chosen_by_bits(bits[..., :half], 1 << half)
    high = chosen_by_bits(bits[..., half:], -(-count >> half))
    pairs = high[..., None] & low[..., None, :]
    return pairs.reshape(*bits.shape[:-1], -1)[..., :count]


def _all_zero(bits: Array) -> Array:
    """Whether all bits along the last axis are 0, with that axis kept."""
    rest = ~bits
    while (length := rest.shape[-1]) > 1:
        half = length // 2
        joined = rest[..., :half] & rest[..., half : 2 * half]
        rest = concatenate([joined, rest[..., 2 * half :]], axis=-1) if length % 2 else joined
    return rest
