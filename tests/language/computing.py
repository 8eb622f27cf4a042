"""What the tests of the language share: computing with secret arrays, in the clear and with two parties."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import tacit as t


def traced(body: Callable[..., Any], types: Sequence[t.Kind | t.ArrayType]) -> t.Function:
    """A function of two roles that give inputs of these types in turn; `a` gets what `body` makes of them."""

    @t.function
    def computed(a: t.Role, b: t.Role) -> None:
        roles = (a, b)
        inputs = [roles[place % 2].input(f"x{place}", kind) for place, kind in enumerate(types)]
        results = body(*inputs)
        for place, result in enumerate(results if isinstance(results, tuple) else (results,)):
            a.output(f"z{place}", result)

    return computed


def shared(values: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """Inputs in turn as those of the roles."""
    given: dict[str, dict[str, Any]] = {"a": {}, "b": {}}
    for place, value in enumerate(values):
        given["ab"[place % 2]][f"x{place}"] = value
    return given


def compute(body: Callable[..., Any], *inputs: tuple[t.Kind | t.ArrayType, Any], secure: bool = False) -> Any:
    """What `body` computes of typed inputs, in the clear; with `secure`, also the same by two parties."""
    made = traced(body, [kind for kind, _ in inputs])
    given = shared([value for _, value in inputs])
    outputs = made(**given)["a"]
    if secure:
        assert made.run(a=given["a"], b=given["b"])["a"] == outputs
    results = [outputs[f"z{place}"] for place in range(len(outputs))]
    return results[0] if len(results) == 1 else results


def bounds(kind: t.Kind) -> tuple[int, int]:
    """The least and the largest integer of a kind."""
    if kind.signed:
        return -(1 << (kind.bits - 1)), (1 << (kind.bits - 1)) - 1
    return 0, (1 << kind.bits) - 1


def draw(kind: t.Kind, count: int, random_: random.Random) -> list[int]:
    """Integers of a kind: its bounds, those around zero, and others of all sizes."""
    low, high = bounds(kind)
    values = [value for value in (low, high, 0, 1, -1, low + 1, high - 1) if low <= value <= high]
    while len(values) < count:
        size = random_.randrange(kind.bits + 1)
        values.append(max(low, min(high, random_.randrange(-(1 << size), (1 << size) + 1))))
    random_.shuffle(values)
    return values[:count]


def wrapped(value: int, kind: t.Kind) -> int:
    """An integer modulo `2**bits`, as that kind understands it."""
    low = value & ((1 << kind.bits) - 1)
    return low - (1 << kind.bits) if kind.signed and low >> (kind.bits - 1) else low
