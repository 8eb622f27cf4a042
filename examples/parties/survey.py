"""A survey whose answers stay with those who gave them: only statistics of all answers are seen.

Each party holds answers of some people: years of work and monthly pay. Opened are how many answered, the
means, standard deviations and correlation, the median pay, and how many earn within each bracket.

    tacit run examples/parties/survey.py --local --parties 3

Answers are made up, unless given, as `--input p1=answers.json` with the lists `years` and `pay`. How many
answers a party has is known to all. Seen besides are the sums of which the figures are made.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import tacit as t

BRACKETS = [2000, 3000, 4000, 5000]
"""Where the next bracket of pay begins."""


async def statistics(rt: t.Runtime, years: Sequence[int], pay: Sequence[int]) -> dict[str, Any]:
    """Statistics of the answers of all parties; the lists are this party's own."""
    counts = [int(count) for count in await rt.open(rt.stack(rt.share_by_all(len(pay))))]

    def joined(own: Sequence[int]) -> t.Array:
        parts = zip(rt.parties, counts, strict=True)
        given = (rt.share(list(own) if p == rt.party else None, by=p, shape=count) for p, count in parts)
        return rt.concatenate(given)

    x, y, n = joined(years), joined(pay), sum(counts)
    moments = [x.sum(), y.sum(), x @ x, y @ y, x @ y]
    reached = rt.stack([(y >= bracket).sum() for bracket in BRACKETS])
    results = rt.open(rt.stack(moments)), rt.open(reached), rt.open(y.sort()[(n - 1) // 2])
    (sx, sy, xx, yy, xy), above, median = [await result for result in results]
    spread_x, spread_y = math.sqrt(n * xx - sx * sx), math.sqrt(n * yy - sy * sy)
    return {
        "answers": n,
        "mean": {"years": sx / n, "pay": sy / n},
        "deviation": {"years": spread_x / n, "pay": spread_y / n},
        "correlation": (n * xy - sx * sy) / (spread_x * spread_y),
        "median pay": median,
        "in brackets": [a - b for a, b in zip([n, *above], [*above, 0], strict=True)],
    }


def answers(seed: str) -> tuple[list[int], list[int]]:
    """Answers of some people: those who have worked longer earn a little more."""
    chance = random.Random(seed)
    years = [chance.randrange(45) for _ in range(chance.randrange(10, 20))]
    return years, [1800 + 60 * y + chance.randrange(1500) for y in years]


async def main(rt: t.Runtime) -> dict[str, Any]:
    """One party."""
    years, pay = answers(rt.party)
    return await statistics(rt, rt.inputs.get("years", years), rt.inputs.get("pay", pay))
