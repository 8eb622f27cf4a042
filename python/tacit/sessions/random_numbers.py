"""Uniformly random integers of a public range, which nobody knows, among three parties or more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit._native import Array, Kind, RangeError, ShapeError, UsageError
from tacit.language.operators import concatenate, stack

if TYPE_CHECKING:
    from tacit.sessions.session import PartySession

SPARE = 8
"""Candidates beyond those that are expected to be needed, so that a second draw is rare."""


async def random_integers(
    session: PartySession, low: int, high: int, shape: Sequence[int] | int = ()
) -> Array:
    """Integers from `low` up to `high` - 1, uniform and independent, which nobody knows.

    They have the narrowest kind that holds the range. Candidates of as many random bits as the range needs
    are drawn; which of them lie in the range is opened, and the others are dropped. So the distribution is
    exact. It becomes known how many were dropped, which reveals nothing about the numbers that are kept.

    Cost: for a range of a power of two, a random bit for each bit. For others up to twice as many candidates
    as numbers, and for each two products for each bit, log2(bits) rounds, and an opening.
    """
    session.require_prime_field("random_integers")
    dims = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(length < 0 for length in dims):
        raise ShapeError(f"random_integers of shape {dims}; lengths are 0 or more")
    if high <= low:
        raise UsageError(f"random_integers: there is no integer from {low} up to {high} - 1")
    kind = _range_kind(session, low, high)
    bits, count = (high - low - 1).bit_length(), math.prod(dims)
    if bits == 0 or count == 0:
        return (session.constant(0) + low).broadcast_to(dims).within(kind)
    drawn = await bits_below(session, high - low, count)
    return (drawn.from_bits() + low).reshape(*dims).within(kind)


async def bits_below(session: PartySession, bound: int, count: int) -> Array:
    """Rows of bits, lowest first, of one or more uniform numbers below a bound of 2 or more.

    Each has as many bits as the largest number below the bound.
    """
    bits = (bound - 1).bit_length()
    if bound == 1 << bits:
        return session.random_bits((count, bits))
    kept: list[Array] = []
    missing = count
    while missing:
        candidates = session.random_bits((-(-missing << bits) // bound + SPARE, bits))
        beyond = await session.open(bits_above(candidates, [bound - 1])[:, 0])
        within = [row for row, out in enumerate(beyond) if not out][:missing]
        if within:
            kept.append(candidates[within])
            missing -= len(within)
    return concatenate(kept)


def bits_above(rows: Array, numbers: Sequence[int]) -> Array:
    """Whether each row of bits, lowest first, is greater than each of some public numbers from 0 up.

    The result is 1 or 0, with the numbers along the last axis. The numbers have at most as many bits as rows.

    Cost: two products for each bit and number, in log2(bits) rounds.
    """
    # For each run of bits: whether it is greater than the number's bits, and whether it is equal to them.
    ones = [[number >> place & 1 for place in range(rows.shape[-1])] for number in numbers]
    bits, zeros = rows[..., None, :], [[1 - one for one in own] for own in ones]
    equal = bits * [[2 * one - 1 for one in own] for own in ones] + zeros
    greater = bits * zeros
    while (width := greater.shape[-1]) > 1:
        pairs = width // 2
        low, high = slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)
        factors = stack([greater[..., low], equal[..., low]])
        products = equal[..., high] * factors
        rest = slice(2 * pairs, width)
        greater = concatenate([greater[..., high] + products[0], greater[..., rest]], axis=-1)
        equal = concatenate([products[1], equal[..., rest]], axis=-1)
    return greater[..., 0]


def _range_kind(session: PartySession, low: int, high: int) -> Kind:
    """The narrowest kind that holds the range."""
    if low >= 0:
        kind = Kind.uint(max((high - 1).bit_length(), 1))
    else:
        kind = Kind.int(max((high - 1).bit_length() if high > 0 else 0, (-low - 1).bit_length()) + 1)
    least, greatest = -(session.modulus // 2), session.modulus // 2
    if low < least or high - 1 > greatest or high - low > greatest:
        raise RangeError(
            f"random_integers from {low} up to {high} needs {kind}, and the field of this session, "
            f"modulo {session.modulus}, has numbers from {least} to {greatest}"
        )
    return kind
