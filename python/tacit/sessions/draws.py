"""Rows of arrays at random positions that nobody knows, among three parties or more."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tacit._native import Array, Kind, KindError, ShapeError, UsageError
from tacit.language.operators import array, concatenate
from tacit.sessions.permutations import shuffle
from tacit.sessions.positions import chosen_by_bits
from tacit.sessions.protection import GF256
from tacit.sessions.random_numbers import bits_above, bits_below
from tacit.sessions.searches import check_room
from tacit.sessions.words import kind_of, of_kind, words

if TYPE_CHECKING:
    from tacit.sessions.session import PartySession

WEIGHING_BITS = 40
"""With shared weights, the error of a row's probability is less than 2 to the power of minus this."""


async def choice(session: PartySession, values: Any) -> Array:
    """A row of an array, along its first axis, at a uniformly random position that nobody knows.

    Cost: that of `choices` for one row.
    """
    return (await choices(session, values))[0]


async def choices(session: PartySession, values: Any, weights: Any = None, *, k: int = 1) -> Array:
    """`k` rows of an array, along its first axis, each at a random position that nobody knows.

    Positions are independent, and uniform unless there are `weights`, one for each row. Public weights are
    numbers from 0 up, and exact. Shared ones are unsigned integers; the error of each probability is then
    less than 2^-40, and if all weights are 0, which nobody learns, the last row is chosen.
    The array is shared or public, with any shape and kind.

    Cost: for each of the `k` rows, with n rows to choose from, about n + 2 · √n products without weights, and
    two random bits for each bit of n; with public weights 2 · n products for each bit of their sum; with
    shared ones n comparisons. Then a product for each number of the result, if the array is shared.
    """
    x, count = _population(session, values, "choices")
    if k < 0:
        raise UsageError(f"choices of k={k} rows; give 0 or more")
    if count == 0:
        raise ShapeError(f"choices of an array of shape {x.shape}: there is no row to choose")
    weighed = None if weights is None else _Weights(session, weights, count)
    if k == 0:
        return x[:0]
    return _rows(x, await (_uniform(session, count, k) if weighed is None else weighed.chosen(k)))


async def sample(session: PartySession, values: Any, k: int) -> Array:
    """`k` rows of an array, along its first axis, at different random positions that nobody knows.

    All selections are equally likely, in all their orders. If few of many rows are drawn, the parties draw
    positions until all are different. It becomes known how many times they were drawn, which reveals nothing
    about the positions that are kept. Else all rows are shuffled.

    Cost: at most twice that of `choices` for `k` rows on average, with a product for each pair of them and an
    opening; or that of `shuffle`. The way with fewer products is taken.
    """
    x, count = _population(session, values, "sample")
    if not 0 <= k <= count:
        raise UsageError(f"sample of k={k} rows of {count}; give 0 to {count}")
    if k == 0:
        return x[:0]
    if _takes_positions(session, x, k):
        return _rows(x, await _different(session, count, k))
    return (await shuffle(session, x))[:k]


async def random_unit_vector(session: PartySession, length: int, shape: Sequence[int] | int = ()) -> Array:
    """Bits along a new last axis: 1 at a uniformly random position that nobody knows, 0 elsewhere.

    Cost: for each of the vectors about `length` + 2 · √`length` products, and its position's bits as in
    `random_integers`.
    """
    session.require_prime_field("random_unit_vector")
    dims = (shape,) if isinstance(shape, int) else tuple(shape)
    if length < 1 or any(size < 0 for size in dims):
        raise ShapeError(
            f"random_unit_vector of length {length} and shape {dims}; a vector has a place for its 1"
        )
    count = math.prod(dims)
    found = await _uniform(session, length, count) if count else session.constant(0).broadcast_to((0, length))
    return of_kind(found.reshape(*dims, length), Kind.boolean())


class _Weights:
    """Weights of rows, checked."""

    def __init__(self, session: PartySession, weights: Any, count: int) -> None:
        self._session = session
        self._shared: Array | None = None
        self._public: list[int] = []
        if isinstance(weights, Array) or any(isinstance(weight, Array) for weight in _listed(weights)):
            self._shared = array(weights)
        else:
            self._public = _integers(_listed(weights))
        given = (len(self._public),) if self._shared is None else self._shared.shape
        if given != (count,):
            raise ShapeError(
                f"choices of {count} rows by weights of shape {given}; give a weight for each row"
            )
        if self._shared is not None:
            self._check(self._shared)

    def _check(self, weights: Array) -> None:
        if not weights.has_kind or weights.kind.signed or weights.kind.fraction is not None:
            found = weights.kind if weights.has_kind else "elements of the field"
            raise KindError(
                f"choices by weights of {found}: shared weights are unsigned integers; promise it with "
                "weights.within(t.uint(bits))"
            )
        bits = weights.kind.bits + weights.shape[0].bit_length() + WEIGHING_BITS + 1
        check_room(self._session, bits, "choices by shared weights")

    async def chosen(self, k: int) -> Array:
        """`k` unit vectors, as elements of the field."""
        if self._shared is None and len(set(self._public)) == 1:
            return await _uniform(self._session, len(self._public), k)
        beyond = await self._by_public(k) if self._shared is None else self._by_shared(self._shared, k)
        return beyond[:, :-1] - beyond[:, 1:]

    async def _by_public(self, k: int) -> Array:
        """For each draw, whether it is at or beyond the sum of weights up to each row."""
        sums = [0, *itertools.accumulate(self._public)]
        between = sorted({*sums} - {0, sums[-1]})
        ends = self._session.constant([[1, 0]] * k)
        if not between:
            return ends[:, [0 if reached == 0 else 1 for reached in sums]]
        drawn = await bits_below(self._session, sums[-1], k)
        above = bits_above(drawn, [reached - 1 for reached in between])
        places = {reached: place for place, reached in enumerate([0, *between, sums[-1]])}
        known = concatenate([ends[:, :1], above, ends[:, 1:]], axis=-1)
        return known[:, [places[reached] for reached in sums]]

    def _by_shared(self, weights: Array, k: int) -> Array:
        """The same, where a draw is a random fraction of the sum of all weights."""
        sums, ends = weights.cumsum(), self._session.constant([[1, 0]] * k)
        drawn = self._session.random_bits((k, 1, WEIGHING_BITS)).from_bits().within(Kind.uint(WEIGHING_BITS))
        before = drawn * sums[-1] < sums[:-1] << WEIGHING_BITS
        return concatenate([ends[:, :1], 1 - words(before), ends[:, 1:]], axis=-1)


def _population(session: PartySession, values: Any, what: str) -> tuple[Array, int]:
    """An array, and its number of rows."""
    session.require_field(what)
    x = array(values)
    if x.ndim == 0:
        raise ShapeError(f"{what} of a single number: it takes an array, with rows along the first axis")
    if what != "sample":
        session.require_prime_field(what)
    return x, x.shape[0]


def _rows(x: Array, chosen: Array) -> Array:
    """The rows of an array that unit vectors select."""
    count, drawn = x.shape[0], chosen.shape[0]
    if x.size == 0:
        return x[[0] * drawn]
    found = chosen @ words(x).reshape(count, x.size // count)
    return of_kind(found.reshape(drawn, *x.shape[1:]), kind_of(x))


async def _uniform(session: PartySession, count: int, k: int) -> Array:
    """`k` unit vectors, uniform and independent, as elements of the field."""
    if count == 1:
        return session.constant([[1]] * k)
    return chosen_by_bits(await bits_below(session, count, k), count)


def _takes_positions(session: PartySession, x: Array, k: int) -> bool:
    """Whether drawing positions until they differ takes fewer products than a shuffle.

    `k` positions among `k`² rows or more differ in about every second draw at least.
    """
    count = x.shape[0]
    columns = x.size // count
    positions = k * (count + 8 * count.bit_length() + k + columns)
    exchanges = sum((i - 1).bit_length() for i in range(2, count + 1))
    few = k * (k - 1) <= count < session.modulus
    return few and session.modulus != GF256 and positions <= (session.threshold + 1) * exchanges * columns


async def _different(session: PartySession, count: int, k: int) -> Array:
    """Unit vectors of positions that are all different."""
    if k == 1:
        return await _uniform(session, count, 1)
    firsts, seconds = map(list, zip(*itertools.combinations(range(k), 2), strict=True))
    while True:
        drawn = await bits_below(session, count, k)
        places = drawn.from_bits()
        # Zero if two are the same; otherwise random, and zero with a probability of 1 / p.
        apart = (places[firsts] - places[seconds]).prod() * session.random()
        if await session.open(apart):
            return chosen_by_bits(drawn, count)


def _listed(weights: Any) -> list[Any]:
    """Weights as a list."""
    try:
        return list(weights)
    except TypeError:
        raise UsageError(
            f"choices by weights={weights!r}; give a list or an array, a weight for each row"
        ) from None


def _integers(weights: list[Any]) -> list[int]:
    """The smallest integers in the same proportions as public weights."""
    try:
        exact = [Fraction(weight) for weight in weights]
    except (TypeError, ValueError, OverflowError) as wrong:
        raise UsageError(f"choices by weights {weights}; give numbers from 0 up: {wrong}") from None
    if any(weight < 0 for weight in exact) or sum(exact) == 0:
        raise UsageError(f"choices by weights {weights}; give numbers from 0 up that are not all 0")
    shared = math.lcm(*(weight.denominator for weight in exact))
    whole = [int(weight * shared) for weight in exact]
    divisor = math.gcd(*whole)
    return [weight // divisor for weight in whole]
