"""Linear equations over the field of a session among many parties."""

from __future__ import annotations

import asyncio
import functools
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import tacit as t
from tacit.sessions.modular_matrices import eliminated

SIZES = [(3, "passive"), (5, "passive"), (3, "active"), (5, "active")]
SMALL = 1009


def run(program: Callable[[t.PartySession], Any], parties: int = 3, **terms: Any) -> Any:
    results = asyncio.run(asyncio.wait_for(t.together(program, parties, **terms), 120))
    assert len({repr(result) for result in results.values()}) == 1
    return results["p1"]


def product(a: list[list[int]], b: list[list[int]], prime: int) -> list[list[int]]:
    return [[sum(x * y for x, y in zip(row, column)) % prime for column in zip(*b)] for row in a]  # noqa: B905


def leibniz(matrix: list[list[int]]) -> int:
    """The determinant, by expansion."""
    if not matrix:
        return 1
    rest = [row[1:] for row in matrix]
    return sum((-1) ** i * matrix[i][0] * leibniz([*rest[:i], *rest[i + 1 :]]) for i in range(len(matrix)))


def drawn(size: int, seed: int) -> list[list[int]]:
    draw = random.Random(seed)
    return [[draw.randrange(-50, 50) for _ in range(size)] for _ in range(size)]


@pytest.mark.parametrize("size", range(1, 6))
@pytest.mark.parametrize("prime", [2, 5, SMALL, 2**61 - 1])
def test_elimination_of_public_matrices(size: int, prime: int) -> None:
    for seed in range(20):
        matrix = drawn(size, seed)
        found = eliminated(matrix, prime)
        assert found.determinant == leibniz(matrix) % prime
        assert (found.inverse is None) == (found.determinant == 0) == (found.rank < size)
        if found.inverse is not None:
            identity = [[int(row == column) for column in range(size)] for row in range(size)]
            assert product(matrix, found.inverse, prime) == identity


@pytest.mark.parametrize(("parties", "security"), SIZES)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_equations_are_solved(parties: int, security: str, size: int) -> None:
    matrix, vector, several = drawn(size, 1), drawn(size, 2)[0], drawn(size, 3)
    matrix[0][0] += 1000

    async def program(rt: t.PartySession) -> Any:
        a = rt.share(matrix if rt.party == "p1" else None, by="p1", shape=(size, size))
        b = rt.share(vector if rt.party == "p2" else None, by="p2", shape=size)
        x = await rt.solve(a, b)
        y = await rt.solve(a.within(12), several)
        assert (x.shape, y.shape) == ((size,), (size, size))
        inverse, determinant = await rt.inverse(a), await rt.determinant(a)
        made = (a @ x, a @ y, a @ inverse, determinant)
        return await asyncio.gather(*map(rt.open, made))

    identity = [[int(row == column) for column in range(size)] for row in range(size)]
    expected = [vector, several, identity, leibniz(matrix)]
    assert run(program, parties, security=security) == expected


@pytest.mark.parametrize("modulus", [5, SMALL, 2**127 - 1])
def test_other_fields(modulus: int) -> None:
    matrix = [[1, 2], [0, 1]]

    async def program(rt: t.PartySession) -> Any:
        a = rt.share(matrix if rt.party == "p1" else None, by="p1", shape=(2, 2))
        return [await rt.open(await rt.inverse(a)) for _ in range(10)]

    expected = [[1, -2], [0, 1]]
    assert run(program, modulus=modulus) == [expected] * 10


@pytest.mark.parametrize(("parties", "security"), SIZES)
@pytest.mark.parametrize(
    ("matrix", "rank"),
    [([[0]], 0), ([[1, 2], [2, 4]], 1), ([[0, 0], [0, 0]], 0), ([[1, 2, 3], [4, 5, 6], [5, 7, 9]], 2)],
)
def test_singular_matrices_are_refused(
    parties: int, security: str, matrix: list[list[int]], rank: int
) -> None:
    size = len(matrix)

    async def program(rt: t.PartySession) -> Any:
        a = rt.share(matrix if rt.party == "p1" else None, by="p1", shape=(size, size))
        for made in (rt.solve(a, [0] * size), rt.inverse(a)):
            with pytest.raises(t.SingularError, match=f"of {size} rows has rank {rank} modulo"):
                await made
        return await rt.open(await rt.determinant(a))

    assert run(program, parties, security=security) == 0


def test_what_is_opened_depends_on_the_rank_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two singular matrices with different kernels: what is opened is distributed alike."""
    seen: list[Any] = []
    kept = t.PartySession.open

    async def opened(self: t.PartySession, x: Any) -> Any:
        found = await kept(self, x)
        if self.party == "p1":
            seen.append(tuple(map(tuple, found)))
        return found

    monkeypatch.setattr(t.PartySession, "open", opened)

    async def program(rt: t.PartySession, matrix: list[list[int]]) -> Any:
        for _ in range(200):
            with pytest.raises(t.SingularError):
                await rt.inverse(matrix)

    counts = []
    for matrix in ([[1, 0], [0, 0]], [[1, 2], [1, 2]]):
        seen.clear()
        run(functools.partial(program, matrix=matrix), modulus=5)
        counts.append(Counter(seen))
    total = [counts[which].total() for which in (0, 1)]
    every = counts[0].keys() | counts[1].keys()
    # 144 matrices of rank 1 and the one of rank 0, each as often with the one as with the other.
    assert len(every) == 145
    statistic = sum(
        (counts[0][one] - counts[1][one]) ** 2 / (counts[0][one] + counts[1][one]) for one in every
    )
    assert total[0] == total[1]
    assert statistic < 260


def test_mistakes() -> None:
    async def program(rt: t.PartySession) -> None:
        x = rt.share([[1, 2], [3, 4]] if rt.party == "p1" else None, by="p1", shape=(2, 2))
        for wrong in (x[0], x[:1], x[:0, :0], x[0, 0]):
            with pytest.raises(t.ShapeError, match="it takes a square matrix"):
                await rt.inverse(wrong)
        for right in ([1], [[1, 2]], 1):
            with pytest.raises(t.ShapeError, match="and a right side of shape"):
                await rt.solve(x, right)
        with pytest.raises(t.KindError, match="computes modulo the prime"):
            await rt.determinant(x.within(t.fixed(4, 4)))

    run(program)

    async def small(rt: t.PartySession) -> None:
        with pytest.raises(t.UsageError, match="needs a modulus of 43 bits"):
            await rt.determinant([[1, 0], [0, 1]])

    run(small, modulus=SMALL)

    async def in_bytes(rt: t.PartySession) -> None:
        with pytest.raises(t.UsageError, match="needs a prime field"):
            await rt.inverse([[1]])

    run(in_bytes, modulus=t.GF256)
