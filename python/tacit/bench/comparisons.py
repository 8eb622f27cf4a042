"""Which comparison is best when: the same comparisons by every protocol that there is, over three links.

`python -m tacit.bench.comparisons FOLDER PARTY NET` is one of three parties; it prints what it has measured.
Two parties run as processes of their own over TLS; the two servers of sealed numbers share a process.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tacit as t
from tacit.bench.programs import BenchError, cargo_example
from tacit.bench.rows import Row, Sheet

LINKS: dict[str, dict[str, Any]] = {
    "loopback": {},
    "lan": {"net": "lan", "planned_link": "lan"},
    "wan": {"net": "wan", "planned_link": "wan"},
}
"""Options of runs over each link, by the names that the program for sealed numbers gives them."""

SIZES = ((16, 1), (16, 1000), (32, 1), (32, 1000))
"""Bits of the numbers, and how many are compared at once."""

WAYS = {
    "yao": "garbled circuits",
    "bool": "shares of bits",
    "arith": "shares of sums",
    "he": "encrypted",
    "dgk": "sealed",
    "shamir": "three parties",
    "dgk3": "three, by DGK",
}
"""The representations of numbers, and their names in the table."""

UNITS = {"setup": "s", "online": "s", "bytes": "B", "rounds": "rounds"}


@t.function
def compare(a: t.Role, b: t.Role, *, bits: int, count: int, way: str) -> None:
    """Whether numbers of `a` are less than those of `b`."""
    x, y = a.input("x", t.uint(bits)[count]), b.input("y", t.uint(bits)[count])
    pin = {"yao": t.yao, "bool": t.bool_, "arith": t.arith, "he": t.he}[way]
    less = pin(x) < pin(y)
    t.output("less", t.he(less) if way == "he" else less, a, b)


def measure() -> list[Row]:
    """Every way, size and link, once each: what the slower party took, and bytes of all."""
    rows = cargo_example("compare", "bench_links") + cargo_example("nparty", "bench_dgk")
    for link, options in LINKS.items():
        for bits, count in SIZES:
            for way in ("yao", "bool", "arith", "he"):
                rows += _two_parties(way, bits, count, link, options)
        rows += _three_parties(link)
    return rows


def name_of(bits: int, count: int, link: str, way: str, what: str) -> str:
    """The name of a row."""
    return f"{count} of {bits} bits, {link}, {way}, {what}"


def _rows(key: tuple[int, int, str, str], figures: dict[str, float]) -> list[Row]:
    return [Row(name_of(*key, what), value, UNITS[what]) for what, value in figures.items()]


def _numbers(bits: int, count: int) -> list[list[int]]:
    """Numbers of both parties, of which some are equal."""
    return [[(i * factor + 1) % (1 << bits) for i in range(count)] for factor in (40503, 40504)]


def _two_parties(way: str, bits: int, count: int, link: str, options: dict[str, Any]) -> list[Row]:
    x, y = _numbers(bits, count)
    chosen = {**options, "domain": "yao" if way == "he" else way, "security": "medium"}
    outputs = compare.local(a={"x": x}, b={"y": y}, bits=bits, count=count, way=way, **chosen)
    if list(outputs["a"]["less"]) != [one < other for one, other in zip(x, y, strict=True)]:
        raise BenchError(f"comparisons by {way} were wrong")
    phases = [{phase["phase"]: phase for phase in report["phases"]} for report in outputs.reports.values()]
    slowest = {phase: max(party[phase]["seconds"] for party in phases) for phase in ("setup", "online")}
    sent = sum(party[phase]["bytes_sent"] for party in phases for phase in ("setup", "online"))
    rounds = max(party["online"]["rounds"] for party in phases)
    return _rows((bits, count, link, way), {**slowest, "bytes": sent, "rounds": rounds})


def _three_parties(link: str) -> list[Row]:
    from tacit.bench.parties import PARTIES, run_all

    net = LINKS[link].get("net")
    nets = None if net is None else dict.fromkeys(PARTIES, net)
    ended: list[dict[str, dict[str, float]]] = run_all("tacit.bench.comparisons", nets=nets)
    rows = []
    for bits, count in SIZES:
        figures = [figure[f"{bits} {count}"] for figure in ended]
        seconds = max(figure["seconds"] for figure in figures)
        sent = sum(figure["bytes"] for figure in figures)
        rows += _rows((bits, count, link, "shamir"), {"online": seconds, "bytes": sent})
    return rows


async def _party(folder: Path, party: str, net: str | None) -> dict[str, dict[str, float]]:
    figures = {}
    options: dict[str, Any] = {} if net is None else {"net": net}
    async with t.join(folder / "session.toml", party, **options) as rt:
        for bits, count in SIZES:
            x, y = _numbers(bits, count)
            mine = {"p1": x, "p2": y}
            shares = [
                rt.share(mine[by] if party == by else None, by=by, shape=count, kind=t.uint(bits))
                for by in ("p1", "p2")
            ]
            await rt.synchronise()
            start, sent = time.perf_counter(), rt.bytes_sent
            less = await rt.open(shares[0] < shares[1])
            spent = time.perf_counter() - start
            await rt.synchronise()
            figures[f"{bits} {count}"] = {"seconds": spent, "bytes": float(rt.bytes_sent - sent)}
            if [bool(one) for one in less] != [one < other for one, other in zip(x, y, strict=True)]:
                raise BenchError("comparisons among three parties were wrong")
    return figures


def sheets(rows: Sequence[Row]) -> list[Sheet]:
    """For each link and size, the time of each way in all and online, and the best."""
    values = {row.name: row.value for row in rows}
    made = []
    for link in LINKS:
        lines = [_line(values, bits, count, link) for bits, count in SIZES]
        headings = ["at once", "bits", *WAYS.values(), "soonest", "soonest prepared", "fewest bytes"]
        made.append(Sheet(f"Which comparison when, {link}: ms in all | online", headings, lines))
    return made


def _line(values: dict[str, float], bits: int, count: int, link: str) -> list[str]:
    def of(way: str, what: str) -> float:
        return values.get(name_of(bits, count, link, way, what), 0.0)

    whole = {way: of(way, "setup") + of(way, "online") for way in WAYS}
    online = {way: of(way, "online") for way in WAYS}
    sent = {way: of(way, "bytes") for way in WAYS}
    both = [f"{whole[way] * 1e3:.1f} | {online[way] * 1e3:.1f}" for way in WAYS]
    best = [WAYS[min(figures, key=lambda way: figures[way])] for figures in (whole, online, sent)]
    return [str(count), str(bits), *both, *best]


if __name__ == "__main__":
    net = sys.argv[3] if len(sys.argv) > 3 else None
    print(json.dumps(asyncio.run(_party(Path(sys.argv[1]), sys.argv[2], net))))
