"""The millionaires' problem with any number of millionaires: who is the richest, and nothing else.

tacit run examples/parties/millionaires.py --local --parties 4 --input p1='{"fortune": 7}'

Fortunes that are not given are made up.
"""

from __future__ import annotations

import random

import tacit as t


async def main(rt: t.Runtime) -> str:
    """One millionaire; gives the name of the richest, the first of those who are equally rich."""
    fortune = rt.inputs.get("fortune", random.Random(rt.party).randrange(10**9))
    fortunes = rt.stack(rt.share_by_all(fortune))
    richest: int = await rt.open(fortunes.argmax())
    return rt.parties[richest]
