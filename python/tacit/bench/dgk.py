"""Comparison with offline clients by DGK's and Fischlin's protocols, beside the paper's Table 2.1.

Source: Geisler, "Cryptographic protocols: theory and implementation", 2010, section 2.5.3. Its times are of
Java on Xeons of 3 GHz over a LAN, everything included; here both servers are in one process on all cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tacit.bench.he import VECTORS
from tacit.bench.programs import cargo_example
from tacit.bench.published import dgk as published
from tacit.bench.rows import Bar, Row, Sheet
from tacit.measure.plot import Line, Style, write_plot
from tacit.measure.quartiles import Quartiles

PAPER_MS = {int(size): published.TABLE_2_1.row(size) for size in published.TABLE_2_1.rows}
"""Table 2.1: by key size, the time of DGK16, F16, DGK32 and F32."""

COLUMNS = published.COLUMNS

FIGURE = Path("target/bench/compare_figure_2_3.svg")


def measure() -> list[Row]:
    """The rows, and the figure as a file."""
    rows = cargo_example("compare", "bench_compare")
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    style = Style(log_y=True, title="Figure 2.3: one comparison")
    write_plot(_lines(rows), "k", FIGURE, style)
    return rows


def sheets(rows: Sequence[Row]) -> list[Sheet]:
    """Table 2.1, each time as `ours | paper's`, and what of DGK's is online."""
    headings = ["k", *(f"{column}, ms" for column in COLUMNS), "DGK16 online, ms", "DGK32 online, ms"]
    sizes = [*PAPER_MS, 3072]
    lines = [_line(rows, size) for size in sizes]
    return [Sheet("Table 2.1: one comparison, ours | the paper's", headings, lines)]


def _line(rows: Sequence[Row], size: int) -> list[str]:
    papers = PAPER_MS.get(size, (None,) * len(COLUMNS))
    both = [
        f"{_ms(rows, column, size, 'both')} | {'-' if paper is None else paper}"
        for column, paper in zip(COLUMNS, papers, strict=True)
    ]
    return [str(size), *both, *(_ms(rows, column, size, "online") for column in ("DGK16", "DGK32"))]


def _ms(rows: Sequence[Row], column: str, size: int, phase: str) -> str:
    seconds = _seconds(rows, column, size, phase)
    return "-" if seconds is None else f"{seconds * 1e3:.2f}"


def row_of(rows: Sequence[Row], column: str, size: int, phase: str) -> str | None:
    """The name of a row, which also says the other parameters."""
    start, end = f"{column}, k = {size},", f", {phase}"
    return next((row.name for row in rows if row.name.startswith(start) and row.name.endswith(end)), None)


def _seconds(rows: Sequence[Row], column: str, size: int, phase: str) -> float | None:
    name = row_of(rows, column, size, phase)
    return next((row.value for row in rows if row.name == name), None)


def _lines(rows: Sequence[Row]) -> list[Line]:
    lines: list[Line] = []
    for place, column in enumerate(COLUMNS):
        ours = [(size, _seconds(rows, column, size, "both")) for size in PAPER_MS]
        points = [(size, Quartiles.of([seconds])) for size, seconds in ours if seconds is not None]
        papers = [(size, Quartiles.of([times[place] / 1e3])) for size, times in PAPER_MS.items()]
        lines.append(Line("time", f"{column}, Tacit", "s", list(points)))
        lines.append(Line("time", f"{column}, the paper", "s", list(papers)))
    return lines


ONE = {
    "DGK16, k = 1024, t = 160, insecure size": (6, 2, 1),
    "DGK16, k = 2048, t = 224": (20, 3.5, 2),
    "DGK32, k = 2048, t = 224": (40, 6, 4),
    "DGK32, k = 3072, t = 256": (80, 14, 8),
}
"""Milliseconds of one comparison: in all, and online without and with vectors."""

BATCH = "1000 bids of 16 bits, k = 2048"

BARS = [
    *(Bar(f"{name}, both", most=both / 1e3) for name, (both, _, _) in ONE.items()),
    *(Bar(f"{name}, online", most=portable / 1e3) for name, (_, portable, _) in ONE.items()),
    *(Bar(f"{name}, online", most=vectors / 1e3, needs=VECTORS) for name, (_, _, vectors) in ONE.items()),
    Bar(f"{BATCH}, preparing, core-seconds", most=5),
    Bar(f"{BATCH}, online", most=3.5),
    Bar(f"{BATCH}, online", most=1.5, needs=VECTORS),
]
