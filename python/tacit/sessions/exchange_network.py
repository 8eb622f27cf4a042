"""Networks of exchanges for any number of rows: one permutes them in any way, another sorts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

Pair = tuple[int, int]
Item = TypeVar("Item")


@dataclass(frozen=True)
class Step:
    """Exchanges of different rows, which run at the same time."""

    pairs: tuple[Pair, ...]

    def order(self, rows: int) -> list[int]:
        """Where each row comes from, among all pairs' first rows, second rows and all rows, concatenated."""
        order = [2 * len(self.pairs) + row for row in range(rows)]
        for number, (first, second) in enumerate(self.pairs):
            order[first], order[second] = number, len(self.pairs) + number
        return order


def network(rows: int) -> list[Step]:
    """The steps that can permute this many rows in any way.

    Source: Beauquier and Darrot, "On arbitrary size Waksman networks and their vulnerability" (2002).
    Cost: the sum of the base-two logarithms of 2 to `rows`, each rounded up, in about twice the logarithm
    of `rows` steps.
    """
    return [Step(tuple(step)) for step in _steps(range(rows))]


def settings(source: Sequence[int]) -> list[list[bool]]:
    """For each step of `network`, which pairs are exchanged so that row `source[k]` becomes row `k`."""
    return [[swapped for _, swapped in step] for step in _routed(range(len(source)), source)]


def sorting_network(rows: int) -> list[Step]:
    """The steps that sort this many rows, where each exchange puts the smaller row of its pair first.

    Source: Batcher's merge exchange (Knuth, The Art of Computer Programming, volume 3, algorithm 5.2.2M).
    """
    steps = []
    highest = 1 << max(rows - 1, 1).bit_length() - 1
    part = highest
    while part:
        apart, rest, other = part, 0, highest
        while True:
            pairs = tuple((i, i + apart) for i in range(rows - apart) if i & part == rest)
            if pairs:
                steps.append(Step(pairs))
            if other == part:
                break
            apart, rest, other = other - part, part, other // 2
        part //= 2
    return steps


def _steps(wires: Sequence[int]) -> list[list[Pair]]:
    count = len(wires)
    if count < 2:
        return []
    pairs = [(wires[i], wires[i + 1]) for i in range(0, count - 1, 2)]
    if count == 2:
        return [pairs]
    inner = _beside(_steps(wires[: count - count % 2 : 2]), _steps(_lower(wires)))
    return [pairs, *inner, pairs[: _last_exchanges(count)]]


def _routed(wires: Sequence[int], source: Sequence[int]) -> list[list[tuple[Pair, bool]]]:
    """The steps of `_steps`, with whether each pair is exchanged."""
    count = len(wires)
    if count < 2:
        return []
    pairs = [(wires[i], wires[i + 1]) for i in range(0, count - 1, 2)]
    if count == 2:
        return [[(pairs[0], source[0] == 1)]]
    lower = _sides(source)
    came_from_lower = [False] * count
    for place, row in enumerate(source):
        came_from_lower[row] = lower[place]
    # The first step sends each row to one half, where the number of its pair is its index.
    halves: tuple[list[int], list[int]] = ([0] * (count // 2), [0] * (count - count // 2))
    for place, row in enumerate(source):
        halves[lower[place]][place // 2] = row // 2
    first = [(pair, came_from_lower[2 * number]) for number, pair in enumerate(pairs)]
    last = [(pair, lower[2 * number]) for number, pair in enumerate(pairs[: _last_exchanges(count)])]
    inner = _beside(
        _routed(wires[: count - count % 2 : 2], halves[False]), _routed(_lower(wires), halves[True])
    )
    return [first, *inner, last]


def _sides(source: Sequence[int]) -> list[bool]:
    """For each row of the result, whether it passes through the lower half.

    The two rows of a pair pass through different halves, in the result and at the start. The last row, which
    is in no exchange of the last step, passes through the lower half.
    """
    count = len(source)
    place_of = [0] * count
    for place, row in enumerate(source):
        place_of[row] = place
    lower: list[bool | None] = [None] * count
    for start in range(count - 1, -1, -1):
        at: int | None = start
        while at is not None and lower[at] is None:
            lower[at] = True
            beside = _partner(source[at], count)
            if beside is None:
                break
            other = place_of[beside]
            lower[other] = False
            at = _partner(other, count)
    return [bool(side) for side in lower]


def _partner(row: int, count: int) -> int | None:
    """The other row of its pair; None for the last of an odd number."""
    return row ^ 1 if row ^ 1 < count else None


def _lower(wires: Sequence[int]) -> list[int]:
    """The wires of the lower half: the second of each pair, and the one without a partner."""
    return [*wires[1::2], *(wires[-1:] if len(wires) % 2 else [])]


def _last_exchanges(count: int) -> int:
    """How many pairs the last step exchanges: all, or of an even number of rows all but the last."""
    return count // 2 if count % 2 else count // 2 - 1


def _beside(upper: list[list[Item]], lower: list[list[Item]]) -> list[list[Item]]:
    """The steps of two halves, side by side."""
    empty: list[Item] = []
    return [[*one, *other] for one, other in zip_longest(upper, lower, fillvalue=empty)]
