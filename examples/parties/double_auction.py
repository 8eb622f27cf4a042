"""A double auction, as Danish sugar-beet growers held it: which price clears the market, and nothing else.

Every bidder says for each price how much it would sell and how much it would buy. The price is the lowest at
which at least as much is offered as wanted.

    tacit run examples/parties/double_auction.py --local --parties 5 --threshold 2

Bids are made up, unless given, as `--input p1=bids.json` with the lists `sell` and `buy`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import tacit as t

PRICES = range(1, 101)


async def clearing_price(rt: t.Runtime, sell: Sequence[int], buy: Sequence[int]) -> int | None:
    """The lowest price at which supply meets demand, if there is one; the bids are this bidder's own."""
    offers = rt.share_by_all(list(sell), shape=len(PRICES))
    wishes = rt.share_by_all(list(buy), shape=len(PRICES))
    supply, demand = sum(offers[1:], offers[0]), sum(wishes[1:], wishes[0])
    # Supply grows with the price and demand falls, so the prices that are too low come first.
    too_low = await rt.open((supply < demand).sum())
    return PRICES[too_low] if too_low < len(PRICES) else None


def bids(seed: str) -> tuple[list[int], list[int]]:
    """What a bidder sells and buys at each price."""
    chance = random.Random(seed)
    costs, worths = (sorted(chance.choices(PRICES, k=20)) for _ in range(2))
    sell = [sum(cost <= price for cost in costs) for price in PRICES]
    buy = [sum(worth >= price for worth in worths) for price in PRICES]
    return sell, buy


async def main(rt: t.Runtime) -> int | None:
    """One bidder."""
    sell, buy = bids(rt.party)
    return await clearing_price(rt, rt.inputs.get("sell", sell), rt.inputs.get("buy", buy))
