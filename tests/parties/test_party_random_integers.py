"""Random integers of a public range among many parties."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import tacit as t
from tacit.sessions.random_numbers import bits_above

SIZES = [(3, "passive"), (5, "passive"), (3, "active"), (5, "active")]


def run(program: Callable[[t.PartySession], Any], parties: int = 3, **terms: Any) -> Any:
    results = asyncio.run(asyncio.wait_for(t.together(program, parties, **terms), 120))
    assert len({repr(result) for result in results.values()}) == 1
    return results["p1"]


@pytest.mark.parametrize("width", [1, 2, 3, 5, 6])
def test_every_number_is_compared_with_every_bound(width: int) -> None:
    async def program(rt: t.PartySession) -> Any:
        numbers = [[number >> place & 1 for place in range(width)] for number in range(1 << width)]
        rows = rt.share(numbers if rt.party == "p1" else None, by="p1", shape=(1 << width, width))
        return await rt.open(bits_above(rows, range(1 << width)))

    expected = [[int(number > bound) for bound in range(1 << width)] for number in range(1 << width)]
    assert run(program) == expected


@pytest.mark.parametrize(("parties", "security"), SIZES)
@pytest.mark.parametrize(("low", "high"), [(0, 10), (-3, 4), (5, 13), (-7, -4)])
def test_all_numbers_of_a_range_are_equally_likely(parties: int, security: str, low: int, high: int) -> None:
    each = 40

    async def program(rt: t.PartySession) -> Any:
        return await rt.open(await rt.random_integers(low, high, ((high - low), each)))

    found = Counter(number for row in run(program, parties, security=security) for number in row)
    assert set(found) == set(range(low, high))
    # With 9 degrees of freedom or fewer the statistic is beyond 45 less than once in 10^6 times.
    assert sum((count - each) ** 2 / each for count in found.values()) < 45


@pytest.mark.parametrize(
    ("low", "high", "kind"),
    [
        (0, 1, t.uint(1)),
        (7, 8, t.uint(3)),
        (-1, 0, t.int(1)),
        (-2, 1, t.int(2)),
        (0, 256, t.u8),
        (0, 257, t.uint(9)),
        (-128, 128, t.i8),
        (-129, 0, t.int(9)),
        (0, 1000003, t.uint(20)),
        (-5, 300, t.int(10)),
    ],
)
def test_kinds_and_ends_of_ranges(low: int, high: int, kind: t.Kind) -> None:
    async def program(rt: t.PartySession) -> Any:
        one, none = await rt.random_integers(low, high), await rt.random_integers(low, high, (2, 0))
        many = await rt.random_integers(low, high, 30)
        assert (one.kind, one.shape, none.shape, many.kind) == (kind, (), (2, 0), kind)
        return await asyncio.gather(*map(rt.open, (one, none, many)))

    one, none, many = run(program)
    assert none == [[], []]
    assert all(low <= number < high for number in [one, *many])
    assert high - low < 200 or len(set(many)) > 20


def test_wide_ranges() -> None:
    async def program(rt: t.PartySession) -> Any:
        numbers = await rt.random_integers(0, 2**59 + 1, 20)
        with pytest.raises(t.RangeError, match=r"uint\(61\)"):
            await rt.random_integers(0, 2**60 + 5)
        return await rt.open(numbers)

    assert all(0 <= number <= 2**59 for number in run(program))


def test_mistakes() -> None:
    async def program(rt: t.PartySession) -> None:
        for low, high in [(0, 0), (3, 1)]:
            with pytest.raises(t.UsageError, match="there is no integer from"):
                await rt.random_integers(low, high)
        with pytest.raises(t.ShapeError, match="0 or more"):
            await rt.random_integers(0, 3, -1)

    run(program)

    async def bytes_of(rt: t.PartySession) -> None:
        with pytest.raises(t.UsageError, match="needs a prime field"):
            await rt.random_integers(0, 3)

    run(bytes_of, modulus=t.GF256)
