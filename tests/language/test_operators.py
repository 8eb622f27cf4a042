"""Every operator on integers of every kind, against Python's own integers."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from computing import bounds, compute, draw, wrapped

import tacit as t

KINDS = [
    t.uint(1), t.uint(7), t.u8, t.u16, t.u32, t.u64, t.uint(65),
    t.int(1), t.int(2), t.i8, t.int(13), t.i32, t.i64, t.int(100),
]  # fmt: skip
COUNT = 14

Operation = Callable[[Any, Any], Any]

GROWING: dict[str, Operation] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "&": lambda x, y: x & y,
    "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
}


def pairs() -> list[Any]:
    return [pytest.param(a, b, id=f"{a}-{b}") for a, b in itertools.product(KINDS, KINDS)]


@pytest.mark.parametrize(("a", "b"), pairs())
def test_two_operands(a: t.Kind, b: t.Kind) -> None:
    random_ = random.Random(f"{a} {b}")
    xs, ys = draw(a, COUNT, random_), draw(b, COUNT, random_)
    results = compute(lambda x, y: tuple(op(x, y) for op in GROWING.values()), (a[COUNT], xs), (b[COUNT], ys))
    for (name, op), result in zip(GROWING.items(), results, strict=True):
        assert result == [op(x, y) for x, y in zip(xs, ys, strict=True)], name


def divided(x: int, y: int, kind_x: t.Kind, kind_y: t.Kind) -> tuple[int, int]:
    """`x // y` and `x % y`; by zero the quotient has all bits set, the remainder the low bits of `x`."""
    if y:
        return x // y, x % y
    if not (kind_x.signed or kind_y.signed):
        return (1 << kind_x.bits) - 1, x & ((1 << min(kind_x.bits, kind_y.bits)) - 1)
    return -1, wrapped(x, kind_y)


@pytest.mark.parametrize(("a", "b"), pairs())
def test_division(a: t.Kind, b: t.Kind) -> None:
    random_ = random.Random(f"{a} / {b}")
    xs, ys = draw(a, COUNT, random_), draw(b, COUNT, random_)
    quotients, remainders = compute(lambda x, y: divmod(x, y), (a[COUNT], xs), (b[COUNT], ys))
    wanted = [divided(x, y, a, b) for x, y in zip(xs, ys, strict=True)]
    assert list(zip(quotients, remainders, strict=True)) == wanted


@pytest.mark.parametrize(("a", "b"), pairs())
def test_choice(a: t.Kind, b: t.Kind) -> None:
    random_ = random.Random(f"{a} ? {b}")
    xs, ys = draw(a, COUNT, random_), draw(b, COUNT, random_)
    cs = [random_.randrange(2) for _ in xs]
    chosen, least, most = compute(
        lambda x, y, c: (t.where(c, x, y), t.minimum(x, y), t.maximum(x, y)),
        (a[COUNT], xs), (b[COUNT], ys), (t.bool[COUNT], cs),
    )  # fmt: skip
    assert chosen == [x if c else y for x, y, c in zip(xs, ys, cs, strict=True)]
    assert least == list(map(min, xs, ys))
    assert most == list(map(max, xs, ys))


@pytest.mark.parametrize("a", KINDS, ids=str)
def test_one_operand(a: t.Kind) -> None:
    xs = draw(a, COUNT, random.Random(str(a)))
    results = compute(
        lambda x: (-x, +x, abs(x), ~x, x**0, x**1, x**2, x**3, x**5, x << 5, x >> 3, x >> 200, t.sqrt(x)),
        (a[COUNT], xs),
    )
    complement = (1 << a.bits) - 1
    wanted: list[Callable[[int], int]] = [
        lambda x: -x, lambda x: x, abs, lambda x: ~x if a.signed else x ^ complement,
        lambda _: 1, lambda x: x, lambda x: x**2, lambda x: x**3, lambda x: x**5,
        lambda x: x << 5, lambda x: x >> 3, lambda x: -1 if x < 0 else 0, lambda x: math.isqrt(max(x, 0)),
    ]  # fmt: skip
    for place, (op, result) in enumerate(zip(wanted, results, strict=True)):
        assert result == [op(x) for x in xs], place


@pytest.mark.parametrize("a", KINDS, ids=str)
def test_public_operands(a: t.Kind) -> None:
    random_ = random.Random(f"public {a}")
    xs = draw(a, COUNT, random_)
    for c in [0, 1, -1, 2, 3, -7, 8, 255, 256, 1 << 70, random_.randrange(-(1 << 40), 1 << 40)]:
        results = compute(
            lambda x, c=c: tuple(f for op in GROWING.values() for f in (op(x, c), op(c, x))), (a[COUNT], xs)
        )
        wanted = [f for op in GROWING.values() for f in ([op(x, c) for x in xs], [op(c, x) for x in xs])]
        assert results == wanted, c
        if c:
            assert compute(lambda x, c=c: divmod(x, c), (a[COUNT], xs)) == [
                [x // c for x in xs], [x % c for x in xs],
            ]  # fmt: skip
        quotients = compute(lambda x, c=c: c // x, (a[COUNT], xs))
        assert all(q == c // x for x, q in zip(xs, quotients, strict=True) if x)


@pytest.mark.parametrize("a", KINDS, ids=str)
@pytest.mark.parametrize("b", [t.uint(1), t.uint(3), t.uint(5)], ids=str)
def test_secret_shifts(a: t.Kind, b: t.Kind) -> None:
    random_ = random.Random(f"{a} << {b}")
    xs, ys = draw(a, COUNT, random_), draw(b, COUNT, random_)
    left, right, power = compute(lambda x, y: (x << y, x >> y, 1 << y), (a[COUNT], xs), (b[COUNT], ys))
    assert left == [x << y for x, y in zip(xs, ys, strict=True)]
    assert right == [x >> y for x, y in zip(xs, ys, strict=True)]
    assert power == [1 << y for y in ys]


@pytest.mark.parametrize(("a", "b"), pairs())
def test_machine_integers(a: t.Kind, b: t.Kind) -> None:
    random_ = random.Random(f"{a} wraps {b}")
    xs, ys = draw(a, COUNT, random_), draw(b, COUNT, random_)
    names = ["+", "-", "*", "&", "|", "^", "<", "=="]
    results = compute(
        lambda x, y: tuple(GROWING[name](t.wrapping(x), y) for name in names), (a[COUNT], xs), (b[COUNT], ys)
    )
    for name, result in zip(names, results, strict=True):
        exact = [GROWING[name](x, y) for x, y in zip(xs, ys, strict=True)]
        assert result == (exact if name in ("<", "==") else [wrapped(z, a) for z in exact]), name


@pytest.mark.parametrize("a", KINDS, ids=str)
def test_machine_integers_alone(a: t.Kind) -> None:
    xs = draw(a, COUNT, random.Random(f"wraps {a}"))
    results = compute(
        lambda x: (-t.wrapping(x), abs(t.wrapping(x)), t.wrapping(x) ** 3, t.wrapping(x) << 2), (a[COUNT], xs)
    )
    wanted: list[Callable[[int], int]] = [lambda x: -x, abs, lambda x: x**3, lambda x: x << 2]
    assert results == [[wrapped(op(x), a) for x in xs] for op in wanted]


@pytest.mark.parametrize(("a", "b"), pairs())
def test_conversions(a: t.Kind, b: t.Kind) -> None:
    xs = draw(a, COUNT, random.Random(f"{a} to {b}"))
    assert compute(lambda x: x.astype(b), (a[COUNT], xs)) == [wrapped(x, b) for x in xs]


@pytest.mark.parametrize("a", KINDS, ids=str)
def test_bits(a: t.Kind) -> None:
    xs = draw(a, COUNT, random.Random(f"bits of {a}"))
    bits, top, back, truth = compute(
        lambda x: (x.bits(), x.bit(-1), t.from_bits(t.bits(x)), x.astype(t.bool)), (a[COUNT], xs)
    )
    assert bits == [[bool(x >> bit & 1) for bit in range(a.bits)] for x in xs]
    assert top == [bool(x >> (a.bits - 1) & 1) for x in xs]
    assert back == [x & ((1 << a.bits) - 1) for x in xs]
    assert truth == [x != 0 for x in xs]


def test_widths_are_the_least_that_never_overflow() -> None:
    cases: list[tuple[Operation, t.Kind, t.Kind, t.Kind]] = [
        (lambda x, y: x + y, t.u8, t.u8, t.uint(9)),
        (lambda x, y: x + y, t.u8, t.i8, t.int(10)),
        (lambda x, y: x - y, t.u32, t.u32, t.int(33)),
        (lambda x, y: x * y, t.u8, t.u16, t.uint(24)),
        (lambda x, y: x * y, t.i8, t.u16, t.int(24)),
        (lambda x, y: (x - y) ** 2, t.u32, t.u32, t.uint(65)),
        (lambda x, _: -x, t.u8, t.u8, t.int(9)),
        (lambda x, _: abs(x), t.i8, t.u8, t.u8),
        (lambda x, _: x << 3, t.u8, t.u8, t.uint(11)),
        (lambda x, y: x << y, t.u8, t.uint(2), t.uint(11)),
        (lambda x, _: x >> 3, t.u8, t.u8, t.u8),
        (lambda x, y: x // y, t.u16, t.u8, t.u16),
        (lambda x, y: x % y, t.u16, t.u8, t.u8),
        (lambda x, y: x // y, t.i16, t.i8, t.int(17)),
        (lambda x, _: x + 1, t.u8, t.u8, t.uint(9)),
        (lambda x, _: x % 10, t.u32, t.u8, t.uint(4)),
        (lambda x, _: t.sqrt(x), t.u32, t.u8, t.u16),
        (lambda x, y: x == y, t.u32, t.u8, t.bool),
        (lambda x, y: t.wrapping(x) + y, t.u32, t.u8, t.u32),
    ]
    for place, (op, a, b, wanted) in enumerate(cases):
        kinds: list[t.Kind] = []
        compute(lambda x, y, op=op, kinds=kinds: kinds.append(op(x, y).kind) or op(x, y), (a, 1), (b, 1))
        assert kinds == [wanted], place


def test_extremes_of_every_kind_come_back() -> None:
    for kind in KINDS:
        assert compute(lambda x: x, (kind[2], list(bounds(kind)))) == list(bounds(kind))


@pytest.mark.parametrize(
    ("a", "b"), [(t.u8, t.u8), (t.i8, t.int(5)), (t.u16, t.i16), (t.bool, t.bool)], ids=str
)
def test_two_parties_compute_the_same(a: t.Kind, b: t.Kind) -> None:
    random_ = random.Random(f"secure {a} {b}")
    xs, ys = draw(a, COUNT, random_), draw(b, COUNT, random_)

    def all_of_them(x: t.Array, y: t.Array) -> tuple[t.Array, ...]:
        results = [op(x, y) for op in GROWING.values()]
        return (*results, *divmod(x, y), -x, abs(x), ~x, x**3, t.sqrt(x), t.minimum(x, y), t.wrapping(x) * y)

    compute(all_of_them, (a[COUNT], xs), (b[COUNT], ys), secure=True)
    compute(all_of_them, (a, xs[0]), (b, ys[0]), secure=True)
