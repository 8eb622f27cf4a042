"""Arrays without elements, which behave as NumPy's do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from computing import compute, traced

import tacit as t

OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "slice": lambda x, _: x[3:3],
    "slice beyond": lambda x, _: x[9:],
    "backward slice": lambda x, _: x[0:3:-1],
    "no positions": lambda x, _: x[[]],
    "elements": lambda x, _: x[:0] * 3 + x[:0] - 1,
    "beside one element": lambda x, _: x[:0] + x[:1],
    "beside a number": lambda x, _: (x[:0] < 3) | (x[:0] == 1),
    "whole operand": lambda x, _: (-x[:0]) // 3 % 2,
    "shifts": lambda x, _: (x[:0] << 2) >> 1,
    "powers": lambda x, _: x[:0] ** 3 + x[:0] ** 0,
    "sum": lambda x, _: x[:0].sum(),
    "product": lambda x, _: x[:0].prod(),
    "all": lambda x, _: (x[:0] > 0).all(),
    "any": lambda x, _: (x[:0] > 0).any(),
    "running sum": lambda x, _: x[:0].cumsum(),
    "inner product": lambda x, _: x[:0].dot(x[:0]),
    "transposed": lambda x, _: x[:0].reshape(0, 4).T,
    "reshaped": lambda x, _: x[:0].reshape(2, 0, 3).sum(axis=1),
    "flat": lambda x, _: x[:0].reshape(3, 0).flatten(),
    "sums of rows": lambda x, _: x[:0].reshape(4, 0).sum(axis=1, keepdims=True),
    "sums of columns": lambda x, _: x[:0].reshape(4, 0).sum(axis=0),
    "products of rows": lambda x, _: x[:0].reshape(4, 0).prod(axis=1),
    "extremes of no rows": lambda x, _: x[:0].reshape(0, 4).max(axis=1),
    "positions in no rows": lambda x, _: x[:0].reshape(0, 4).argmin(axis=1),
    "matrices without an inner axis": lambda x, _: x[:0].reshape(2, 0) @ x[:0].reshape(0, 3),
    "matrices without rows": lambda x, _: x[:0].reshape(0, 2) @ x[:4].reshape(2, 2),
    "no matrices": lambda x, _: x[:0].reshape(0, 2, 2) @ x[:4].reshape(2, 2),
    "a vector of sums": lambda x, _: x[:0].reshape(3, 0) @ x[:0],
    "concatenation": lambda x, m: m.concatenate([x[:0], x, x[5:]]),
    "concatenation of nothing": lambda x, m: m.concatenate([x[:0], x[5:]]),
    "stack": lambda x, m: m.stack([x[:0], x[5:]]),
    "choice": lambda x, m: m.where(x[:0] > 1, x[:0], 7),
    "broadcast": lambda x, m: m.broadcast_to(x[:0], (3, 0)),
    "sorted": lambda x, m: m.sort(x[:0]),
    "order": lambda x, m: m.argsort(x[:0]),
    "smaller": lambda x, m: m.minimum(x[:0], 3),
    "new axis": lambda x, _: x[:0][None, :, None],
    "public operand": lambda x, m: x[:0] + m.array([]),
    "mask of nothing": lambda x, _: x[:0][[]],
    "nothing taken of nothing": lambda x, _: x[numpy.zeros((2, 0), int)],
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_as_numpy(name: str) -> None:
    values = numpy.arange(5)
    wanted = OPERATIONS[name](values, numpy)
    shapes = []

    def noted(x: t.Array) -> t.Array:
        result: t.Array = OPERATIONS[name](x, t)
        shapes.append(result.shape)
        return result

    assert compute(noted, (t.u8[5], values), secure=True) == wanted.tolist()
    assert shapes == [wanted.shape]


@pytest.mark.parametrize("kind", [t.bool, t.u8, t.i64, t.fixed(1, 4), t.field(97)], ids=str)
def test_reductions_of_every_kind(kind: t.Kind) -> None:
    sums, products = compute(lambda x: (x[2:].sum(), x[2:].prod()), (kind[2], [0, 0]), secure=True)
    assert (sums, products) == (0, 1)


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 0)], ids=str)
def test_no_elements_have_no_extreme(name: str, shape: tuple[int, ...]) -> None:
    axis = len(shape) - 1
    with pytest.raises(ValueError, match=r"empty|zero-size"):
        getattr(numpy.zeros(shape), name)(axis=axis)
    with pytest.raises(t.ShapeError, match="of no elements has no value"):
        traced(lambda x: getattr(x, name)(axis=axis), [t.u8[shape]]).trace()


@pytest.mark.parametrize("words, wrong", [
    ("a number of no elements", lambda x: t.from_bits(x > 0)),
    ("lookup in a table of no elements", lambda x: t.lookup(x, t.constant(0))),
    ("shapes .* do not broadcast", lambda x: x + t.constant([1, 2])),
    ("position 0 is out of range", lambda x: x[0]),
    ("give at least one array", lambda _: t.concatenate([])),
    ("cannot be reshaped", lambda x: x.reshape(-1, 0)),
])  # fmt: skip
def test_what_nothing_does_not_do(words: str, wrong: Callable[[Any], Any]) -> None:
    with pytest.raises(t.ProgramError, match=words):
        traced(wrong, [t.u8[0]]).trace()


def test_bits_and_tables_of_nothing() -> None:
    bits, joined, found, changed = compute(
        lambda x: (
            x[:0].bits(),
            t.from_bits(x[:0].bits()),
            t.lookup(x.reshape(2, 2), x[:0]),
            t.update(x[:0], x[0], 3),
        ),
        (t.u8[4], [1, 2, 3, 4]),
    )
    assert (bits, joined, found, changed) == ([], [], [], [])


def test_loops() -> None:
    def sums(x: t.Array) -> Any:
        none = t.fori(0, lambda i, state: state + i, t.wrapping(t.constant(5, t.u8)))
        same, beside = t.fori(3, lambda i, state: (state[0], state[1] + i), (x[:0], t.wrapping(x[0])))
        last, ys = t.scan(lambda state, row: (state, row * 2), x[0], x[:0])
        after, (kept, parts) = t.scan(lambda state, row: (state, (row, state[:0])), x, x.reshape(4, 1)[:, :0])
        return none, same, beside, last, ys, after, kept, parts

    none, same, beside, last, ys, after, kept, parts = compute(sums, (t.u8[4], [1, 2, 3, 4]), secure=True)
    assert (none, same, beside, last, ys) == (5, [], 4, 1, [])
    assert (after, kept, parts) == ([1, 2, 3, 4], [[]] * 4, [[]] * 4)


def test_a_loop_has_as_many_parts_as_it_says() -> None:
    with pytest.raises(t.ShapeError, match="does not have 2 entries"):
        traced(lambda x: t.scan(lambda state, _: (state, None), x[0], x[:0], 2)[0], [t.u8[3]]).trace()


@t.function
def nothing_but(a: t.Role, b: t.Role) -> None:
    x = a.input("x", t.u8[2, 0])
    b.output("x", x)
    t.output("sum", x.sum(axis=1), a, b)


def test_inputs_and_outputs() -> None:
    for run in (nothing_but, nothing_but.run, nothing_but.local):
        assert run(a={"x": [[], []]}, b={}) == {"a": {"sum": [0, 0]}, "b": {"x": [[], []], "sum": [0, 0]}}
    assert nothing_but(a={"x": numpy.zeros((2, 0))}, b={})["b"]["x"] == [[], []]
    assert nothing_but.trace().by_name(nothing_but(a={"x": [[], []]}, b={})) == {"sum": [0, 0], "x": [[], []]}
    with pytest.raises(t.InputError, match=r"a\.x: an array of shape \(2, 0\) has no elements"):
        nothing_but(a={"x": [[1], []]}, b={})


def test_sessions_of_two() -> None:
    async def program(s: t.PartySession) -> Any:
        x = s.role("a").input("x", t.u8[0], [] if s.party == "a" else None)
        y = s.role("b").input("y", t.u8[2], [1, 2] if s.party == "b" else None)
        opened = [s.open(x), s.open(t.concatenate([x, y])), s.open(y[2:], to="a"), s.open(x.sum())]
        return await asyncio.gather(*opened)

    results = asyncio.run(t.session.together(program, a={}, b={}))
    assert results == {"a": [[], [1, 2], [], 0], "b": [[], [1, 2], None, 0]}


@pytest.mark.parametrize("kind", [t.u8, None], ids=["with a kind", "of the field"])
def test_three_parties(kind: t.Kind | None) -> None:
    async def program(rt: t.PartySession) -> Any:
        x = rt.share([1, 2, 3] if rt.party == "p1" else None, by="p1", shape=3, kind=kind)
        none = rt.share([] if rt.party == "p2" else None, by="p2", shape=0, kind=kind)
        values = [
            none, x[:0] + none, x[3:] * 2, none.sum(), none.prod(), x[:0] < x[1:1],
            t.concatenate([none, x, x[:0]]), t.stack([none, none]), t.sort(x[:0]),
            x[:0].reshape(2, 0) @ none.reshape(0, 3), x[:0].reshape(0, 2).sum(axis=0),
            t.where(x[:0] < 2, x[:0], none), none.reshape(0, 2).T, x[[]],
        ]  # fmt: skip
        return await asyncio.gather(*map(rt.open, values))

    wanted = [
        [], [], [], 0, 1, [], [1, 2, 3], [[], []], [], [[0] * 3] * 2, [0, 0], [], [[], []], [],
    ]  # fmt: skip
    assert asyncio.run(t.together(program)) == dict.fromkeys(["p1", "p2", "p3"], wanted)


def test_a_function_among_three_parties() -> None:
    async def program(rt: t.PartySession) -> Any:
        return await rt.run(nothing_but, {"a": {"x": [[], []]}} if rt.party == "p1" else {}, roles=ROLES)

    results = asyncio.run(t.together(program))
    assert results["p1"] == {"a": {"sum": [0, 0]}}
    assert results["p2"] == {"b": {"x": [[], []], "sum": [0, 0]}}


ROLES = {"a": "p1", "b": "p2"}
