"""Floating-point numbers that parties share as a program runs: the results of IEEE 754, bit for bit."""

from __future__ import annotations

import asyncio
import math
import random
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tacit as t

LIMIT_S = 240
FLOATS = [t.float32, t.float64]

SPECIAL = [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 2.0**-149, 2.0**-1074, 2.0**127 * 1.5]

PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
}


def run(program: Callable[[t.PartySession], Any], parties: int = 3, **terms: Any) -> Any:
    """The result of a program, the same at all parties."""
    results = asyncio.run(asyncio.wait_for(t.together(program, parties=parties, **terms), LIMIT_S))
    assert len({repr(result) for result in results.values()}) == 1
    return results["p1"]


def given(rt: t.PartySession, values: Any, kind: t.Kind, by: str = "p1") -> t.Array:
    return rt.share(values if rt.party == by else None, by=by, shape=np.shape(values), kind=kind)


def numbers(kind: t.Kind, count: int, seed: int) -> list[float]:
    """Special numbers of a kind, and random ones of all magnitudes."""
    draw = random.Random(seed)
    form = ("<f", "<I") if kind.bits == 32 else ("<d", "<Q")
    drawn = [
        struct.unpack(form[0], struct.pack(form[1], draw.getrandbits(kind.bits)))[0] for _ in range(count)
    ]
    near = [draw.uniform(-100, 100) for _ in range(count)]
    return [float(dtype(kind)(number)) for number in [*SPECIAL, *drawn, *near]]


def dtype(kind: t.Kind) -> Any:
    return np.float32 if kind.bits == 32 else np.float64


def same(found: Any, expected: Any) -> bool:
    """Whether numbers are the same, with the same sign if they are 0; one NaN is as good as another."""
    found, expected = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    nan = np.isnan(found) & np.isnan(expected)
    return bool(np.all(nan | (found == expected) & (np.signbit(found) == np.signbit(expected))))


@pytest.mark.parametrize("kind", FLOATS, ids=str)
@pytest.mark.parametrize(
    ("parties", "security"), [(3, "passive"), (5, "passive"), (3, "active"), (1, "passive")]
)
def test_two_floats_give_what_numpy_gives(kind: t.Kind, parties: int, security: str) -> None:
    x, y = numbers(kind, 20, 1), numbers(kind, 20, 2)
    random.Random(3).shuffle(y)
    by = "p1" if parties == 1 else "p2"

    async def program(rt: t.PartySession) -> dict[str, Any]:
        a, b = given(rt, x, kind), given(rt, y, kind, by)
        return {name: await rt.open(pair(a, b)) for name, pair in PAIRS.items()}

    found = run(program, parties, security=security)
    with np.errstate(all="ignore"):
        for name, pair in PAIRS.items():
            assert same(found[name], pair(np.array(x, dtype(kind)), np.array(y, dtype(kind)))), name


@pytest.mark.parametrize("kind", FLOATS, ids=str)
def test_one_float_gives_what_numpy_gives(kind: t.Kind) -> None:
    x = numbers(kind, 30, 5)
    ways: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
        "neg": (lambda a: -a, lambda a: -a),
        "abs": (abs, np.abs),
        "sqrt": (t.sqrt, np.sqrt),
        "square": (lambda a: a**2, lambda a: a * a),
        "double": (lambda a: 2.0 * a, lambda a: a + a),
        "less": (lambda a: 1.0 - a, lambda a: dtype(kind)(1) - a),
        "reciprocal": (lambda a: 1 / a, lambda a: dtype(kind)(1) / a),
        "positive": (lambda a: a > 0.5, lambda a: a > 0.5),
        "true": (lambda a: a.astype(t.bool), lambda a: a.astype(bool)),
        "other": (
            lambda a: a.astype(t.float32 if kind.bits == 64 else t.float64),
            lambda a: a.astype(np.float32 if kind.bits == 64 else np.float64),
        ),
    }

    async def program(rt: t.PartySession) -> dict[str, Any]:
        a = given(rt, x, kind)
        return {name: await rt.open(shared(a)) for name, (shared, _) in ways.items()}

    found = run(program)
    with np.errstate(all="ignore"):
        for name, (_, public) in ways.items():
            assert same(found[name], public(np.array(x, dtype(kind)))), name


def test_arrays_of_floats_have_shapes_and_move() -> None:
    x = np.arange(12.0).reshape(3, 4) / 8 - 0.5

    async def program(rt: t.PartySession) -> dict[str, Any]:
        a = given(rt, x.tolist(), t.float32, "p2")
        k = given(rt, [2, 0, 1], t.u8, "p3")
        chosen = {
            "part": a[1:, ::2],
            "same": a[:, :],
            "one": a[0, :1][:1],
            "picked": a[[2, 0]],
            "transposed": a.T,
            "reshaped": a.reshape(2, 6),
            "joined": t.concatenate([a, a[:1]]),
            "stacked": rt.stack([a, -a]),
            "listed": t.array([a[0, 0], 1.5, a[2, 3]]),
            "repeated": t.broadcast_to(a[:, None, 0], (3, 2)),
            "sums": a.sum(axis=0),
            "product": a.prod(),
            "least": a.min(axis=1),
            "greatest": a.max(),
            "inner": a @ a.T,
            "where": rt.where(a < 0.0, -a, a * 2.0),
            "smaller": t.minimum(a, 0.25),
            "entries": rt.lookup(a, k),
            "updated": t.update(a[0], k[2], 9.0),
            "nothing": a[:0] + a[:0],
            "sum of nothing": a[:0].sum(),
        }
        return {name: await rt.open(value) for name, value in chosen.items()}

    found = run(program)
    expected: dict[str, Any] = {
        "part": x[1:, ::2],
        "same": x,
        "one": x[0, :1],
        "picked": x[[2, 0]],
        "transposed": x.T,
        "reshaped": x.reshape(2, 6),
        "joined": np.concatenate([x, x[:1]]),
        "stacked": np.stack([x, -x]),
        "listed": [x[0, 0], 1.5, x[2, 3]],
        "repeated": np.broadcast_to(x[:, None, 0], (3, 2)),
        "sums": x.sum(axis=0),
        "product": x.prod(),
        "least": x.min(axis=1),
        "greatest": x.max(),
        "inner": x @ x.T,
        "where": np.where(x < 0, -x, x * 2),
        "smaller": np.minimum(x, 0.25),
        "entries": x[[2, 0, 1]],
        "updated": [x[0, 0], 9.0, x[0, 2], x[0, 3]],
        "nothing": [],
        "sum of nothing": 0.0,
    }
    for name, value in expected.items():
        assert np.array_equal(found[name], value), (name, found[name], value)


@pytest.mark.parametrize("parties", [3, 5])
def test_floats_and_numbers_of_the_field_become_each_other(parties: int) -> None:
    whole = [0, 1, -1, 77, -(2**15), 2**15 - 1]

    async def program(rt: t.PartySession) -> dict[str, Any]:
        n = given(rt, whole, t.i16)
        x = n.astype(t.float32) / 4.0
        back = (x * 4.0).astype(t.i16)
        small = x > 1.0
        half = rt.constant([0.5] * len(whole), kind=t.fixed(18, 4))
        chosen = {
            "quarters": x,
            "back": back,
            "sum": back + n,
            "counted": small.sum(),
            "times": small * n,
            "both": small & (n < 100),
            "not": ~small,
            "chosen": rt.where(small, n, 0),
            "of the field": small.astype(t.field(rt.modulus)) * 3,
            "unsigned": abs(x).astype(t.u8).astype(t.u16) + 1,
            "fixed": x.astype(t.fixed(18, 4)) + half,
            "of fixed": half.astype(t.float64),
        }
        return {name: await rt.open(value) for name, value in chosen.items()}

    found = run(program, parties)
    above = [number > 4 for number in whole]
    assert found == {
        "quarters": [number / 4 for number in whole],
        "back": whole,
        "sum": [2 * number for number in whole],
        "counted": sum(above),
        "times": [number * one for number, one in zip(whole, above, strict=True)],
        "both": [one and number < 100 for number, one in zip(whole, above, strict=True)],
        "not": [not one for one in above],
        "chosen": [number * one for number, one in zip(whole, above, strict=True)],
        "of the field": [3 * one for one in above],
        "unsigned": [min(abs(number) // 4, 255) + 1 for number in whole],
        "fixed": [number / 4 + 0.5 for number in whole],
        "of fixed": [0.5] * len(whole),
    }


def test_rows_of_floats_are_shuffled_and_sorted_with_keys() -> None:
    x = [[0.5, -1.0], [2.25, 3.0], [-8.0, 1e30], [7.0, 7.5], [1.0, 0.0]]

    async def program(rt: t.PartySession) -> Any:
        a, keys = given(rt, x, t.float64), given(rt, [3, 1, 4, 0, 2], t.u8, "p2")
        ordered, rows = rt.sort_by(keys, a)
        mixed, marks = await rt.shuffle_together(a, keys)
        (alone,) = await rt.shuffle_together(a)
        return [await rt.open(value) for value in (ordered, rows, mixed, marks, alone)]

    ordered, rows, mixed, marks, alone = run(program)
    assert ordered == [0, 1, 2, 3, 4]
    assert rows == [x[3], x[1], x[4], x[0], x[2]]
    assert sorted(mixed) == sorted(alone) == sorted(x)
    assert sorted(zip(marks, mixed, strict=True)) == sorted(zip([3, 1, 4, 0, 2], x, strict=True))


def test_floats_of_kinds_and_values_that_do_not_fit_are_refused() -> None:
    async def program(rt: t.PartySession) -> None:
        x = rt.constant([1.0, 2.0], kind=t.float64)
        n = rt.constant([1, 2], kind=t.u8)
        element = rt.constant(3)
        refused: list[tuple[Callable[[], Any], str]] = [
            (lambda: x + n, "x.astype"),
            (lambda: x * element, "promise their range"),
            (lambda: x + x.astype(t.float32), "float32"),
            (lambda: x // 2.0, "float64"),
            (lambda: x.argmax(), "float64"),
            (lambda: x.inverse(), "float64"),
            (lambda: rt.sort_by(x, n), "sort_by"),
            (lambda: rt.statistics.mean(x), "float64"),
            (lambda: rt.constant(1e300, kind=t.float32), "float32"),
            (lambda: rt.constant("much", kind=t.float32), "not a number"),
        ]
        for wrong, match in refused:
            with pytest.raises(t.KindError if match != "not a number" else t.TacitError, match=match):
                wrong()
        with pytest.raises(t.KindError, match="float64"):
            await rt.choices(x)

    run(program)


def test_an_input_that_is_no_float_is_refused_at_its_giver() -> None:
    async def program(rt: t.PartySession) -> None:
        wrong: list[tuple[Any, tuple[int, ...], str]] = [
            (1e39, (), "float32"),
            ("x", (), "number"),
            ([1.0], (2,), "shape"),
        ]
        for value, shape, match in wrong:
            with pytest.raises(t.InputError, match=match):
                rt.share(value, by="p1", shape=shape, kind=t.float32)

    asyncio.run(t.together(program, parties=1))


def test_parties_that_name_different_floats_are_told_both() -> None:
    async def program(rt: t.PartySession) -> None:
        kind = t.float32 if rt.party == "p2" else t.float64
        x = given(rt, [0.5], kind)
        await rt.open(x + 1.0)

    with pytest.raises(t.PeerError, match=r"float(32|64).*float(32|64)"):
        asyncio.run(asyncio.wait_for(t.together(program, parties=3), LIMIT_S))


def test_bytes_have_no_floats() -> None:
    async def program(rt: t.PartySession) -> None:
        with pytest.raises(t.KindError, match="modulus is a prime"):
            rt.constant(0.5, kind=t.float32)
        with pytest.raises(t.KindError, match="modulus is a prime"):
            rt.share(0.5, by=rt.party, kind=t.float32)

    asyncio.run(t.together(program, parties=1, modulus=t.GF256))


def test_against_active_parties_floats_stay_apart_from_the_field() -> None:
    async def program(rt: t.PartySession) -> Any:
        x = given(rt, [0.5, -2.0], t.float32)
        with pytest.raises(t.UsageError, match="passive"):
            given(rt, [1, 2], t.u8).astype(t.float32)
        with pytest.raises(t.UsageError, match="passive"):
            (x < 0.0) + rt.constant(1, kind=t.u8)
        return await rt.open(rt.where(x < 0.0, -x, x) * 2.0)

    assert run(program, security="active") == [1.0, 4.0]


def test_only_those_who_are_named_learn_a_float() -> None:
    async def program(rt: t.PartySession) -> Any:
        x = given(rt, [0.5, -2.0], t.float64)
        found = await rt.open(x * 3.0, to=["p2"])
        assert found == ([1.5, -6.0] if rt.party == "p2" else None)

    asyncio.run(asyncio.wait_for(t.together(program, parties=3), LIMIT_S))


@t.function
def added(a: t.Role, b: t.Role, *, n: int) -> None:
    """Sums of floats, for everyone."""
    total = a.input("x", t.float64[n]) + b.input("y", t.float64[n])
    t.output("total", total, a, b)


def test_an_operation_sends_what_a_compiled_program_sends() -> None:
    lanes = 2048
    x, y = [0.1 * i for i in range(lanes)], [0.7] * lanes

    async def program(rt: t.PartySession) -> tuple[int, int]:
        await rt.synchronise()
        before = rt.bytes_sent
        total = await rt.open(given(rt, x, t.float64) + given(rt, y, t.float64, "p2"))
        await rt.synchronise()
        between = rt.bytes_sent
        mine = {"p1": {"a": {"x": x}}, "p2": {"b": {"y": y}}}.get(rt.party, {})
        outputs = await rt.run(added, mine, roles={"a": "p1", "b": "p2"}, n=lanes)
        await rt.synchronise()
        assert all(found["total"] == total for found in outputs.values())
        return between - before, rt.bytes_sent - between

    for sent, compiled in asyncio.run(asyncio.wait_for(t.together(program, parties=3), LIMIT_S)).values():
        # The third party learns the sum here, and not there.
        assert abs(sent - compiled) < 0.06 * compiled
