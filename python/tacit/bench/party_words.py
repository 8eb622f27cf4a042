"""Products of a compiled program among three parties, on bits and on words of a prime field.

`python -m tacit.bench.party_words FOLDER PARTY` is one of them; it prints what it has measured.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

import tacit as t
from tacit.bench.programs import BenchError
from tacit.bench.rows import Row
from tacit.sessions.reactor import WORD_MODULUS

COUNT = 20_000

ROLES = {"a": "p1", "b": "p2"}


@t.function
def products(a: t.Role, b: t.Role, *, n: int) -> None:
    """Products of numbers of 32 bits, whole."""
    product = a.input("x", t.u32[n]) * b.input("y", t.u32[n])
    t.output("product", product, a)


def rows(ended: list[dict[str, dict[str, float]]]) -> list[Row]:
    """The measurements of all parties: the longest time, and bytes on average."""
    made = []
    for domain in ended[0]:
        seconds = max(figures[domain]["seconds"] for figures in ended)
        sent = sum(figures[domain]["bytes"] for figures in ended) / len(ended)
        name = f"compiled products of 32 bits in {domain}"
        made += [
            Row(name, COUNT / seconds, "1/s"),
            Row(f"bytes a party sends for one of the {name}", sent / COUNT, "B"),
        ]
    return made


async def _party(folder: Path, party: str) -> dict[str, dict[str, float]]:
    figures = {}
    numbers = [2**32 - 1 - 3 * i for i in range(COUNT)]
    mine = {"p1": {"a": {"x": numbers}}, "p2": {"b": {"y": numbers}}}.get(party, {})
    async with t.join(folder / "session.toml", party, modulus=WORD_MODULUS) as rt:
        for domain in ("bool", "arith"):
            # The first run lowers the program.
            for _ in range(2):
                await rt.synchronise()
                start, sent = time.perf_counter(), rt.bytes_sent
                outputs = await rt.run(products, mine, roles=ROLES, n=COUNT, domain=domain)
                spent = time.perf_counter() - start
                await rt.synchronise()
                figures[domain] = {"seconds": spent, "bytes": float(rt.bytes_sent - sent)}
            if party == "p1" and list(outputs["a"]["product"]) != [number**2 for number in numbers]:
                raise BenchError("products were wrong")
    return figures


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_party(Path(sys.argv[1]), sys.argv[2]))))
