"""Private functions: Katz-Malka's protocol, universal circuits, and half-ElGamal, which is Tacit's own.

Both parties share one process and this machine's cores; links are shaped as the paper's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from tacit.bench.papers.rows import Found, Ours, Paper, Step, skipped
from tacit.bench.programs import cargo_example
from tacit.bench.published import pfe as published
from tacit.bench.published.tables import Cell, Table

OWN = "half-ElGamal"

SCHEMES = {"EC ElGamal": "EC ElGamal", "DJN": "DJN, 3072 bits", "BFV": "BFV"}
"""By the paper's name of a scheme, what rows of Katz-Malka call it."""

QUANTITIES = {"Table 1": "bytes", "Table 2": "time", "Table 3": "time in WAN", "Figure 3": "bytes"}
LINKS = {"LAN": "time", "WAN": "time in WAN"}

MEBI = 2.0**20

LINEAR = 5
"""The least factor between the costs of ten times as many gates for which a number is scaled."""


def _with_own(table: Table) -> Table:
    """A table with rows for half-ElGamal, beside the paper's EC ElGamal."""
    own = {
        name.replace("EC ElGamal", OWN): values
        for name, values in table.rows.items()
        if name.startswith("EC ElGamal")
    }
    return replace(table, rows={**table.rows, **own}, notes={OWN: "the paper's EC ElGamal", **table.notes})


def steps(quick: bool) -> Iterator[Step]:
    """Functions of up to 10^6, by DJN and BFV up to 10^5; in quick mode of fewer inputs and gates."""
    own, schemes, elgamal = ("5", "3", "5") if quick else ("6", "5", "6")
    yield Step(OWN, partial(cargo_example, "pfe", "bench_pfe", own))
    yield Step("universal circuits", partial(cargo_example, "pfe", "bench_universal", own))
    yield Step("Katz-Malka", partial(cargo_example, "pfe", "bench_katz_malka", schemes, elgamal))


def ours(table: Table, cell: Cell, found: Found) -> Ours:
    """Our number for a cell."""
    protocol, *rest = cell.row.split(", ")
    if table.name == "Figure 5":
        return _less_setup(protocol, LINKS[rest[0]], int(cell.column), found)
    if table.name == "Figure 4":
        return _phase(protocol, "total", LINKS[rest[0]], int(cell.column), found)
    phase = rest[0] if rest else "total"
    return _phase(protocol, phase, QUANTITIES[table.name], int(cell.column), found)


def _phase(protocol: str, phase: str, quantity: str, size: int, found: Found) -> Ours:
    if protocol.startswith("UC"):
        if phase != "total":
            return skipped(
                "our universal circuits have no phase before inputs are known; the total has a row"
            )
        return _sized("universal circuit", (phase,), quantity, size, found)
    return _sized(_name(protocol), (phase,), quantity, size, found)


def _less_setup(protocol: str, quantity: str, size: int, found: Found) -> Ours:
    if protocol.startswith("UC"):
        return skipped("our universal circuits have no phase before inputs are known")
    return _sized(_name(protocol), ("setupf", "onlinex"), quantity, size, found)


def _name(protocol: str) -> str:
    return OWN if protocol == OWN else f"Katz-Malka by {SCHEMES[protocol]}"


def _sized(name: str, phases: tuple[str, ...], quantity: str, size: int, found: Found) -> Ours:
    """The phases for a function of this size, or for the largest below it, scaled unless it is a constant."""

    def rows(size: int) -> list[str]:
        return [f"{name}, N = {size}, {phase}, {quantity}" for phase in phases]

    factor = 1 / MEBI if quantity == "bytes" else 1.0
    note = "Tacit's universal circuit" if name == "universal circuit" else ""
    done = [each for each in published.SIZES if all(row in found for row in rows(each))]
    if size in done or not done:
        return found.measured(*rows(size), factor=factor, note=note)
    largest = done[-1]
    said = f"of N = {largest}" + (f"; {note}" if note else "")
    if phases == ("onlinex",) and quantity == "bytes":
        return found.shrunk(*rows(largest), factor=factor, note=f"{said}; the same for all sizes")
    before = found.measured(*rows(largest // 10)).value
    grown = found.measured(*rows(largest)).value
    if name == "universal circuit" or before is None or grown is None or grown < LINEAR * before:
        # It grows faster than N, or is still mostly constant.
        return found.shrunk(*rows(largest), factor=factor, note=f"{said}, not scaled", scaled=False)
    times = size // largest
    return found.shrunk(*rows(largest), factor=factor * times, note=f"{said}, times {times}")


TABLES = tuple(map(_with_own, published.TABLES))


def promised(table: Table, cell: Cell) -> bool:
    """Katz-Malka's protocol sends at most as much as the paper's, in all."""
    scheme, *phase = cell.row.split(", ")
    return table.name == "Table 1" and scheme in SCHEMES and phase == ["total"]


PFE = Paper(published.PAPER, TABLES, steps, ours, promised)
