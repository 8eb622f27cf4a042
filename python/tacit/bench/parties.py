"""Operations a second of three parties on this machine, each in a process of its own, over TLS on loopback.

`python -m tacit.bench.parties FOLDER PARTY MODULUS` is one of them; it prints what it has measured. With the
profile of a link as a fourth argument, it measures a few products over such a link. MPyC, which is installed
into `target/peers`, is measured in the same way.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import tacit as t
from tacit.bench import party_words
from tacit.bench.programs import BenchError, rows_of
from tacit.bench.rows import Bar, Row

PARTIES = ["p1", "p2", "p3"]

SCALARS = 300_000
VECTOR = 1_000_000
VECTORS = 8
CHAIN = 2000
COMPARED = 20_000
COMPARISONS = 100
DISTANT = 1000

PRIME = 2**64 - 59
"""Products are measured modulo a prime of 64 bits, and once more, as comparisons, modulo the usual one."""

TIMEOUT_S = 300

LATENCY_S = 0.18
"""The time a byte travels one way over the long link."""

LONG_LINK = "100mbit,180ms"

MPYC = "mpyc==0.11 --hash=sha256:059ffa3396089ebb77beb43ea2f8040f2a20f3fc7ff6d3c839df3b3f3c28d38e"

BARS = [
    Bar("products of scalars, written one by one", least=300_000),
    Bar("products of vectors", least=8_000_000),
    Bar("bytes a party sends for a product", most=11),
    Bar("product in a chain", most=120e-6),
    Bar("comparisons of 32 bits", least=30_000),
    Bar("comparison in a chain", most=1e-3),
    Bar(f"{DISTANT} products written one by one at 180 ms, round trips", most=3),
]


Figures = dict[str, dict[str, float]]
"""For each measurement its seconds, processor seconds and bytes."""


def measure() -> list[Row]:
    """The figures, of the slowest party; bytes on average."""
    return [*_near(), *party_words.rows(run_all("tacit.bench.party_words")), *_distant(), *_mpyc()]


def run_all(module: str, *arguments: str, nets: Mapping[str, str] | None = None) -> list[Any]:
    """The measurements of all parties, processes that run a module and print JSON, over links with `nets`."""
    with tempfile.TemporaryDirectory() as folder:
        _prepare(Path(folder))
        children = [
            subprocess.Popen(
                [sys.executable, "-m", module, folder, party, *arguments, *([nets[party]] if nets else [])],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for party in PARTIES
        ]
        ended = [child.communicate(timeout=TIMEOUT_S) for child in children]
    for child, (_, error) in zip(children, ended, strict=True):
        if child.returncode:
            raise BenchError(f"a party failed:\n{error}")
    return [json.loads(out) for out, _ in ended]


def _distant() -> list[Row]:
    nets = dict.fromkeys(PARTIES, LONG_LINK)
    ended = run_all("tacit.bench.parties", str(PRIME), nets=nets)
    spent = max(figures["distant"]["seconds"] for figures in ended)
    name = f"{DISTANT} products written one by one at 180 ms, round trips"
    return [Row(name, spent / (2 * LATENCY_S), "round trips")]


def _mpyc() -> list[Row]:
    """The figures of MPyC."""
    folder = Path("target/peers/mpyc").resolve()
    if not (folder / "mpyc").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        locked = folder / "requirements.txt"
        locked.write_text(MPYC, "utf-8")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
        if subprocess.run([*pip, "--target", folder, "-r", locked], check=False).returncode:
            raise BenchError("MPyC cannot be installed")
    script = Path(__file__).with_name("mpyc_peer.py")
    return rows_of(
        [sys.executable, str(script), "-M3", "--no-log"], {**os.environ, "PYTHONPATH": str(folder)}
    )


def _near() -> list[Row]:
    rows = []
    for modulus, suffix in ((PRIME, ""), (t.DEFAULT_MODULUS, " modulo 2^61 - 1")):
        figures: list[Figures] = run_all("tacit.bench.parties", str(modulus))
        seconds = {name: max(figure[name]["seconds"] for figure in figures) for name in figures[0]}
        sent = sum(figure["scalars"]["bytes"] for figure in figures) / len(figures)
        worked = sum(figure["scalars"]["processor"] for figure in figures) / len(figures)
        rows += [
            Row(f"products of scalars, written one by one{suffix}", SCALARS / seconds["scalars"], "1/s"),
            Row(f"processor time of a party for a product of scalars{suffix}", worked / SCALARS, "s"),
            Row(f"products of vectors{suffix}", VECTOR * VECTORS / seconds["vectors"], "1/s"),
            Row(f"bytes a party sends for a product{suffix}", sent / SCALARS, "B"),
            Row(f"product in a chain{suffix}", seconds["chain"] / CHAIN, "s"),
        ]
    return [
        *rows,
        Row("comparisons of 32 bits", COMPARED / seconds["compared"], "1/s"),
        Row("comparison in a chain", seconds["comparisons"] / COMPARISONS, "s"),
    ]


def _prepare(folder: Path) -> None:
    """Keys and a session file."""
    tables = []
    for party in PARTIES:
        key = t.SecretKey.generate()
        key.save(str(folder / f"{party}.key"))
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        tables.append(f'[party.{party}]\naddress = "127.0.0.1:{port}"\nkey = "{key.public}"')
    (folder / "session.toml").write_text("\n".join(tables), "utf-8")


async def _far(folder: Path, party: str, modulus: int, net: str) -> Figures:
    """Few products over a long link, from their factors to what is opened."""
    async with t.join(folder / "session.toml", party, modulus=modulus, net=net) as rt:
        await rt.synchronise()
        start = time.perf_counter()
        x = rt.share(5 if party == "p1" else None, by="p1")
        y = rt.share(7 if party == "p2" else None, by="p2")
        products = [x * y for _ in range(DISTANT)]
        if await rt.open(sum(products[1:], products[0])) != 35 * DISTANT:
            raise BenchError("products were wrong")
        spent = time.perf_counter() - start
    return {"distant": {"seconds": spent}}


async def _near_party(folder: Path, party: str, modulus: int) -> Figures:
    figures = {}
    async with t.join(folder / "session.toml", party, modulus=modulus) as rt:

        async def timed(name: str, work: Callable[[], Awaitable[None]]) -> None:
            await rt.synchronise()
            start, processor, sent = time.perf_counter(), time.process_time(), rt.bytes_sent
            await work()
            spent, processor = time.perf_counter() - start, time.process_time() - processor
            await rt.synchronise()
            figures[name] = {"seconds": spent, "processor": processor, "bytes": float(rt.bytes_sent - sent)}

        async def scalars() -> None:
            products = [x * y for _ in range(SCALARS)]
            await rt.open(products[-1])

        async def vectors() -> None:
            products = [wide * wide for _ in range(VECTORS)]
            await rt.open(products[-1][-1])

        async def chain() -> None:
            product = x
            for _ in range(CHAIN):
                product = product * y
            await rt.open(product)

        async def compared() -> None:
            less = (many < y).sum()
            if await rt.open(less) != COMPARED // 2:
                raise BenchError("comparisons were wrong")

        async def comparisons() -> None:
            counter = x
            for _ in range(COMPARISONS):
                counter = counter + (counter < y)
            await rt.open(counter)

        x = rt.share(5 if party == "p1" else None, by="p1")
        y = rt.share(COMPARED // 2 if party == "p2" else None, by="p2")
        wide = rt.share(list(range(VECTOR)) if party == "p1" else None, by="p1", shape=VECTOR)
        many = rt.share(list(range(COMPARED)) if party == "p1" else None, by="p1", shape=COMPARED)
        # All of the inputs have arrived where their sums are known.
        await rt.open(rt.stack([x, y, wide.sum(), many.sum()]))
        products = {"scalars": scalars, "vectors": vectors, "chain": chain}
        usual = {"compared": compared, "comparisons": comparisons} if modulus == t.DEFAULT_MODULUS else {}
        for name, work in (products | usual).items():
            await timed(name, work)
    return figures


if __name__ == "__main__":
    folder, party, modulus, *nets = sys.argv[1:]
    whose = (Path(folder), party, int(modulus))
    print(json.dumps(asyncio.run(_far(*whose, nets[0]) if nets else _near_party(*whose))))
