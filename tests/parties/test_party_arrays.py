"""Arrays among many parties are those of the language."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tacit as t

LIMIT_S = 60
X = [[3, 1, 2], [6, 5, 4]]
Y = [[1, 1, 9], [7, 0, 4]]


def run(program: Callable[[t.PartySession], Any]) -> Any:
    results = asyncio.run(asyncio.wait_for(t.together(program), LIMIT_S))
    assert len({repr(result) for result in results.values()}) == 1
    return results["p1"]


EXPRESSIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "where": lambda f, x, y: f.where(x > y, x, y),
    "where with numbers": lambda f, x, _: f.where(x > 3, 1, x),
    "minimum": lambda f, x, y: f.minimum(x, y),
    "maximum with a number": lambda f, x, _: f.maximum(x, 3),
    "concatenate": lambda f, x, y: f.concatenate([x, y]),
    "concatenate along the last axis": lambda f, x, y: f.concatenate([x, y[:, :1], x], axis=1),
    "stack": lambda f, x, y: f.stack([x, y]),
    "stack along the last axis": lambda f, x, y: f.stack([x, y], axis=-1),
    "transpose": lambda f, x, y: f.stack([x, y]).transpose((2, 0, 1)),
    "T": lambda _, x, y: x.T @ y,
    "broadcast_to": lambda f, x, _: f.broadcast_to(x[0], (2, 2, 3)),
    "reshape": lambda _, x, __: x.reshape(-1, 2),
    "flatten": lambda _, x, __: x.flatten(),
    "sum with kept dimensions": lambda _, x, __: x.sum(axis=1, keepdims=True) - x,
    "sum of all with kept dimensions": lambda _, x, __: x.sum(keepdims=True),
    "prod": lambda _, x, __: x.prod(),
    "prod along an axis": lambda _, x, y: (x * y).prod(axis=0),
    "any along an axis": lambda _, x, y: (x - y).any(axis=0),
    "all along an axis": lambda _, x, y: (x - y).all(axis=1),
    "running sum of all": lambda _, x, __: x.cumsum(),
    "running sums along axes": lambda f, x, y: f.concatenate([x.cumsum(axis=0), y.cumsum(axis=-1)]),
    "running sum of products": lambda _, x, y: (x * y).cumsum(1),
    "least along an axis": lambda _, x, y: x.min(axis=0) + y.max(axis=0),
    "positions of extremes": lambda f, x, y: f.stack([x.argmin(axis=1), y.argmax(axis=-1)]),
    "sorted along axes": lambda f, x, y: (
        f.concatenate([x.sort(axis=0), y.sort()])
        if f is t
        else np.concatenate([np.sort(x, axis=0), np.sort(y)])
    ),
    "kept dimensions of extremes": lambda _, x, __: x - x.max(axis=1, keepdims=True),
    "function of sums": lambda f, x, _: f.sum(x, axis=0),
    "numbers first": lambda _, x, __: 10 - 2 * x + (5 + x),
    "matrix first": lambda _, x, __: np.array([[1, 2], [3, 4]]) @ x,
    "arrays of NumPy": lambda _, x, __: np.array(X) + x * np.array(Y),
    "positions": lambda _, x, __: x[:, [2, 0]],
    "new axes": lambda _, x, __: x[..., None, 1],
}


def test_what_numpy_gives() -> None:
    async def program(rt: t.PartySession) -> Any:
        x, y = (rt.share(given if rt.party == "p1" else None, by="p1", shape=(2, 3)) for given in (X, Y))
        return [await rt.open(expression(t, x, y)) for expression in EXPRESSIONS.values()]

    given = (np.array(X), np.array(Y))
    expected = [np.asarray(expression(np, *given)).tolist() for expression in EXPRESSIONS.values()]
    assert dict(zip(EXPRESSIONS, run(program), strict=True)) == dict(zip(EXPRESSIONS, expected, strict=True))


@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (0, 0)])
def test_arrays_without_elements_are_concatenated_along_any_axis(shape: tuple[int, int]) -> None:
    async def program(rt: t.PartySession) -> Any:
        x = rt.constant([[1, 2], [3, 4]])[: shape[0], : shape[1]]
        made = [t.concatenate([x, x], axis) for axis in (0, 1)]
        assert [one.shape for one in made] == [(2 * shape[0], shape[1]), (shape[0], 2 * shape[1])]
        return await asyncio.gather(*map(rt.open, made))

    assert run(program) == [[[]] * 2 * shape[0], [[]] * shape[0]]


def test_lists_of_secret_and_public_numbers() -> None:
    async def program(rt: t.PartySession) -> Any:
        x, y = rt.share_by_all(int(rt.party[1]))[:2]
        return [await rt.open(one) for one in (t.array([x, 7, y]), t.constant([[1], [2]]), 9)]

    assert run(program) == [[1, 7, 2], [[1], [2]], 9]


@pytest.mark.parametrize(
    ("error", "words", "wrong"),
    [
        (t.SecretError, r"has no value while .* await s\.open", lambda x: int(x[0])),
        (t.SecretError, "cannot be an index", lambda x: [1, 2, 3][x[0]]),
        (t.SecretError, "`in` cannot look into", lambda x: 1 in x),
        (t.SecretError, "the exponent is secret", lambda x: 2 ** x[0]),
        (t.KindError, "/ of elements of the field, whose range is not known", lambda x: x / 2),
        (ZeroDivisionError, "by zero", lambda x: x / 0),
        (t.ShapeError, "axis", lambda x: x.cumsum(1)),
        (t.KindError, "// of elements of the field", lambda x: x // 2),
        (t.KindError, "argsort of elements of the field", lambda x: x.argsort()),
        (ZeroDivisionError, "by zero", lambda x: x % 0),
        (t.KindError, "have no kind", lambda x: t.array(x, t.u32)),
        (t.KindError, "field", lambda _: t.constant(1, t.field(101))),
        (t.KindError, "have no bits", lambda x: t.constant(1, t.float32) + x),
        (t.ProgramError, "write no program", lambda x: t.fori(3, lambda _, total: total + x, x)),
        (t.ShapeError, "broadcast", lambda x: t.broadcast_to(x, (2,))),
        (t.ShapeError, "cannot be concatenated", lambda x: t.concatenate([x, x[0]])),
        (t.ShapeError, "cannot be reshaped", lambda x: x.reshape(2, 2)),
        (t.KindError, "cannot be assigned", lambda x: x.__setitem__(0, 1)),
        (TypeError, "32", lambda x: x.bits()),
    ],
)
def test_mistakes(error: type[Exception], words: str, wrong: Callable[[Any], Any]) -> None:
    async def program(rt: t.PartySession) -> None:
        x = rt.share([1, 2, 3] if rt.party == "p1" else None, by="p1", shape=3)
        with pytest.raises(error, match=words):
            wrong(x)

    run(program)


def test_values_of_programs_and_shared_ones_do_not_mix() -> None:
    async def program(rt: t.PartySession) -> None:
        x = rt.share(1 if rt.party == "p1" else None, by="p1")

        @t.function
        def outer(a: t.Role) -> None:
            y = a.input("y", t.u32)
            with pytest.raises(t.ProgramError, match="cannot be combined"):
                y + x
            with pytest.raises(t.ProgramError, match="cannot be combined"):
                x + y
            a.output("y", y)

        outer.trace()
        with pytest.raises(t.KindError, match="only elements that three parties or more share"):
            kept[0].parity()

    kept: list[t.Array] = []

    @t.function
    def alone(a: t.Role) -> None:
        kept.append(a.input("x", t.u32))
        a.output("x", kept[0])

    alone.trace()
    run(program)


def test_a_function_gives_to_roles() -> None:
    async def program(rt: t.PartySession) -> Any:
        x = rt.role("p1").input("x", t.field(rt.modulus), 6 if rt.party == "p1" else None)
        rt.role("p2").output("tripled", x * 3)
        t.output("doubled", x * 2, rt.role("p1"), rt.role("p3"))
        return await rt.results()

    results = asyncio.run(asyncio.wait_for(t.together(program), LIMIT_S))
    assert results["p1"] == {"p1": {"doubled": 12}}
    assert results["p2"] == {"p2": {"tripled": 18}}
    assert results["p3"] == {"p3": {"doubled": 12}}
