"""Unit vectors and tables at secret positions among many parties."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from typing import Any

import pytest

import tacit as t

SIZES = [(3, "passive"), (5, "passive"), (3, "active"), (5, "active")]


def run(program: Callable[[t.PartySession], Any], parties: int = 3, **terms: Any) -> Any:
    results = asyncio.run(asyncio.wait_for(t.together(program, parties, **terms), 120))
    assert len({repr(result) for result in results.values()}) == 1
    return results["p1"]


def given(rt: t.PartySession, values: Any, kind: t.Kind) -> t.Array:
    shape = (len(values),) if isinstance(values, list) else ()
    return rt.share(values if rt.party == "p1" else None, by="p1", shape=shape, kind=kind)


def unit(index: int, length: int) -> list[bool]:
    return [place == index for place in range(length)]


@pytest.mark.parametrize(("parties", "security"), SIZES)
def test_unit_vectors(parties: int, security: str) -> None:
    cases = [(t.u8, [0, 1, 4, 5, 255], length) for length in (1, 2, 3, 5, 9)]
    cases += [(t.int(4), [-8, -1, 0, 7], 6), (t.int(4), [7, 3, -5], 20), (t.uint(2), [0, 3], 11)]
    cases += [(t.bool, [0, 1], 2), (t.bool, [0, 1], 1), (t.bool, [1, 0], 5), (t.int(1), [0, -1], 3)]

    async def program(rt: t.PartySession) -> Any:
        vectors = [rt.unit_vector(given(rt, indices, kind), length) for kind, indices, length in cases]
        assert all(vector.kind == t.bool for vector in vectors)
        return await asyncio.gather(*map(rt.open, vectors))

    expected = [[unit(index, length) for index in indices] for _, indices, length in cases]
    assert run(program, parties, security=security) == expected


def test_every_index_below_every_small_length() -> None:
    async def program(rt: t.PartySession) -> Any:
        index = given(rt, list(range(32)), t.uint(5))
        return await asyncio.gather(*(rt.open(rt.unit_vector(index, length)) for length in range(1, 35)))

    assert run(program) == [[unit(index, length) for index in range(32)] for length in range(1, 35)]


def test_one_index_and_a_matrix_of_them() -> None:
    async def program(rt: t.PartySession) -> Any:
        index = given(rt, [3, 0, 7, 2], t.u8)
        one, several = rt.unit_vector(index[0], 5), rt.unit_vector(index.reshape(2, 2), 5)
        assert (one.shape, several.shape) == ((5,), (2, 2, 5))
        return await asyncio.gather(rt.open(one), rt.open(several))

    expected = [[unit(3, 5), unit(0, 5)], [unit(7, 5), unit(2, 5)]]
    assert run(program) == [unit(3, 5), expected]


@pytest.mark.parametrize(("parties", "security"), SIZES)
def test_tables(parties: int, security: str) -> None:
    rows = [[5, -6], [7, 8], [-9, 10]]

    async def program(rt: t.PartySession) -> Any:
        table = rt.share(rows if rt.party == "p2" else None, by="p2", shape=(3, 2), kind=t.i8)
        index = given(rt, [2, 0, 3, 255], t.u8)
        found = [rt.lookup(table, index), rt.lookup([11, 12, 13], index), rt.lookup(table.T[1], index[1])]
        assert found[0].kind == t.i8
        return await asyncio.gather(*map(rt.open, found))

    expected = [[rows[2], rows[0], [0, 0], [0, 0]], [13, 11, 0, 0], -6]
    assert run(program, parties, security=security) == expected


def test_the_cost_is_about_a_product_for_each_element() -> None:
    """Bytes grow with the length as products do, where an equality for each would send far more."""

    async def program(rt: t.PartySession, length: int) -> int:
        index = given(rt, 77, t.uint(10))
        await rt.open(rt.unit_vector(index, length)[0])
        await rt.synchronise()
        return rt.bytes_sent

    less, more = (
        sum(asyncio.run(t.together(functools.partial(program, length=length))).values())
        for length in (512, 1024)
    )
    # With three parties each sends an element of 8 bytes for a product.
    assert 0.8 < (more - less) / (3 * 512 * 8) < 1.3


@pytest.mark.parametrize(
    ("error", "words", "wrong"),
    [
        (t.KindError, "promise it with", lambda rt, x: rt.unit_vector(x, 4)),
        (t.KindError, "a position is an integer", lambda rt, x: rt.unit_vector(x.within(t.fixed(4, 4)), 4)),
        (t.ShapeError, "0 elements", lambda rt, x: rt.unit_vector(x.within(t.u8), 0)),
        (t.ShapeError, "not a table", lambda rt, x: rt.lookup(x, x.within(t.u8))),
        (t.KindError, "whose range is not known", lambda rt, x: rt.lookup([1, 2], x)),
    ],
)
def test_mistakes(error: type[Exception], words: str, wrong: Callable[..., Any]) -> None:
    async def program(rt: t.PartySession) -> None:
        x = rt.share(1 if rt.party == "p1" else None, by="p1")
        with pytest.raises(error, match=words):
            wrong(rt, x)

    run(program)


WHAT_NEEDS_THREE: dict[str, Callable[[t.PartySession, t.Array], Any]] = {
    "unit_vector": lambda s, x: s.unit_vector(x[0], 4),
    "lookup": lambda s, x: s.lookup(x, x[0]),
    "shuffle": lambda s, x: s.shuffle(x),
    "random_permutation": lambda s, _: s.random_permutation(3),
    "random_integers": lambda s, _: s.random_integers(0, 3),
    "sort_by": lambda s, x: s.sort_by(x),
    "broadcast": lambda s, _: s.broadcast(1, by=s.party),
    "solve": lambda s, x: s.solve([[1]], x),
    "inverse": lambda s, _: s.inverse([[1]]),
    "determinant": lambda s, _: s.determinant([[1]]),
    "mean": lambda s, x: s.statistics.mean(x),
}


def test_two_parties_are_refused() -> None:
    async def program(s: t.PartySession) -> None:
        x = s.role("a").input("x", t.u8[2], [1, 2] if s.party == "a" else None)
        for name, wrong in WHAT_NEEDS_THREE.items():
            with pytest.raises(t.UsageError, match=f"{name} is not possible between two parties"):
                made = wrong(s, x)
                if asyncio.iscoroutine(made):
                    await made

    asyncio.run(t.PartySession.together(program))
