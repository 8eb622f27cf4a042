"""Plans beside runs: predicted and measured time, chosen and other domains, and how long deciding takes.

Each program runs between two processes over TLS, on loopback and on links that are shaped to the planned
speed, in every domain throughout and as the plan chooses. A time is that of setup and online of the
slower party, the least of several runs. Beside it is the processor time of a party, which other work on the
machine does not change.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tacit as t
from tacit.bench import language
from tacit.bench.rows import Bar, Row, Sheet

LINKS: Mapping[str, str | None] = {"loopback": None, "lan": "lan", "100mbit,20ms": "100mbit,20ms"}
LOOPBACK = "20000mbit,0.025ms"
"""The planned link if the parties use this machine's loopback."""

DOMAINS = ("auto", "yao", "bool", "arith")
RUNS = 2
LONGEST = 30.0
"""A program is not run in a domain if its prediction there exceeds this many seconds."""

WITHIN, WITHIN_ALL, CHOSEN, CHOSEN_ALL = 0.20, 0.35, 1.10, 1.30
"""Limits on errors of predictions, and on the chosen plan's time as a multiple of the best domain's."""

OPERATIONS = 10_000
MANY_OPERATIONS = 1_000_000

PREDICTED = f"part of times predicted within {WITHIN:.0%}"
PREDICTED_ALL = "largest difference of a prediction"
COMPUTED = f"part of processor times predicted within {WITHIN:.0%}"
BEST = f"part of choices within {CHOSEN - 1:.0%} of the best domain"
BEST_ALL = "largest of what is chosen over the best domain"
DECIDING = {
    "deciding, 10^4 operations": 2.0,
    "deciding, a network of 784, 128 and 10": 0.3,
    "deciding, biometric of 100000 rows": 0.3,
    "deciding, 10^6 operations": 20.0,
}

BARS = [
    Bar(PREDICTED, least=0.9),
    Bar(PREDICTED_ALL, most=WITHIN_ALL),
    Bar(BEST, least=0.95),
    Bar(BEST_ALL, most=CHOSEN_ALL),
    *(Bar(name, most=seconds) for name, seconds in DECIDING.items()),
]


@dataclass(frozen=True)
class Case:
    """A program with its inputs."""

    name: str
    program: Any
    given: Mapping[str, Any]


@dataclass(frozen=True)
class Found:
    """A case on a link in a domain: seconds predicted and measured, of computing and of the processor."""

    case: str
    link: str
    domain: str
    predicted: float
    measured: float
    computing: float
    processor: float

    @property
    def name(self) -> str:
        """Its name in rows."""
        return f"{self.case}, {self.link}, {self.domain}"


@t.function
def less(a: t.Role, b: t.Role) -> None:
    """Which of two numbers is smaller."""
    t.output("less", a.input("x", t.u32) < b.input("y", t.u32), a, b)


def measure() -> list[Row]:
    """All rows."""
    found = [one for case in cases() for link in LINKS for one in measured(case, link)]
    return [*_each(found), *_predictions(found), *_choices(found), *deciding()]


def cases() -> list[Case]:
    """ABY's three applications, a comparison, and a network."""
    sys.path.insert(0, "examples/aby")
    biometric, exponentiation, intersection = (
        importlib.import_module(name) for name in ("biometric", "exponentiation", "intersection")
    )
    draw = random.Random(7)

    def some(*shape: int) -> Any:
        return [some(*shape[1:]) for _ in range(shape[0])] if shape else draw.uniform(-1, 1)

    def whole(count: int, bits: int) -> list[int]:
        return [draw.getrandbits(bits) for _ in range(count)]

    elements = [sorted(draw.sample(range(1, 1 << 20), 64)) for _ in range(2)]
    swaps = [[bool(draw.getrandbits(1)) for _ in range(32)] for _ in range(intersection.layers(64))]
    pixels, hidden, digits = language.LAYERS
    weights = {"first": some(pixels, hidden), "second": some(hidden, digits)}
    model = {**weights, "bias": some(hidden), "last": some(digits)}
    return [
        Case("comparison", less, {"a": {"x": 5}, "b": {"y": 7}}),
        Case(
            "biometric of 512 rows",
            biometric.match,
            {
                "server": {"database": [whole(4, 8) for _ in range(512)]},
                "client": {"sample": whole(4, 8)},
                "domains": "",
            },
        ),
        Case(
            "power of 32 bits",
            exponentiation.power,
            {
                "server": {"base": 1234567},
                "client": {"exponent": 7654321, "modulus": 4294967291},
                "domains": "",
            },
        ),
        Case(
            "intersection of 64, sorted",
            intersection.intersect,
            {
                "server": {"elements": elements[0], "swaps": swaps},
                "client": {"elements": elements[1][::-1], "swaps": swaps},
                "n": 64,
                "domains": "",
            },
        ),
        Case("network", language.network, {"model": model, "client": {"picture": some(pixels)}}),
    ]


def measured(case: Case, link: str) -> list[Found]:
    """The case in every domain; those that would take too long are left out."""
    net = LINKS[link]
    statics = {key: value for key, value in case.given.items() if not isinstance(value, dict)}
    options: dict[str, Any] = {"planned_link": net or LOOPBACK, "net": net}
    found = []
    for domain in DOMAINS:
        planned = {"domain": domain, "planned_link": options["planned_link"]}
        told = json.loads(t._native.outlook(case.program.trace(**statics).program, **planned))
        if told["predicted"]["seconds"] > LONGEST:
            continue
        runs = [_run(case, link, domain, options) for _ in range(RUNS)]
        found.append(min(runs, key=lambda run: run.measured))
    return found


def _run(case: Case, link: str, domain: str, options: Mapping[str, Any]) -> Found:
    given = {key: value for key, value in options.items() if value is not None}
    outputs = case.program.local(**case.given, domain=domain, **given)
    reports = list(outputs.reports.values())
    times = reports[0]["predicted"]["time"].values()
    both = [[phase for phase in report["phases"] if phase["phase"] != "analysis"] for report in reports]

    def slower(of: str) -> float:
        return sum(max(phase[of] or 0.0 for phase in phases) for phases in zip(*both, strict=True))

    return Found(
        case.name,
        link,
        domain,
        sum(sum(time.values()) for time in times) / 1e9,
        slower("seconds"),
        sum(time["computing_ns"] for time in times) / 1e9,
        slower("processor_seconds"),
    )


def _each(found: list[Found]) -> list[Row]:
    rows = []
    for one in found:
        rows += [
            Row(f"{one.name}, measured", one.measured, "s"),
            Row(f"{one.name}, predicted", one.predicted, "s"),
        ]
        rows.append(Row(f"{one.name}, processor", one.processor, "s"))
        rows.append(Row(f"{one.name}, computing predicted", one.computing, "s"))
    return rows


def _off(predicted: float, real: float) -> float:
    return abs(predicted - real) / real if real else 0.0


def _part(all_of: list[bool]) -> float:
    return sum(all_of) / len(all_of) if all_of else 0.0


def _predictions(found: list[Found]) -> list[Row]:
    off = [_off(one.predicted, one.measured) for one in found]
    computed = [_off(one.computing, one.processor) <= WITHIN for one in found]
    return [
        Row(PREDICTED, _part([one <= WITHIN for one in off]), ""),
        Row(PREDICTED_ALL, max(off), ""),
        Row(COMPUTED, _part(computed), ""),
    ]


def _choices(found: list[Found]) -> list[Row]:
    """The measured time of the chosen plan beside the best domain's."""
    ratios: dict[str, float] = {}
    for one in found:
        if one.domain == "auto":
            others = [
                other.measured
                for other in found
                if (other.case, other.link) == (one.case, one.link) and other.domain != "auto"
            ]
            if others:
                ratios[f"{one.case}, {one.link}"] = one.measured / min(others)
    return [
        *(Row(f"chosen over the best domain, {name}", ratio, "x") for name, ratio in ratios.items()),
        Row(BEST, _part([ratio <= CHOSEN for ratio in ratios.values()]), ""),
        Row(BEST_ALL, max(ratios.values()), "x"),
    ]


def deciding() -> list[Row]:
    """Seconds from a traced program to its plan, with `auto`."""
    sys.path.insert(0, "examples/aby")
    biometric = importlib.import_module("biometric")
    programs: list[Callable[[], Any]] = [
        lambda: language.scalars.trace(count=OPERATIONS),
        language.network.trace,
        lambda: biometric.match.trace(n=100_000, domains=""),
        lambda: language.scalars.trace(count=MANY_OPERATIONS),
    ]
    rows = []
    for name, program in zip(DECIDING, programs, strict=True):
        trace = program()
        start = time.perf_counter()
        trace.plan(domain="auto")
        rows.append(Row(name, time.perf_counter() - start, "s"))
    return rows


def sheets(rows: list[Row]) -> list[Sheet]:
    """Every run as one line."""
    by_name = {row.name: row.value for row in rows}
    lines = []
    for name, value in by_name.items():
        run = name.removesuffix(", measured")
        if run != name:
            predicted = by_name[f"{run}, predicted"]
            lines.append(
                [run, f"{value:.4f}", f"{predicted:.4f}", f"{predicted / value:.2f}" if value else ""]
            )
    return [Sheet("seconds of setup and online", ["run", "measured", "predicted", "ratio"], lines)]


def main() -> None:
    """Prints the rows of a bench as they stand."""
    for row in measure():
        sys.stdout.write(json.dumps({"name": row.name, "value": row.value, "unit": row.unit}) + "\n")


if __name__ == "__main__":
    main()
