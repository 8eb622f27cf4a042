"""Tables 2, 3 and 5 to 7 of TASTY, and its plots of multiplications: beside what its paper reports.

The paper's own keys, of 1248 and 1776 bits, are measured for comparison and are not secure. Faces are also
recognised as SCiFI does it, whose paper's times are for another protocol and stand nowhere here.

In the environment ask for more: TACIT_BENCH_FACES for 320 faces under encryption, pixel by pixel, also with
keys of 1024 bits, as before TASTY; TACIT_BENCH_1000_FACES for 1000; TACIT_BENCH_HORNER for sets of 1000
elements as the paper prints it. Each takes minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from tacit import tastyl
from tacit.bench import tasty_circuits
from tacit.bench.programs import BenchError
from tacit.bench.published import tasty as published
from tacit.bench.rows import Bar, Row, Sheet
from tacit.python_file import load_module

PROGRAMS = Path("examples/tastyl/homomorphic")

PLOTS = Path("target/bench/multiplications.png")

Options = dict[str, Any]

LEVELS: dict[str, Options] = {
    "1248 bits (80-bit level, insecure)": {"insecure_bench": "ultra-short"},
    "1776 bits (96-bit level, insecure)": {"insecure_bench": "short"},
    "3072 bits (128-bit level)": {"security": "long"},
}
"""Keys, by what rows call them."""

PAPER, _, LONG = LEVELS

FACE_LEVELS: dict[str, Options] = {
    "1024 bits (72-bit level, insecure)": {"insecure_bench": "1024-bit"},
    **LEVELS,
}
"""Keys under which faces are recognised pixel by pixel: also those of what was published before."""

FACE_FLAGS = {320: "TACIT_BENCH_FACES", 1000: "TACIT_BENCH_1000_FACES"}
"""The command that recognises this many faces pixel by pixel."""

SCIFI = (100, 900)
"""Faces of the server's, and bits of a face."""

IFMA = "avx512f avx512ifma"


@dataclass(frozen=True)
class Paper:
    """A line of the paper: seconds of the slower party, and megabytes."""

    setup: float
    online: float
    megabytes: float


def _intersection_of(size: str) -> Paper:
    """The slower party's times, and what both send."""
    value = published.TABLE_2.value
    setup, online = (max(value(size, f"{party} {phase}") for party in "CS") for phase in ("setup", "online"))
    return Paper(setup, online, value(size, "total sent") / 1e6)


def _faces_of(faces: int) -> Paper:
    setup, online, _, sent = published.TABLE_3.row(f"TASTY, {faces}")
    return Paper(setup, online, sent / 1e6)


TABLE_2 = {int(size): _intersection_of(size) for size in published.INTERSECTION}
"""By the elements of either set, at 1248 bits."""

TABLE_3 = {faces: _faces_of(faces) for faces in (320, 1000)}
"""By the faces, at 1248 bits; megabytes online."""

TABLE_5 = {int(bits): published.TABLE_5.row(bits)[:2] for bits in published.TABLE_5.rows}
"""AND gates of a product by its factors' bits: by the textbook, and by Karatsuba's method."""

PREVIOUS = {faces: published.TABLE_3.value(f"[50], {faces}", "online bytes") for faces in (320, 1000)}
"""Bytes online of Sadeghi, Schneider and Wehrenberg, in table 3."""

SUMS = "face recognition, {0} faces, projection by lattices (128-bit level)"

BINS = "set intersection 1000 x 1000 in bins"

HORNER = 1000

BARS = [
    *(
        bar
        for size, paper in TABLE_2.items()
        for bar in (
            Bar(
                f"set intersection {size} x {size}, {PAPER}, online",
                most=paper.online / 4,
                optional=size == HORNER,
            ),
            Bar(
                f"set intersection {size} x {size}, {PAPER}, online",
                most=paper.online / 20,
                needs=IFMA,
                optional=size == HORNER,
            ),
        )
    ),
    Bar(f"{BINS}, {LONG}, online", most=10),
    *(Bar(f"ANDs of a product, {bits} bits", most=gates[1]) for bits, gates in TABLE_5.items()),
    *(
        bar
        for faces, sent in PREVIOUS.items()
        for bar in (
            Bar(f"{SUMS.format(faces)}, online", most=2),
            Bar(f"{SUMS.format(faces)}, online, bytes of both parties", most=sent),
        )
    ),
]


def measure() -> list[Row]:
    """Every size at every level."""
    rows: list[Row] = []
    for key, options in LEVELS.items():
        for size in (10, 100):
            rows += intersection(size, options, f"set intersection {size} x {size}, {key}")
        if key != LONG and os.environ.get("TACIT_BENCH_HORNER"):
            rows += intersection(HORNER, options, f"set intersection {HORNER} x {HORNER}, {key}")
        rows += bins(1000, options, f"{BINS}, {key}")
    for faces in TABLE_3:
        rows += faces_by_sums(faces, SUMS.format(faces))
        if os.environ.get(FACE_FLAGS[faces]):
            for key, options in FACE_LEVELS.items():
                rows += faces_by_pixels(
                    faces, options, f"face recognition, {faces} faces, pixel by pixel, {key}"
                )
    for key, options in FACE_LEVELS.items():
        rows += _identification(*SCIFI, options, f"SCiFI, {SCIFI[0]} faces of {SCIFI[1]} bits, {key}")
    return rows + products(TABLE_5) + tasty_circuits.measure() + _multiplications()


def _sets(size: int) -> tuple[list[int], list[int]]:
    """Two sets that have one element in common."""
    random = Random(size)
    mine, theirs = (random.sample(range(1 << 32), size) for _ in range(2))
    theirs[0] = mine[-1]
    return mine, theirs


def intersection(size: int, options: Options, name: str) -> list[Row]:
    """Sets by Horner's rule, as the paper prints it."""
    mine, theirs = _sets(size)
    protocol = tastyl.load(PROGRAMS / "set_intersection.py")
    given = {"client": {"X": mine}, "server": {"Y": theirs}, "M": size, "N": size}
    return phases_of(protocol, name, {**given, **options}, {"in output set": mine[-1]})


def bins(size: int, options: Options, name: str) -> list[Row]:
    """Sets of which each bin has a polynomial of its own."""
    mine, theirs = _sets(size)
    given = load_module(PROGRAMS / "bins.py").inputs(mine, theirs)
    protocol = tastyl.load(PROGRAMS / "set_intersection_bins.py")
    return phases_of(protocol, name, {**given, **options}, {"in output set": mine[-1]})


def _made(faces: int) -> tuple[Any, Options]:
    """Faces of the paper's size, and the parameters of a program for them."""
    made = load_module(PROGRAMS / "faces.py").make(faces, 12, 112, 92)
    return made, {"K": 12, "N": 112 * 92, "M": faces}


def faces_by_pixels(count: int, options: Options, name: str) -> list[Row]:
    """Faces recognised as in the paper: pixel by pixel under encryption."""
    made, sizes = _made(count)
    protocol = tastyl.load(PROGRAMS / "face_recognition.py")
    given = {"client": made.client, "server": made.server, **sizes, **options}
    return phases_of(protocol, name, given, {"matched index in DB": count // 2})


def faces_by_sums(count: int, name: str) -> list[Row]:
    """The same faces, projected as shared words."""
    made, sizes = _made(count)
    program: ModuleType = load_module(PROGRAMS / "face_recognition_sums.py")
    given = {**program.inputs(made.client, made.server), **sizes, "matrices": "lattice"}
    return phases_of(program.recognise, name, given, {"index": count // 2})


def _identification(faces: int, bits: int, options: Options, name: str) -> list[Row]:
    scifi = load_module(PROGRAMS / "scifi.py")
    client, server = scifi.make(faces, bits, Random(bits))
    near = scifi.near(client, server)
    expected = {"match": near[0] if len(near) == 1 else near} if near else {}
    given = {"client": client, "server": server, "N": faces, "L": bits, **options}
    return phases_of(tastyl.load(PROGRAMS / "scifi.py"), name, given, expected)


def _product(client: Any, server: Any, params: Mapping[str, Any]) -> None:
    """Both factors are garbled."""
    client.x = tastyl.Unsigned(bitlen=params["l"]).input()
    server.y = tastyl.Unsigned(bitlen=params["l"]).input()
    client.gx = tastyl.Garbled(val=client.x)
    client.gy <<= tastyl.Garbled(val=server.y)
    client.product = tastyl.Unsigned(val=client.gx * client.gy)
    client.product.output()


def products(lengths: Iterable[int]) -> list[Row]:
    """The sizes of circuits, each of which is run."""
    rows = []
    for bits in lengths:
        x, y = (1 << bits) - 1, (1 << bits) - 3
        found = tastyl.Protocol(_product).local(client={"x": x}, server={"y": y}, l=bits)
        if dict(found["client"]) != {"product": x * y}:
            raise BenchError(f"the product of {bits} bits is {found['client']}, not {x * y}")
        count = found.reports["client"]["work"]["and_count"]
        rows.append(Row(f"ANDs of a product, {bits} bits", count, ""))
    return rows


def phases_of(program: Any, name: str, given: Mapping[str, Any], expected: Mapping[str, Any]) -> list[Row]:
    """Seconds of each party and of the slower one, and bytes of both, in each phase."""
    outputs = program.local(**given)
    if dict(outputs["client"]) != expected:
        raise BenchError(f"{name} gives {outputs['client']}, not {expected}")
    reports = {
        party: {phase["phase"]: phase for phase in report["phases"]}
        for party, report in outputs.reports.items()
    }
    phases = reports.values()
    rows: list[Row] = []
    for phase in ("setup", "online"):
        rows.append(Row(f"{name}, {phase}", max(one[phase]["seconds"] for one in phases), "s"))
        rows += [
            Row(f"{name}, {phase}, {party}", one[phase]["seconds"], "s") for party, one in reports.items()
        ]
        sent = sum(one[phase]["payload_sent"] or 0 for one in phases)
        rows.append(Row(f"{name}, {phase}, bytes of both parties", sent, "B"))
    return rows


def _multiplications() -> list[Row]:
    """Each way to multiply at each bitlength at the paper's level, drawn as in its figures 9 and 10."""
    from tacit.measure import load

    program, runs = str(PROGRAMS / "four_multiplications.py"), PLOTS.with_suffix(".jsonl")
    PLOTS.parent.mkdir(parents=True, exist_ok=True)
    runs.unlink(missing_ok=True)
    command = [
        sys.executable, "-m", "tacit", "bench", program, "--driver", program, "--repeat", "1",
        "--insecure-bench", "short", "-o", str(runs),
    ]  # fmt: skip
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        raise BenchError(f"{program} failed:\n{finished.stderr}")
    plots = load_module(PROGRAMS / "plot_multiplications.py")
    found = plots.measured(load(str(runs)))
    plots.draw(found, str(PLOTS))
    return [
        Row(
            f"multiplication by {way}, {bits} bits, 1776-bit keys, {name}",
            value,
            "s" if name.endswith("_s") else "B",
        )
        for (name, way), lengths in sorted(found.items())
        for bits, value in sorted(lengths.items())
        if bits in (8, 16, 32) and name.startswith("online")
    ]


def sheets(rows: list[Row]) -> list[Sheet]:
    """The paper's tables, with its figures and ours in one line."""
    found = {row.name: row.value for row in rows}
    headings = ["paper, 1248 bits: setup s", "online s", "MB", "here: setup s", "online s", "MB", "online MB"]
    tables = (
        ("TASTY, Table 2", TABLE_2, ("set intersection {0} x {0}", "set intersection {0} x {0} in bins")),
        ("TASTY, Table 3 (its MB online)", TABLE_3, ("face recognition, {0} faces",)),
    )
    made = []
    for title, table, names in tables:
        lines = [
            _line(row.removesuffix(", online"), paper, found)
            for size, paper in table.items()
            for name in names
            for row in found
            if row.startswith(f"{name.format(size)}, ") and row.endswith(", online")
        ]
        if lines:
            made.append(Sheet(title, ["run", *headings], lines))
    made.append(
        Sheet(
            "TASTY, Table 5: AND gates of a product",
            ["bits", "paper: textbook", "Karatsuba", "here"],
            [
                [f"{bits}", *(f"{gates:,.0f}" for gates in (*paper, found[row]))]
                for bits, paper in TABLE_5.items()
                if (row := f"ANDs of a product, {bits} bits") in found
            ],
        )
    )
    made += tasty_circuits.sheets(found)
    made.append(
        Sheet(
            f"plots of four multiplications: {PLOTS}",
            ["way"],
            [[way] for way in ("HE1", "HE2", "GC1", "GC2")],
        )
    )
    return made


def _line(name: str, paper: Paper, found: Mapping[str, float]) -> list[str]:
    setup, online = (found[f"{name}, {phase}"] for phase in ("setup", "online"))
    sent = [found[f"{name}, {phase}, bytes of both parties"] / 1e6 for phase in ("setup", "online")]
    figures = [paper.setup, paper.online, paper.megabytes, setup, online, sum(sent), sent[1]]
    return [name, *(f"{figure:.3g}" for figure in figures)]
