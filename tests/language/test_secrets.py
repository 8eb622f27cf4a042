"""Secrets where Python wants something public: each error says what to write instead."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from typing import Any

import pytest
from computing import draw, shared, traced

import tacit as t


def refused(error: type[Exception], body: Callable[..., Any], *kinds: t.Kind | t.ArrayType) -> str:
    with pytest.raises(error) as caught:
        traced(body, kinds or (t.u8[3], t.uint(2))).trace()
    return str(caught.value)


def loop(x: t.Array) -> t.Array:
    while x > 0:
        x = x - 1
    return x


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda x, i: 1 if i == 1 else 2, ["t.where"]),
        (lambda x, i: loop(i), ["t.fori", "t.scan"]),
        (lambda x, i: i > 0 and i < 3, ["&"]),
        (lambda x, i: not i, ["~"]),
        (lambda x, i: max(i, 1), ["t.where"]),
        (lambda x, i: int(i), ["role.output", ".astype"]),
        (lambda x, i: float(i), ["role.output"]),
        (lambda x, i: x[i], ["t.lookup"]),
        (lambda x, i: x[0:i], ["t.lookup"]),
        (lambda x, i: [1, 2, 3][i], ["t.lookup"]),
        (lambda x, i: list(range(i)), ["index"]),
        (lambda x, i: 5 in x, ["t.any"]),
        (lambda x, i: x**i, ["exponent"]),
        (lambda x, i: 2**i, ["1 << x"]),
        (lambda x, i: x.sum(axis=0) if x.sum() else x, ["t.where"]),
    ],
)
def test_secrets_decide_nothing(body: Callable[..., Any], words: list[str]) -> None:
    message = refused(t.SecretError, body)
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda x, y: x + y, ["(3,)", "(2,)"]),
        (lambda x, y: x @ y, ["(3,)", "(2,)"]),
        (lambda x, y: t.concatenate([x[None], y]), ["(1, 3)", "(2,)"]),
        (lambda x, y: t.stack([x, y]), ["(3,)", "(2,)"]),
        (lambda x, y: x[3], ["3", "position"]),
        (lambda x, y: x[-4], ["-4"]),
        (lambda x, y: x[0, 0], ["2 indices", "1 dim"]),
        (lambda x, y: x[[0, 3]], ["3"]),
        (lambda x, y: x["a"], ["index"]),
        (lambda x, y: x.sum(axis=1), ["axis 1"]),
        (lambda x, y: x.sum(axis=(0, 0)), ["twice"]),
        (lambda x, y: x.reshape(2, 2), ["3 elements"]),
        (lambda x, y: t.broadcast_to(x, (3, 2)), ["(3,)", "(3, 2)"]),
        (lambda x, y: len(x[0]), ["no length"]),
        (lambda x, y: list(x[0]), ["no length"]),
        (lambda x, y: t.lookup(x[0], y[0]), ["table"]),
        (lambda x, y: [[1, 2], [3]] * x, ["lengths"]),
        (lambda x, y: t.stack([]), ["give at least one array"]),
        (lambda x, y: x.bit(8), ["bit 8"]),
    ],
)
def test_shapes_that_do_not_fit(body: Callable[..., Any], words: list[str]) -> None:
    message = refused(t.ShapeError, body, t.u8[3], t.u8[2])
    for word in words:
        assert word in message


def test_arrays_do_not_change() -> None:
    def assigns(x: t.Array) -> t.Array:
        x[0] = 1  # type: ignore[index]
        return x

    assert "t.update" in refused(t.KindError, assigns, t.u8[3])


def test_types_that_are_no_numbers() -> None:
    for other in ("1", None, {}, object()):
        with pytest.raises(TypeError):
            traced(lambda x, other=other: x + other, [t.u8]).trace()
    assert "str" in refused(t.KindError, lambda x: t.array("1") + x, t.u8)
    with pytest.raises(t.ShapeError):
        t.u8[1 << 60, 0]
    with pytest.raises(t.ShapeError):
        t.u8[2, -1]


def test_domains() -> None:
    for pin in (t.yao, t.arith, t.bool_, t.he):
        made = traced(lambda x, y, pin=pin: (pin(x) * pin(y) + 1 > y, pin(x) - y), [t.u8, t.i16])
        given: dict[str, Any] = {"a": {"x0": 200}, "b": {"x1": -3}}
        wanted = {"z0": False, "z1": 203}
        assert made(**given)["a"] == wanted
        for domain in (None, "yao", "bool", "arith", "auto"):
            assert made.run(domain=domain, **given)["a"] == wanted
    with pytest.raises(t.UsageError, match=r'domain: expected "yao".* found "he"'):
        _ = made.run(domain="he", **given)["a"]
    for pin in (t.arith, t.he):
        wide = traced(lambda x, pin=pin: pin(x), [t.uint(129)])
        with pytest.raises(t.ProgramError, match="128 bits"):
            _ = wide.run(a={"x0": 1}, b={})["a"]


@pytest.mark.parametrize("kind", [t.u8, t.i16, t.int(60)])
def test_comparisons_that_are_pinned_are_done_under_encryption(kind: t.Kind) -> None:
    comparisons = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]

    def body(x: t.Array, y: t.Array) -> Any:
        x, y = t.he(x), t.he(y)
        return tuple(t.he(compare(x, y)) for compare in comparisons)

    program = traced(body, [kind[9], kind[9]])
    random_ = random.Random(1)
    x, y = draw(kind, 9, random_), draw(kind, 9, random_)
    y[3:5] = x[3:5]
    given = shared([x, y])
    expected = {
        f"z{place}": [compare(a, b) for a, b in zip(x, y, strict=True)]
        for place, compare in enumerate(comparisons)
    }
    assert program.run(**given)["a"] == expected
    plan = program.trace().plan()
    assert "encrypted" in plan and "compared" not in plan and "triples" not in plan, plan
