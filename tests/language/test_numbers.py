"""Fixed-point numbers, elements of prime fields, machine integers and constants."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from math import floor, isqrt
from typing import Any

import pytest
from computing import compute, traced

import tacit as t
from tacit import _native
from tacit.language.values import Port

Q = t.fixed(8, 8)


def quarters(count: int, random_: random.Random) -> list[float]:
    return [
        -128.0,
        127.99609375,
        0.0,
        *(random_.randrange(-(1 << 15), 1 << 15) / 256 for _ in range(count - 3)),
    ]


def rounded_down(value: Fraction, fraction: int) -> float:
    return float(Fraction(floor(value * (1 << fraction)), 1 << fraction))


def test_fixed_point_arithmetic() -> None:
    random_ = random.Random(8)
    xs, ys = quarters(12, random_), quarters(12, random_)
    results = compute(
        lambda x, y: (
            x + y,
            x - y,
            x * y,
            x < y,
            -x,
            abs(x),
            x // (y + 0.5),
            x % (y + 0.5),
            x / (y + 0.5),
            x * x,
        ),
        (Q[12], xs),
        (Q[12], ys),
        secure=True,
    )
    pairs = [(Fraction(x), Fraction(y), Fraction(y) + Fraction(1, 2)) for x, y in zip(xs, ys, strict=True)]
    nonzero = [place for place, (_, _, d) in enumerate(pairs) if d]
    assert results[0] == [x + y for x, y in zip(xs, ys, strict=True)]
    assert results[1] == [x - y for x, y in zip(xs, ys, strict=True)]
    assert results[2] == [rounded_down(x * y, 8) for x, y, _ in pairs]
    assert results[3] == [x < y for x, y, _ in pairs]
    assert results[4:6] == [[-x for x in xs], [abs(x) for x in xs]]
    for result, wanted in (
        (results[6], [x // d if d else 0 for x, _, d in pairs]),
        (results[7], [float(x % d) if d else 0 for x, _, d in pairs]),
        (results[8], [rounded_down(x / d, 8) if d else 0 for x, _, d in pairs]),
    ):
        assert [result[place] for place in nonzero] == [wanted[place] for place in nonzero]
    assert results[9] == [rounded_down(x * x, 8) for x, _, _ in pairs]


def test_fixed_point_beside_other_numbers() -> None:
    results = compute(
        lambda x, n: (
            x + n,
            x * n,
            x * 3,
            x + 0.25,
            1.5 - x,
            x > 2.5,
            x.astype(t.i8),
            n.astype(Q),
            x.astype(t.fixed(8, 1)),
            x << 1,
            x >> 1,
        ),
        (Q, 2.75),
        (t.i8, -3),
    )
    assert results == [-0.25, -8.25, 8.25, 3.0, -1.25, True, 2, -3.0, 2.5, 5.5, 1.375]
    assert compute(lambda x: x.astype(t.i8), (Q, -2.25)) == -3
    different = compute(lambda x, y: (x + y, x * y, x < y), (t.fixed(4, 2), 1.25), (t.fixed(3, 5), 0.40625))
    assert different == [1.65625, rounded_down(Fraction(1.25) * Fraction(0.40625), 5), False]


def test_fixed_point_sums_round_once() -> None:
    xs, ys = [0.5, 0.00390625, -1.75], [0.25, 0.5, 2.5]
    exact = sum((Fraction(x) * Fraction(y) for x, y in zip(xs, ys, strict=True)), Fraction(0))
    dot, matrix, total, least, order, root = compute(
        lambda x, y: (x @ y, (x[None] @ t.stack([y, y], -1))[0], x.sum(), x.min(), x.sort(), t.sqrt(y)),
        (Q[3], xs), (Q[3], ys),
    )  # fmt: skip
    assert dot == rounded_down(exact, 8)
    assert matrix == [rounded_down(exact, 8)] * 2
    assert [total, least, order] == [sum(xs), -1.75, sorted(xs)]
    assert root == [isqrt(int(y * 256) << 8) / 256 for y in ys]


def test_sums_of_products_are_those_of_rounded_products() -> None:
    random_ = random.Random(9)
    xs, ys, zs = (quarters(9, random_) for _ in range(3))
    coarse = [random_.randrange(-(1 << 9), 1 << 9) / 4 for _ in range(9)]
    whole = [random_.randrange(-(1 << 7), 1 << 7) for _ in range(9)]
    inputs: list[tuple[t.Kind | t.ArrayType, Any]] = [
        (Q[9], xs),
        (Q[9], ys),
        (Q[9], zs),
        (t.fixed(8, 2)[9], coarse),
        (t.i8[9], whole),
        (t.fixed(8, 20), 0.5 + 2**-20),
    ]

    def body(x: Any, y: Any, z: Any, c: Any, w: Any, fine: Any) -> tuple[Any, ...]:
        product, other = x * y, y * z
        return (
            product + z,
            z + product,
            product - z,
            z - product,
            product + c,
            product - w,
            product + fine,
            product + other,
            product - other,
            product + z + c - w,
            -(product + z),
            (product + z) * z,
            product + 1.5,
            (x @ y) + z,
            (product + z).astype(t.fixed(4, 8)),
            (product + z).sum(),
        )

    found = compute(body, *inputs, secure=True)
    x, y, z, c, w = ([Fraction(value) for value in values] for values in (xs, ys, zs, coarse, whole))
    lanes = range(9)
    product, other = (
        [Fraction(floor(a * b * 256), 256) for a, b in zip(left, right, strict=True)]
        for left, right in ((x, y), (y, z))
    )
    inner = Fraction(floor(sum(a * b for a, b in zip(x, y, strict=True)) * 256), 256)
    fine = Fraction(1, 2) + Fraction(1, 1 << 20)

    def narrow(value: Fraction) -> Fraction:
        return Fraction((floor(value * 256) + (1 << 11)) % (1 << 12) - (1 << 11), 256)

    wanted = [
        [product[i] + z[i] for i in lanes],
        [product[i] + z[i] for i in lanes],
        [product[i] - z[i] for i in lanes],
        [z[i] - product[i] for i in lanes],
        [product[i] + c[i] for i in lanes],
        [product[i] - w[i] for i in lanes],
        [product[i] + fine for i in lanes],
        [product[i] + other[i] for i in lanes],
        [product[i] - other[i] for i in lanes],
        [product[i] + z[i] + c[i] - w[i] for i in lanes],
        [-(product[i] + z[i]) for i in lanes],
        [Fraction(floor((product[i] + z[i]) * z[i] * 256), 256) for i in lanes],
        [product[i] + Fraction(3, 2) for i in lanes],
        [inner + z[i] for i in lanes],
        [narrow(product[i] + z[i]) for i in lanes],
        sum(product[i] + z[i] for i in lanes),
    ]
    for number, (got, expected) in enumerate(zip(found, wanted, strict=True)):
        exact = [Fraction(one) for one in got] if isinstance(got, list) else Fraction(got)
        assert exact == expected, number


def test_sums_of_products_stay_words() -> None:
    @t.function
    def layer(a: t.Role, b: t.Role) -> None:
        x, w = a.input("x", Q[30]), b.input("w", Q[30, 6])
        b.output("y", (x @ w + b.input("bias", Q[6])).max())

    told = json.loads(_native.outlook(layer.trace().program, domain="arith", planned_link="lan"))
    converted = {work["domain"]: work["converted_words"] for work in told["domains"]}
    assert converted == {"arith": 0, "yao": 6}


def test_loops_add_to_rounded_products() -> None:
    xs, y = [0.5, -1.25, 3.0], 0.25

    def body(x: Any, y: Any) -> Any:
        outer = x * y

        def step(_: Any, total: Any) -> Any:
            return (outer + total * y + x).astype(Q)

        return t.fori(4, step, (outer + x).astype(Q))

    def product(a: Fraction) -> Fraction:
        return Fraction(floor(a * Fraction(y) * 256), 256)

    wanted = []
    for x in map(Fraction, xs):
        total = product(x) + x
        for _ in range(4):
            total = product(x) + product(total) + x
        wanted.append(total)
    assert [Fraction(z) for z in compute(body, (Q[3], xs), (Q, y), secure=True)] == wanted


def test_fixed_point_inputs_are_rounded_to_the_nearest() -> None:
    for given, wanted in [
        (0.1, 26 / 256),
        (Fraction(1, 3), 85 / 256),
        (-0.001953125, 0.0),
        (0.005859375, 2 / 256),
    ]:
        assert compute(lambda x: x, (Q, given)) == wanted
    wide = t.fixed(40, 40)
    assert compute(lambda x: x, (wide, Fraction(1, 1 << 40))) == Fraction(1, 1 << 40)

    def square(x: t.Array) -> t.Array:
        assert (x * x).kind == t.fixed(16, 8)
        return x * x

    assert compute(square, (Q, 1)) == 1.0


@pytest.mark.parametrize("fraction", [0, 8, 40, 120])
def test_lists_of_floats_are_rounded_as_each_is(fraction: int) -> None:
    port = Port("a", "x", t.fixed(127 - fraction, fraction), (1,))
    halves = [place / 2 ** (fraction + 1) for place in range(-9, 9)]
    tiny = [5e-324, -5e-324, 2.0**-1040, -(2.0**-1022)]
    some = [random.uniform(-4, 4) for _ in range(200)] + [
        random.gauss(0, 1) * 2.0**-fraction for _ in range(200)
    ]
    largest = 2.0 ** (126 - fraction)
    for given in (halves, tiny, some, [-largest], [largest - largest / 2**53, 0.1]):
        assert port.encode(given) == [round(Fraction(number) * (1 << fraction)) for number in given]
    for given in ([largest], [1e308], [0.1, -1.5e308]):
        with pytest.raises(t.InputError, match="does not fit in fixed"):
            port.encode(given)
    for wrong in (float("nan"), float("inf"), float("-inf")):
        with pytest.raises(t.InputError, match=r"a\.x\[1\]"):
            port.encode([0.5, wrong])


@pytest.mark.parametrize("p", [2, 3, 251, 65537, (1 << 61) - 1, (1 << 127) - 1])
def test_fields(p: int) -> None:
    random_ = random.Random(p)
    kind = t.field(p)
    xs = [0, 1, p - 1, *(random_.randrange(p) for _ in range(5))]
    ys = [p - 1, *(random_.randrange(p) for _ in range(7))]
    results = compute(
        lambda x, y: (
            x + y,
            x - y,
            x * y,
            -x,
            x**5,
            x == y,
            x.sum(),
            x @ y,
            x + 7,
            3 * x - 1,
            t.where(x == y, x, 5),
        ),
        (kind[8], xs),
        (kind[8], ys),
        secure=p in (251, 65537),
    )
    pairs = list(zip(xs, ys, strict=True))
    assert results[:6] == [
        [(x + y) % p for x, y in pairs], [(x - y) % p for x, y in pairs], [x * y % p for x, y in pairs],
        [-x % p for x in xs], [pow(x, 5, p) for x in xs], [x == y for x, y in pairs],
    ]  # fmt: skip
    assert results[6:8] == [sum(xs) % p, sum(x * y for x, y in pairs) % p]
    assert results[8:] == [
        [(x + 7) % p for x in xs], [(3 * x - 1) % p for x in xs], [x if x == y else 5 % p for x, y in pairs],
    ]  # fmt: skip


def test_integers_and_fields_convert() -> None:
    kind = t.field(251)
    results = compute(
        lambda x, y: (x.astype(kind), y.astype(kind), y.astype(kind).astype(t.i16)),
        (t.u16[3], [0, 251, 65535]), (t.i8[4], [-128, -1, 0, 127]),
    )  # fmt: skip
    assert results == [[0, 0, 65535 % 251], [123, 250, 0, 127], [123, 250, 0, 127]]


def test_machine_integers_stay_and_leave() -> None:
    def body(x: t.Array) -> tuple[t.Array, ...]:
        machine = t.wrapping(x)
        assert machine.is_wrapping
        assert not t.exact(machine).is_wrapping
        assert (machine[0] + 1).kind == t.u8
        assert (t.exact(machine) + 1).kind == t.uint(9)
        return (
            machine + 1,
            machine.sum(),
            machine.cumsum(),
            machine @ machine,
            t.exact(machine) + 1,
            machine // 7,
        )

    xs = [255, 128, 127]
    dot = sum(x * x for x in xs) % 256
    assert compute(body, (t.u8[3], xs)) == [
        [0, 129, 128], sum(xs) % 256, [255, 127, 254], dot, [256, 129, 128], [36, 18, 18],
    ]  # fmt: skip


def test_machine_numbers_with_a_binary_point() -> None:
    xs, ys = [100.5, -3.25, 127.75], [2.5, 100.0, 127.5]
    dot, matrix, product = compute(
        lambda x, y: (t.wrapping(x) @ y, (t.wrapping(x)[None] @ t.stack([y, y], -1))[0], t.wrapping(x) * y),
        (Q[3], xs),
        (Q[3], ys),
    )

    def machine(value: Fraction) -> float:
        low = floor(value * 256) & 0xFFFF
        return (low - (1 << 16) * (low >> 15)) / 256

    pairs = [(Fraction(x), Fraction(y)) for x, y in zip(xs, ys, strict=True)]
    total = machine(sum((x * y for x, y in pairs), Fraction(0)))
    assert [dot, matrix, product] == [total, [total, total], [machine(x * y) for x, y in pairs]]


def test_constants() -> None:
    def body(x: t.Array) -> tuple[t.Array, ...]:
        table = t.constant([[1, 2], [3, 400]])
        assert table.kind == t.uint(9)
        assert t.constant(5, t.i32).kind == t.i32
        return table + x, t.constant(0.1, Q), t.constant([True, False]), t.array(7, t.u8)

    assert compute(body, (t.u8, 1)) == [[[2, 3], [4, 401]], 26 / 256, [True, False], 7]


def kind_error(body: Any, *kinds: Any) -> str:
    with pytest.raises(t.KindError) as caught:
        traced(body, kinds).trace()
    return str(caught.value)


def test_what_numbers_refuse() -> None:
    assert "300" in kind_error(lambda x: t.wrapping(x) + 300, t.u8)
    assert "-1" in kind_error(lambda x: t.wrapping(x) - (-1), t.u8)
    assert "300" in kind_error(lambda x: x + t.constant(300, t.u8), t.u8)
    assert "nan" in kind_error(lambda x: x + float("nan"), Q).lower()
    assert "inf" in kind_error(lambda x: x + float("inf"), Q)
    assert "fixed" in kind_error(lambda x: x + 0.5, t.u8)
    assert "//" in kind_error(lambda x: x / 2, t.u8)
    assert "4096" in kind_error(lambda x: x**1000, t.u8)
    assert "4096" in kind_error(lambda x: 1 << x, t.u16)
    assert "negative" in kind_error(lambda x, y: x << y, t.u8, t.i8)
    assert "from 0 up" in kind_error(lambda x: x << -1, t.u8)
    assert "from 0 up" in kind_error(lambda x: x**-1, t.u8)
    assert "cannot be combined" in kind_error(lambda x, y: x + y, t.field(7), t.u8)
    assert "cannot be combined" in kind_error(lambda x, y: x + y, t.field(7), t.field(11))
    assert "order" in kind_error(lambda x, y: x < y, t.field(7), t.field(7))
    assert "!= 0" in kind_error(lambda x: t.where(x, 1, 2), t.u8)
    assert "fixed" in kind_error(lambda x: x & 1, Q)
    with pytest.raises(ZeroDivisionError):
        traced(lambda x: x // 0, [t.u8]).trace()
    with pytest.raises(t.KindError, match="prime"):
        t.field(15)
    for bits in (0, 5000):
        with pytest.raises(t.KindError, match=str(bits)):
            t.uint(bits)
