"""Rows in an order that nobody knows, among three parties or more."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from tacit._native import AbortError, Array, Kind, ShapeError, UsageError
from tacit.language.operators import array
from tacit.sessions.exchange_network import network, settings
from tacit.sessions.exchanges import Rows, row_count
from tacit.sessions.protection import ACTIVE, GF256
from tacit.sessions.words import of_kind

if TYPE_CHECKING:
    from tacit.sessions.session import PartySession

UNDETECTED_BITS = 40
"""A bit that is neither 0 nor 1 passes with a probability of at most 2 to the power of minus this."""


async def shuffle(session: PartySession, x: Any) -> Array:
    """The rows of an array, along its first axis, in a uniformly random order that nobody knows.

    Each of the first `threshold` + 1 parties draws a permutation and gives the settings of a network of
    exchanges for it. At least one of them is honest, so the order is exactly uniform, and independent of
    what any `threshold` parties know. With `security="active"` the settings are checked to be bits before
    they are used; an `AbortError` names a party whose settings are not.

    Cost: with n rows, w numbers in each and threshold t: (t + 1) · S inputs, where S is the sum of log2(i),
    rounded up, for i from 2 to n, and w products for each of these; in (t + 1)(2 · log2(n) - 1) rounds of
    products. With active security also two products for each input, and an opening.
    """
    (shuffled,) = await shuffle_together(session, x)
    return shuffled


async def shuffle_together(session: PartySession, *arrays: Any) -> list[Array]:
    """The rows of several arrays, all in one uniformly random order that nobody knows.

    Cost and security: as `shuffle`, with the numbers of all arrays in a row.
    """
    session.require_field("shuffle")
    shared = [array(x) for x in arrays]
    if row_count(shared, "shuffle") < 2:
        return shared
    rows = Rows(shared)
    steps = network(rows.count)
    dealers = session.parties[: session.threshold + 1]
    dealt = [
        _settings(session, dealer, rows.count, sum(len(step.pairs) for step in steps)) for dealer in dealers
    ]
    if session.security == ACTIVE:
        await _check(session, dealers, dealt)
    for bits in dealt:
        start = 0
        for step in steps:
            rows.exchange(step, bits[start : start + len(step.pairs)])
            start += len(step.pairs)
    return rows.arrays()


async def random_permutation(session: PartySession, length: int) -> Array:
    """The numbers from 0 up to `length` - 1 in a uniformly random order that nobody knows.

    They have the narrowest kind that holds them, and no kind in GF(2^8). Cost and security: as `shuffle`.
    """
    session.require_field("random_permutation")
    return of_kind(await _order(session, length), _order_kind(session, length))


async def random_derangement(session: PartySession, length: int) -> Array:
    """As `random_permutation`, but uniform among orders in which no number `i` has the position `i`.

    The parties draw permutations until one has this property. It becomes known how many were drawn, which
    reveals nothing about the one that is kept.

    Cost: on average 2.7 times that of `random_permutation`, with `length` products and an opening for each.
    """
    session.require_field("random_derangement")
    if length == 1:
        raise UsageError("random_derangement of 1 number: there is none; give 0 or 2 and more")
    while True:
        drawn = await _order(session, length)
        # Zero if a number has its own position; otherwise random, and zero with a probability of 1 / p.
        moved = (drawn - list(range(length))).prod() * session.random()
        if length == 0 or await session.open(moved):
            return of_kind(drawn, _order_kind(session, length))


async def _order(session: PartySession, length: int) -> Array:
    """The numbers from 0 up, shuffled, as elements of the field."""
    if length < 0:
        raise ShapeError(f"a random order of {length} numbers; give 0 or more")
    return await shuffle(session, session.constant(list(range(length))))


def _order_kind(session: PartySession, length: int) -> Kind | None:
    """The narrowest kind of the numbers from 0 up; none in GF(2^8)."""
    return None if session.modulus == GF256 else Kind.uint(max(length - 1, 1).bit_length())


def _settings(session: PartySession, dealer: str, rows: int, exchanges: int) -> Array:
    """The settings of a permutation that a party draws, uniformly."""
    drawn = None
    if dealer == session.party:
        order = list(range(rows))
        secrets.SystemRandom().shuffle(order)
        drawn = [int(swapped) for step in settings(order) for swapped in step]
    return session.share(drawn, by=dealer, shape=exchanges)


async def _check(session: PartySession, dealers: list[str], dealt: list[Array]) -> None:
    """Refuses settings that are not bits. The opened numbers are zero for any bits."""
    sums = -(-UNDETECTED_BITS // (session.modulus.bit_length() - 1))
    opened = []
    for bits in dealt:
        weights = session.random((sums, bits.size))
        opened.append(session.open(weights @ (bits * bits - bits)))
    for dealer, future in zip(dealers, opened, strict=True):
        if any(await future):
            raise AbortError(
                f"{dealer}'s settings for shuffle are not bits, so they give no order; the run ends"
            )
