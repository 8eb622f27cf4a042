"""ABY's tables and figures. Both parties are threads over TCP on this machine; the cloud is a shaped link."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from math import isnan
from pathlib import Path
from typing import Any

import tacit as t
from tacit import _native
from tacit.bench import aby, aby_tables, triples
from tacit.bench.aby import Case
from tacit.bench.aby_tables import CLOUD, COUNT, CYCLES, LOCAL, TRIPLES, in_sequence
from tacit.bench.papers.rows import Found, Ours, Paper, State, Step, skipped
from tacit.bench.programs import cargo_example
from tacit.bench.published import aby as published
from tacit.bench.published.tables import Cell, Table
from tacit.bench.rows import Row

QUICK_SESSIONS = 12
"""Programs that run on the slow link at once in quick mode."""

UNWANTED = ("x100000", "AES", "hashed", "unpinned", "biometric 512x4, ")
"""Cases that no table of the paper has; but products for Table II are of 100 000."""

PROGRAMS = {
    "Table IV": "power of 32 bits",
    "Table V": "PSI 4096 x 32 bit, sorted",
    "Table VI": "biometric 512x4 words",
}

WHOLE = f"a run of {COUNT}, with sharing the inputs and opening one word"

NO_ROOM = "a DGK key of 1024 bits has no room for words of 64 bits"

STREAMED = "if the plan streams garbled tables, they are made and sent online"

FIRST_RUN = "first run over the slow link"

SEQUENCES = {
    published.LOCAL_SEQUENCE: LOCAL,
    published.CLOUD_SEQUENCE: CLOUD,
}

STARTS = "base OTs and SoftSpokenOT, both directions"

FIGURE_3 = replace(
    published.FIGURE_3,
    rows={
        **published.FIGURE_3.rows,
        **{
            f"{name}, in a cycle": tuple(
                sum(published.FIGURE_3.value(each, column) for each in names) if column in SEQUENCES else None
                for column in published.FIGURE_3.columns
            )
            for name, names in CYCLES.items()
        },
    },
    notes={"in a cycle": "the sum of these conversions"},
)
"""With rows for conversions in sequence, which end where they began."""


def steps(quick: bool) -> Iterator[Step]:
    """What is measured; in quick mode more programs at once on the slow link."""
    yield Step("base transfers", partial(cargo_example, "twoparty", "bench_shares", "starts"))
    yield Step("triples under encryption", triples.measure)
    yield Step("sizes and rounds of plans", lambda: list(_plans()))
    yield Step("programs on a local link", partial(_cases, LOCAL, quick))
    yield Step("programs on the slow link", partial(_cases, CLOUD, quick))
    yield Step("a first run on the slow link", _first_run)


def _wanted() -> Iterator[Case]:
    for case in (*aby.operations(), *aby.sequences(), *aby.conversions(), *aby.applications()):
        if f"x{TRIPLES} of" in case.name:
            yield replace(case, extensions=("softspoken",))
        elif not any(part in case.name for part in UNWANTED):
            yield replace(case, extensions=case.extensions[:1])


def _cases(link: str, quick: bool) -> Iterator[Row]:
    chosen = [replace(case, links=(link,)) for case in _wanted() if link in case.links]
    sessions = QUICK_SESSIONS if quick else aby.CLOUD_SESSIONS
    with tempfile.TemporaryDirectory() as folder:
        for lines in aby.measured(chosen, Path(folder), sessions):
            for line in lines.splitlines():
                yield from Row.parse(line)


@t.function
def shared(a: t.Role, b: t.Role, *, letter: str) -> None:
    """Two words, shared and opened, as an operation finds them."""
    x, y = (t.wrapping(aby.PINS[letter](role.input("x", t.u32))) for role in (a, b))
    t.output("result", t.wrapping(aby.sealed(letter, x, y)), a, b)


def _plans() -> Iterator[Row]:
    """ANDs and rounds of an operation on two words: a plan's, less those of sharing and opening alone."""
    for letter, names in {"A": ("MUL",), "B": ("MUL", "CMP", "MUX"), "Y": ("MUL", "CMP", "MUX")}.items():
        alone = _plan(shared.trace(letter=letter).program)
        for name in names:
            plan = _plan(aby.operation.trace(letter=letter, name=name, count=1).program)
            rounds = plan["predicted"]["online"]["rounds"] - alone["predicted"]["online"]["rounds"]
            yield Row(f"{letter} {name}, size", plan["work"]["and_count"], "ANDs")
            yield Row(f"{letter} {name}, rounds", max(rounds, 0), "rounds")


def _plan(program: Any) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(_native.outlook(program, domain="yao"))
    return told


def _first_run() -> Iterator[Row]:
    """The setup of a session's first run, with one AND: base OTs, and what they start."""
    rate, latency = aby.CLOUD_LINK
    link = f"{rate}mbit,{latency}ms"
    options: dict[str, Any] = {"net": link, "planned_link": link, "transfers": "softspoken"}
    given: dict[str, Any] = {"a": {"x": [1]}, "b": {"x": [1]}, "letter": "B", "name": "AND", "count": 1}
    outputs = aby.operation.local(**given, **options)
    phases = [phase for report in outputs.reports.values() for phase in report["phases"]]
    yield Row(FIRST_RUN, max(phase["seconds"] for phase in phases if phase["phase"] == "setup"), "s")


def ours(table: Table, cell: Cell, found: Found) -> Ours:
    """Our number for a cell."""
    if cell.value is None and table.name in ("Table III", "Table VII"):
        return skipped(f"the paper has no number either: {cell.note}")
    if table.name in PROGRAMS:
        return _program(PROGRAMS[table.name], cell, found)
    return MEASURED[table.name](cell, found)


def _conversion(cell: Cell, found: Found) -> Ours:
    if cell.column == "symmetric operations":
        return found.measured(f"{cell.row}, symmetric operations", note="counted from the protocols")
    row = f"run of {cell.row} x{COUNT}"
    if cell.column == "messages":
        return found.measured(f"{row}, online rounds", note="rounds, with those of opening one word")
    bits = aby_tables.conversion_bits(found.values, cell.row)
    if isnan(bits):
        return found.measured(f"{row}, setup and online bytes")
    return Ours(bits, State.MEASURED, f"of both parties, of {COUNT} words of which one is opened")


def _triple(cell: Cell, found: Found) -> Ours:
    (scheme, level), (width, what) = cell.row.split(", "), cell.column.split(" bits, ")
    if scheme == "OT":
        return _transferred(level, width, what, found)
    if what == published.CLOUD:
        return skipped("both parties share one thread, so no link can be slow; core-seconds are above")
    if (scheme, level, width) == ("DGK", "legacy", "64"):
        return skipped(NO_ROOM)
    row = f"triples, {cell.row}, {width} bits"
    if what == published.BYTES:
        return found.measured(f"{row}: bytes a triple")
    return found.measured(
        f"{row}: core-seconds a triple", factor=1e6, note="core-seconds of both parties in one thread, of 512"
    )


def _transferred(level: str, width: str, what: str, found: Found) -> Ours:
    if level != "long":
        return skipped("transfers are always made for 128 bits; the row of the long level has them")
    row = f"run of A MUL x{TRIPLES} of {width} bits"
    if what == published.CLOUD:
        return found.measured(f"{row}{CLOUD}, setup", factor=1e6 / TRIPLES, note="extension by the plan")
    name, factor = ("setup bytes", 1) if what == published.BYTES else ("setup", 1e6)
    return found.measured(f"{row}, softspoken, {name}", factor=factor / TRIPLES, note="SoftSpokenOT")


def _size(cell: Cell, found: Found) -> Ours:
    name, what = cell.column.split()
    if what == "size" and cell.row == "Arithmetic":
        return skipped("plans count products of words, not the transfers behind one")
    return found.measured(f"{cell.row[0]} {name}, {what}", note="of the plan" if what == "rounds" else "ANDs")


def _setup(cell: Cell, found: Found) -> Ours:
    row = f"run of {cell.row} x{COUNT}"
    if cell.column == published.BYTES:
        return found.measured(f"{row}, setup bytes", factor=1 / COUNT, note=WHOLE)
    link = CLOUD if cell.column == published.CLOUD else LOCAL
    return found.measured(f"{row}{link}, setup", factor=1e6 / COUNT, note=WHOLE)


def _online(cell: Cell, found: Found) -> Ours:
    row = f"run of {cell.row} x{COUNT}"
    if cell.column in SEQUENCES:
        return _sequence(cell.row, SEQUENCES[cell.column], found)
    if cell.row.endswith("in a cycle"):
        return skipped("the rows of the conversions have it")
    if cell.column == published.BYTES:
        return found.measured(f"{row}, online bytes", factor=1 / COUNT, note=WHOLE)
    link = CLOUD if cell.column == published.CLOUD_AT_ONCE else LOCAL
    return found.measured(f"{row}{link}, online", factor=1e6 / COUNT, note=WHOLE)


def _sequence(name: str, link: str, found: Found) -> Ours:
    name = name.removesuffix(", in a cycle")
    if "2" in name and name not in CYCLES:
        return skipped("conversions in sequence go in a cycle; the rows “in a cycle” have them")
    if name == "A ADD":
        return skipped("it needs no message, and plans make one sum of additions that follow one another")
    count = in_sequence(name, link)
    row = f"run of {name}, {count} in sequence{link}, online"
    if count == COUNT:
        return found.measured(row, factor=1e6 / count)
    return found.shrunk(row, factor=1e6 / count, note=f"of {count} in sequence, for each")


def _program(program: str, cell: Cell, found: Found) -> Ours:
    row = f"{program}, {cell.row}"
    if cell.column == "communication":
        return found.measured(f"{row}, setup and online bytes", factor=1e-6)
    if cell.column == "messages":
        return found.measured(f"{row}, online rounds", note="rounds")
    link, phase = cell.column.split()
    name = f"{row}{CLOUD if link == published.CLOUD else LOCAL}"
    phases = ("setup", "online") if phase == "total" else (phase,)
    note = STREAMED if "Y" in cell.row and phase != "total" else ""
    return found.measured(*(f"{name}, {each}" for each in phases), note=note)


def _start(cell: Cell, found: Found) -> Ours:
    scheme, level = cell.row.split(", ")
    if scheme == "OT":
        return _base_transfers(level, cell.column, found)
    if cell.column.startswith(published.CLOUD):
        return skipped("both parties share one thread, so no link can be slow")
    if (scheme, level) == ("DGK", "legacy"):
        return skipped(NO_ROOM)
    row = triples.key_row(scheme, level)
    if cell.column == "communication":
        return found.measured(f"{row}: bytes of the key")
    if cell.column == "local":
        name, note = "tables, two triples included", "with two triples"
        return found.measured(f"{row}: {name}", factor=1e3, note=note)
    return found.measured(f"{row}: key generation", factor=1e3)


def _base_transfers(level: str, column: str, found: Found) -> Ours:
    if level != "long":
        return skipped("base transfers are always made for 128 bits; the row of the long level has them")
    if column == published.CLOUD:
        return found.measured(FIRST_RUN, factor=1e3, note="setup of a first run with one AND")
    if column == "communication":
        return found.measured(f"{STARTS}, bytes", note="both directions, and what starts their extension")
    return found.measured(STARTS, factor=1e3, note="both directions, and what starts their extension")


MEASURED: dict[str, Callable[[Cell, Found], Ours]] = {
    "Table I": _conversion,
    "Table II": _triple,
    "Table III": _size,
    "Figure 2": _setup,
    "Figure 3": _online,
    "Table VII": _start,
}

TABLES = tuple(FIGURE_3 if table.name == FIGURE_3.name else table for table in published.TABLES)

ABY = Paper(published.PAPER, TABLES, steps, ours)
