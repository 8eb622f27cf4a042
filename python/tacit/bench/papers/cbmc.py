"""CBMC-GC's programs in C, compiled here and run between two processes over TLS on shaped links."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tacit.bench.papers.rows import Found, Ours, Paper, Step
from tacit.bench.programs import build_example, text_of
from tacit.bench.published import cbmc as published
from tacit.bench.published.tables import Cell, Table
from tacit.bench.rows import Row
from tacit.measure.cases import cases_of
from tacit.measure.sweep import Sweep, Terms
from tacit.measure.targets import target_of
from tacit.options import RunOptions

LINKS = {"LAN": "lan", "WAN": "wan"}
"""The paper does not say how fast its links are; these are Tacit's profiles."""

FIGURES = {"total": "gates", "non-XOR": "ANDs", "preparation": "setup", "evaluation": "online"}

NOTES = {
    "preparation": "setup, with base transfers",
    "evaluation": "online, tables streamed",
}


def steps(_quick: bool) -> Iterator[Step]:
    """All programs of the table: none takes long."""
    yield Step("programs in C", _measure)


def _measure() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        listed = text_of([str(build_example("benches", "circuits")), "sources", folder])
        files = {told["program"]: told["file"] for told in map(json.loads, listed.splitlines())}
        for name in published.TABLE_1.rows:
            yield from _run(name, Path(folder) / files[name])


def _run(name: str, path: Path) -> Iterator[Row]:
    """One run over each link, whose outputs are compared with those in the clear."""
    terms = Terms(list(LINKS.values()), ["streamed"], 1, options=RunOptions(domain="yao"))
    sweep = Sweep(target_of(str(path)), cases_of({}, None), terms)
    for link, record in zip(LINKS, sweep.run(), strict=True):
        ands, xors = (record.cost(cost) or 0.0 for cost in ("and_count", "xor_count"))
        yield from (Row(f"{name}, ANDs", ands, "gates"), Row(f"{name}, gates", ands + xors, "gates"))
        for phase in ("setup", "online"):
            yield Row(f"{name}, {link}, {phase}", record.cost(f"{phase}_s") or 0.0, "s")


def ours(_table: Table, cell: Cell, found: Found) -> Ours:
    """Our number for a cell."""
    link, _, what = cell.column.rpartition(" ")
    row = f"{cell.row}, {link}, {FIGURES[what]}" if link else f"{cell.row}, {FIGURES[what]}"
    return found.measured(row, factor=1e3 if link else 1.0, note=NOTES.get(what, ""))


def promised(_table: Table, cell: Cell) -> bool:
    """Gates that are no XOR are at most the paper's."""
    return cell.column == "non-XOR"


CBMC = Paper(published.PAPER, published.TABLES, steps, ours, promised)
