"""Loops that repeat one body."""

from __future__ import annotations

import time

import pytest
from computing import compute, traced

import tacit as t


def test_fori_counts_and_carries() -> None:
    def body(x: t.Array, y: t.Array) -> tuple[t.Array, t.Array]:
        def step(i: t.Array, state: tuple[t.Array, t.Array]) -> tuple[t.Array, t.Array]:
            total, least = state
            return t.wrapping(total) + i * y, t.minimum(least, y - i).astype(t.i32)

        return t.fori(10, step, (t.wrapping(x), t.constant(100, t.i32)))

    assert compute(body, (t.u32, 5), (t.u8, 3), secure=True) == [5 + 45 * 3, -6]


def test_scan_takes_apart_and_stacks() -> None:
    def body(xs: t.Array, ys: t.Array) -> tuple[t.Array, t.Array]:
        def step(best: t.Array, part: dict[str, t.Array]) -> tuple[t.Array, t.Array]:
            best = t.maximum(best, part["x"].sum().astype(t.u16))
            return best, best + part["y"]

        return t.scan(step, t.constant(0, t.u16), {"x": xs, "y": ys})

    xs, ys = [[1, 2], [9, 9], [3, 4]], [1, 2, 3]
    assert compute(body, (t.u8[3, 2], xs), (t.u8[3], ys), secure=True) == [18, [4, 20, 21]]


def test_loops_within_loops_see_what_is_around_them() -> None:
    def body(x: t.Array, y: t.Array) -> t.Array:
        def outer(i: t.Array, total: t.Array) -> t.Array:
            def inner(j: t.Array, total: t.Array) -> t.Array:
                return total + x * i + y * j + 1

            return t.fori(3, inner, total)

        return t.fori(4, outer, t.wrapping(t.constant(0, t.u32)))

    wanted = sum(5 * i + 7 * j + 1 for i in range(4) for j in range(3))
    assert compute(body, (t.u8, 5), (t.u8, 7), secure=True) == wanted


def test_a_scan_without_parts_has_a_length() -> None:
    def body(x: t.Array) -> tuple[t.Array, t.Array]:
        return t.scan(lambda state, _: (state * 3, state), t.wrapping(x), length=4)

    assert compute(body, (t.u8, 7)) == [7 * 81 % 256, [7, 21, 63, 189]]


def test_a_million_steps_cost_one_trace() -> None:
    def body(x: t.Array) -> t.Array:
        return t.fori(1_000_000, lambda _, state: state * 5 + 1, t.wrapping(x))

    made = traced(body, [t.u32]).trace()
    assert len(made.program.to_bytes()) < 1000
    state = start = 7
    for _ in range(1_000_000):
        state = (state * 5 + 1) % (1 << 32)
    began = time.monotonic()
    assert compute(body, (t.u32, start)) == state
    assert time.monotonic() - began < 60


def test_programs_are_the_same_every_time() -> None:
    def body(x: t.Array, y: t.Array) -> t.Array:
        return t.fori(3, lambda i, state: state + x * y + i, t.wrapping(x))

    hashes = {traced(body, [t.u32, t.u32]).trace().program.hash for _ in range(3)}
    assert len(hashes) == 1


def test_what_loops_refuse() -> None:
    zero = t.u8

    def growing(x: t.Array) -> t.Array:
        return t.fori(3, lambda _, state: state + 1, x)

    with pytest.raises(t.KindError, match="starts as u8 and becomes uint"):
        traced(growing, [zero]).trace()
    with pytest.raises(t.ShapeError, match="its shape must stay the same"):
        traced(lambda x: t.fori(3, lambda _, state: t.stack([state, state]), x), [zero]).trace()
    with pytest.raises(t.ShapeError, match="length"):
        traced(lambda x: t.scan(lambda state, _: (state, None), x), [zero]).trace()
    with pytest.raises(t.ShapeError, match="entries to loop over"):
        traced(lambda x, y: t.scan(lambda s, p: (s, p[0]), x, (x, y)), [t.u8[2], t.u8[3]]).trace()


def test_outputs_belong_outside_of_loops() -> None:
    @t.function
    def inside(a: t.Role, b: t.Role) -> None:
        def step(_: t.Array, state: t.Array) -> t.Array:
            b.output("x", state)
            return state

        t.fori(3, step, a.input("x", t.u8))

    with pytest.raises(t.ProgramError, match="move it out of the loop"):
        inside.trace()
    with pytest.raises(t.ShapeError, match="neither a state nor results"):
        traced(lambda x: t.scan(lambda state, part: (state, None), (), x)[0] or x, [t.u8[3]]).trace()


def test_a_value_of_a_body_stays_in_it() -> None:
    kept: list[t.Array] = []

    def body(x: t.Array) -> t.Array:
        def step(_: t.Array, state: t.Array) -> t.Array:
            kept.append(state ^ 1)
            return state

        t.fori(3, step, x)
        return kept[0]

    with pytest.raises(t.ProgramError, match="return it from the body"):
        traced(body, [t.u8]).trace()


def test_a_failing_body_leaves_the_program_usable() -> None:
    def body(x: t.Array) -> t.Array:
        with pytest.raises(RuntimeError):
            t.fori(3, lambda _, state: _fail(state), x)
        return x + 1

    assert compute(body, (t.u8, 4)) == 5


def _fail(_: t.Array) -> t.Array:
    raise RuntimeError
