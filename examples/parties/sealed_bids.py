"""A Vickrey auction with any number of bidders who do not compute: three servers do it for them.

The highest bidder wins and pays the second highest bid. Servers and bidders learn who has won; only the
winner learns the price, and nobody learns any other bid. Whoever comes too late does not take part.

The session file has three parties that compute and, with `computes = false`, the bidders. The servers run

    tacit run examples/parties/sealed_bids.py --as p1 --session bids.toml --threshold 1

and a bidder, from anywhere and without a port of its own,

    tacit run examples/parties/sealed_bids.py --as ann --session bids.toml --threshold 1 --input '{"bid": 42}'
"""

from __future__ import annotations

import tacit as t

BIDDING_S = 60.0


async def auction(rt: t.Runtime, within: float) -> str | None:
    """The winner, if anyone bids; of several with the highest bid, the one whose name sorts first."""
    bids = await rt.collect("bid", t.u32, within=within)
    if not bids:
        return None
    amounts = t.stack(list(bids.values()))
    winner: str = list(bids)[await rt.open(amounts.argmax())]
    others = [amount for bidder, amount in bids.items() if bidder != winner]
    rt.tell("winner", rt.constant(rt.outside.index(winner)), to=list(bids))
    rt.tell("price", t.stack(others).max() if others else rt.constant(0), to=winner)
    return winner


async def main(rt: t.Runtime) -> str | None:
    """One server."""
    return await auction(rt, rt.inputs.get("within", BIDDING_S))
