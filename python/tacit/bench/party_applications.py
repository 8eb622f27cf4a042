"""Programs among three parties beside the same between two, and a linear program among five firms.

Parties of the programs are processes, linked by TLS on loopback. Each time is the median of some sessions
with one run, at the slowest party: setup, with base OTs or common keys, and all from there to the last
output. Plans are made and inputs are read before. Values are shared as the planner chooses, for loopback.
The firms are in one process.

`python -m tacit.bench.party_applications FOLDER PARTY NAME CIRCUIT` is one of three parties, with a circuit
of AES-128; it prints what it has measured.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tacit as t
from tacit.bench import aby, language
from tacit.bench.parties import run_all
from tacit.bench.plans import LOOPBACK, words
from tacit.bench.programs import build_example, text_of
from tacit.bench.rows import Bar, Row

RUNS = 15

BLOCKS = 1000

FIRMS, COLLUDING = 5, 2

NAMES = ("biometric 512x4", f"AES-128 x{BLOCKS}", "network of 784, 128 and 10")

LINEAR_PROGRAM = f"linear program of {FIRMS} firms, by the simplex method"

BARS = [Bar(f"time between 2 over that among 3, {name}", least=5) for name in NAMES]


@dataclass(frozen=True)
class Case:
    """A program with its inputs by role."""

    program: Any
    inputs: Mapping[str, Mapping[str, Any]]
    statics: Mapping[str, Any]


def measure() -> list[Row]:
    """The times of each program, and how many times as long it takes between two; the linear program."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        circuit = Path(folder) / "aes_128"
        circuit.write_text(text_of([str(build_example("circuit", "aes_128"))]))
        for name, case in cases(circuit).items():
            few = _between_two(case)
            many = _among_three(name, circuit)
            rows += [
                Row(f"{name}, between 2", few, "s"),
                Row(f"{name}, among 3", many, "s"),
                Row(f"time between 2 over that among 3, {name}", few / many, ""),
            ]
    return [*rows, Row(LINEAR_PROGRAM, _linear_program(), "s")]


def cases(circuit: Path) -> dict[str, Case]:
    """The programs, by name."""
    sys.path.insert(0, "examples/aby")
    match = importlib.import_module("biometric").match
    draw = random.Random(5)

    people = {"server": {"database": words(draw, 8, 512, 4)}, "client": {"sample": words(draw, 8, 4)}}
    blocks = {"a": {"key": words(draw, 128, BLOCKS)}, "b": {"block": words(draw, 128, BLOCKS)}}
    ciphers = {"letter": "B", "circuit": str(circuit), "count": BLOCKS}
    found = [
        Case(match, people, {"domains": ""}),
        Case(aby.aes, blocks, ciphers),
        Case(language.network, language.network_inputs(draw), {}),
    ]
    return dict(zip(NAMES, found, strict=True))


def _seconds(phases: Iterable[Mapping[str, Any]], *names: str) -> float:
    return sum(float(phase["seconds"]) for phase in phases if phase["phase"] in names)


def _between_two(case: Case) -> float:
    spent = []
    for _ in range(RUNS):
        program = case.program.using(domain="auto", planned_link=LOOPBACK)
        reports = program.local(**case.inputs, **case.statics).reports.values()
        spent.append(max(_seconds(report["phases"], "setup", "online") for report in reports))
    return statistics.median(spent)


def _among_three(name: str, circuit: Path) -> float:
    ended: list[list[float]] = run_all("tacit.bench.party_applications", name, str(circuit))
    slowest: list[float] = [max(spent) for spent in zip(*ended, strict=True)]
    return statistics.median(slowest)


async def _party(folder: Path, party: str, case: Case) -> list[float]:
    """The seconds of each session."""
    roles = dict(zip(case.inputs, ("p1", "p2"), strict=True))
    mine = {role: given for role, given in case.inputs.items() if roles[role] == party}
    spent = []
    for _ in range(RUNS):
        async with t.join(folder / "session.toml", party, planned_link=LOOPBACK) as rt:
            await rt.run(case.program, mine, roles=roles, domain="auto", **case.statics)
        [run] = rt.report["runs"]
        spent.append(_seconds(rt.report["phases"], "setup") + run["measured"]["seconds"])
    return spent


def _linear_program() -> float:
    """Firms plan together by `examples/parties/simplex.py`; from their figures to the plan."""
    sys.path.insert(0, "examples/parties")
    simplex = importlib.import_module("simplex")
    draw = random.Random(5)
    uses = [[draw.randrange(1, 40) for _ in range(simplex.PRODUCTS)] for _ in range(FIRMS)]
    capacities = [draw.randrange(300, 1000) for _ in range(FIRMS)]
    gains = [[draw.randrange(30) for _ in range(simplex.PRODUCTS)] for _ in range(FIRMS)]

    async def firm(rt: t.Runtime) -> float:
        number = rt.parties.index(rt.party)
        await rt.synchronise()
        start = time.perf_counter()
        await simplex.plan(rt, uses[number], capacities[number], gains[number])
        return time.perf_counter() - start

    def planned() -> float:
        firms = t.together(firm, FIRMS, threshold=COLLUDING, modulus=2**127 - 1)
        spent: dict[str, float] = asyncio.run(firms)
        return max(spent.values())

    return statistics.median(planned() for _ in range(RUNS))


if __name__ == "__main__":
    folder, party, name, circuit = sys.argv[1:]
    print(json.dumps(asyncio.run(_party(Path(folder), party, cases(Path(circuit))[name]))))
