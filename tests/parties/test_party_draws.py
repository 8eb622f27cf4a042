"""Rows at random positions that nobody knows, among many parties."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import tacit as t
from tacit.sessions import draws

SIZES = [(3, "passive"), (4, "passive"), (5, "passive"), (3, "active"), (5, "active")]


def run(program: Callable[[t.PartySession], Any], parties: int = 3, **terms: Any) -> Any:
    results = asyncio.run(asyncio.wait_for(t.together(program, parties, **terms), 120))
    assert len({repr(result) for result in results.values()}) == 1
    return results["p1"]


def statistic(found: Sequence[Any], expected: dict[Any, float]) -> float:
    """Pearson's statistic; what is not expected must not be there."""
    counts = Counter(found)
    assert set(counts) <= set(expected)
    return sum(
        (counts[one] - len(found) * share) ** 2 / (len(found) * share) for one, share in expected.items()
    )


@pytest.mark.parametrize(("parties", "security"), SIZES)
def test_choices_are_uniform_and_rows_of_any_kind(parties: int, security: str) -> None:
    matrix = [[[10 * row, row - 3], [0, -row]] for row in range(6)]
    prices = [1.5, -2.25, 0.0, 7.75, -8.0, 0.25]

    async def program(rt: t.PartySession) -> Any:
        x = rt.share(matrix if rt.party == "p1" else None, by="p1", shape=(6, 2, 2))
        y = rt.share(prices if rt.party == "p2" else None, by="p2", shape=6, kind=t.fixed(4, 2))
        rows, many, one = await rt.choices(x, k=8), await rt.choices(y, k=600), await rt.choice(y)
        assert (rows.shape, many.kind, one.shape, one.kind) == ((8, 2, 2), y.kind, (), y.kind)
        return await asyncio.gather(*map(rt.open, (rows, many, one)))

    rows, many, one = run(program, parties, security=security)
    assert all(row in matrix for row in rows)
    assert one in prices
    # With 5 degrees of freedom the statistic is beyond 36 less than once in 10^6 times.
    assert statistic(many, dict.fromkeys(prices, 1 / 6)) < 36


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9, 17])
def test_public_arrays_and_lists(count: int) -> None:
    async def program(rt: t.PartySession) -> Any:
        numbers = list(range(-1, count - 1))
        many = await rt.choices(numbers, k=40 * count)
        some = await rt.choices(rt.constant([[bool(number % 2)] for number in numbers], t.bool), k=3)
        assert some.kind == t.bool
        return await rt.open(many), await rt.open(some)

    many, some = run(program)
    assert set(many) == set(range(-1, count - 1)) or count > 9
    assert all(isinstance(one, bool) for (one,) in some)


@pytest.mark.parametrize(("parties", "security"), SIZES)
@pytest.mark.parametrize(
    "weights",
    [
        [1, 0, 2, 5],
        [0, 0, 3, 0],
        [3, 3, 3, 3],
        [0.25, 0.5, 0, 0.125],
        [Fraction(1, 3), Decimal("0.5"), 0, 1],
        [0, 7, 0, 1],
    ],
)
def test_public_weights(parties: int, security: str, weights: list[Any]) -> None:
    async def program(rt: t.PartySession) -> Any:
        x = rt.share([5, 6, 7, 8] if rt.party == "p1" else None, by="p1", shape=4, kind=t.u8)
        return await rt.open(await rt.choices(x, weights, k=400))

    total = sum(map(Fraction, weights))
    expected = {5 + place: float(Fraction(one) / total) for place, one in enumerate(weights) if one}
    # With 3 degrees of freedom the statistic is beyond 31 less than once in 10^6 times.
    assert statistic(run(program, parties, security=security), expected) < 31


@pytest.mark.parametrize(("parties", "security"), SIZES)
@pytest.mark.parametrize("weights", [[1, 0, 2, 5], [0, 0, 3, 0], [255, 255, 255, 255], [0, 200, 50, 0]])
def test_shared_weights(parties: int, security: str, weights: list[int]) -> None:
    async def program(rt: t.PartySession) -> Any:
        shared = rt.share(weights if rt.party == "p2" else None, by="p2", shape=4, kind=t.u8)
        return await rt.open(await rt.choices([5, 6, 7, 8], shared, k=300))

    expected = {5 + place: one / sum(weights) for place, one in enumerate(weights) if one}
    assert statistic(run(program, parties, security=security, modulus=2**127 - 1), expected) < 31


def test_shared_weights_that_are_all_zero_choose_the_last_row_and_a_single_row_is_always_chosen() -> None:
    async def program(rt: t.PartySession) -> Any:
        none = rt.share([0, 0, 0] if rt.party == "p1" else None, by="p1", shape=3, kind=t.uint(4))
        last, only = await rt.choices([5, 6, 7], none, k=5), await rt.choices([[9]], [none[0]], k=2)
        return await rt.open(last), await rt.open(only)

    assert run(program) == ([7] * 5, [[9], [9]])


@pytest.mark.parametrize(("parties", "security"), SIZES)
@pytest.mark.parametrize("positions", [False, True])
def test_all_samples_are_equally_likely(
    parties: int, security: str, positions: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draws, "_takes_positions", lambda *_: positions)

    async def program(rt: t.PartySession) -> Any:
        return await asyncio.gather(*[rt.open(await rt.sample([3, 4, 5, 6], 2)) for _ in range(120)])

    found = [tuple(one) for one in run(program, parties, security=security)]
    # With 11 degrees of freedom the statistic is beyond 48 less than once in 10^6 times.
    assert statistic(found, dict.fromkeys(itertools.permutations([3, 4, 5, 6], 2), 1 / 12)) < 48


@pytest.mark.parametrize(
    ("count", "k", "columns"),
    [(1, 1, 1), (5, 5, 2), (40, 0, 1), (40, 1, 1), (40, 3, 3), (200, 4, 2), (30, 29, 1)],
)
def test_samples_are_different_rows(count: int, k: int, columns: int) -> None:
    rows = [[number, *[-number] * (columns - 1)] for number in range(count)]

    async def program(rt: t.PartySession) -> Any:
        x = rt.share(rows if rt.party == "p3" else None, by="p3", shape=(count, columns), kind=t.i16)
        drawn = await rt.sample(x, k)
        assert (drawn.kind, drawn.shape) == (t.i16, (k, columns))
        return await rt.open(drawn)

    drawn = run(program)
    assert all(row in rows for row in drawn)
    assert len({row[0] for row in drawn}) == len(drawn) == k


def test_small_fields_and_bytes() -> None:
    async def small(rt: t.PartySession) -> Any:
        x = rt.share([1, 2, 3, 4] * 25 if rt.party == "p1" else None, by="p1", shape=100)
        return await rt.open(await rt.sample(x, 3)), await rt.open(await rt.choices(x, k=40))

    sampled, chosen = run(small, modulus=11)
    assert len(sampled) == 3
    assert {*sampled, *chosen} <= {1, 2, 3, 4}

    async def of_bytes(rt: t.PartySession) -> Any:
        x = rt.share([7, 8, 9] if rt.party == "p1" else None, by="p1", shape=3)
        with pytest.raises(t.UsageError, match="choices needs a prime field"):
            await rt.choices(x)
        with pytest.raises(t.UsageError, match="random_unit_vector needs a prime field"):
            await rt.random_unit_vector(3)
        return await rt.open(await rt.sample(x, 2))

    assert len({7, 8, 9} - set(run(of_bytes, modulus=t.GF256))) == 1


def test_empty_rows_and_no_rows() -> None:
    async def program(rt: t.PartySession) -> Any:
        x = rt.share([[], [], []] if rt.party == "p1" else None, by="p1", shape=(3, 0), kind=t.u8)
        none = await rt.choices([1, 2], k=0)
        shapes = [(await rt.choices(x, k=5)).shape, (await rt.sample(x, 2)).shape, none.shape]
        return [*shapes, (await rt.sample(x[:0], 0)).shape, (await rt.random_unit_vector(3, (2, 0))).shape]

    assert run(program) == [(5, 0), (2, 0), (0,), (0, 0), (2, 0, 3)]


@pytest.mark.parametrize(("parties", "security"), SIZES)
def test_random_unit_vectors(parties: int, security: str) -> None:
    async def program(rt: t.PartySession) -> Any:
        many, one = await rt.random_unit_vector(5, (2, 200)), await rt.random_unit_vector(1)
        assert (many.kind, many.shape, one.shape) == (t.bool, (2, 200, 5), (1,))
        return await rt.open(many), await rt.open(one)

    many, one = run(program, parties, security=security)
    vectors = [vector for row in many for vector in row]
    assert one == [True]
    assert all(sum(vector) == 1 for vector in vectors)
    # With 4 degrees of freedom the statistic is beyond 34 less than once in 10^6 times.
    assert statistic([vector.index(True) for vector in vectors], dict.fromkeys(range(5), 0.2)) < 34


@pytest.mark.parametrize(
    ("error", "words", "wrong"),
    [
        (t.ShapeError, "choices of a single number", lambda rt, x: rt.choices(x[0])),
        (t.ShapeError, "there is no row to choose", lambda rt, x: rt.choices(x[:0])),
        (t.ShapeError, "there is no row to choose", lambda rt, x: rt.choice(x[:0])),
        (t.UsageError, "k=-1", lambda rt, x: rt.choices(x, k=-1)),
        (t.ShapeError, "give a weight for each row", lambda rt, x: rt.choices(x, [1, 2])),
        (t.ShapeError, "give a weight for each row", lambda rt, x: rt.choices(x, x[:2].within(t.u8))),
        (t.UsageError, "not all 0", lambda rt, x: rt.choices(x, [0, 0, 0])),
        (t.UsageError, "numbers from 0 up", lambda rt, x: rt.choices(x, [1, -1, 3])),
        (t.UsageError, "numbers from 0 up", lambda rt, x: rt.choices(x, [1, float("nan"), 3])),
        (t.UsageError, "numbers from 0 up", lambda rt, x: rt.choices(x, [1, None, 3])),
        (t.UsageError, "weights=7", lambda rt, x: rt.choices(x, 7)),
        (t.KindError, "weights of elements of the field", lambda rt, x: rt.choices(x, x)),
        (t.KindError, r"unsigned integers", lambda rt, x: rt.choices(x, x.within(t.i8))),
        (t.RangeError, "by shared weights needs", lambda rt, x: rt.choices(x, x.within(t.u32))),
        (t.UsageError, "sample of k=4 rows of 3", lambda rt, x: rt.sample(x, 4)),
        (t.UsageError, "sample of k=-1 rows", lambda rt, x: rt.sample(x, -1)),
        (t.ShapeError, "sample of a single number", lambda rt, x: rt.sample(x[0], 1)),
        (t.ShapeError, "random_unit_vector of length 0", lambda rt, _: rt.random_unit_vector(0)),
    ],
)
def test_mistakes(error: type[Exception], words: str, wrong: Callable[..., Any]) -> None:
    async def program(rt: t.PartySession) -> None:
        x = rt.share([1, 2, 3] if rt.party == "p1" else None, by="p1", shape=3)
        with pytest.raises(error, match=words):
            await wrong(rt, x)

    run(program)
