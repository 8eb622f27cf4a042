"""Rows in the order of secret keys among many parties."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

import tacit as t
from tacit.sessions.exchange_network import sorting_network

SIZES = [(3, "passive"), (5, "passive"), (3, "active"), (5, "active")]


def run(program: Callable[[t.PartySession], Any], parties: int = 3, **terms: Any) -> Any:
    results = asyncio.run(asyncio.wait_for(t.together(program, parties, **terms), 120))
    assert len({repr(result) for result in results.values()}) == 1
    return results["p1"]


def test_the_network_sorts() -> None:
    """All rows of zeros and ones, which is enough for all rows."""
    for length in range(11):
        for number in range(1 << length):
            rows = [number >> place & 1 for place in range(length)]
            for step in sorting_network(length):
                for low, high in step.pairs:
                    rows[low], rows[high] = sorted((rows[low], rows[high]))
            assert rows == sorted(rows)


@pytest.mark.parametrize(("parties", "security"), SIZES)
@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        (t.u8, [255, 0, 3, 3, 0, 254, 3]),
        (t.i8, [-128, 127, 0, -1, 0, -128, 5]),
        (t.bool, [1, 0, 0, 1, 1, 0, 1]),
        (t.fixed(4, 4), [-8.0, 7.9375, 0.5, 0.5, -0.0625, 0.5, 0.0]),
    ],
)
def test_rows_follow_their_keys_and_equal_ones_keep_their_order(
    parties: int, security: str, kind: t.Kind, numbers: list[float]
) -> None:
    draw = random.Random(7)
    names = [draw.randrange(1000) for _ in numbers]
    pairs = [[place, -place] for place in range(len(numbers))]

    async def program(rt: t.PartySession) -> Any:
        keys = rt.share(numbers if rt.party == "p1" else None, by="p1", shape=7, kind=kind)
        field = rt.share(names if rt.party == "p2" else None, by="p2", shape=7)
        both = rt.share(pairs if rt.party == "p3" else None, by="p3", shape=(7, 2), kind=t.fixed(5, 2))
        made = rt.sort_by(keys, field, both)
        assert [made[0].kind, made[1].has_kind, made[2].kind] == [kind, False, t.fixed(5, 2)]
        return await asyncio.gather(*map(rt.open, made))

    order = sorted(range(7), key=lambda place: numbers[place])
    expected = [[rows[place] for place in order] for rows in (numbers, names, pairs)]
    assert run(program, parties, security=security) == expected


@pytest.mark.parametrize("parties", [3, 5])
def test_elements_of_the_field(parties: int) -> None:
    numbers = [2**59, -(2**59), 0, 5, -1]

    async def program(rt: t.PartySession) -> Any:
        keys = rt.share(numbers if rt.party == "p1" else None, by="p1", shape=5)
        return await asyncio.gather(*map(rt.open, rt.sort_by(keys, [0, 1, 2, 3, 4])))

    assert run(program, parties) == [sorted(numbers), [1, 4, 2, 3, 0]]


def test_few_rows_and_many() -> None:
    numbers = [random.Random(3).randrange(50) for _ in range(100)]

    async def program(rt: t.PartySession) -> Any:
        keys = rt.share(numbers if rt.party == "p1" else None, by="p1", shape=100, kind=t.u8)
        made = [rt.sort_by(keys[:length], list(range(length))) for length in (0, 1, 2, 3, 100)]
        return [await asyncio.gather(*map(rt.open, pair)) for pair in made]

    def expected(length: int) -> list[list[int]]:
        order = sorted(range(length), key=lambda place: numbers[place])
        return [[numbers[place] for place in order], order]

    assert run(program) == [expected(length) for length in (0, 1, 2, 3, 100)]


def test_rows_without_numbers() -> None:
    async def program(rt: t.PartySession) -> Any:
        keys = rt.share([3, 1] if rt.party == "p1" else None, by="p1", shape=2, kind=t.u8)
        return await asyncio.gather(*map(rt.open, rt.sort_by(keys, rt.constant([[1], [2]])[:, :0], [5, 6])))

    assert run(program) == [[1, 3], [[], []], [6, 5]]


def test_mistakes() -> None:
    async def program(rt: t.PartySession) -> None:
        x = rt.share([1, 2] if rt.party == "p1" else None, by="p1", shape=2)
        with pytest.raises(t.ShapeError, match="they take one axis"):
            rt.sort_by(x[0])
        with pytest.raises(t.ShapeError, match="they take one axis"):
            rt.sort_by(x[None])
        with pytest.raises(t.ShapeError, match="all need as many rows"):
            rt.sort_by(x, x[:1])
        with pytest.raises(t.ShapeError, match="of a single number"):
            rt.sort_by(x, x[0])
        with pytest.raises(t.RangeError, match="bits"):
            rt.sort_by(x.within(t.uint(60)))

    run(program)
