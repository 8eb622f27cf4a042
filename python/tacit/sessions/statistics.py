"""Statistics of shared numbers among three parties or more, by the names of Python's module `statistics`."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from tacit._native import Array, Kind, KindError, ShapeError, UsageError
from tacit.language.operators import array, concatenate, stack
from tacit.sessions.positions import unit_vector
from tacit.sessions.searches import check_room, greatest_root, rounded_quotient
from tacit.sessions.words import of_kind, words

if TYPE_CHECKING:
    from tacit.sessions.session import PartySession

FRACTION = 8
"""The default bits after the binary point of results from integers."""


class LinearRegression(NamedTuple):
    """The line with the least squares of distances: y is about `slope` · x + `intercept`."""

    slope: Array
    intercept: Array


class Statistics:
    """Statistics of integers, bools or fixed-point numbers along the first axis, for each column separately.

    Results are shared, with the narrowest kind that holds them. `fraction` is their number of bits after the
    binary point; by default 8, or that of the numbers if they are fixed-point. How many numbers there are is
    public. An operation for which the field has no room is refused with `RangeError` when it is written.
    """

    def __init__(self, session: PartySession) -> None:
        self._session = session

    def mean(self, x: Any, fraction: int | None = None) -> Array:
        """The mean, rounded to the nearest number with `fraction` bits.

        Cost: a truncation; or if the field has little room, a comparison for each bit of the result.
        """
        data = _Data(self._session, x, "mean", 1)
        after = data.fraction(fraction)
        total, most = data.words.sum(axis=0), data.count * data.largest
        return self._ratio(total, most, Fraction(1 << after, data.count << data.after), after, "mean")

    def variance(self, x: Any, fraction: int | None = None) -> Array:
        """The sample variance, rounded to the nearest number. For a vector, it takes one product.

        Cost: products, and that of `mean`.
        """
        data = _Data(self._session, x, "variance", 2)
        return self._spread(data, data, data.count - 1, data.fraction(fraction), "variance")

    def pvariance(self, x: Any, fraction: int | None = None) -> Array:
        """The variance of the whole population, as `variance`."""
        data = _Data(self._session, x, "pvariance", 1)
        return self._spread(data, data, data.count, data.fraction(fraction), "pvariance")

    def covariance(self, x: Any, y: Any, fraction: int | None = None) -> Array:
        """The sample covariance of two arrays with the same shape, as `variance`."""
        first, second = self._both(x, y, "covariance")
        after = max(first.fraction(fraction), second.fraction(fraction))
        return self._spread(first, second, first.count - 1, after, "covariance")

    def stdev(self, x: Any, fraction: int | None = None) -> Array:
        """The sample standard deviation, rounded down.

        Cost: a comparison and a product for each bit of the result, one after the other.
        """
        data = _Data(self._session, x, "stdev", 2)
        return self._deviation(data, data.count - 1, data.fraction(fraction), "stdev")

    def pstdev(self, x: Any, fraction: int | None = None) -> Array:
        """The standard deviation of the whole population, as `stdev`."""
        data = _Data(self._session, x, "pstdev", 1)
        return self._deviation(data, data.count, data.fraction(fraction), "pstdev")

    def correlation(self, x: Any, y: Any, fraction: int = FRACTION) -> Array:
        """Pearson's correlation of two arrays with the same shape, from -1 to 1, rounded towards 0.

        It is 0 where all numbers of an array are equal. It needs a field with room for four times the bits of
        a number, four times those of their count, and twice `fraction`.

        Cost: three comparisons; then, for each bit of the result, a comparison and two products in sequence.
        """
        first, second = self._both(x, y, "correlation")
        after = _checked(fraction)
        squares = first.moment_bits(first) + second.moment_bits(second)
        # A candidate's square is at most four times that of the largest root.
        width = squares + 2 * after + 3
        check_room(self._session, width, "correlation")
        both, own, other = first.moment(second), first.moment(first), second.moment(second)
        bits = first.moment_bits(second) + 1
        root = greatest_root(both * both * (1 << 2 * after), own * other, after + 1, width)
        sign = 1 - both.equal_within(0, bits) - 2 * both.less_within(0, bits)
        return _number(sign * root, 1 << after, after, True)

    def linear_regression(
        self, x: Any, y: Any, *, proportional: bool = False, fraction: int | None = None
    ) -> LinearRegression:
        """Slope and intercept of the line with the least squares of distances in y, rounded to the nearest.

        With `proportional` the line goes through 0. Where all x are equal, the slope is 0 and the intercept
        the mean of y; with `proportional`, where all are 0, both are 0. The field needs room for twice the
        bits of an x, those of a y, twice those of their count, and `fraction`.

        Cost: a few products, a comparison, and a division of numbers with as many bits as this room: a
        comparison and a product for each bit, in sequence.
        """
        first, second = self._both(x, y, "linear_regression")
        after = max(first.fraction(fraction), second.fraction(fraction))
        scale = Fraction(1 << after, 1 << second.after)
        scales = [scale * (1 << first.after), scale]
        line = (_Proportional if proportional else _Line)(self._session, first, second, scales)
        slope, intercept = (
            _number(found, math.ceil(most * scale) + 1, after, True)
            for found, most, scale in zip(line.rounded(), line.most(), scales, strict=True)
        )
        return LinearRegression(slope, intercept)

    def median(self, x: Any) -> Array:
        """The median; for an even count, the mean of the middle two. It has one bit more after the point.

        Cost: that of sorting.
        """
        data, ordered = self._ordered(x, "median")
        twice = ordered[(data.count - 1) // 2] + ordered[data.count // 2]
        return _number(twice, 2 * data.largest, data.after + 1, True)

    def median_low(self, x: Any) -> Array:
        """The median; for an even count, the smaller of the middle two. It has the numbers' kind."""
        data, ordered = self._ordered(x, "median_low")
        return of_kind(ordered[(data.count - 1) // 2], data.kind)

    def median_high(self, x: Any) -> Array:
        """The median; for an even count, the larger of the middle two. It has the numbers' kind."""
        data, ordered = self._ordered(x, "median_high")
        return of_kind(ordered[data.count // 2], data.kind)

    def quantiles(self, x: Any, n: int = 4, method: str = "exclusive", fraction: int | None = None) -> Array:
        """The n - 1 cut points between n equally likely parts, along a new first axis, rounded as a mean.

        `method` is "exclusive" or "inclusive", as in Python's `statistics.quantiles`.

        Cost: that of sorting, and of `mean` for each cut point.
        """
        if n < 1 or method not in ("exclusive", "inclusive"):
            raise UsageError(
                f"quantiles: n={n}, method={method!r}; n is 1 or more, method exclusive or inclusive"
            )
        data, ordered = self._ordered(x, "quantiles", 2)
        after = data.fraction(fraction)
        inclusive = method == "inclusive"
        cuts = [_cut(data.count, i, n, inclusive) for i in range(1, n)]
        if not cuts:
            return of_kind(ordered[:0], Kind.fixed(1, after) if after else data.kind)
        sums = [ordered[place] * low + ordered[place + 1] * high for place, low, high in cuts]
        weight = max(abs(low) + abs(high) for _, low, high in cuts)
        scale = Fraction(1 << after, n << data.after)
        return self._ratio(stack(sums), weight * data.largest, scale, after, "quantiles")

    def mode(self, x: Any) -> Array:
        """The most frequent number of a vector; of several the smallest. It has the numbers' kind.

        Cost: that of sorting, a comparison for each number, twice as many products in each of log2(n) steps,
        and the maximum of n numbers.
        """
        x = array(x)
        if x.ndim > 1:
            raise ShapeError(f"mode of an array of shape {x.shape}; it takes a vector")
        data, ordered = self._ordered(x, "mode")
        if data.count == 1:
            return of_kind(ordered[0], data.kind)
        same = ordered[1:].equal_within(ordered[:-1], data.bits + 1)
        counts = _runs(concatenate([same[:1] * 0, same]))
        place = counts.within(Kind.uint(data.count.bit_length())).argmax()
        chosen = words(unit_vector(self._session, place, data.count))
        return of_kind(chosen @ ordered, data.kind)

    def _both(self, x: Any, y: Any, what: str) -> tuple[_Data, _Data]:
        first, second = _Data(self._session, x, what, 2), _Data(self._session, y, what, 2)
        if first.words.shape != second.words.shape:
            raise ShapeError(f"{what} of arrays of shapes {first.words.shape} and {second.words.shape}")
        return first, second

    def _ordered(self, x: Any, what: str, least: int = 1) -> tuple[_Data, Array]:
        """The numbers, and their words in ascending order."""
        data = _Data(self._session, x, what, least)
        return data, words(data.given.sort(axis=0))

    def _spread(self, first: _Data, second: _Data, divisor: int, after: int, what: str) -> Array:
        """Variance or covariance: the moment over n and the divisor."""
        scale = Fraction(1 << after, first.count * divisor << first.after + second.after)
        most = 1 << first.moment_bits(second)
        return self._ratio(first.moment(second), most, scale, after, what, signed=first is not second)

    def _deviation(self, data: _Data, divisor: int, after: int, what: str) -> Array:
        """The largest q with q² · n · divisor ≤ n² · variance, scaled to the bits after the point."""
        more = 2 * (after - data.after)
        target, factor = data.moment(data) * (1 << max(more, 0)), data.count * divisor << max(-more, 0)
        most = 1 << data.moment_bits(data) + max(more, 0)
        bits = math.isqrt(most // factor).bit_length()
        width = max((factor << 2 * bits).bit_length(), most.bit_length()) + 1
        check_room(self._session, width, what)
        root = greatest_root(target, factor, bits, width)
        return _number(root, math.isqrt(most // factor), after, False)

    def _ratio(
        self, number: Array, most: int, scale: Fraction, after: int, what: str, signed: bool = True
    ) -> Array:
        """Words of at most this size times a fraction, rounded, as numbers with bits after the point."""
        scaled, bits = number * scale.numerator, (most * scale.numerator).bit_length()
        found = rounded_quotient(self._session, scaled, scale.denominator, bits, what)
        return _number(found, math.ceil(most * scale) + 1, after, signed)


class _Data:
    """Numbers of a kind as words, with their count along the first axis and their width."""

    def __init__(self, session: PartySession, x: Any, what: str, least: int) -> None:
        session.require_field(what)
        x = array(x)
        if not x.has_kind:
            raise KindError(
                f"{what} of elements of the field, whose range is not known: promise it with x.within(bits)"
            )
        if x.ndim == 0 or x.shape[0] < least:
            raise ShapeError(f"{what} of an array of shape {x.shape}; it needs {least} or more numbers")
        self.kind: Kind = x.kind
        self.count: int = x.shape[0]
        self.after: int = x.kind.fraction or 0
        self.bits: int = x.kind.bits
        """The bits of the largest difference between two numbers."""
        self.largest: int = 1 << self.bits - 1 if x.kind.signed else (1 << self.bits) - 1
        """The largest magnitude of a word."""
        self.given: Array = x
        self.words: Array = words(x)

    def fraction(self, wanted: int | None) -> int:
        """The number of bits after the point of results."""
        if wanted is None:
            return FRACTION if self.kind.fraction is None else self.after
        return _checked(wanted)

    def moment(self, other: _Data) -> Array:
        """The covariance times n²: n · Σxy - Σx · Σy."""
        return self.inner(other) * self.count - self.total() * other.total()

    def total(self) -> Array:
        """Their sum."""
        return self.words.sum(axis=0)

    def inner(self, other: _Data) -> Array:
        """The sum of products."""
        x, y = self.words, other.words
        return x @ y if x.ndim == 1 else (x * y).sum(axis=0)

    def moment_bits(self, other: _Data) -> int:
        """The bits of a moment's magnitude, which is at most n² / 4 times the largest differences."""
        return max(2 * self.count.bit_length() - 2 + self.bits + other.bits, 1)


class _Line:
    """Slope and intercept in words, as numerators over one denominator, which is not negative."""

    def __init__(self, session: PartySession, x: _Data, y: _Data, scales: list[Fraction]) -> None:
        """Slope and intercept are computed as multiples of the fractions `scales`."""
        self._session, self._x, self._y, self._scales = session, x, y, scales
        self._below_bits, self._top_bits = self._bits()
        grown = max(max(scale.numerator, scale.denominator) for scale in scales).bit_length() + 2
        self._dividend = Kind.int(self._top_bits + grown + 1)
        self._divisor = Kind.uint(self._below_bits + grown)
        check_room(session, max(self._dividend.bits, self._divisor.bits) + 3, "linear_regression")

    def _bits(self) -> tuple[int, int]:
        """The bits of the denominator, and of the numerators."""
        # The intercept is the moment of x times the mean of y, less the moment of both times the mean of x.
        return self._x.moment_bits(self._x), self._x.moment_bits(self._x) + self._y.bits + 1

    def most(self) -> list[int]:
        """The largest magnitudes of slope and intercept."""
        # Slopes are largest if a single x differs, by 1, and the y are as far apart as possible.
        x, y = self._x, self._y
        steepest = (x.count << y.bits) // (2 * math.isqrt(x.count - 1)) + 1
        return [steepest, y.largest + steepest * x.largest]

    def _ratios(self) -> tuple[list[Array], Array]:
        """Numerators and denominator. Where all x are equal, they are those of 0 and of the mean of y."""
        x, y = self._x, self._y
        below = x.moment(x)
        flat = below.equal_within(0, self._below_bits + 2)
        intercept = x.inner(x) * y.total() - x.total() * x.inner(y) + flat * y.total()
        return [x.moment(y), intercept], below + flat * x.count

    def rounded(self) -> Array:
        """Slope and intercept as these multiples, rounded to the nearest, along a new first axis."""
        tops, below = self._ratios()
        divisors = [2 * scale.denominator * below for scale in self._scales]
        # Half of the divisor is added, since quotients are rounded down.
        dividends = [
            2 * scale.numerator * top + scale.denominator * below
            for top, scale in zip(tops, self._scales, strict=True)
        ]
        return words(stack(dividends).within(self._dividend) // stack(divisors).within(self._divisor))


class _Proportional(_Line):
    """The same for a line through 0."""

    def _bits(self) -> tuple[int, int]:
        more = self._x.bits + self._x.count.bit_length()
        return self._x.bits + more, max(self._x.bits, self._y.bits) + more

    def most(self) -> list[int]:
        return [(math.isqrt(self._x.count) + 1) * self._y.largest, 0]

    def _ratios(self) -> tuple[list[Array], Array]:
        x, y = self._x, self._y
        below, inner = x.inner(x), x.inner(y)
        return [inner, inner * 0], below + below.equal_within(0, self._below_bits + 2)


def _checked(fraction: int) -> int:
    if fraction < 0:
        raise UsageError(f"fraction={fraction}; give 0 or more bits after the point")
    return fraction


def _number(found: Array, most: int, after: int, signed: bool) -> Array:
    """Words of at most this magnitude as numbers: fixed-point if there are bits after the point."""
    bits = max(most.bit_length(), 1)
    if after:
        return of_kind(found, Kind.fixed(max(bits + 1 - after, 1), after))
    return of_kind(found, Kind.int(bits + 1) if signed else Kind.uint(bits))


def _cut(count: int, i: int, n: int, inclusive: bool) -> tuple[int, int, int]:
    """The i-th cut point of n parts: a position in order, and n times the weights of it and the next."""
    if inclusive:
        place, rest = divmod(i * (count - 1), n)
    else:
        place = min(max(i * (count + 1) // n, 1), count - 1)
        rest = i * (count + 1) - place * n
        place -= 1
    return place, n - rest, rest


def _runs(same: Array) -> Array:
    """The length of the run of equal numbers up to each; `same` is 1 where a number equals the one before."""
    counts, joined, apart = same * 0 + 1, same, 1
    while apart < same.shape[0]:
        # The count of the run before, if all in between are equal.
        both = stack([counts[:-apart], joined[:-apart]]) * joined[apart:]
        counts = concatenate([counts[:apart], counts[apart:] + both[0]])
        joined = concatenate([joined[:apart], both[1]])
        apart *= 2
    return counts
