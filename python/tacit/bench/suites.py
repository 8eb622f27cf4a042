"""The measurements of each bench, and its bars."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tacit.bench import (
    aby_tables,
    circuits,
    comparisons,
    compiled_parties,
    dgk,
    fidelity,
    he,
    many_parties,
    parties,
    party_applications,
    pfe,
    plans,
    tasty,
    triples,
    viff,
)
from tacit.bench.programs import (
    BenchError,
    build_example,
    cargo_example,
    instruction_count,
    openssl_aes,
    rows_of,
)
from tacit.bench.rows import Bar, Row, Sheet

OPENSSL = "openssl_aes_128_ecb"

REFERENCE = 405e6
"""The blocks per second of OpenSSL where the bars were set; they scale with this machine's."""

PORTABLE_UNITS = 64
"""Units of work in a call of the example `portable_kernels`."""

STREAMED_ANDS = 100_000_000

PREPARED_RUNS = 2000


@dataclass(frozen=True)
class Suite:
    """One bench."""

    measure: Callable[[], list[Row]]
    bars: list[Bar]
    sheets: Callable[[list[Row]], list[Sheet]] = lambda _rows: []
    """Tables to print after the rows."""


def _kernels() -> list[Row]:
    return openssl_aes() + cargo_example("crypto", "bench_kernels") + _portable_instructions()


def _portable_instructions() -> list[Row]:
    """Instructions of each portable kernel for a unit of work: the difference of two numbers of calls."""
    program = build_example("crypto", "portable_kernels")
    rows: list[Row] = []
    for kernel, unit in (("aes", "block"), ("mitccrh", "key"), ("garble", "AND"), ("evaluate", "AND")):
        few, many = (instruction_count(program, kernel, str(calls)) for calls in (10, 30))
        if few is not None and many is not None:
            count = (many - few) / (20 * PORTABLE_UNITS)
            rows.append(Row(f"instructions, {kernel}, portable", count, f"each {unit}"))
    return rows


def _yao() -> list[Row]:
    return openssl_aes() + cargo_example("net", "loopback") + cargo_example("twoparty", "bench_yao")


def _ot() -> list[Row]:
    return openssl_aes() + cargo_example("net", "loopback") + cargo_example("ot", "bench_ot")


def _aby() -> list[Row]:
    rows = openssl_aes() + cargo_example("net", "loopback") + cargo_example("twoparty", "bench_shares")
    return rows + rows_of([sys.executable, "-m", "tacit.bench.aby"])


def _spine() -> list[Row]:
    return _comparison() + _demo() + cargo_example("engine", "stream", str(STREAMED_ANDS), "tcp")


def _comparison() -> list[Row]:
    """A 32-bit comparison end to end, connection and TLS included, and the command around it."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        inputs = [f"--input={role}=examples/millionaires_{role.lower()}.json" for role in "AB"]
        seconds = _run(
            "-m", "tacit", "run", "examples/millionaires.c", "--local", *inputs, f"--report={report}"
        )
        reports = json.loads(report.read_text("utf-8")).values()
    spent = max(sum(phase["seconds"] for phase in report["phases"]) for report in reports)
    return [
        Row("comparison of 32 bits, both parties", spent, "s"),
        Row("tacit run --local of it, compiling and starting included", seconds, "s"),
    ]


def _language() -> list[Row]:
    rows = rows_of([sys.executable, "-m", "tacit.bench.language"])
    return rows + cargo_example("engine", "prepared", str(PREPARED_RUNS), "tls")


def _he() -> list[Row]:
    """The schemes, then triples by them: by lattices beside transfers, by Paillier and by DGK."""
    return he.measure() + cargo_example("twoparty", "bench_shares", "lattices") + triples.measure()


def _compare() -> list[Row]:
    return dgk.measure() + comparisons.measure()


def _nparty() -> list[Row]:
    near = parties.measure() + many_parties.measure() + compiled_parties.measure()
    return near + party_applications.measure() + viff.measure()


def _auction() -> list[Row]:
    return cargo_example("auction", "bench_auction")


def _demo() -> list[Row]:
    return [Row("demo", _run("examples/demo.py"), "s")]


def _run(*arguments: str) -> float:
    """The time that a Python program takes."""
    start = time.monotonic()
    finished = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    if finished.returncode:
        raise BenchError(f"{' '.join(arguments)} failed:\n{finished.stderr}")
    return time.monotonic() - start


L1 = "l1, 8 gates x 1 lane"

NETLIST = "64 KiB, 4 xors an and, 32 gates x 16 lanes"
"""A netlist with the size and the XORs of AES-128 over 16 lanes."""

KERNEL_BARS = [
    Bar(f"garble, {L1}, vaes-512", least=0.17, times=OPENSSL, needs="avx512f vaes"),
    Bar(f"evaluate, {L1}, vaes-512", least=0.20, times=OPENSSL, needs="avx512f vaes"),
    Bar(f"garble, {L1}, aes-ni", least=0.06, times=OPENSSL, needs="aes sse2"),
    Bar(f"evaluate, {L1}, aes-ni", least=0.08, times=OPENSSL, needs="aes sse2"),
    Bar(f"garble, {NETLIST}, best", least=0.075, times=OPENSSL, needs="aes"),
    Bar(f"evaluate, {NETLIST}, best", least=0.08, times=OPENSSL, needs="aes"),
    # Counted once on x86-64, with room for another compiler.
    *(
        Bar(f"instructions, {kernel}, portable", most=1.15 * count, needs="sse2", optional=True)
        for kernel, count in {"aes": 1311, "mitccrh": 3251, "garble": 9111, "evaluate": 6600}.items()
    ),
]

AUCTION_BARS = [Bar("bids accepted durably at both, 1000 bidders at once", least=200)]

YAO_BARS = [
    Bar("AES-128 x 16 lanes, tcp", least=22e6 / REFERENCE, times=OPENSSL),
    Bar("AES-128 x 16 lanes, tls", least=18e6 / REFERENCE, times=OPENSSL),
    Bar("flat chain of AES-128, tcp", least=14.5e6 / REFERENCE, times=OPENSSL),
    Bar("traffic of AES-128 x 16 lanes, three halves, 100 Mbit/s", most=24.7),
]

OT_BARS = [
    Bar("correlated OT, k = 4", least=45e6 / REFERENCE, times=OPENSSL),
    Bar("random OT, k = 4", least=30e6 / REFERENCE, times=OPENSSL),
    Bar("traffic of correlated OT, k = 4", most=31.5),
    Bar("traffic of random OT, k = 4", most=31.5),
    Bar("128 base OTs", most=0.020),
    Bar("correlated silent OT, large", least=40e6),
    Bar("10 000 000 correlated silent OTs from the start", most=0.6),
    Bar("traffic of 10 000 000 correlated silent OTs from the start", most=0.4),
]


def _phases(name: str, setup_ms: float, online_ms: float) -> list[Bar]:
    """Bars of both phases."""
    return [Bar(f"{name}, setup", most=setup_ms / 1e3), Bar(f"{name}, online", most=online_ms / 1e3)]


LATTICE_BARS = [
    bar
    for factor, ms, most in (("a vector", 40, 1.5e6), ("a batch of 16", 300, 6e6))
    for name in (f"triple of 128 x 784 by {factor}, 32 bits",)
    for bar in (
        Bar(f"{name}, by lattices", most=ms / 1e3),
        Bar(f"{name}, by lattices, bytes of both parties", most=most),
        Bar(f"{name}, keys once a session, bytes of both parties", most=0.31e6),
    )
]
"""Rows of matrix triples, which two benches print."""

ABY_BARS = [
    *LATTICE_BARS,
    Bar("A MUL x1000, setup", most=8e-3),
    Bar("A MUL x1000, online", most=1e-3),
    Bar("A MUL x1000, setup, an operation", most=400),
    Bar("A MUL x1000, online, an operation", most=16),
    Bar("A MUL x100000, setup", most=0.3),
    Bar("A MUL x100000, online", most=20e-3),
    Bar("B AND x1000, setup", most=4e-3),
    Bar("B AND x1000, online", most=0.5e-3),
    Bar("run of B AND x1000, silent, setup bytes", most=40_000),
    Bar("run of A MUL x1000, silent, setup bytes", most=160_000),
    Bar("run of B MUL x1000, silent, setup and online bytes", most=1_200_000),
    Bar("B AND x1000, online, an operation", most=16),
    Bar("B MUL x1000, setup", most=90e-3),
    Bar("B MUL x1000, online", most=8e-3),
    *(bar for name in ("A2Y", "B2Y", "B2A") for bar in _phases(f"{name} x1000", 4, 3)),
    Bar("AES-128 x100, B, setup", most=60e-3),
    Bar("AES-128 x100, B, online", most=5e-3),
    *(
        Bar(f"{name} x100000, setup and online", least=200_000)
        for name in ("A LT", "A LT, difference within range", "A EQ")
    ),
    Bar("run of A CMP x100000, setup and online", most=0.5),
    Bar("Y LT x100000", least=500_000),
    Bar("run of Y MUL x1000, setup and online bytes", most=32e6),
    *_phases("run of AES-128 x100, Y", 40, 25),
    *_phases("run of Y MUL x1000", 60, 40),
    *(bar for name in ("A2Y", "B2Y") for bar in _phases(f"run of {name} x1000", 4, 3)),
    *_phases("biometric 512x4, unpinned", 25, 12),
    *_phases("biometric 512x4, Y-only", 90, 60),
    *_phases("PSI 4096 x 32 bit, hashed, B", 500, 300),
    Bar("PSI 4096 x 32 bit, hashed, B, silent, setup and online bytes", most=20e6),
]

SPINE_BARS = [
    Bar("comparison of 32 bits, both parties", most=0.5),
    Bar("demo", most=20),
    *(
        bar
        for shape in ("iterate", "map")
        for bar in (
            Bar(f"bytes an AND, {shape}", most=32 * 1.01),
            Bar(f"peak memory of the garbler, {shape}", most=300e6),
            Bar(f"peak memory of the evaluator, {shape}", most=300e6),
        )
    ),
]

FIDELITY_BARS = [
    Bar("torture programs that agree, with secret inputs", least=900),
    Bar("torture programs that differ", most=0),
    Bar("csmith programs that agree, with secret inputs", least=1000),
    Bar("csmith programs that differ", most=0),
    Bar("torture programs that agree between two parties", least=fidelity.TWO_PARTIES),
]

NPARTY_BARS = [
    *parties.BARS,
    *many_parties.BARS,
    *compiled_parties.BARS,
    *party_applications.BARS,
    *viff.BARS,
]

LANGUAGE_BARS = [
    Bar("tracing 10^6 scalar operations", most=1.5),
    Bar("tracing and planning closest, n = 100000", most=1.0),
    Bar("planning a network of 784, 128 and 10, auto", most=0.5),
    Bar("one picture through that network, arith, loopback", most=0.4),
    Bar("one picture through that network, arith, 100 Mbit/s and 20 ms", most=1.5),
    Bar("import to answer of a comparison", most=1.0),
    Bar("prepared comparisons in an open session, tls", least=400),
]


SUITES: dict[str, Suite] = {
    "kernels": Suite(_kernels, KERNEL_BARS),
    "yao": Suite(_yao, YAO_BARS),
    "ot": Suite(_ot, OT_BARS),
    "aby": Suite(_aby, ABY_BARS, aby_tables.sheets),
    "spine": Suite(_spine, SPINE_BARS),
    "circuits": Suite(circuits.measure, circuits.BARS),
    "fidelity": Suite(fidelity.measure, FIDELITY_BARS),
    "language": Suite(_language, LANGUAGE_BARS),
    "he": Suite(_he, [*he.BARS, *LATTICE_BARS, *triples.BARS], triples.sheets),
    "compare": Suite(_compare, dgk.BARS, lambda rows: dgk.sheets(rows) + comparisons.sheets(rows)),
    "auction": Suite(_auction, AUCTION_BARS),
    "plan": Suite(plans.measure, plans.BARS, plans.sheets),
    "tasty": Suite(tasty.measure, tasty.BARS, tasty.sheets),
    "pfe": Suite(pfe.measure, pfe.BARS, pfe.sheets),
    "nparty": Suite(_nparty, NPARTY_BARS),
}
