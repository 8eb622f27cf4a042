"""Firms compare how efficient they are, and each learns only where it stands itself.

A firm's efficiency is what it makes for what it spends. Each learns its own rank and whether it is in the
better half; nobody learns figures or ranks of others.

    tacit run examples/parties/benchmark_firms.py --local --parties 5 --threshold 2

Figures are made up, unless given, as `--input p1='{"made": 900, "spent": 450}'`.
"""

from __future__ import annotations

import random

import tacit as t

MOST = 2**28
"""Figures are from 1 to below this, so that the products of two leave room for comparing."""


async def standing(rt: t.Runtime, made: int, spent: int) -> tuple[int, bool]:
    """The rank of this firm, from 1 up, and whether it is in the better half; these are its figures."""
    if not (0 < made < MOST and 0 < spent < MOST):
        raise t.InputError(f"figures are from 1 to below {MOST}")
    outputs, costs = rt.stack(rt.share_by_all(made)), rt.stack(rt.share_by_all(spent))
    # a/b < c/d where a·d < c·b: entry (i, j) tells whether firm i is less efficient than firm j.
    products = outputs[:, None] * costs[None, :]
    ranks = (products < products.T).sum(axis=1) + 1
    told = {firm: (rt.open(ranks[i], to=firm), rt.open(2 * ranks[i] <= len(rt.parties) + 1, to=firm))
            for i, firm in enumerate(rt.parties)}  # fmt: skip
    rank, better = told[rt.party]
    return await rank, bool(await better)


async def main(rt: t.Runtime) -> dict[str, int | bool]:
    """One firm."""
    chance = random.Random(rt.party)
    made, spent = chance.randrange(1000, 10_000), chance.randrange(500, 5000)
    rank, better = await standing(rt, rt.inputs.get("made", made), rt.inputs.get("spent", spent))
    return {"rank": rank, "better half": better}
