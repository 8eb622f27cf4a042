"""Shapes: broadcasting, slicing, and what is made of many elements, against Python's lists."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from computing import compute, draw

import tacit as t

Nested = Any


def filled(shape: tuple[int, ...], kind: t.Kind, random_: random.Random) -> Nested:
    """Nested lists of numbers of a kind."""
    if not shape:
        return draw(kind, 1, random_)[0]
    return [filled(shape[1:], kind, random_) for _ in range(shape[0])]


def at(array: Nested, index: tuple[int, ...]) -> Any:
    for position in index:
        array = array[position]
    return array


def built(shape: tuple[int, ...], element: Callable[[tuple[int, ...]], Any]) -> Nested:
    """Nested lists from a function of the position."""

    def part(index: tuple[int, ...]) -> Nested:
        if len(index) == len(shape):
            return element(index)
        return [part((*index, position)) for position in range(shape[len(index)])]

    return part(())


SHAPES: list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = [
    ((), (), ()),
    ((3,), (), (3,)),
    ((3,), (1,), (3,)),
    ((2, 3), (3,), (2, 3)),
    ((2, 3), (2, 1), (2, 3)),
    ((2, 1), (1, 3), (2, 3)),
    ((2, 1, 4), (3, 1), (2, 3, 4)),
    ((1, 1, 1), (2, 3, 4), (2, 3, 4)),
    ((4, 1, 2, 1), (3, 1, 5), (4, 3, 2, 5)),
]


@pytest.mark.parametrize(("a", "b", "wanted"), SHAPES, ids=str)
def test_broadcasting(a: tuple[int, ...], b: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    random_ = random.Random(str((a, b)))
    x, y = filled(a, t.i8, random_), filled(b, t.u8, random_)
    shapes: list[tuple[int, ...]] = []

    def body(x: t.Array, y: t.Array) -> tuple[t.Array, t.Array]:
        shapes.append((x - y).shape)
        return x - y, y * x

    kinds = [kind[shape] if shape else kind for kind, shape in ((t.i8, a), (t.u8, b))]
    difference, product = compute(body, (kinds[0], x), (kinds[1], y))

    def pick(array: Nested, shape: tuple[int, ...], index: tuple[int, ...]) -> int:
        own = index[len(index) - len(shape) :]
        value: int = at(array, tuple(0 if dim == 1 else place for dim, place in zip(shape, own, strict=True)))
        return value

    assert shapes == [wanted] * len(shapes)
    assert difference == built(wanted, lambda i: pick(x, a, i) - pick(y, b, i))
    assert product == built(wanted, lambda i: pick(x, a, i) * pick(y, b, i))


class Recorder:
    """Hands back what it is indexed with."""

    def __getitem__(self, index: Any) -> Any:
        return index


S = Recorder()


@pytest.mark.parametrize(
    "index",
    [
        S[0],
        S[-1],
        S[1:3],
        S[::-1],
        S[::2],
        S[3:0:-2],
        S[...],
        S[1, 2],
        S[:, 0],
        S[:, -1],
        S[1, :, 2],
        S[..., 1],
        S[None],
        S[:, None],
        S[..., None, 0],
        S[1:, 1:, 1:],
        S[::-1, ::-1, ::-1],
        S[:, 1:2],
        S[0, ..., 0],
        S[2, 1, 3],
        S[None, ..., None],
        S[:, 2, ::-2],
    ],
    ids=str,
)
def test_slicing(index: Any) -> None:
    numpy = pytest.importorskip("numpy")
    shape = (4, 3, 5)
    x = filled(shape, t.u8, random.Random(1))
    assert compute(lambda x: x[index], (t.u8[shape], x)) == numpy.array(x)[index].tolist()


def test_slicing_without_numpy() -> None:
    x = [[1, 2, 3], [4, 5, 6]]
    results = compute(
        lambda x: (
            x[1],
            x[:, 1],
            x[::-1, 0],
            x[-1, -1],
            x[[1, 0, 1]],
            x[:, [2, 0]],
            x[[True, False]],
            x[:, None, 1:],
        ),
        (t.u8[2, 3], x),
    )
    wanted = [
        [4, 5, 6],
        [2, 5],
        [4, 1],
        6,
        [x[1], x[0], x[1]],
        [[3, 1], [6, 4]],
        [[1, 2, 3]],
        [[[2, 3]], [[5, 6]]],
    ]
    assert results == wanted


def test_iteration_and_unpacking() -> None:
    def body(x: t.Array) -> tuple[t.Array, t.Array]:
        first, second = x
        return first - second, sum((row.sum() for row in x), t.constant(0))

    assert compute(body, (t.u8[2, 2], [[1, 2], [3, 5]])) == [[-2, -3], 11]


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, (0, 1), (0, 2), (2, 1)], ids=str)
def test_reductions(axis: Any) -> None:
    shape = (2, 3, 4)
    x = filled(shape, t.i8, random.Random(str(axis)))
    gone = (
        {0, 1, 2} if axis is None else {place % 3 for place in (axis if isinstance(axis, tuple) else (axis,))}
    )
    left = tuple(dim for place, dim in enumerate(shape) if place not in gone)

    def group(index: tuple[int, ...]) -> list[int]:
        rest = iter(index)
        fixed = [None if place in gone else next(rest) for place in range(3)]
        ranges = [range(dim) if place is None else [place] for place, dim in zip(fixed, shape, strict=True)]
        return [at(x, position) for position in itertools.product(*ranges)]

    def first(pick: Callable[[list[int]], int]) -> Callable[[tuple[int, ...]], int]:
        return lambda index: group(index).index(pick(group(index)))

    total, least, most, where_least, where_most, some, every = compute(
        lambda x: (
            x.sum(axis),
            x.min(axis),
            x.max(axis),
            x.argmin(axis),
            x.argmax(axis),
            (x > 120).any(axis),
            (x > -120).all(axis),
        ),
        (t.i8[shape], x),
        secure=axis in (None, 1),
    )
    assert total == built(left, lambda i: sum(group(i)))
    assert least == built(left, lambda i: min(group(i)))
    assert most == built(left, lambda i: max(group(i)))
    assert where_least == built(left, first(min))
    assert where_most == built(left, first(max))
    assert some == built(left, lambda i: any(v > 120 for v in group(i)))
    assert every == built(left, lambda i: all(v > -120 for v in group(i)))


def test_reductions_keep_dimensions() -> None:
    x = [[1, 2, 3], [4, 5, 6]]
    results = compute(
        lambda x: (x.sum(1, keepdims=True), x.max(keepdims=True), x - x.min(0, True)), (t.u8[2, 3], x)
    )
    assert results == [[[6], [15]], [[6]], [[0, 0, 0], [3, 3, 3]]]


@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 13])
def test_products_and_truth(length: int) -> None:
    xs = draw(t.u8, length, random.Random(length))
    product, some, every = compute(lambda x: (x.prod(), t.any(x), t.all(x)), (t.u8[length], xs))
    wanted = 1
    for x in xs:
        wanted *= x
    assert [product, some, every] == [wanted, any(xs), all(xs)]


@pytest.mark.parametrize("kind", [t.u8, t.i8, t.uint(70), t.int(70)], ids=str)
@pytest.mark.parametrize("length", [1, 2, 7, 16])
def test_sorting(kind: t.Kind, length: int) -> None:
    xs = [draw(kind, length, random.Random(f"{kind} {row}")) for row in range(3)]
    rows, columns, order, sums = compute(
        lambda x: (t.sort(x), x.sort(0), t.argsort(x), x.cumsum(1)), (kind[3, length], xs)
    )
    assert rows == [sorted(row) for row in xs]
    transposed = [sorted(column) for column in zip(*xs, strict=True)]
    assert columns == [list(row) for row in zip(*transposed, strict=True)]
    assert order == [sorted(range(length), key=row.__getitem__) for row in xs]
    assert sums == [list(itertools.accumulate(row)) for row in xs]


def test_sorting_between_two_parties() -> None:
    xs = [5, 1, 4, 1, 5, 9, 2, 6]
    results = compute(lambda x: (x.sort(), x.argsort(), x.cumsum(), x.sort()[4]), (t.u8[8], xs), secure=True)
    assert results == [sorted(xs), [1, 3, 6, 2, 0, 4, 7, 5], list(itertools.accumulate(xs)), 5]


def product(a: list[list[int]], b: list[list[int]]) -> list[list[int]]:
    return [
        [sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a
    ]


@pytest.mark.parametrize(("n", "k", "m"), [(1, 1, 1), (2, 3, 4), (1, 5, 3), (4, 5, 1), (6, 7, 5)])
@pytest.mark.parametrize(("kind_a", "kind_b"), [(t.u8, t.u8), (t.i8, t.u16), (t.i8, t.int(9))], ids=str)
def test_matrices(n: int, k: int, m: int, kind_a: t.Kind, kind_b: t.Kind) -> None:
    random_ = random.Random(f"{n} {k} {m} {kind_a} {kind_b}")
    a, b = filled((n, k), kind_a, random_), filled((k, m), kind_b, random_)
    both, row, column, inner, wrapping = compute(
        lambda a, b: (a @ b, a[0] @ b, a.dot(b[:, 0]), t.dot(a[0], b[:, 0]), t.wrapping(a) @ b),
        (kind_a[n, k], a), (kind_b[k, m], b),
    )  # fmt: skip
    wanted = product(a, b)
    assert [both, row, column, inner] == [wanted, wanted[0], [row[0] for row in wanted], wanted[0][0]]
    modulus = 1 << 8
    if kind_a == kind_b == t.u8:
        assert wrapping == [[value % modulus for value in row] for row in wanted]


def test_batches_of_matrices() -> None:
    random_ = random.Random(3)
    a, b = filled((2, 1, 3, 2), t.i8, random_), filled((4, 2, 3), t.i8, random_)
    result = compute(lambda a, b: a @ b, (t.i8[2, 1, 3, 2], a), (t.i8[4, 2, 3], b), secure=True)
    assert result == [[product(a[i][0], b[j]) for j in range(4)] for i in range(2)]


def test_rows_of_many_matrices_are_rows_of_one() -> None:
    random_ = random.Random(4)
    a, b = filled((3, 1, 4), t.i8, random_), filled((4, 2), t.i8, random_)
    result = compute(lambda a, b: a @ b, (t.i8[3, 1, 4], a), (t.i8[4, 2], b), secure=True)
    assert result == [product(part, b) for part in a]


@pytest.mark.parametrize("left", [(5,), (2, 5), (3, 1, 5)], ids=str)
def test_products_with_a_matrix_are_one_product(left: tuple[int, ...]) -> None:
    @t.function
    def program(a: t.Role, b: t.Role) -> None:
        b.output("z", a.input("x", t.u8[left]) @ b.input("y", t.u8[5, 4]))

    rows = math.prod(left) // 5
    assert f"1 of {rows} x 5 by 5 x 4, 19 bits" in program.trace().plan(domain="arith")


def test_public_factors() -> None:
    xs = [1, 2, 3]
    matrix, public = [[1, -1, 2], [0, 300, 5]], [10, 20, 30]
    results = compute(lambda x: (matrix @ x, x @ [4, 5, 6], t.dot(x, [1, 1, 1]), x + public), (t.u8[3], xs))
    assert results == [[5, 615], 32, 6, [11, 22, 33]]


def test_putting_together() -> None:
    x, y = [[1, 2], [3, 4]], [[-5, 6], [7, -8]]
    results = compute(
        lambda x, y: (
            t.concatenate([x, y]),
            t.concatenate([x, y], axis=1),
            t.stack([x, y]),
            t.stack([x, y], axis=-1),
            t.stack([x[0, 0], y[1, 1], 7]),
            t.concatenate([x, [[9, 9]]]),
            t.array([[x[0, 0], 2], [3, y[0, 0]]]),
        ),
        (t.u8[2, 2], x),
        (t.i8[2, 2], y),
    )
    assert results == [
        [*x, *y], [[1, 2, -5, 6], [3, 4, 7, -8]], [x, y], [[[1, -5], [2, 6]], [[3, 7], [4, -8]]],
        [1, -8, 7], [*x, [9, 9]], [[1, 2], [3, -5]],
    ]  # fmt: skip


def test_shapes_change() -> None:
    x = [[1, 2, 3], [4, 5, 6]]
    results = compute(
        lambda x: (
            x.T,
            x.reshape(3, 2),
            x.reshape((6,)),
            x.reshape(-1, 2),
            x.flatten(),
            t.transpose(x[None], (2, 0, 1)),
            t.broadcast_to(x[0], (2, 3)),
        ),
        (t.u8[2, 3], x),
    )
    rows = [[1, 2], [3, 4], [5, 6]]
    assert results == [
        [[1, 4], [2, 5], [3, 6]], rows, [1, 2, 3, 4, 5, 6], rows, [1, 2, 3, 4, 5, 6],
        [[[1, 4]], [[2, 5]], [[3, 6]]], [[1, 2, 3], [1, 2, 3]],
    ]  # fmt: skip


def test_tables() -> None:
    table = [[1, -2], [3, -4], [5, -6], [7, -8], [9, -10]]
    positions = [4, 0, 3]
    rows, entry, changed, row = compute(
        lambda x, i: (
            t.lookup(x, i),
            t.lookup(x[:, 0], i[2]),
            t.update(x, i[0], [77, 78]),
            t.update(x[:, 1], i[2], 9),
        ),
        (t.i8[5, 2], table),
        (t.uint(3)[3], positions),
        secure=True,
    )
    assert rows == [table[position] for position in positions]
    assert entry == 7
    assert changed == [*table[:4], [77, 78]]
    assert row == [-2, -4, -6, 9, -10]


def test_truth_values() -> None:
    xs, ys = [True, True, False, False], [True, False, True, False]
    both, either, one, none, count, flipped = compute(
        lambda x, y: (x & y, x | y, x ^ y, ~(x | y), (x & y).sum(), x * y + (x == y)),
        (t.bool[4], xs), (t.bool[4], ys), secure=True,
    )  # fmt: skip
    assert [both, either, one, none, count] == [
        [True, False, False, False], [True, True, True, False], [False, True, True, False],
        [False, False, False, True], 1,
    ]  # fmt: skip
    assert flipped == [2, 0, 0, 1]
