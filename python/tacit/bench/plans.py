"""Plans beside runs: predicted and measured time, chosen and other plans, and how long deciding takes.

Each program runs between two processes over TLS, on loopback and on links that are shaped to the planned
speed: as the plan chooses, in every domain throughout, and by the best of all plans that give each class
of operations a domain. A time is that of setup and online of the slower party, the least of several runs. A
choice that seems worse than another plan is measured anew beside it, in turn, and the least of each counts.
Beside every time is the processor time of a party, which other work on the machine does not change. On
standard error is a line for each plan of a case once it has run.

Bytes and rounds of every run are compared with the prediction, too. Two programs of many values show how much
memory the process of a party takes.

In the environment: TACIT_BENCH_CASES, a part of the names of the cases to run, instead of all.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import tacit as t
from tacit.bench import drawn, language
from tacit.bench.rows import Bar, Row, Sheet

LINKS: Mapping[str, str | None] = {
    "loopback": None,
    "lan": "lan",
    "two sites": "250mbit,5ms",
    "wan": "wan",
    "mobile": "mobile",
}
LOOPBACK = "20000mbit,0.025ms"
"""The planned link if the parties use this machine's loopback."""

DOMAINS = ("yao", "bool", "arith")
CLASS_DOMAINS = {
    "sums": DOMAINS,
    "products": DOMAINS,
    "comparisons": DOMAINS,
    "choices": DOMAINS[:2],
    "bits": DOMAINS[:2],
}
"""The domains that can compute each class of operations."""

RUNS = 3
BRIEF = 1.0
"""Runs that take more seconds are measured once."""
AGAIN, AGAIN_BRIEF = 3, 9
"""Further runs of a choice and of the plan that seems better, and of brief ones, which vary more."""
LONGEST = 20.0
"""A plan is not run if it is predicted to take more seconds."""
NEAR, MOST_NEAR = 1.5, 3
"""Plans by classes are run if predicted to take at most this many times the least, and so many of them."""
MOST_ENUMERATED = 1 << 20
"""Plans by classes are enumerated for programs of at most this many ANDs, which take long to plan beyond."""
DRAWN = 20

WITHIN, WITHIN_ALL, CHOSEN, CHOSEN_ALL = 0.20, 0.35, 1.10, 1.30
"""Limits on errors of predictions, and on the chosen plan's time as a multiple of the best plan's."""

OPERATIONS = 10_000
MANY_OPERATIONS = 1_000_000

PREDICTED = f"part of times predicted within {WITHIN:.0%}"
PREDICTED_ALL = "largest difference of a prediction"
INEXACT = "runs whose bytes or rounds are not those predicted"
COMPUTED = f"part of processor times predicted within {WITHIN:.0%}"
BEST = f"part of choices within {CHOSEN - 1:.0%} of the best plan"
BEST_ALL = "largest of what is chosen over the best plan"
DECIDING = {
    "deciding, 10^4 operations": 2.0,
    "deciding, a network of 784, 128 and 10": 0.3,
    "deciding, biometric of 100000 rows": 0.3,
    "deciding, 10^6 operations": 20.0,
}

MEMORY = (
    "peak memory of a party, (x + y).sum() of 10^6 numbers in yao",
    "peak memory of a party, 2000 rows compared with 2000 in yao",
)
MOST_MEMORY = 300e6
ANSWER, LONGEST_ANSWER = "import to answer of a comparison, auto", 0.1

BARS = [
    Bar(INEXACT, most=0),
    Bar(PREDICTED, least=0.9),
    Bar(PREDICTED_ALL, most=WITHIN_ALL),
    Bar(BEST, least=0.95),
    Bar(BEST_ALL, most=CHOSEN_ALL),
    *(Bar(name, most=seconds) for name, seconds in DECIDING.items()),
    *(Bar(name, most=MOST_MEMORY) for name in MEMORY),
    Bar(ANSWER, most=LONGEST_ANSWER),
]

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """A program with its inputs."""

    name: str
    program: Any
    given: Mapping[str, Any]

    def trace(self) -> Any:
        """Its program for these parameters."""
        return self.program.trace(**{key: at for key, at in self.given.items() if not isinstance(at, dict)})


@dataclass(frozen=True)
class Way:
    """A plan of a case on a link: the domain, those of classes, and the predicted seconds."""

    domain: str
    classes: str | None
    predicted: float
    plan: str

    @property
    def name(self) -> str:
        """Its name in rows."""
        return f"{self.domain}, {self.classes}" if self.classes else self.domain

    @property
    def options(self) -> Options:
        """The options of a run that bring it about."""
        return {"domain": self.domain, **({"classes": self.classes} if self.classes else {})}


@dataclass(frozen=True)
class Found:
    """A case on a link by a plan: seconds predicted and measured, of computing and of the processor.

    Also whether bytes and rounds were those predicted.
    """

    case: str
    link: str
    way: str
    plan: str
    predicted: float
    measured: float
    computing: float
    processor: float
    exact: bool

    @property
    def name(self) -> str:
        """Its name in rows."""
        return f"{self.case}, {self.link}, {self.way}"


@t.function
def less(a: t.Role, b: t.Role) -> None:
    """Which of two numbers is smaller."""
    t.output("less", a.input("x", t.u32) < b.input("y", t.u32), a, b)


@t.function
def faces(server: t.Role, client: t.Role, *, pixels: int, features: int, count: int) -> None:
    """The most similar face: projected onto features, and compared by distance."""
    space = server.input("space", t.i8[pixels, features])
    known = server.input("known", t.i32[count, features])
    projected = client.input("face", t.u8[pixels]) @ space
    distances = ((known - projected) ** 2).sum(axis=1)
    client.output("index", distances.argmin())


@t.function
def summed(a: t.Role, b: t.Role, *, n: int) -> None:
    """The sum of two vectors' elements."""
    b.output("sum", (a.input("x", t.u32[n]) + b.input("y", t.u32[n])).sum())


@t.function
def common(server: t.Role, client: t.Role, *, n: int) -> None:
    """Which elements of one set are in the other."""
    ours, theirs = server.input("elements", t.u32[n]), client.input("elements", t.u32[n])
    client.output("common", (theirs[:, None] == ours[None, :]).any(axis=1))


def measure() -> list[Row]:
    """All rows."""
    part = os.environ.get("TACIT_BENCH_CASES", "")
    chosen = [case for case in cases() if part in case.name]
    found: list[Found] = []
    over: dict[str, float] = {}
    for case in chosen:
        ways = {link: of_link for link in LINKS if (of_link := _ways(case, link))}
        for link, runs in measured(case, ways).items():
            over[f"{case.name}, {link}"] = _over_the_best(case, link, runs, ways[link])
            _tell(runs, over[f"{case.name}, {link}"])
            found += runs
    whole = [] if part else [*deciding(), *memory(), answer()]
    return [*_each(found), *_predictions(found), *_choices(over), *whole]


def _tell(runs: list[Found], over: float) -> None:
    for one in runs:
        seconds = (one.measured, one.predicted, one.processor, one.computing)
        figures = " ".join(f"{what:.4f}" for what in seconds)
        sys.stderr.write(f"{one.name}: {figures}\n")
    sys.stderr.write(f"  chosen over the best plan: {over:.3f}\n")
    sys.stderr.flush()


def words(draw: random.Random, bits: int, *shape: int) -> Any:
    """Words of so many bits."""
    return [words(draw, bits, *shape[1:]) for _ in range(shape[0])] if shape else draw.getrandbits(bits)


def cases() -> list[Case]:
    """ABY's three applications, TASTY's two, a comparison, a network, and programs drawn at random."""
    sys.path.insert(0, "examples/aby")
    biometric, exponentiation, intersection = (
        importlib.import_module(name) for name in ("biometric", "exponentiation", "intersection")
    )
    draw = random.Random(7)
    whole = partial(words, draw)

    def rows(count: int) -> Case:
        given = {"server": {"database": whole(8, count, 4)}, "client": {"sample": whole(8, 4)}}
        statics: dict[str, Any] = {"domains": ""} if count == 512 else {"domains": "", "n": count}
        return Case(f"biometric of {count} rows", biometric.match, {**given, **statics})

    elements = [sorted(draw.sample(range(1, 1 << 20), 64)) for _ in range(2)]
    swaps = [[bool(draw.getrandbits(1)) for _ in range(32)] for _ in range(intersection.layers(64))]
    power = {
        "server": {"base": 1234567},
        "client": {"exponent": 7654321, "modulus": 4294967291},
        "domains": "",
    }
    sorted_sets = {
        "server": {"elements": elements[0], "swaps": swaps},
        "client": {"elements": elements[1][::-1], "swaps": swaps},
        "n": 64,
        "domains": "",
    }
    known = {"space": [[draw.randint(-9, 9) for _ in range(12)] for _ in range(1024)]}
    server = {**known, "known": [[draw.randint(-99999, 99999) for _ in range(12)] for _ in range(40)]}
    recognised = {"server": server, "client": {"face": whole(8, 1024)}}
    sets = {"server": {"elements": whole(32, 128)}, "client": {"elements": whole(32, 128)}, "n": 128}
    return [
        Case("comparison", less, {"a": {"x": 5}, "b": {"y": 7}}),
        rows(512),
        Case("power of 32 bits", exponentiation.power, power),
        Case("intersection of 64, sorted", intersection.intersect, sorted_sets),
        Case("faces of 1024 pixels", faces, {**recognised, "pixels": 1024, "features": 12, "count": 40}),
        Case("intersection of 128, compared", common, sets),
        Case("network", language.network, language.network_inputs(draw)),
        rows(100_000),
        *(Case(f"drawn {seed}", drawn.program, drawn.given(seed)) for seed in range(DRAWN)),
    ]


def measured(case: Case, ways: Mapping[str, list[Way]]) -> dict[str, list[Found]]:
    """The case by these plans on each link, in turn: no busy moment of the machine hits all runs of one."""
    found = {link: [_run(case, link, way) for way in of_link] for link, of_link in ways.items()}
    for _ in range(RUNS - 1):
        for link, runs in found.items():
            for number, way in enumerate(ways[link]):
                if runs[number].measured < BRIEF:
                    runs[number] = _faster(runs[number], _run(case, link, way))
    return found


def _faster(one: Found, other: Found) -> Found:
    """The faster of two runs of a plan, which is exact if both are."""
    fastest = min(one, other, key=lambda run: run.measured)
    return replace(fastest, exact=one.exact and other.exact)


def _ways(case: Case, link: str) -> list[Way]:
    """The plans to run: the chosen one first."""
    trace = case.trace()
    chosen = _way(trace, link, "auto")
    if chosen.predicted > LONGEST:
        return []
    throughout = [_way(trace, link, domain) for domain in DOMAINS]
    different = {way.plan: way for way in reversed(throughout) if way.plan != chosen.plan}
    known = (chosen, *different.values())
    drafts = _distinct(_by_classes(trace, link), ())[: 2 * MOST_NEAR]
    by_classes = _distinct((_way(trace, link, way.domain, way.classes) for way in drafts), known)
    limit = NEAR * min(way.predicted for way in (*known, *by_classes))
    near = [way for way in by_classes if way.predicted <= limit][:MOST_NEAR]
    return [way for way in (*known, *near) if way.predicted <= LONGEST]


def _distinct(ways: Iterable[Way], known: Iterable[Way]) -> list[Way]:
    """Ways with different plans, none of which is known, from the best on."""
    plans = {way.plan for way in known}
    first = {way.plan: way for way in reversed(list(ways)) if way.plan not in plans}
    return sorted(first.values(), key=lambda way: way.predicted)


def _by_classes(trace: Any, link: str) -> Iterator[Way]:
    """Drafts of plans that give each class a domain; none for programs that take long to plan."""
    told = _outlook(trace, link, domain="yao", moves=True)
    if told["work"]["and_count"] > MOST_ENUMERATED:
        return
    present = {move["class"] for move in told["moves"]}
    classes = [name for name in CLASS_DOMAINS if name in present]
    for domain in DOMAINS:
        for chosen in itertools.product(*(CLASS_DOMAINS[name] for name in classes)):
            if set(chosen) != {domain}:
                pairs = ",".join(f"{name}={to}" for name, to in zip(classes, chosen, strict=True))
                yield _way(trace, link, domain, pairs, effort=0)


def _way(trace: Any, link: str, domain: str, classes: str | None = None, **options: Any) -> Way:
    told = _outlook(trace, link, domain=domain, **({"classes": classes} if classes else {}), **options)
    return Way(domain, classes, told["predicted"]["seconds"], told["plan_hash"])


def _outlook(trace: Any, link: str, **options: Any) -> dict[str, Any]:
    planned = LINKS[link] or LOOPBACK
    told = t._native.outlook(trace.program, alternatives=False, planned_link=planned, **options)
    read: dict[str, Any] = json.loads(told)
    return read


def _run(case: Case, link: str, way: Way) -> Found:
    net = LINKS[link]
    shaped = {"net": net} if net else {}
    outputs = case.program.local(**case.given, planned_link=net or LOOPBACK, **shaped, **way.options)
    reports = list(outputs.reports.values())
    times = reports[0]["predicted"]["time"].values()
    both = [[phase for phase in report["phases"] if phase["phase"] != "analysis"] for report in reports]

    def slower(of: str) -> float:
        return max(sum(phase[of] or 0.0 for phase in phases) for phases in both)

    return Found(
        case.name,
        link,
        way.name,
        way.plan,
        sum(sum(time.values()) for time in times) / 1e9,
        slower("seconds"),
        sum(time["computing_ns"] for time in times) / 1e9,
        slower("processor_seconds"),
        all(_is_exact(report) for report in reports),
    )


def _is_exact(report: Mapping[str, Any]) -> bool:
    """Whether a party sent as many bytes, and waited as many times, as the plan says."""
    side = report["side"].lower()
    told = {phase: report["predicted"][phase] for phase in ("setup", "online")}
    found = {phase["phase"]: (phase["payload_sent"], phase["rounds"]) for phase in report["phases"]}
    return all(found[phase] == (of[f"{side}_bytes"], of[f"{side}_rounds"]) for phase, of in told.items())


def _over_the_best(case: Case, link: str, runs: list[Found], ways: list[Way]) -> float:
    """The measured time of the chosen plan, which is the first, beside the best of all."""
    chosen, best = runs[0], min(runs, key=lambda run: run.measured)
    if chosen.measured <= CHOSEN * best.measured:
        return chosen.measured / best.measured
    pair = [ways[0], ways[runs.index(best)]]
    more = AGAIN_BRIEF if chosen.measured < BRIEF else AGAIN
    again = [[_run(case, link, way).measured for way in pair] for _ in range(more)]
    of_chosen, of_best = zip((chosen.measured, best.measured), *again, strict=True)
    return max(1.0, float(min(of_chosen) / min(of_best)))


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
        Row(INEXACT, sum(not one.exact for one in found), ""),
        Row(COMPUTED, _part(computed), ""),
    ]


def _choices(over: Mapping[str, float]) -> list[Row]:
    """The measured time of the chosen plans beside the best plans."""
    return [
        *(Row(f"chosen over the best plan, {name}", ratio, "x") for name, ratio in over.items()),
        Row(BEST, _part([ratio <= CHOSEN for ratio in over.values()]), ""),
        Row(BEST_ALL, max(over.values()), "x"),
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


def memory() -> list[Row]:
    """The most memory that the process of a party takes, its inputs as text and the interpreter included."""
    count, rows = 1_000_000, 2000
    draw = random.Random(7)

    def numbers(length: int, bits: int) -> list[int]:
        return [draw.getrandbits(bits) for _ in range(length)]

    sums: dict[str, Any] = {"a": {"x": numbers(count, 11)}, "b": {"y": numbers(count, 11)}, "n": count}
    sets: dict[str, Any] = {
        "server": {"elements": numbers(rows, 32)},
        "client": {"elements": numbers(rows, 32)},
        "n": rows,
    }
    runs = [summed.using(domain="yao").local(**sums), common.using(domain="yao").local(**sets)]
    peaks = [max(report["peak_memory_bytes"] for report in run.reports.values()) for run in runs]
    return [Row(name, peak, "B") for name, peak in zip(MEMORY, peaks, strict=True)]


def answer() -> Row:
    """A comparison in a new interpreter, from its import to the answer of both parties."""
    return Row(ANSWER, min(language.compare() for _ in range(AGAIN)), "s")


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
