"""Private functions by half-ElGamal, Katz-Malka and universal circuits, beside the paper's Tables 1 to 3.

Source: Holz, Kiss, Rathee and Schneider, "Linear-complexity private function evaluation is practical"
(ESORICS'20), appendix B. The paper has two machines of 32 cores each, 10 Gbit/s and 1 ms apart, or 100 Mbit/s
and 100 ms; its MB are MiB. Here both parties share one machine, with links that are shaped likewise.
"""

from __future__ import annotations

import os
from pathlib import Path

from tacit.bench.programs import cargo_example
from tacit.bench.published import pfe as published
from tacit.bench.published.tables import Table
from tacit.bench.rows import Bar, Row, Sheet
from tacit.measure.plot import Line, Style, write_plot
from tacit.measure.quartiles import Quartiles

SIZES, PHASES = published.SIZES, published.PHASES


def _elgamal(table: Table) -> dict[str, tuple[float, ...]]:
    """Each phase of the paper's protocol by EC ElGamal."""
    return {phase: table.row(f"EC ElGamal, {phase}") for phase in PHASES}


PAPER_MIB = _elgamal(published.TABLE_1)

PAPER_SECONDS = _elgamal(published.TABLE_2)

PAPER_WAN_SECONDS = _elgamal(published.TABLE_3)

TABLES = {"bytes": published.TABLE_1, "time": published.TABLE_2, "time in WAN": published.TABLE_3}
"""By the quantity, as rows name it."""


def _others(phase: str) -> dict[str, dict[str, tuple[float, ...]]]:
    """A phase of the other protocols in the paper."""
    return {
        quantity: {
            name: table.row(f"{name}, {phase}") for name in published.PROTOCOLS if name != "EC ElGamal"
        }
        for quantity, table in TABLES.items()
    }


OTHERS = _others("total")
"""The total costs of other protocols, as the paper reports them."""

OTHERS_SETUP = _others("setupN")
"""The part of these costs that is setupN, which Figure 5 leaves out."""

SCHEMES = {"EC ElGamal": "EC ElGamal", "DJN, 2048 bits": "DJN", "DJN, 3072 bits": "DJN", "BFV": "BFV"}
"""Schemes of Katz-Malka, and the paper's name of each. The paper's DJN has 3072 bits."""

FOLDER = Path("target/bench")

LARGEST = 10**6

BYTES_A_WIRE = 195
"""The most that half-ElGamal may send for each input or gate of a large function."""


def measure() -> list[Row]:
    """All sizes up to 10^5, or to 10^6 where TACIT_BENCH_MILLION is set.

    Katz-Malka goes as far by EC ElGamal, and up to 10^4 by the other schemes; up to 10^5 where
    TACIT_BENCH_MILLION is set.
    """
    million = bool(os.environ.get("TACIT_BENCH_MILLION"))
    exponent = "6" if million else "5"
    rows = [
        row for bench in ("bench_pfe", "bench_universal") for row in cargo_example("pfe", bench, exponent)
    ]
    rows += cargo_example("pfe", "bench_katz_malka", "5" if million else "4", exponent)
    FOLDER.mkdir(parents=True, exist_ok=True)
    draw({row.name: row.value for row in rows}, FOLDER)
    return rows


def draw(found: dict[str, float], folder: Path) -> None:
    """The paper's Figures 3 to 5 with half-ElGamal in them; the last two have a file for each link."""
    for name, quantity, papers, setup in (
        ("3", "bytes", PAPER_MIB, False),
        ("4_lan", "time", PAPER_SECONDS, False),
        ("4_wan", "time in WAN", PAPER_WAN_SECONDS, False),
        ("5_lan", "time", PAPER_SECONDS, True),
        ("5_wan", "time in WAN", PAPER_WAN_SECONDS, True),
    ):
        title = f"Figure {name[0]}: {quantity}{' without setupN' if setup else ''}"
        style = Style(log_x=True, log_y=True, title=title)
        lines = _lines(found, quantity, papers, without_setup=setup)
        write_plot(lines, "N", folder / f"pfe_figure_{name}.svg", style)


def _lines(
    found: dict[str, float], quantity: str, papers: dict[str, tuple[float, ...]], *, without_setup: bool
) -> list[Line]:
    unit, scale = ("B", 2.0**20) if quantity == "bytes" else ("s", 1.0)

    def line(label: str, points: list[tuple[int, float]]) -> Line:
        return Line(quantity, label, unit, [(size, Quartiles.of([value])) for size, value in points])

    def ours(size: int) -> float:
        setup = found[_row(size, "setupN", quantity)] if without_setup else 0.0
        return found[_row(size, "total", quantity)] - setup

    def theirs(totals: tuple[float, ...], setups: tuple[float, ...]) -> list[tuple[int, float]]:
        left = [total - setup for total, setup in zip(totals, setups, strict=True)]
        return [(size, scale * value) for size, value in zip(SIZES, left, strict=True)]

    none = (0.0,) * len(SIZES)
    sizes = [size for size in SIZES if _row(size, "total", quantity) in found]
    measured = [(size, ours(size)) for size in sizes]
    # It has no phase before inputs are known.
    universal = [] if without_setup else [(size, found[_universal(size, quantity)]) for size in sizes]
    others = [
        line(f"{name}, paper", theirs(totals, OTHERS_SETUP[quantity][name] if without_setup else none))
        for name, totals in OTHERS[quantity].items()
    ]
    elgamal = theirs(papers["total"], papers["setupN"] if without_setup else none)
    return [
        line("half-ElGamal", measured),
        *([line("universal circuit", universal)] if universal else []),
        line("EC ElGamal, paper", elgamal),
        *others,
    ]


def _row(size: int, phase: str, quantity: str) -> str:
    return f"half-ElGamal, N = {size}, {phase}, {quantity}"


def _predicted(protocol: str, size: int, quantity: str) -> str:
    return f"{protocol}, N = {size}, total predicted, {quantity}"


def _re_executable(size: int, quantity: str) -> str:
    return f"re-executable, N = {size}, total, {quantity}"


def _universal(size: int, quantity: str) -> str:
    return f"universal circuit, N = {size}, total, {quantity}"


def _scheme(scheme: str, size: int, quantity: str) -> str:
    return f"Katz-Malka by {scheme}, N = {size}, total, {quantity}"


def _papers(scheme: str, quantity: str) -> tuple[float, ...]:
    """The total costs of a scheme of Katz-Malka in the paper's Table 1, 2 or 3."""
    if SCHEMES[scheme] == "EC ElGamal":
        tables = {"bytes": PAPER_MIB, "time": PAPER_SECONDS, "time in WAN": PAPER_WAN_SECONDS}
        return tables[quantity]["total"]
    return OTHERS[quantity][SCHEMES[scheme]]


BARS = [
    Bar(_row(10**5, "total", "bytes"), most=BYTES_A_WIRE * 10**5),
    Bar(_row(LARGEST, "total", "bytes"), most=BYTES_A_WIRE * LARGEST, optional=True),
    Bar(_row(LARGEST, "total", "time"), most=100.0, optional=True),
    Bar(_row(LARGEST, "onlinex", "time"), most=6.3, optional=True),
    Bar(_row(LARGEST, "onlinex", "time"), most=2.5, needs="avx512f avx512ifma", optional=True),
    Bar(_row(LARGEST, "both parties", "memory"), most=1e9, optional=True),
    Bar(_universal(LARGEST, "bytes"), most=1.1e9, optional=True),
    Bar(_universal(LARGEST, "time"), most=40.0, optional=True),
    *(
        Bar(_scheme(scheme, size, "bytes"), most=mebibytes * 2.0**20, optional=size > 10**4)
        for scheme in SCHEMES
        for size, mebibytes in zip(SIZES, _papers(scheme, "bytes"), strict=True)
        if size <= 10**4 or scheme == "EC ElGamal"
    ),
]
"""If a row has two bars, the later one applies if the processor has the instructions for it."""


def sheets(rows: list[Row]) -> list[Sheet]:
    """The three tables, ours beside the paper's protocols, then Katz-Malka by scheme."""
    found = {row.name: row.value for row in rows}
    return [
        _sheet("Bytes of private functions, MiB (Table 1)", "bytes", PAPER_MIB, found, 2.0**20),
        _sheet("Seconds of private functions, LAN (Table 2)", "time", PAPER_SECONDS, found, 1.0),
        _sheet("Seconds of private functions, WAN (Table 3)", "time in WAN", PAPER_WAN_SECONDS, found, 1.0),
        _katz_malka("Bytes of Katz-Malka in all, MiB (Table 1)", "bytes", found, 2.0**20),
        _katz_malka("Seconds of Katz-Malka in all, LAN (Table 2)", "time", found, 1.0),
        _katz_malka("Seconds of Katz-Malka in all, WAN (Table 3)", "time in WAN", found, 1.0),
        _predictions(found),
    ]


def _predictions(found: dict[str, float]) -> Sheet:
    """Measured seconds beside those that were predicted, in LAN."""
    sizes = [size for size in SIZES if _row(size, "total", "time") in found]
    protocols = ["half-ElGamal", *(f"Katz-Malka by {scheme}" for scheme in SCHEMES)]

    def cell(protocol: str, size: int) -> str:
        measured = found.get(f"{protocol}, N = {size}, total, time")
        predicted = found.get(_predicted(protocol, size, "time"))
        return "" if measured is None or predicted is None else f"{measured:.3f} | {predicted:.3f}"

    lines = [[protocol, *(cell(protocol, size) for size in sizes)] for protocol in protocols]
    shown = [line for line in lines if any(line[1:])]
    header = ["measured | predicted", *(f"N = {size}" for size in sizes)]
    return Sheet("Seconds of private functions, LAN", header, shown)


def _katz_malka(title: str, quantity: str, found: dict[str, float], unit: float) -> Sheet:
    """Ours beside the paper's, for each scheme and every size that was measured by some."""
    sizes = [size for size in SIZES if _scheme("EC ElGamal", size, quantity) in found]

    def cell(scheme: str, size: int) -> str:
        ours = found.get(_scheme(scheme, size, quantity))
        shown = "" if ours is None else f"{ours / unit:.3f} "
        return f"{shown}| {_papers(scheme, quantity)[SIZES.index(size)]:g}"

    lines = [[scheme, *(cell(scheme, size) for size in sizes)] for scheme in SCHEMES]
    return Sheet(title, ["ours | the paper's", *(f"N = {size}" for size in sizes)], lines)


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
    baseline = ["total of the re-executable protocol"]
    baseline += [_shown(found.get(_re_executable(size, quantity)), unit) for size in sizes]
    universal = ["universal circuit, without its construction"]
    universal += [f"{found[_universal(size, quantity)] / unit:.3f}" for size in sizes]
    header = ["ours | the paper's EC ElGamal", *(f"N = {size}" for size in sizes)]
    return Sheet(title, header, [*lines, baseline, universal, *others])


def _shown(value: float | None, unit: float) -> str:
    return "" if value is None else f"{value / unit:.3f}"
