"""A private function by half-ElGamal, beside Tables 1 and 2 of the paper.

Source: Holz, Kiss, Rathee and Schneider, "Linear-complexity private function evaluation is practical"
(ESORICS'20), appendix B, the rows of EC ElGamal. The paper has two machines of 32 cores each, 10 Gbit/s and
1 ms apart; its MB are MiB. Here both parties share one machine, with memory between them.
"""

from __future__ import annotations

import os

from tacit.bench.programs import cargo_example
from tacit.bench.rows import Bar, Row, Sheet

SIZES = tuple(10**exponent for exponent in range(2, 7))

PHASES = ("setupN", "setupf", "onlinex", "total")

PAPER_MIB: dict[str, tuple[float, ...]] = {
    "setupN": (0.01, 0.07, 0.64, 6.30, 62.95),
    "setupf": (0.03, 0.28, 2.71, 27.08, 270.84),
    "onlinex": (3e-3, 3e-3, 3e-3, 3e-3, 3e-3),
    "total": (0.05, 0.35, 3.35, 33.39, 333.80),
}
"""Table 1."""

PAPER_SECONDS: dict[str, tuple[float, ...]] = {
    "setupN": (0.008, 0.024, 0.112, 0.928, 9.185),
    "setupf": (0.006, 0.036, 0.167, 1.012, 8.942),
    "onlinex": (0.004, 0.015, 0.082, 0.645, 6.266),
    "total": (0.021, 0.077, 0.363, 2.592, 24.412),
}
"""Table 2."""

LARGEST = 10**6

BYTES_A_WIRE = 195
"""The most that half-ElGamal may send for each input or gate of a large function."""


def measure() -> list[Row]:
    """All sizes up to 10^5, or to 10^6 where TACIT_BENCH_MILLION is set."""
    return cargo_example("pfe", "bench_pfe", "6" if os.environ.get("TACIT_BENCH_MILLION") else "5")


def _row(size: int, phase: str, quantity: str) -> str:
    return f"half-ElGamal, N = {size}, {phase}, {quantity}"


BARS = [
    Bar(_row(10**5, "total", "bytes"), most=BYTES_A_WIRE * 10**5),
    Bar(_row(LARGEST, "total", "bytes"), most=BYTES_A_WIRE * LARGEST, optional=True),
    Bar(_row(LARGEST, "total", "time"), most=100.0, optional=True),
    Bar(_row(LARGEST, "onlinex", "time"), most=6.3, optional=True),
]


def sheets(rows: list[Row]) -> list[Sheet]:
    """Both tables, each figure as `ours | paper's`."""
    found = {row.name: row.value for row in rows}
    return [
        _sheet("Bytes of private functions, MiB (Table 1)", "bytes", PAPER_MIB, found, 2.0**20),
        _sheet("Seconds of private functions, LAN (Table 2)", "time", PAPER_SECONDS, found, 1.0),
    ]


def _sheet(
    title: str, quantity: str, paper: dict[str, tuple[float, ...]], found: dict[str, float], unit: float
) -> Sheet:
    sizes = [size for size in SIZES if _row(size, "total", quantity) in found]
    lines = [
        [phase]
        + [
            f"{found[_row(size, phase, quantity)] / unit:.3f} | {paper[phase][SIZES.index(size)]:g}"
            for size in sizes
        ]
        for phase in PHASES
    ]
    return Sheet(title, ["phase", *(f"N = {size}" for size in sizes)], lines)
