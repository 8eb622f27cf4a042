"""Tables 2 and 3 of TASTY: set intersection and face recognition, beside what its paper reports.

The paper's keys have 1248 bits; these runs have 2048 and 3072, which are labelled so. With
TACIT_BENCH_FACES in the environment faces are recognised too, which takes minutes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tacit import tastyl
from tacit.bench.rows import Row, Sheet

PROGRAMS = Path("examples/tastyl/homomorphic")

KEYS = {"medium": "2048 bits", "long": "3072 bits, 128-bit level"}


@dataclass(frozen=True)
class Paper:
    """A line of the paper: seconds of the slower party, and megabytes."""

    setup: float
    online: float
    megabytes: float


TABLE_2 = {10: Paper(0.194, 0.357, 0.0196), 100: Paper(1.6, 7.2, 0.186), 1000: Paper(15.8, 489, 1.86)}
"""By the elements of either set, at 1248 bits."""

TABLE_3 = {320: Paper(38.1, 41.5, 9.2), 1000: Paper(83.4, 56.2, 17.0)}
"""By the faces, at 1248 bits; megabytes of both phases."""

SIZES = (10, 100)
"""1000 elements take words of more than the 128 bits that there are."""

FACES = 320


def measure() -> list[Row]:
    """Every size at every level."""
    rows: list[Row] = []
    for level, key in KEYS.items():
        for size in SIZES:
            rows += _intersection(size, level, f"set intersection {size} x {size}, {key}")
        if os.environ.get("TACIT_BENCH_FACES"):
            rows += _faces(level, f"face recognition, {FACES} faces, {key}")
    return rows


def _intersection(size: int, level: str, name: str) -> list[Row]:
    random = Random(size)
    mine, theirs = (random.sample(range(1 << 32), size) for _ in range(2))
    theirs[0] = mine[-1]
    protocol = tastyl.load(PROGRAMS / "set_intersection.py")
    given = {"client": {"X": mine}, "server": {"Y": theirs}, "M": size, "N": size}
    return _rows(protocol, name, level, given, {"in output set": mine[-1]})


def _faces(level: str, name: str) -> list[Row]:
    sys.path.insert(0, str(PROGRAMS))
    import faces  # type: ignore[import-not-found]

    made = faces.make(FACES, 12, 112, 92)
    protocol = tastyl.load(PROGRAMS / "face_recognition.py")
    given = {"client": made.client, "server": made.server, "K": 12, "N": 112 * 92, "M": FACES}
    return _rows(protocol, name, level, given, {"matched index in DB": FACES // 2})


def _rows(
    protocol: tastyl.Protocol, name: str, level: str, given: Mapping[str, Any], expected: Mapping[str, Any]
) -> list[Row]:
    """Seconds of the slower party in each phase, and bytes of both."""
    outputs = protocol.local(security=level, **given)
    if dict(outputs["client"]) != expected:
        raise AssertionError(f"{name} gives {outputs['client']}, not {expected}")
    phases = [{phase["phase"]: phase for phase in report["phases"]} for report in outputs.reports.values()]
    rows = [
        Row(f"{name}, {phase}", max(one[phase]["seconds"] for one in phases), "s")
        for phase in ("setup", "online")
    ]
    sent = sum(one[phase]["payload_sent"] or 0 for one in phases for phase in ("setup", "online"))
    return [*rows, Row(f"{name}, bytes of both parties", sent, "B")]


def sheets(rows: list[Row]) -> list[Sheet]:
    """The paper's tables, with its figures and ours in one line."""
    found = {row.name: row.value for row in rows}
    tables = (
        ("TASTY, Table 2", "set intersection {0} x {0}", TABLE_2),
        ("TASTY, Table 3", "face recognition, {0} faces", TABLE_3),
    )
    made = []
    for title, what, table in tables:
        lines = [
            _line(f"{what.format(size)}, {key}", paper, found)
            for size, paper in table.items()
            for key in KEYS.values()
            if f"{what.format(size)}, {key}, online" in found
        ]
        if lines:
            headings = [
                "run",
                "paper, 1248 bits: setup s",
                "online s",
                "MB",
                "here: setup s",
                "online s",
                "MB",
            ]
            made.append(Sheet(title, headings, lines))
    return made


def _line(name: str, paper: Paper, found: Mapping[str, float]) -> list[str]:
    here = [found[f"{name}, {part}"] for part in ("setup", "online", "bytes of both parties")]
    figures = [paper.setup, paper.online, paper.megabytes, here[0], here[1], here[2] / 1e6]
    return [name, *(f"{figure:.3g}" for figure in figures)]
