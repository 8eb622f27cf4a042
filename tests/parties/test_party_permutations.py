"""Rows in an order that nobody knows, among many parties."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import tacit as t
from tacit.sessions import permutations
from tacit.sessions.exchange_network import network, settings

SIZES = [(3, "passive"), (4, "passive"), (5, "passive"), (3, "active"), (5, "active")]


def run(program: Callable[[t.PartySession], Any], parties: int = 3, **terms: Any) -> Any:
    results = asyncio.run(asyncio.wait_for(t.together(program, parties, **terms), 120))
    assert len({repr(result) for result in results.values()}) == 1
    return results["p1"]


def permuted(source: Sequence[int]) -> list[int]:
    """The rows 0, 1, … after the network with the settings of an order."""
    rows = list(range(len(source)))
    for step, swaps in zip(network(len(source)), settings(source), strict=True):
        touched = [row for pair in step.pairs for row in pair]
        assert len(set(touched)) == len(touched)
        for (first, second), swapped in zip(step.pairs, swaps, strict=True):
            if swapped:
                rows[first], rows[second] = rows[second], rows[first]
    return rows


@pytest.mark.parametrize("length", range(8))
def test_the_network_brings_about_every_order(length: int) -> None:
    for source in itertools.permutations(range(length)):
        assert permuted(source) == list(source)


@pytest.mark.parametrize("length", [8, 9, 16, 17, 31, 33, 100, 127, 1000])
def test_the_network_brings_about_random_orders(length: int) -> None:
    source = random.Random(length).sample(range(length), length)
    assert permuted(source) == source
    exchanges = sum(len(step.pairs) for step in network(length))
    assert exchanges == sum((i - 1).bit_length() for i in range(2, length + 1))
    assert len(network(length)) <= 2 * (length - 1).bit_length() - 1


@pytest.mark.parametrize(("parties", "security"), SIZES)
def test_rows_stay_together(parties: int, security: str) -> None:
    matrix = [[[row, 10 * row], [-row, 7]] for row in range(11)]
    prices = [row / 4 for row in range(-5, 6)]

    async def program(rt: t.PartySession) -> Any:
        x = rt.share(matrix if rt.party == "p1" else None, by="p1", shape=(11, 2, 2))
        y = rt.share(prices if rt.party == "p2" else None, by="p2", shape=11, kind=t.fixed(6, 4))
        alone = await rt.shuffle(x)
        first, second = await rt.shuffle_together(x[:, 0, 0].within(t.u8), y)
        assert (first.kind, second.kind, alone.shape) == (t.u8, t.fixed(6, 4), (11, 2, 2))
        return await asyncio.gather(*map(rt.open, (alone, first, second)))

    alone, first, second = run(program, parties, security=security)
    assert sorted(alone) == sorted(matrix)
    assert sorted(zip(first, second, strict=True)) == list(zip(range(11), prices, strict=True))


@pytest.mark.parametrize("parties", [3, 5])
def test_all_orders_are_equally_likely(parties: int) -> None:
    rounds = 240

    async def program(rt: t.PartySession) -> Any:
        shuffled = [await rt.random_permutation(4) for _ in range(rounds)]
        return await asyncio.gather(*map(rt.open, shuffled))

    found = Counter(map(tuple, run(program, parties)))
    assert set(found) <= set(itertools.permutations(range(4)))
    # The statistic of 23 degrees of freedom is beyond 70 once in 10^6 times.
    assert sum((found[order] - 10) ** 2 / 10 for order in itertools.permutations(range(4))) < 70


@pytest.mark.parametrize("alone", ["p1", "p2", "p3"])
def test_the_order_depends_on_each_of_the_first_parties(alone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all others leave the rows in order, the permutation of one party is the result."""

    def settled(rt: t.PartySession, dealer: str, rows: int, exchanges: int) -> t.Array:
        order = [4, 2, 0, 1, 3] if dealer == alone else list(range(rows))
        own = [int(swapped) for step in settings(order) for swapped in step]
        return rt.share(own if rt.party == dealer else None, by=dealer, shape=exchanges)

    monkeypatch.setattr(permutations, "_settings", settled)

    async def program(rt: t.PartySession) -> Any:
        return await rt.open(await rt.shuffle([10, 11, 12, 13, 14]))

    assert run(program, 5) == [14, 12, 10, 11, 13]


@pytest.mark.parametrize("modulus", [2**61 - 1, t.GF256])
def test_settings_that_are_not_bits_are_noticed(modulus: int, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = permutations._settings

    def wrong(rt: t.PartySession, dealer: str, rows: int, exchanges: int) -> t.Array:
        if dealer != "p2":
            return honest(rt, dealer, rows, exchanges)
        return rt.share([0] * (exchanges - 1) + [2] if rt.party == "p2" else None, by="p2", shape=exchanges)

    monkeypatch.setattr(permutations, "_settings", wrong)

    async def program(rt: t.PartySession) -> Any:
        return await rt.shuffle(rt.constant([1, 2, 3, 4, 5]))

    with pytest.raises(t.AbortError, match="p2's settings for shuffle are not bits"):
        run(program, security="active", modulus=modulus)


@pytest.mark.parametrize("modulus", [101, 2**61 - 1, 2**127 - 1, t.GF256])
def test_permutations_in_other_fields(modulus: int) -> None:
    async def program(rt: t.PartySession) -> Any:
        many = [await rt.random_permutation(length) for length in (0, 1, 2, 3, 20)]
        return await asyncio.gather(*map(rt.open, many))

    found = run(program, modulus=modulus)
    assert [sorted(numbers) for numbers in found] == [list(range(n)) for n in (0, 1, 2, 3, 20)]


@pytest.mark.parametrize(("parties", "security"), SIZES)
def test_derangements_leave_no_number_in_its_place(parties: int, security: str) -> None:
    async def program(rt: t.PartySession) -> Any:
        many = [await rt.random_derangement(length) for length in (0, 2, 3, 17)]
        return await asyncio.gather(*map(rt.open, many))

    for length, found in zip((0, 2, 3, 17), run(program, parties, security=security), strict=True):
        assert sorted(found) == list(range(length))
        assert all(number != place for place, number in enumerate(found))


@pytest.mark.parametrize("modulus", [101, t.GF256, 2**61 - 1])
def test_all_derangements_are_equally_likely(modulus: int) -> None:
    async def program(rt: t.PartySession) -> Any:
        return [await rt.open(await rt.random_derangement(4)) for _ in range(270)]

    found = Counter(map(tuple, run(program, modulus=modulus)))
    assert len(found) == 9
    # The statistic of 8 degrees of freedom is beyond 45 less than once in 10^6 times.
    assert sum((count - 30) ** 2 / 30 for count in found.values()) < 45


def test_mistakes() -> None:
    async def program(rt: t.PartySession) -> None:
        x = rt.share([1, 2] if rt.party == "p1" else None, by="p1", shape=2)
        with pytest.raises(t.ShapeError, match="of a single number"):
            await rt.shuffle(x[0])
        with pytest.raises(t.ShapeError, match="all need as many rows"):
            await rt.shuffle_together(x, x[:1])
        with pytest.raises(t.ShapeError, match="one or more"):
            await rt.shuffle_together()
        with pytest.raises(t.ShapeError, match="-1 numbers"):
            await rt.random_permutation(-1)
        with pytest.raises(t.ShapeError, match="-2 numbers"):
            await rt.random_derangement(-2)
        with pytest.raises(t.UsageError, match="there is none"):
            await rt.random_derangement(1)

    run(program)
