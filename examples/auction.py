"""A sealed-bid auction that opens its price step by step: a reactive program.

The seller has a reserve price for each of several lots, the buyer a bid. Nobody shows theirs. For each lot
both learn whether the bid meets the reserve. Only where it does, the price half-way between the two is found
by bisection, in which every comparison that is opened decides the next. Lots are dealt with side by side.

Without arguments both parties run in this process; with `s.toml seller` or `s.toml buyer`, one of a session.
"""

from __future__ import annotations

import asyncio
import sys

import tacit as t

BITS = 16
RESERVES = [120, 700, 41_000, 999]
BIDS = [200, 650, 42_001, 999]


async def price(s: t.LiveSession, reserve: t.Array, bid: t.Array) -> int | None:
    """The price of one lot: half-way between reserve and bid, if the bid meets the reserve."""
    if not await s.open(bid >= reserve):
        return None
    total = reserve + bid
    low, high = 0, 1 << BITS
    while high - low > 1:
        middle = (low + high) // 2
        if await s.open(total >= 2 * middle):
            low = middle
        else:
            high = middle
    return low


async def auction(s: t.LiveSession) -> list[int | None]:
    """The prices of all lots."""
    lots = len(RESERVES)
    reserves = s.role("seller").input("reserves", t.uint(BITS)[lots])
    bids = s.role("buyer").input("bids", t.uint(BITS)[lots])
    return list(await asyncio.gather(*(price(s, reserves[lot], bids[lot]) for lot in range(lots))))


async def one_party(session: str, role: str) -> list[int | None]:
    """Takes part as one party of a session."""
    inputs = {"reserves": RESERVES} if role == "seller" else {"bids": BIDS}
    async with t.session(session, role=role, inputs=inputs) as s:
        return await auction(s)


async def both_parties() -> list[int | None]:
    """Runs both parties in this process."""
    prices = await t.session.together(auction, seller={"reserves": RESERVES}, buyer={"bids": BIDS})
    assert prices["seller"] == prices["buyer"]
    return prices["seller"]


if __name__ == "__main__":
    work = one_party(*sys.argv[1:3]) if len(sys.argv) > 2 else both_parties()
    print(asyncio.run(work))
