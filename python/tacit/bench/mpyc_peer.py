"""Operations a second of MPyC with three parties on this machine, without TLS; prints a row for each.

Runs as a script, with MPyC on the path: `python mpyc_peer.py -M3 --no-log`. The first party prints.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable

from mpyc.runtime import mpc

SCALARS, VECTOR, CHAIN, COMPARED, COMPARISONS = 2000, 10_000, 200, 200, 10

FIELD = mpc.SecFld(2**61 - 1)

NUMBER = mpc.SecInt(32)


async def measure() -> None:
    """Prints every figure."""
    await mpc.start()
    x, y = mpc.input(FIELD(5 if mpc.pid == 0 else None), 0), mpc.input(FIELD(7 if mpc.pid == 1 else None), 1)
    wide = mpc.input([FIELD(i) for i in range(VECTOR)], 0)
    few = mpc.input([NUMBER(i) for i in range(COMPARED)], 0)
    half = mpc.input(NUMBER(COMPARED // 2), 1)

    async def scalars() -> None:
        await mpc.gather([x * y for _ in range(SCALARS)])

    async def vectors() -> None:
        await mpc.gather(mpc.schur_prod(wide, wide))

    async def chain() -> None:
        product = x
        for _ in range(CHAIN):
            product = product * y
        await mpc.gather(product)

    async def compared() -> None:
        await mpc.gather([number < half for number in few])

    async def comparisons() -> None:
        counter = few[0]
        for _ in range(COMPARISONS):
            counter = counter + (counter < half)
        await mpc.gather(counter)

    await mpc.gather([x, y, *wide])
    await mpc.gather([*few, half])
    sent = sum(_sent())
    await timed("products of scalars, written one by one", SCALARS, scalars)
    each = (sum(_sent()) - sent) / SCALARS
    row("bytes a party sends for a product", each, "B")
    await timed("products of vectors", VECTOR, vectors)
    await timed("product in a chain", CHAIN, chain, serial=True)
    await timed("comparisons of 32 bits", COMPARED, compared)
    await timed("comparison in a chain", COMPARISONS, comparisons, serial=True)
    await mpc.shutdown()


def _sent() -> list[int]:
    return [party.protocol.nbytes_sent for party in mpc.parties if party.pid != mpc.pid]


async def timed(name: str, count: int, work: Callable[[], Awaitable[None]], serial: bool = False) -> None:
    """Prints how many there are in a second, or how long one takes."""
    await mpc.barrier(name)
    start = time.perf_counter()
    await work()
    spent = time.perf_counter() - start
    row(name, spent / count if serial else count / spent, "s" if serial else "1/s")


def row(name: str, value: float, unit: str) -> None:
    """Prints a figure."""
    if mpc.pid == 0:
        print(
            json.dumps({"name": f"MPyC 0.11, without TLS: {name}", "value": value, "unit": unit}), flush=True
        )


if __name__ == "__main__":
    mpc.run(measure())
