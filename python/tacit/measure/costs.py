"""Every figure of a run that can be plotted, tabled and compared: its name, its unit, where it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from tacit import UsageError

if TYPE_CHECKING:
    from tacit.measure.records import Record

PHASES = ("analysis", "setup", "online")
"""The phases of a run, in their order."""

_WHEN = {"analysis": "in analysis", "setup": "in setup", "online": "online"}

Report = Mapping[str, Any]
Read = Callable[[Report], float | None]


class Over(Enum):
    """How the figures of the parties become the figure of the run."""

    LARGEST = "largest"
    SUM = "sum"
    RUN = "the run's own"


@dataclass(frozen=True)
class Cost:
    """One figure."""

    name: str
    unit: str
    """`s`, `B`, or empty where it counts things."""
    what: str
    over: Over
    exact: bool
    """Whether equal programs give equal figures, on any machine and however busy that is."""
    read: Read

    def at(self, record: Record, role: str | None = None) -> float | None:
        """The figure of a run, or of one role in it; None where it was not measured."""
        if self.over is Over.RUN:
            return self.read(record.fields) if role is None else None
        if role is not None:
            return self.read(record.reports[role]) if role in record.reports else None
        found = [self.read(report) for report in record.reports.values()]
        known = [value for value in found if value is not None]
        if not known or len(known) < len(found):
            return None
        return sum(known) if self.over is Over.SUM else max(known)


@dataclass(frozen=True)
class Chosen:
    """A figure as a user names it: `online_s`, or of one role `A.online_s`."""

    cost: Cost
    role: str | None

    @property
    def name(self) -> str:
        """As the user writes it."""
        return self.cost.name if self.role is None else f"{self.role}.{self.cost.name}"

    @property
    def label(self) -> str:
        """As it stands in a legend."""
        return self.cost.what if self.role is None else f"{self.cost.what}, {self.role}"

    def at(self, record: Record) -> float | None:
        """The figure of a run."""
        return self.cost.at(record, self.role)


def cost_of(name: str) -> Chosen:
    """The figure of this name."""
    role, dot, rest = name.rpartition(".")
    cost = COSTS.get(rest)
    if cost is None or (dot and not role):
        raise UsageError(f"there is no figure {name}; `tacit bench --list-costs` lists all figures")
    if role and cost.over is Over.RUN:
        raise UsageError(f"{rest} is a figure of the run; it has no value of its own for {role}")
    return Chosen(cost, role or None)


def _number(value: object) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _path(*keys: str) -> Read:
    """Reads what lies behind these keys."""

    def read(report: Report) -> float | None:
        value: Any = report
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        return _number(value)

    return read


def _phase(name: str, key: str) -> Read:
    """Reads a field of one phase."""

    def read(report: Report) -> float | None:
        for phase in report.get("phases", ()):
            if phase.get("phase") == name:
                return _number(phase.get(key))
        return None

    return read


def _total(reads: list[Read]) -> Read:
    """Adds up; None where a part is missing."""

    def read(report: Report) -> float | None:
        values = [part(report) for part in reads]
        known = [value for value in values if value is not None]
        return sum(known) if len(known) == len(values) else None

    return read


@dataclass(frozen=True)
class _Field:
    """A field of the phases that makes a figure for each phase, and maybe one for all together."""

    key: str
    name: str
    what: str
    unit: str
    over: Over
    exact: bool
    total: str | None
    phases: tuple[str, ...] = PHASES

    def costs(self) -> list[Cost]:
        reads = [_phase(phase, self.key) for phase in self.phases]
        each = [
            self._cost(f"{phase}_{self.name}", f"{self.what} {_WHEN[phase]}", read)
            for phase, read in zip(self.phases, reads, strict=True)
        ]
        if self.total is None:
            return each
        return [*each, self._cost(self.total, f"{self.what} in all phases", _total(reads))]

    def _cost(self, name: str, what: str, read: Read) -> Cost:
        return Cost(name, self.unit, what, self.over, self.exact, read)


_PROTOCOL = ("setup", "online")

_FIELDS = [
    _Field("seconds", "s", "time", "s", Over.LARGEST, False, "total_s"),
    _Field("compute_seconds", "compute_s", "time computing", "s", Over.LARGEST, False, "compute_s"),
    _Field(
        "network_seconds", "network_s", "time awaiting the network", "s", Over.LARGEST, False, "network_s"
    ),
    _Field("bytes_sent", "sent_bytes", "bytes sent", "B", Over.SUM, False, "sent_bytes"),
    _Field("bytes_received", "received_bytes", "bytes received", "B", Over.SUM, False, "received_bytes"),
    _Field("payload_sent", "payload_bytes", "payload sent", "B", Over.SUM, True, "payload_bytes", _PROTOCOL),
    _Field("messages_sent", "messages", "messages sent", "", Over.SUM, False, "messages"),
    _Field("rounds", "rounds", "rounds", "", Over.LARGEST, False, "rounds"),
]

_PREDICTED = [
    Cost(
        f"predicted_{phase}_bytes",
        "B",
        f"payload predicted for {phase}",
        Over.LARGEST,
        True,
        _total([_path("predicted", phase, f"{side}_bytes") for side in ("garbler", "evaluator")]),
    )
    for phase in _PROTOCOL
]

_WORK = [
    Cost(name, "", what, Over.LARGEST, True, _path("work", name.removeprefix("scheduled_")))
    for name, what in (
        ("and_count", "AND gates"),
        ("scheduled_and_depth", "AND depth as it was run, at most"),
        ("xor_count", "XOR gates"),
        ("garbler_input_bits", "input bits of the garbler"),
        ("evaluator_input_bits", "input bits of the evaluator"),
        ("random_bits", "random bits"),
        ("output_bits", "output bits"),
    )
]

_KINDS = {
    "additions": ("sums and differences", {"add", "sub", "neg", "segment_sum", "scan_add"}),
    "multiplications": ("products", {"mul", "matrix_product"}),
    "divisions": ("quotients, remainders and inverses", {"div_u", "div_s", "rem_u", "rem_s", "invert"}),
    "comparisons": ("comparisons", {"eq", "lt_u", "lt_s"}),
    "extremes": (
        "elements among which the least or greatest was sought",
        {"arg_min_u", "arg_min_s", "scan_min_u", "scan_min_s", "scan_max_u", "scan_max_s"},
    ),
    "sorted_elements": ("elements sorted or permuted", {"sort_u", "sort_s", "permute"}),
    "selections": ("choices by a secret condition", {"select"}),
    "bitwise_operations": (
        "operations on bits",
        {"and", "or", "xor", "not", "scan_and", "scan_or", "scan_xor"},
    ),
    "secret_shifts": ("shifts by a secret", {"shift_left", "shift_right_u", "shift_right_s"}),
    "table_accesses": ("reads and writes at secret positions", {"lookup", "update"}),
    "circuit_gates": ("gates of circuit files", {"gate"}),
}
"""Kinds of operations, as the program names them, that are counted together."""


def _operations(kinds: Set[str] | None = None) -> Read:
    """Counts operations of these kinds, or of all."""

    def read(report: Report) -> float | None:
        found = report.get("operations")
        if not isinstance(found, list):
            return None
        counts = [each["count"] for each in found if kinds is None or each["kind"] in kinds]
        return int(sum(counts))

    return read


_OPERATIONS = [
    Cost("operations", "", "operations of all kinds", Over.LARGEST, True, _operations()),
    *(Cost(name, "", what, Over.LARGEST, True, _operations(kinds)) for name, (what, kinds) in _KINDS.items()),
]

_RUN = [
    Cost("and_depth", "", "AND depth", Over.RUN, True, _path("and_depth")),
    Cost("compile_s", "s", "time to compile the program", Over.RUN, False, _path("compile_s")),
    Cost("clear_s", "s", "time to compute in the clear", Over.RUN, False, _path("clear_s")),
    Cost("wall_s", "s", "time with starting the parties' processes", Over.RUN, False, _path("wall_s")),
]

_MEMORY = Cost(
    "peak_memory_bytes", "B", "peak memory", Over.LARGEST, False, _path("peak_memory_bytes")
)  # fmt: skip

COSTS: dict[str, Cost] = {
    cost.name: cost
    for cost in [
        *(cost for field in _FIELDS for cost in field.costs()),
        *_PREDICTED,
        *_WORK,
        *_OPERATIONS,
        *_RUN,
        _MEMORY,
    ]
}
"""All figures by name."""
