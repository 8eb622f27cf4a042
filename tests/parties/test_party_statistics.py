"""Statistics of shared numbers among many parties, beside those of Python."""

from __future__ import annotations

import asyncio
import math
import random
import statistics
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import tacit as t
from tacit.sessions.searches import greatest_root, rounded_quotient

SIZES = [(3, "passive"), (5, "passive"), (3, "active"), (5, "active")]
WIDE = 2**127 - 1


def run(program: Callable[[t.PartySession], Any], parties: int = 3, **terms: Any) -> Any:
    results = asyncio.run(asyncio.wait_for(t.together(program, parties, **terms), 240))
    assert len({repr(result) for result in results.values()}) == 1
    return results["p1"]


def given(rt: t.PartySession, values: list[Any], kind: t.Kind | None) -> t.Array:
    return rt.share(values if rt.party == "p1" else None, by="p1", shape=len(values), kind=kind)


def mean(x: list[Fraction]) -> Fraction:
    return sum(x, Fraction(0)) / len(x)


def nearest(number: Fraction, after: int) -> Fraction:
    """The nearest number with so many bits after the point, halves up."""
    return Fraction(math.floor(number * 2**after + Fraction(1, 2)), 2**after)


def root_below(number: Fraction, after: int) -> Fraction:
    """The square root, rounded down to so many bits after the point."""
    scaled = number * 4**after
    return Fraction(math.isqrt(scaled.numerator // scaled.denominator), 2**after)


def correlated(x: list[Fraction], y: list[Fraction], after: int) -> Fraction:
    both, own, other = (covariance(a, b, len(x)) for a, b in ((x, y), (x, x), (y, y)))
    if own * other == 0:
        return Fraction(0)
    size = root_below(both**2 / (own * other), after)
    return size if both > 0 else -size


def covariance(x: list[Fraction], y: list[Fraction], divisor: int) -> Fraction:
    mx, my = mean(x), mean(y)
    return sum(((a - mx) * (b - my) for a, b in zip(x, y, strict=True)), Fraction(0)) / divisor


def fitted(x: list[Fraction], y: list[Fraction], after: int, proportional: bool = False) -> list[Fraction]:
    """Slope and intercept; a slope of 0 where all x are equal, or all 0 where the line goes through 0."""
    if proportional:
        squares, products = (sum(a * b for a, b in zip(x, z, strict=True)) for z in (x, y))
        return [nearest(products / squares if squares else Fraction(0), after), Fraction(0)]
    spread = covariance(x, x, 1)
    slope = covariance(x, y, 1) / spread if spread else Fraction(0)
    return [nearest(slope, after), nearest(mean(y) - slope * mean(x), after)]


def expected(x: list[Fraction], y: list[Fraction], after: int) -> dict[str, Any]:
    count = len(x)
    exclusive = statistics.quantiles(x, n=4)
    inclusive = statistics.quantiles(x, n=3, method="inclusive")
    return {
        "mean": nearest(mean(x), after),
        "variance": nearest(covariance(x, x, count - 1), after),
        "pvariance": nearest(covariance(x, x, count), after),
        "covariance": nearest(covariance(x, y, count - 1), after),
        "stdev": root_below(covariance(x, x, count - 1), after),
        "pstdev": root_below(covariance(x, x, count), after),
        "correlation": correlated(x, y, 8),
        "regression": fitted(x, y, after),
        "proportional": fitted(x, y, after, proportional=True),
        "median": statistics.median(x),
        "median_low": statistics.median_low(x),
        "median_high": statistics.median_high(x),
        "quantiles": [nearest(Fraction(cut), after) for cut in exclusive],
        "inclusive": [nearest(Fraction(cut), after) for cut in inclusive],
        "mode": min(statistics.multimode(x)),
    }


def computed(rt: t.PartySession, x: t.Array, y: t.Array) -> dict[str, t.Array]:
    s = rt.statistics
    names = ("mean", "variance", "pvariance", "stdev", "pstdev", "median", "median_low", "median_high")
    found = {name: getattr(s, name)(x) for name in (*names, "quantiles", "mode")}
    found["covariance"], found["correlation"] = s.covariance(x, y), s.correlation(x, y)
    found["inclusive"] = s.quantiles(x, n=3, method="inclusive")
    return found


def compare(kind: t.Kind, x: list[Any], y: list[Any], parties: int = 3, **terms: Any) -> None:
    async def program(rt: t.PartySession) -> Any:
        a, b = given(rt, x, kind), given(rt, y, kind)
        found = computed(rt, a, b)
        assert found["mode"].kind == found["median_low"].kind == kind
        opened = dict(zip(found, await asyncio.gather(*map(rt.open, found.values())), strict=True))
        for name in ("regression", "proportional"):
            line = rt.statistics.linear_regression(a, b, proportional=name == "proportional")
            opened[name] = await asyncio.gather(rt.open(line.slope), rt.open(line.intercept))
        return opened

    after = 8 if kind.fraction is None else kind.fraction
    assert run(program, parties, **terms) == expected([*map(Fraction, x)], [*map(Fraction, y)], after)


@pytest.mark.parametrize(("parties", "security"), SIZES)
@pytest.mark.parametrize(
    ("kind", "x", "y"),
    [
        (t.u8, [3, 255, 0, 7, 7, 200], [250, 1, 255, 255, 3, 90]),
        (t.i8, [-128, 127, -1, -1, 0], [5, -100, 127, 127, -128]),
        (t.fixed(5, 4), [-16.0, 15.9375, 0.0625, 0.0625], [1.5, -2.25, 3.125, 0.0]),
    ],
)
def test_statistics(parties: int, security: str, kind: t.Kind, x: list[Any], y: list[Any]) -> None:
    compare(kind, x, y, parties, security=security, modulus=WIDE)


@pytest.mark.parametrize(
    ("kind", "x", "y"),
    [
        (t.u8, [9, 9], [9, 9]),
        (t.u8, [0, 0, 0], [1, 2, 3]),
        (t.u8, [255, 255, 0], [0, 0, 255]),
        (t.int(1), [0, -1, -1], [-1, 0, 0]),
        (t.bool, [1, 0, 1, 1, 0], [0, 1, 0, 0, 1]),
        (t.u16, [65535, 0, 65535, 1, 1, 2, 2], [65535, 0, 65534, 1, 3, 3, 2]),
        (t.fixed(1, 6), [-1.0, 0.984375, 0.5], [0.5, 0.25, -0.125]),
    ],
)
def test_equal_numbers_and_ends_of_ranges(kind: t.Kind, x: list[Any], y: list[Any]) -> None:
    compare(kind, x, y, modulus=WIDE)


@pytest.mark.parametrize("count", [2, 3, 8, 13, 33])
def test_random_numbers(count: int) -> None:
    draw = random.Random(count)
    x, y = ([draw.randrange(-9, 9) for _ in range(count)] for _ in range(2))
    compare(t.int(5), x, y, modulus=WIDE)


@pytest.mark.parametrize("fraction", [0, 3, 12])
@pytest.mark.parametrize(
    ("first", "second", "x", "y"),
    [
        (t.u8, t.fixed(4, 6), [1, 2, 9, 0], [1.5, -8.0, 7.984375, 0.25]),
        (t.fixed(5, 4), t.fixed(3, 1), [-16.0, 15.9375, 0.0625, 0.0625], [1.5, -4.0, 3.5, 0.0]),
        (t.fixed(2, 6), t.i8, [1.984375, 2 - 2 / 64, 2 - 2 / 64, -2.0], [127, -128, 127, -128]),
        (t.uint(3), t.uint(3), [7, 7, 6], [0, 0, 7]),
    ],
)
def test_lines_between_numbers_of_different_kinds(
    fraction: int, first: t.Kind, second: t.Kind, x: list[Any], y: list[Any]
) -> None:
    async def program(rt: t.PartySession) -> Any:
        a, b = given(rt, x, first), given(rt, y, second)
        lines = [
            rt.statistics.linear_regression(a, b, fraction=fraction, proportional=p) for p in (False, True)
        ]
        return await asyncio.gather(*[rt.open(one) for line in lines for one in line])

    own, other = [*map(Fraction, x)], [*map(Fraction, y)]
    lines = [fitted(own, other, fraction, proportional) for proportional in (False, True)]
    assert run(program, modulus=WIDE) == [one for line in lines for one in line]


def test_lines_of_columns_and_the_steepest_ones() -> None:
    """The bounds of slope and intercept are those of the steepest lines, with one x by itself."""
    x, y = [[255, 3], [255, 1], [255, 2], [254, 5]], [[255, 7], [255, 7], [255, 7], [0, 7]]

    async def program(rt: t.PartySession) -> Any:
        a, b = (rt.share(z if rt.party == "p2" else None, by="p2", shape=(4, 2), kind=t.u8) for z in (x, y))
        line = rt.statistics.linear_regression(a, b)
        assert line._fields == ("slope", "intercept")
        return await rt.open(line.slope), await rt.open(line.intercept)

    assert run(program, modulus=WIDE) == ([255, 0], [-64770, 7])


def test_one_number_and_columns() -> None:
    rows = [[1, -5], [2, 7], [2, -5]]

    async def program(rt: t.PartySession) -> Any:
        s, one = rt.statistics, given(rt, [7], t.u8)
        x = rt.share(rows if rt.party == "p2" else None, by="p2", shape=(3, 2), kind=t.i8)
        made = [s.mean(one), s.pvariance(one), s.pstdev(one), s.median(one), s.mode(one)]
        made += [s.mean(x, fraction=0), s.variance(x), s.stdev(x), s.median(x), s.quantiles(x, n=2)]
        made += [s.covariance(x, x[:, ::-1]), s.correlation(x, x), s.quantiles(x, n=1)]
        return await asyncio.gather(*map(rt.open, made))

    deviations = [float(root_below(Fraction(1, 3), 8)), float(root_below(Fraction(48), 8))]
    variances, shared = [nearest(Fraction(1, 3), 8), 48], nearest(Fraction(2), 8)
    assert run(program, modulus=WIDE) == [
        *(7, 0, 0, 7, 7),
        *([2, -1], variances, deviations, [2, -5], [[2, -5]], [shared, shared], [1, 1], []),
    ]


@pytest.mark.parametrize("parties", [3, 5])
def test_a_field_with_little_room(parties: int) -> None:
    """What has no room for a product with a reciprocal is divided bit by bit, with the same results."""
    draw = random.Random(1)
    x = [draw.randrange(2**16) for _ in range(100)]

    async def program(rt: t.PartySession) -> Any:
        s, data = rt.statistics, given(rt, x, t.u16)
        made = [s.mean(data), s.variance(data, fraction=0), s.pstdev(data, fraction=0)]
        with pytest.raises(t.RangeError, match=r"correlation needs \d+ bits here"):
            s.correlation(data, data)
        return await asyncio.gather(*map(rt.open, made))

    numbers = [*map(Fraction, x)]
    assert run(program, parties) == [
        nearest(mean(numbers), 8),
        nearest(covariance(numbers, numbers, 99), 0),
        root_below(covariance(numbers, numbers, 100), 0),
    ]


@pytest.mark.parametrize("divisor", [1, 2, 3, 4, 7, 64, 100, 4097])
@pytest.mark.parametrize("modulus", [2**61 - 1, WIDE])
def test_quotients_are_rounded_to_the_nearest(divisor: int, modulus: int) -> None:
    ends = [2**26 - 1, 2**26 - divisor // 2 - 1]
    numbers = [sign * number for number in [0, 1, 2, 3, 50, 64, 149, 150, 151, *ends] for sign in (1, -1)]

    async def program(rt: t.PartySession) -> Any:
        x = given(rt, numbers, None)
        return await rt.open(rounded_quotient(rt, x, divisor, 26, "a quotient"))

    assert run(program, modulus=modulus) == [nearest(Fraction(one, divisor), 0) for one in numbers]


def test_roots_are_the_greatest() -> None:
    numbers = [*range(70), 2**20 - 1, 2**20 - 2**10]

    async def program(rt: t.PartySession) -> Any:
        x = given(rt, numbers, None)
        return [await rt.open(greatest_root(x, factor, 10, 25)) for factor in (1, 3, rt.constant(7))]

    assert run(program) == [[math.isqrt(one // factor) for one in numbers] for factor in (1, 3, 7)]


@pytest.mark.parametrize(
    ("error", "words", "wrong"),
    [
        (t.KindError, "mean of elements of the field", lambda s, x: s.mean(x)),
        (t.ShapeError, "it needs 1 or more numbers", lambda s, x: s.mean(x.within(t.u8)[:0])),
        (t.ShapeError, "it needs 1 or more numbers", lambda s, x: s.mode(x.within(t.u8)[0])),
        (t.ShapeError, "it needs 2 or more numbers", lambda s, x: s.stdev(x.within(t.u8)[:1])),
        (t.ShapeError, "it takes a vector", lambda s, x: s.mode(x.within(t.u8).reshape(2, 1))),
        (
            t.ShapeError,
            "covariance of arrays",
            lambda s, x: s.covariance(t.stack([x, x]).within(t.u8), x.within(t.u8)),
        ),
        (t.UsageError, "fraction=-1", lambda s, x: s.mean(x.within(t.u8), fraction=-1)),
        (t.UsageError, "n=0", lambda s, x: s.quantiles(x.within(t.u8), n=0)),
        (t.UsageError, "method='other'", lambda s, x: s.quantiles(x.within(t.u8), method="other")),
        (t.RangeError, "variance needs", lambda s, x: s.variance(x.within(t.uint(40)))),
        (
            t.RangeError,
            "linear_regression needs",
            lambda s, x: s.linear_regression(x.within(t.u16), x.within(t.u16)),
        ),
        (
            t.ShapeError,
            "needs 2 or more",
            lambda s, x: s.linear_regression(x.within(t.u8)[:1], x.within(t.u8)[:1]),
        ),
        (t.RangeError, "stdev needs", lambda s, x: s.stdev(x.within(t.uint(40)))),
    ],
)
def test_mistakes(error: type[Exception], words: str, wrong: Callable[..., Any]) -> None:
    async def program(rt: t.PartySession) -> None:
        x = given(rt, [1, 2], None)
        with pytest.raises(error, match=words):
            wrong(rt.statistics, x)

    run(program)
