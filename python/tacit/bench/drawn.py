"""Programs drawn at random, which mix sums, products, comparisons, choices and operations on bits."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import tacit as t

LANES = (1, 16, 256, 2048)
BITS = (8, 16, 32)
STEPS: tuple[Callable[[Any, Any, Any], Any], ...] = (
    lambda x, y, z: t.wrapping(x * y) ^ z,
    lambda x, y, z: t.wrapping(t.wrapping(x + y) - z),
    lambda x, y, z: t.wrapping(t.wrapping(x * y) + z),
    lambda x, y, z: t.where(x < y, x, z),
    lambda x, y, z: t.where(x == y, z, y),
    lambda x, y, z: (x & y) | z,
)
LEAST_STEPS, MOST_STEPS = 4, 10


def _kind(draw: random.Random) -> tuple[int, int]:
    return draw.choice(BITS), draw.choice(LANES)


@t.function
def program(a: t.Role, b: t.Role, *, seed: int) -> None:
    """Each step is computed from the one before and two earlier values, so all of them are needed."""
    draw = random.Random(seed)
    bits, lanes = _kind(draw)
    kind = getattr(t, f"u{bits}")[lanes]
    values = [a.input("x", kind), b.input("y", kind)]
    for _ in range(draw.randint(LEAST_STEPS, MOST_STEPS)):
        values.append(draw.choice(STEPS)(values[-1], draw.choice(values), draw.choice(values)))
    t.output("result", values[-1], a, b)


def given(seed: int) -> dict[str, Any]:
    """Inputs for the program with this seed, and the seed."""
    draw = random.Random(seed)
    bits, lanes = _kind(draw)

    def some() -> list[int]:
        return [draw.getrandbits(bits) for _ in range(lanes)]

    return {"a": {"x": some()}, "b": {"y": some()}, "seed": seed}
