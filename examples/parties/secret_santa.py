"""Secret Santa: each party learns whom it has a present for, and nobody learns more.

tacit run examples/parties/secret_santa.py --local --parties 5
"""

from __future__ import annotations

import asyncio

import tacit as t


async def main(rt: t.Runtime) -> str:
    """One party; gives the name of the party that it has a present for, which is never itself."""
    order = await rt.random_derangement(len(rt.parties))
    told = [rt.open(order[place], to=party) for place, party in enumerate(rt.parties)]
    mine: int = (await asyncio.gather(*told))[rt.parties.index(rt.party)]
    return rt.parties[mine]
