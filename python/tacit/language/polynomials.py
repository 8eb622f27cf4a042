"""Polynomials in place of functions, as near to them as a number of bits asks."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from functools import lru_cache

Real = Callable[[Decimal], Decimal]
"""A function of real numbers, to the precision of the context."""

GUARD_DIGITS = 30
"""Decimal digits that are computed beyond those that are kept."""

PI = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899"


def power_of_half(x: Decimal) -> Decimal:
    """`2**-x`."""
    return (-x * Decimal(2).ln()).exp()


def logarithm(x: Decimal) -> Decimal:
    """`log(1 + x)`."""
    return (1 + x).ln()


def precision(bits: int) -> Context:
    """Decimal arithmetic, the same on every machine, with more than this many bits of precision."""
    return Context(prec=bits * 4 // 13 + GUARD_DIGITS, rounding=ROUND_HALF_EVEN)


@lru_cache
def log_of_two(bits: int) -> int:
    """The natural logarithm of 2, times `2**bits`, rounded."""
    with localcontext(precision(bits)):
        return int((Decimal(2).ln() * 2**bits).to_integral_value())


@lru_cache
def coefficients(function: Real, bits: int) -> tuple[int, ...]:
    """The coefficients by ascending power, times `2**bits`, of a polynomial near a function on [0, 1].

    Its degree is the least at which it is nearer than `2**(1 - bits)`. It meets the function at the Chebyshev
    points.

    Source: Trefethen, *Approximation Theory and Approximation Practice* (2013), chapter 16: it is hardly
    farther from the function than the best polynomial of its degree, which Remez's algorithm finds.
    """
    with localcontext(precision(bits)):
        limit = Decimal(2) ** (1 - bits)
        degree = 1
        while _distance(function, found := _interpolated(function, degree)) > limit:
            degree += 1
        return tuple(int((one * 2**bits).to_integral_value()) for one in found)


def _interpolated(function: Real, degree: int) -> list[Decimal]:
    """The polynomial of a degree that meets a function at the Chebyshev points, by Newton's differences."""
    points = [_point(2 * k + 1, 2 * degree + 2) for k in range(degree + 1)]
    differences = [function(x) for x in points]
    for order in range(1, degree + 1):
        for k in range(degree, order - 1, -1):
            differences[k] = (differences[k] - differences[k - 1]) / (points[k] - points[k - order])
    found = [Decimal(0)]
    for point, difference in zip(reversed(points), reversed(differences), strict=True):
        times_x, times_point = [Decimal(0), *found], [point * one for one in found]
        found = [a - b for a, b in zip(times_x, [*times_point, Decimal(0)], strict=True)]
        found[0] += difference
    return found[: degree + 1]


def _distance(function: Real, polynomial: list[Decimal]) -> Decimal:
    """The largest error of a polynomial, searched between the points and at the ends."""
    count = len(polynomial)
    between = [_point(2 * k, 2 * count) for k in range(count + 1)]
    return max(abs(_value(polynomial, x) - function(x)) for x in between)


def _value(polynomial: list[Decimal], x: Decimal) -> Decimal:
    value = Decimal(0)
    for one in reversed(polynomial):
        value = value * x + one
    return value


def _point(numerator: int, denominator: int) -> Decimal:
    """The point of [0, 1] below this fraction of the half circle over it."""
    angle = Decimal(PI) * numerator / denominator
    cosine = term = Decimal(1)
    for k in range(2, 80, 2):
        term *= -angle * angle / (k * (k - 1))
        cosine += term
    return (1 - cosine) / 2
