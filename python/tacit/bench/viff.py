"""The measurements of Figures 3.4 to 3.8 of VIFF's paper, among three parties that are processes here.

Source: Geisler, "Cryptographic protocols: theory and implementation", 2010, section 3.8. VIFF ran in
Denmark, Norway and the USA. Here links are slowed down to the round trip that the paper tells of, 185 ms to
the USA, and to 30 ms between the other two, about which it says nothing; and to a LAN. The prime has 65 bits
as the paper's.

`python -m tacit.bench.viff FOLDER PARTY COUNTS NET` is one of the parties; it prints what it has measured.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path

import tacit as t
from tacit.bench.parties import PARTIES, run_all
from tacit.bench.programs import BenchError
from tacit.bench.published import viff
from tacit.bench.rows import Bar, Row
from tacit.measure.plot import Line, Style, write_plot
from tacit.measure.quartiles import Quartiles

PRIME = 2**65 - 49

LAN = dict.fromkeys(PARTIES, "lan")

COUNTRIES = {"p1": "100mbit,15ms", "p2": "100mbit,15ms", "p3": "100mbit,170ms"}
"""Each party delays what it sends, so a round trip between two takes the sum of their delays."""

NETWORKS = {"LAN": LAN, "three countries": COUNTRIES}

PARALLEL, COMPARED = viff.PARALLEL, viff.COMPARED
SERIAL = (1, 10, 25, 50, 100, 200)

VIFF_PARALLEL_S = viff.PARALLEL_S
VIFF_SERIAL_S = viff.SERIAL_S
VIFF_COMPARED_S = viff.COMPARED_S
"""The times that the paper's text states for its figures, each of many."""

VIFF = "VIFF, three countries, as the paper's text says"

FOLDER = Path("target/bench")

BARS = [
    Bar("product among many at once, three countries", most=VIFF_PARALLEL_S),
    Bar("product in a chain, three countries", most=VIFF_SERIAL_S),
    Bar("comparison among many at once, three countries", most=VIFF_COMPARED_S),
]

Points = dict[str, list[tuple[int, float]]]
"""For each kind of measurement, pairs of a count and the seconds for it."""

Counts = Mapping[str, Sequence[int]]
"""For each kind of measurement, the counts."""


def measure() -> list[Row]:
    """The figures as files, and the time for each of the most."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = measured({kind: counts for kind, (_, counts) in ROWS.items()})
    for figure, (kind, each, told, unit) in FIGURES.items():
        lines = [_line(network, parties, kind, each) for network, parties in found.items()]
        counts = [count for count, _ in found["LAN"][0][kind]]
        lines.append(_viff(told, counts, each))
        title = f"Figure {figure}: {TITLES[kind]}"
        path = FOLDER / f"nparty_figure_{figure.replace('.', '_')}.svg"
        write_plot(lines, unit, path, Style(log_x=True, log_y=True, title=title))
    return [
        Row(f"{name}, {network}", max(party[kind][-1][1] for party in parties) / counts[-1], "s")
        for kind, (name, counts) in ROWS.items()
        for network, parties in found.items()
    ]


def measured(counts: Counts, networks: Iterable[str] = NETWORKS) -> dict[str, list[Points]]:
    """The times of each party, over each network."""
    told = json.dumps(counts)
    return {network: run_all("tacit.bench.viff", told, nets=NETWORKS[network]) for network in networks}


TITLES = {
    "parallel": "products that do not need one another",
    "serial": "products that each need the one before",
    "compared": "comparisons of 32 bits that do not need one another",
}

ROWS: dict[str, tuple[str, Sequence[int]]] = {
    "parallel": ("product among many at once", PARALLEL),
    "serial": ("product in a chain", SERIAL),
    "compared": ("comparison among many at once", COMPARED),
}

FIGURES = {
    "3.4": ("parallel", False, VIFF_PARALLEL_S, "products"),
    "3.5": ("serial", False, VIFF_SERIAL_S, "products"),
    "3.6": ("parallel", True, VIFF_PARALLEL_S, "products"),
    "3.7": ("serial", True, VIFF_SERIAL_S, "products"),
    "3.8": ("compared", True, VIFF_COMPARED_S, "comparisons"),
}
"""What each figure shows: all together or each, and what the paper's text says of one."""


def _line(network: str, parties: list[Points], kind: str, each: bool) -> Line:
    """The times of the parties, as a band."""
    counts = [count for count, _ in parties[0][kind]]
    points = [
        (count, Quartiles.of([party[kind][place][1] / (count if each else 1) for party in parties]))
        for place, count in enumerate(counts)
    ]
    return Line("time for each" if each else "time", f"Tacit, {network}", "s", list(points))


def _viff(told: float, counts: Sequence[int], each: bool) -> Line:
    """A line through what the paper's text says, which holds of many."""
    many = [count for count in counts if count >= counts[-1] / 100]
    points = [(count, Quartiles.of([told * (1 if each else count)])) for count in many]
    return Line("time for each" if each else "time", VIFF, "s", list(points))


async def _party(folder: Path, party: str, counts: Counts, net: str) -> Points:
    points: Points = {}
    async with t.join(folder / "session.toml", party, modulus=PRIME, net=net) as rt:

        async def timed(kind: str, count: int, work: Callable[[int], Awaitable[None]]) -> None:
            await rt.synchronise()
            start = time.perf_counter()
            await work(count)
            points.setdefault(kind, []).append((count, time.perf_counter() - start))

        async def parallel(count: int) -> None:
            products = [x * y for _ in range(count)]
            _check(await rt.open(products[-1]), 35)

        async def serial(count: int) -> None:
            product = x
            for _ in range(count):
                product = product * one
            _check(await rt.open(product), 5)

        async def compared(count: int) -> None:
            less = [x < y for _ in range(count)]
            _check(await rt.open(less[-1]), 1)

        x = rt.share(5 if party == "p1" else None, by="p1")
        y = rt.share(7 if party == "p2" else None, by="p2")
        one = rt.share(1 if party == "p3" else None, by="p3")
        _check(await rt.open(x + y + one), 13)
        # The first of each kind is made once before, as in any process that runs for long.
        for work in (parallel, serial, compared):
            await work(1)
            for count in counts[work.__name__]:
                await timed(work.__name__, count, work)
    return points


def _check(found: int, expected: int) -> None:
    if found != expected:
        raise BenchError(f"{found} where {expected} is right")


if __name__ == "__main__":
    folder, party, counts, net = sys.argv[1:]
    print(json.dumps(asyncio.run(_party(Path(folder), party, json.loads(counts), net))))
