"""Random programs over arrays of every kind of integer, against NumPy with Python's integers as elements."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from computing import compute, draw

import tacit as t

KINDS = [t.bool, t.uint(1), t.uint(3), t.u8, t.uint(13), t.u32, t.int(1), t.int(5), t.i8, t.int(17), t.i64]
MOST_BITS = 160
STEPS = 14
SEEDS = 24
LONG_SEEDS = 400


@dataclass(frozen=True)
class Value:
    """An array as NumPy sees it, with a bound on the bits of its kind."""

    array: Any
    bits: int
    truth: bool


@dataclass(frozen=True)
class Step:
    """How a value is made of earlier ones, by each of both."""

    operands: list[int]
    numpy: Callable[..., Any]
    tacit: Callable[..., Any]
    bits: int
    truth: bool = False


def numbers(array: Any) -> Any:
    """An array whose elements are Python's integers."""
    return np.array(array, dtype=object) + 0


def plain(array: Any) -> Any:
    """An array whose elements are Python's own: NumPy's integers wrap around."""
    array = np.array(array, dtype=object)
    own = [value.item() if isinstance(value, np.generic) else value for value in array.flat]
    return np.array(own, dtype=object).reshape(array.shape)


def least(x: Any, y: Any) -> Any:
    return np.where(x < y, x, y)


def most(x: Any, y: Any) -> Any:
    return np.where(x < y, y, x)


class Maker:
    """Draws a program step by step, so that shapes and widths fit."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        self.values: list[Value] = []
        self.steps: list[Step] = []

    def enter(self, array: Any, kind: t.Kind) -> None:
        self.values.append(Value(array, kind.bits, kind.is_bool))

    def pick(self, fits: Callable[[Value], bool] = lambda _: True) -> int:
        places = [place for place, value in enumerate(self.values) if fits(value)]
        # Later values more often: expressions grow deep.
        return max(self.random.choices(places, k=2))

    def fellow(self, one: int) -> int:
        """A value that broadcasts with another."""

        def fits(value: Value) -> bool:
            try:
                np.broadcast_shapes(value.array.shape, self.values[one].array.shape)
            except ValueError:
                return False
            return True

        return self.pick(fits)

    def make(self) -> bool:
        """Tries one more step."""
        drawn = self.random.choice([
            self.arithmetic, self.bitwise, self.comparison, self.choice, self.single,
            self.reduction, self.order, self.form, self.product, self.division,
        ])  # fmt: skip
        step = drawn()
        if step is None or step.bits > MOST_BITS:
            return False
        array = step.numpy(*(self.values[place].array for place in step.operands))
        array = plain(array)
        if not 0 < array.size <= 64 or array.ndim > 3:
            return False
        self.values.append(Value(array, step.bits, step.truth))
        self.steps.append(step)
        return True

    def same(self, operands: list[int], made: Callable[..., Any], bits: int) -> Step:
        return Step(operands, lambda *arrays: made(*map(numbers, arrays)), made, bits)

    def two(self) -> tuple[int, int, int, int]:
        a = self.pick()
        b = self.fellow(a)
        return a, b, self.values[a].bits, self.values[b].bits

    def arithmetic(self) -> Step:
        a, b, n, m = self.two()
        made, bits = self.random.choice([
            (lambda x, y: x + y, max(n, m) + 2), (lambda x, y: x - y, max(n, m) + 2),
            (lambda x, y: x * y, n + m + 1),
        ])  # fmt: skip
        return self.same([a, b], made, bits)

    def division(self) -> Step:
        a, b, n, m = self.two()
        made = self.random.choice([
            lambda x, y: x // (abs(y) + 1), lambda x, y: x % (-abs(y) - 1), lambda x, y: (x - y) // 10,
            lambda x, y: (x + y) % 7, lambda x, y: (y - x) % 10,
        ])  # fmt: skip
        return self.same([a, b], made, max(n, m) + 4)

    def bitwise(self) -> Step:
        a, b, n, m = self.two()
        truth = self.values[a].truth and self.values[b].truth
        made = self.random.choice([lambda x, y: x & y, lambda x, y: x | y, lambda x, y: x ^ y])
        return Step([a, b], made, made, max(n, m) + 1, truth)

    def comparison(self) -> Step:
        a, b, *_ = self.two()
        made = self.random.choice([
            lambda x, y: x < y, lambda x, y: x <= y, lambda x, y: x > y, lambda x, y: x >= y,
            lambda x, y: x == y, lambda x, y: x != y,
        ])  # fmt: skip
        return Step([a, b], made, made, 1, True)

    def choice(self) -> Step | None:
        a, b, n, m = self.two()
        conditions = [place for place, value in enumerate(self.values)
                      if value.truth and value.array.shape in ((), self.values[a].array.shape)]  # fmt: skip
        made = self.random.choice(["where", "minimum", "maximum"])
        bits = max(n, m) + 1
        if made != "where":
            of = least if made == "minimum" else most
            return Step([a, b], lambda x, y: of(numbers(x), numbers(y)), getattr(t, made), bits)
        if not conditions:
            return None
        return Step(
            [self.random.choice(conditions), a, b],
            lambda c, x, y: np.where(np.array(c, dtype=bool), numbers(x), numbers(y)),
            t.where,
            bits,
        )

    def single(self) -> Step:
        a = self.pick(lambda value: not value.truth)
        n = self.values[a].bits
        by = self.random.randrange(1, 6)
        made, bits = self.random.choice([
            (lambda x: -x, n + 1), (abs, n + 1), (lambda x: x**2, 2 * n), (lambda x: x << by, n + by),
            (lambda x: x >> by, n), (lambda x: 3 - x, n + 3), (lambda x: 5 * x + 1, n + 4),
            (lambda x: x % 8, 3),
        ])  # fmt: skip
        return self.same([a], made, bits)

    def axis(self, a: int) -> int | None:
        rank = self.values[a].array.ndim
        return None if rank == 0 else self.random.choice([None, *range(rank)])

    def reduction(self) -> Step:
        a = self.pick(lambda value: value.array.ndim > 0)
        axis, n = self.axis(a), self.values[a].bits
        name, bits = self.random.choice([
            ("sum", n + 7), ("min", n), ("max", n), ("argmin", 6), ("argmax", 6),
        ])  # fmt: skip
        return Step(
            [a],
            lambda x: getattr(np, name)(numbers(x), axis=axis),
            lambda x: getattr(x.astype(t.uint(1)) if x.kind.is_bool else x, name)(axis=axis),
            bits,
        )

    def order(self) -> Step:
        a = self.pick(lambda value: value.array.ndim > 0 and not value.truth)
        axis = self.random.randrange(self.values[a].array.ndim)
        name, bits = self.random.choice([("sort", 0), ("cumsum", 6)])
        return Step(
            [a],
            lambda x: getattr(np, name)(numbers(x), axis=axis),
            lambda x: getattr(t, name)(x, axis=axis),
            self.values[a].bits + bits,
        )

    def form(self) -> Step:
        a = self.pick(lambda value: value.array.ndim > 0)
        value = self.values[a]
        made = self.random.choice([
            lambda x: x.T, lambda x: x[::-1], lambda x: x[None], lambda x: x.reshape(-1), lambda x: x[0],
            lambda x: x[..., -1], lambda x: x[1:] if x.shape[0] > 1 else x,
        ])  # fmt: skip
        if self.random.randrange(3) == 0:
            return Step(
                [a, a], lambda x, y: np.stack([x, y]), lambda x, y: t.stack([x, y]), value.bits, value.truth
            )
        if self.random.randrange(3) == 0:
            return Step(
                [a, a],
                lambda x, y: np.concatenate([x, y[::-1]]),
                lambda x, y: t.concatenate([x, y[::-1]]),
                value.bits,
                value.truth,
            )
        return Step([a], made, made, value.bits, value.truth)

    def product(self) -> Step:
        a = self.pick(lambda value: value.array.ndim in (1, 2) and not value.truth)
        x = self.values[a]
        b = self.pick(lambda value: value.array.ndim in (1, 2) and not value.truth)
        y = self.values[b]
        bits = x.bits + y.bits + 7
        if x.array.shape[-1] == y.array.shape[0]:
            return self.same([a, b], lambda x, y: x @ y, bits)
        return self.same([a, a], lambda x, y: x @ y.T, 2 * x.bits + 7)


def check(seed: int, secure: bool) -> None:
    maker = Maker(f"expression {seed}")
    inputs: list[tuple[Any, Any]] = []
    for shape in [(), (3,), (2, 3), (2, 1), (4,)]:
        kind = maker.random.choice(KINDS)
        drawn = draw(kind, int(np.prod(shape, dtype=int)), maker.random)
        array = np.array([bool(value) if kind.is_bool else value for value in drawn], dtype=object)
        maker.enter(array.reshape(shape), kind)
        inputs.append((kind[shape] if shape else kind, array.reshape(shape).tolist()))
    tries = 0
    while len(maker.steps) < STEPS and tries < 40 * STEPS:
        maker.make()
        tries += 1

    def body(*entered: t.Array) -> tuple[t.Array, ...]:
        values = list(entered)
        for step in maker.steps:
            values.append(step.tacit(*(values[place] for place in step.operands)))
        return tuple(values[len(entered) :])

    results = compute(body, *inputs, secure=secure)
    wanted = [value.array.tolist() for value in maker.values[len(inputs) :]]
    assert list(results) == wanted


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_expressions(seed: int) -> None:
    check(seed, secure=seed % 6 == 0)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(SEEDS, LONG_SEEDS))
def test_many_random_expressions(seed: int) -> None:
    check(seed, secure=seed % 4 == 0)
