"""TASTY's tables and figures. Both parties are threads of one process, without a shaped link."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from tacit import tastyl
from tacit.bench import tasty, tasty_circuits
from tacit.bench.papers.rows import Found, Ours, Paper, Step, skipped
from tacit.bench.published import tasty as published
from tacit.bench.published.tables import Cell, Table
from tacit.bench.rows import Row

LEVEL = tasty.LEVELS[tasty.PAPER]
SHORT = {"insecure_bench": "short"}
QUICK_POWERS = (10, 15)
PARTIES = {"C": "client", "S": "server"}
OTHERS = {
    "[15]": "Erkin et al.",
    "[50]": "Sadeghi et al.",
    "[37]": "Fairplay",
    "[48]": "Pinkas et al.",
}

HORNER = "set intersection {0} x {0}"
PIXELS = "face recognition, {0} faces, pixel by pixel"
MULTIPLICATION = "multiplication by {0}"
APPENDIX = "appendix, {0} bits"


def steps(quick: bool) -> Iterator[Step]:
    """What is measured. In quick mode, 1000 elements go into bins and faces are projected by lattices."""
    for size in (10, 100) if quick else (10, 100, 1000):
        yield Step(f"sets of {size} elements", partial(tasty.intersection, size, LEVEL, HORNER.format(size)))
    if quick:
        yield Step("sets of 1000 elements in bins", partial(tasty.bins, 1000, LEVEL, tasty.BINS))
    for count in (320, 1000):
        yield Step(f"{count} faces", partial(_faces, count, quick))
    lengths = sorted({*tasty.TABLE_5, *published.PLOTTED_FACTORS})
    yield Step("multiplication circuits", partial(tasty.products, lengths))
    yield Step("four multiplications", _multiplications)
    yield Step("AES by a circuit", partial(_in_folder, tasty_circuits.aes))
    powers = QUICK_POWERS if quick else tuple(tasty_circuits.TABLE_7)
    yield Step("large circuits", partial(_in_folder, partial(tasty_circuits.large, powers=powers)))
    yield Step("the appendix's multiplication", _appendix)


def _faces(count: int, quick: bool) -> list[Row]:
    if quick:
        return tasty.faces_by_sums(count, tasty.SUMS.format(count))
    return tasty.faces_by_pixels(count, LEVEL, PIXELS.format(count))


def _in_folder(measure: Callable[[Path], Iterable[Row]]) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return list(measure(Path(folder)))


def _multiplications() -> list[Row]:
    protocol = tastyl.load(tasty.PROGRAMS / "four_multiplications.py")
    rows: list[Row] = []
    for way in published.WAYS:
        for bits in published.MULTIPLIED_BITS:
            (a, b), (c, d) = ((1 << bits) - 1, (1 << bits) - 2), ((1 << bits) - 3, (1 << bits) - 4)
            result = a * d if way.endswith("1") else (a + c) * (b + d)
            given = {"client": {"x": a, "y": b}, "server": {"x": c, "y": d}, "way": way, "l": bits, **SHORT}
            name = MULTIPLICATION.format(f"{way}, {bits} bits")
            rows += tasty.phases_of(protocol, name, given, {"r": result})
    return rows


def _appendix() -> list[Row]:
    protocol = tastyl.load(tasty.PROGRAMS / "multiplication.py")
    rows: list[Row] = []
    for bits in published.MULTIPLIED_BY_APPENDIX:
        if 2 * bits <= MOST_BITS:
            x, y = (1 << bits) - 1, (1 << bits) - 2
            given = {"client": {"x": x}, "server": {"y": y}, "l": bits, **SHORT}
            rows += tasty.phases_of(protocol, APPENDIX.format(bits), given, {"r": x * y})
    return rows


MOST_BITS = 128
"""The largest width of a word under encryption."""


def ours(table: Table, cell: Cell, found: Found) -> Ours:
    """Our number for a cell."""
    for source, system in OTHERS.items():
        if source in cell.row or source in cell.column:
            return skipped(f"this is the number of another system ({system})")
    return MEASURED[table.name](cell, found)


def _intersection(cell: Cell, found: Found) -> Ours:
    name, note = HORNER.format(cell.row), ""
    if f"{name}, setup" not in found and f"{tasty.BINS}, setup" in found and cell.row == "1000":
        name, note = tasty.BINS, "elements in bins, a polynomial for each; by Horner's rule without --quick"
    if cell.column == "total sent":
        sent = (f"{name}, {phase}, bytes of both parties" for phase in ("setup", "online"))
        return found.measured(*sent, note=note)
    party, phase = cell.column.split()
    return found.measured(f"{name}, {phase}, {PARTIES[party]}", note=note)


def _faces_of(cell: Cell, found: Found) -> Ours:
    faces = cell.row.split(", ")[1]
    name, note = PIXELS.format(faces), ""
    if f"{name}, setup" not in found:
        name, note = tasty.SUMS.format(faces), "projection by lattices; pixel by pixel without --quick"
    phase = cell.column.removesuffix(" bytes")
    what = ", bytes of both parties" if cell.unit == "B" else ""
    return found.measured(f"{name}, {phase}{what}", note=note)


def _product(cell: Cell, found: Found) -> Ours:
    ands = found.measured(f"ANDs of a product, {cell.row} bits")
    if cell.column != "improvement" or ands.value is None:
        return ands
    textbook = published.textbook(int(cell.row))
    saved = 100 * (1 - ands.value / textbook)
    return Ours(saved, ands.state, "of our circuit over the textbook's formula", comparable=False)


def _multiplied(cell: Cell, found: Found) -> Ours:
    name = MULTIPLICATION.format(cell.row)
    if cell.unit == "B":
        return found.measured(f"{name}, {cell.column}, bytes of both parties")
    return found.measured(f"{name}, {cell.column}", note="of the slower party")


def _aes(cell: Cell, found: Found) -> Ours:
    name = f"AES-128 by a circuit, {cell.row.split(', ')[1]}"
    phases = [cell.column] if cell.column in ("setup", "online") else ["setup", "online"]
    what = ", bytes of both parties" if cell.unit == "B" else ""
    return found.measured(*(f"{name}, {phase}{what}" for phase in phases))


def _large(cell: Cell, found: Found) -> Ours:
    power, phase = int(cell.row), cell.column.removesuffix(" bytes")
    if power not in tasty_circuits.TABLE_7:
        return skipped("the paper has no number to compare with")
    what = ", bytes of both parties" if cell.unit == "B" else ""

    def row(power: int) -> str:
        return f"circuit of 2^{power} gates, {phase}{what}"

    small = QUICK_POWERS[-1]
    if row(power) in found or power < small:
        return found.measured(row(power))
    if cell.column == "online bytes":
        note = f"of 2^{small} gates; the same for all sizes, so not scaled"
        return found.shrunk(row(small), note=note)
    note = f"of 2^{small} gates, times 2^{power - small}"
    return found.shrunk(row(small), factor=2.0 ** (power - small), note=note)


def _in_appendix(cell: Cell, found: Found) -> Ours:
    bits = int(cell.row)
    if 2 * bits > MOST_BITS:
        return skipped(f"a product of {2 * bits} bits exceeds the {MOST_BITS} bits of words under encryption")
    return found.measured(f"{APPENDIX.format(bits)}, online, {PARTIES[cell.column[0]]}")


MEASURED: dict[str, Callable[[Cell, Found], Ours]] = {
    "Table 2": _intersection,
    "Table 3": _faces_of,
    "Figure 3": _faces_of,
    "Figure 4": _faces_of,
    "Table 5": _product,
    "Figure 8": _product,
    "Figure 9": _multiplied,
    "Figure 10": _multiplied,
    "Table 6": _aes,
    "Table 7": _large,
    "Figure 13": _in_appendix,
}


def promised(table: Table, cell: Cell) -> bool:
    """Products have at most as many gates as by Karatsuba's method."""
    return table.name == "Table 5" and cell.column == "Karatsuba"


TASTY = Paper(published.PAPER, published.TABLES, steps, ours, promised)
