"""The figures and tables of the ABY paper, each number measured here beside the published one.

Cells read `ours | paper's`; `-` was not measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan, nan

from tacit.bench import paper
from tacit.bench.rows import Row, Sheet

Measured = Mapping[str, float]
"""Values by the names of rows."""

LOCAL, CLOUD = "", ", cloud"
LINKS = (LOCAL, CLOUD)
COUNT = 1000
TRIPLES = 100_000
BITS = 32
CYCLES = {"A2Y, Y2B, B2A": ("A2Y", "Y2B", "B2A"), "B2Y, Y2B": ("B2Y", "Y2B")}
"""Conversions in sequence that end where they began, in the names of rows."""


def in_sequence(name: str, link: str) -> int:
    """The number of operations in sequence: few if each takes long, or takes rounds on a slow link."""
    if link == CLOUD and not name.startswith("Y "):
        return 10
    return 100 if name in ("B MUL", "Y MUL") else 1000


def sheets(rows: Sequence[Row]) -> list[Sheet]:
    """All tables of what was measured."""
    found = {row.name: row.value for row in rows}
    return [
        _setup(found),
        _online(found),
        _conversions(found),
        _triples(found),
        _runs(found, "Table IV: modular exponentiation, 32 bits", "power of 32 bits", paper.TABLE_4),
        _runs(
            found,
            "Table V: private set intersection, 4096 x 32 bits",
            "PSI 4096 x 32 bit, sorted",
            paper.TABLE_5,
        ),
        _runs(
            found,
            "Table VI: biometric matching, 512 x 4 words of 32 bits",
            "biometric 512x4 words",
            paper.TABLE_6,
        ),
        _runs(found, "Biometric matching, 512 x 4, elements of 8 bits", "biometric 512x4", {}),
        _runs(found, "Private set intersection, 4096 x 32 bits, hashed", "PSI 4096 x 32 bit, hashed", {}),
    ]


def _beside(ours: float | None, papers: float | None) -> str:
    """Both figures."""
    return f"{_text(ours)} | {_text(papers)}" if papers is not None else _text(ours)


def _text(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def _scaled(found: Measured, name: str, factor: float) -> float | None:
    value = found.get(name)
    return None if value is None else value * factor


def _setup(found: Measured) -> Sheet:
    lines = []
    for name, said in paper.FIGURE_2.items():
        row = f"run of {name} x{COUNT}"
        times = [_scaled(found, f"{row}{link}, setup", 1e6 / COUNT) for link in LINKS]
        traffic = _scaled(found, f"{row}, setup bytes", 1 / COUNT)
        silent = _scaled(found, f"{row}, silent, setup bytes", 1 / COUNT)
        lines.append(
            [
                name,
                *(
                    _beside(ours, papers)
                    for ours, papers in zip(times, (said.local, said.cloud), strict=True)
                ),
                _beside(traffic, said.traffic),
                _text(silent),
                _rounds(found, row, "setup"),
            ]
        )
    title = f"Figure 2: setup of one operation of {COUNT}, 32 bits, ours | paper's"
    return Sheet(title, ["", "local µs", "cloud µs", "bytes", "bytes, silent OT", "rounds"], lines)


def _online(found: Measured) -> Sheet:
    lines = []
    for name, said in paper.FIGURE_3.items():
        row = f"run of {name} x{COUNT}"
        lines.append(
            [
                name,
                _beside(_sequence(found, name, LOCAL), said.local_sequence),
                _beside(_scaled(found, f"{row}, online", 1e6 / COUNT), said.local_at_once),
                _beside(_sequence(found, name, CLOUD), said.cloud_sequence),
                _beside(_scaled(found, f"{row}{CLOUD}, online", 1e6 / COUNT), said.cloud_at_once),
                _beside(_scaled(found, f"{row}, online bytes", 1 / COUNT), said.traffic),
                _rounds(found, row, "online"),
            ]
        )
    for cycle, names in CYCLES.items():
        each = [paper.FIGURE_3[name] for name in names]
        local, cloud = (_sequence(found, cycle, link) for link in LINKS)
        lines.append(
            [
                cycle,
                _beside(local, sum(said.local_sequence for said in each)),
                "",
                _beside(cloud, sum(said.cloud_sequence for said in each)),
                *("" for _ in range(3)),
            ]
        )
    title = f"Figure 3: one operation online of {COUNT}, in sequence and at once, 32 bits, ours | paper's"
    headings = ["", "local seq µs", "local par µs", "cloud seq µs", "cloud par µs", "bytes", "rounds"]
    return Sheet(title, headings, lines)


def _sequence(found: Measured, name: str, link: str) -> float | None:
    count = in_sequence(name, link)
    return _scaled(found, f"run of {name}, {count} in sequence{link}, online", 1e6 / count)


def _rounds(found: Measured, row: str, phase: str) -> str:
    return _text(found.get(f"{row}, {phase} rounds"))


def _conversions(found: Measured) -> Sheet:
    lines = []
    for name, said in paper.TABLE_1.items():
        row = f"run of {name} x{COUNT}"
        both = conversion_bits(found, name)
        lines.append(
            [
                name,
                _beside(found.get(f"{name}, symmetric operations"), said.computation),
                _beside(None if isnan(both) else both, said.traffic_bits),
                _beside(found.get(f"{row}, online rounds"), said.messages),
            ]
        )
    title = "Table I: sharing, opening and converting a word of 32 bits, ours | paper's"
    return Sheet(title, ["", "symmetric operations", "bits", "messages, opening one word included"], lines)


def conversion_bits(found: Measured, name: str) -> float:
    """The bits of both parties for a word of Table I; not a number where they were not measured."""
    # What is converted from labels is a word of each party. Sharing those is not the conversion's; the
    # evaluator's costs what B2Y does, where tables are streamed.
    shared = ("share Y, garbler", "B2Y") if name.startswith("Y2") else ()
    own, others = _bits(found, name), sum(_bits(found, each) for each in shared)
    # The word that each run opens cannot be told from less than a bit.
    return nan if isnan(own - others) else max(own - others, 0.0)


def _bits(found: Measured, name: str) -> float:
    """Setup and online for each word; NaN if not measured."""
    return found.get(f"run of {name} x{COUNT}, setup and online bytes", nan) * 8 / COUNT


def _triples(found: Measured) -> Sheet:
    lines = []
    for bits, said in paper.TABLE_2.items():
        row = f"run of A MUL x{TRIPLES} of {bits} bits"
        lines.append(
            [
                f"{bits} bits",
                *(
                    _beside(_scaled(found, f"{row}{of}, setup", 1e6 / TRIPLES), papers)
                    for of, papers in (
                        (", softspoken", said.local),
                        (", silent", said.local),
                        (CLOUD, said.cloud),
                    )
                ),
                *(
                    _beside(_scaled(found, f"{row}{of}, setup bytes", 1 / TRIPLES), said.traffic)
                    for of in (", softspoken", ", silent")
                ),
            ]
        )
    headings = [
        "",
        "local µs, SoftSpoken",
        "local µs, silent",
        "cloud µs",
        "bytes, SoftSpoken",
        "bytes, silent",
    ]
    return Sheet("Table II: a multiplication triple by OT, of 100 000, ours | paper's", headings, lines)


def _runs(found: Measured, title: str, program: str, said: Mapping[str, paper.Run]) -> Sheet:
    plans = [name.removesuffix(", setup") for name in found if name.startswith(f"{program}, ")]
    plans = [name for name in plans if f"{name}, setup" in found and CLOUD not in name]
    lines = []
    for row in plans:
        plan = row.removeprefix(f"{program}, ")
        published = said.get(plan)
        times = [found.get(f"{row}{link}, {phase}") for link in LINKS for phase in ("setup", "online")]
        papers = (
            (published.local_setup, published.local_online, published.cloud_setup, published.cloud_online)
            if published
            else [None] * 4
        )
        lines.append(
            [
                plan,
                *(_beside(ours, paper_s) for ours, paper_s in zip(times, papers, strict=True)),
                _beside(
                    _scaled(found, f"{row}, setup and online bytes", 1e-6),
                    published.megabytes if published else None,
                ),
                _beside(found.get(f"{row}, online rounds"), published.messages if published else None),
            ]
        )
    headings = [
        "",
        "local setup s",
        "local online s",
        "cloud setup s",
        "cloud online s",
        "MB",
        "messages online",
    ]
    return Sheet(title + (", ours | paper's" if said else ""), headings, lines)
