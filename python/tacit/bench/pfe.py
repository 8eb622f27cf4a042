"""A private function by half-ElGamal, beside Tables 1, 2 and 3 of the paper.

Source: Holz, Kiss, Rathee and Schneider, "Linear-complexity private function evaluation is practical"
(ESORICS'20), appendix B. The paper has two machines of 32 cores each, 10 Gbit/s and 1 ms apart, or 100 Mbit/s
and 100 ms; its MB are MiB. Here both parties share one machine, with links that are shaped likewise.
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

PAPER_WAN_SECONDS: dict[str, tuple[float, ...]] = {
    "setupN": (0.025, 0.114, 0.471, 1.634, 10.929),
    "setupf": (0.207, 0.514, 1.641, 4.522, 33.642),
    "onlinex": (0.215, 0.228, 0.297, 0.881, 6.546),
    "total": (0.554, 0.967, 2.518, 7.149, 51.241),
}
"""Table 3."""

OTHERS: dict[str, dict[str, tuple[float, ...]]] = {
    "bytes": {
        "UC [Alh+20]": (0.09, 1.51, 21.79, 287.51, 3562.21),
        "UC [Liu+20]": (0.06, 1.01, 14.53, 191.67, 2374.81),
        "DJN": (0.34, 2.39, 22.89, 228.08, 2280.29),
        "BFV": (1.22, 6.91, 64.02, 635.55, 6351.88),
    },
    "time": {
        "UC [Alh+20]": (0.010, 0.066, 0.501, 6.358, 79.681),
        "UC [Liu+20]": (0.007, 0.044, 0.334, 4.239, 53.121),
        "DJN": (1.101, 4.092, 33.100, 317.506, 3169.486),
        "BFV": (0.126, 0.338, 1.445, 11.404, 110.139),
    },
    "time in WAN": {
        "UC [Alh+20]": (0.412, 0.746, 2.803, 29.683, 360.276),
        "UC [Liu+20]": (0.275, 0.498, 1.869, 19.789, 240.184),
        "DJN": (2.165, 5.511, 35.404, 332.895, 3302.949),
        "BFV": (1.259, 2.309, 8.774, 68.758, 664.105),
    },
}
"""What other protocols take in all, by the paper."""

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
    """The three tables: ours beside the paper's EC ElGamal, then its other protocols in all."""
    found = {row.name: row.value for row in rows}
    return [
        _sheet("Bytes of private functions, MiB (Table 1)", "bytes", PAPER_MIB, found, 2.0**20),
        _sheet("Seconds of private functions, LAN (Table 2)", "time", PAPER_SECONDS, found, 1.0),
        _sheet("Seconds of private functions, WAN (Table 3)", "time in WAN", PAPER_WAN_SECONDS, found, 1.0),
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
    others = [
        [f"total of {name}"] + [f"| {values[SIZES.index(size)]:g}" for size in sizes]
        for name, values in OTHERS[quantity].items()
    ]
    header = ["ours | the paper's EC ElGamal", *(f"N = {size}" for size in sizes)]
    return Sheet(title, header, lines + others)
