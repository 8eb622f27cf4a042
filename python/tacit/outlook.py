"""The output of `tacit plan` as text.

`told` is the object that `tacit._native.outlook` returns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.measure.units import counted

Told = Mapping[str, Any]

ALIKE = 0.02
"""Alternatives that differ by less are called equally good."""

UNITS = 5
"""Number of kinds of computing that are listed."""

CLASSES = {
    "sums": ("add", "sub", "neg", "segment_sum"),
    "products": ("mul", "matrix_product"),
    "comparisons": ("eq", "lt_u", "lt_s", "arg_min_u", "arg_min_s", "sort_u", "sort_s"),
    "choices": ("select",),
}
"""Kinds of operations of each class that can be moved together; all others are `bits`."""


def written(told: Told) -> str:
    """The plan."""
    predicted = told["predicted"]
    lines = [
        f"{told['program']}: {_seconds(predicted['seconds'])}, {_bytes(predicted['bytes'])}",
        f"planned for {told['link']}; profile {told['profile']}; objective {told['objective']}",
        "",
        *_phases(predicted),
        *_memory(told),
        *_price(told),
        "",
        "domains",
        *(f"  {_work(work)}" for work in told["domains"]),
        *_operations(told["operations"]),
        *_classes(told["classes"]),
        "",
        "computing, most first",
        *(
            f"  {_seconds(row['seconds']):>10}  {row['count']} {row['unit']}"
            for row in told["computing"][:UNITS]
        ),
        "",
        "alternatives",
        *(f"  {alternative(row)}" for row in told["alternatives"]),
        *_other_garbler(told["other_garbler"]),
        f"  {gap(told)}",
        "",
        "who computes, who learns what",
        *_trust(told),
    ]
    return "\n".join(lines) + "\n"


def _phases(predicted: Told) -> list[str]:
    def line(name: str) -> str:
        phase = predicted[name]
        parts = [
            f"{_seconds(phase[f'{part}_seconds'])} {part}"
            for part in ("computing", "sending", "waiting")
            if phase[f"{part}_seconds"] > 0
        ]
        sent = phase["garbler_bytes"] + phase["evaluator_bytes"]
        made = f" ({', '.join(parts)})" if parts else ""
        rounds = counted(phase["rounds"], "round")
        return f"{name:<7}{_seconds(phase['seconds'])}{made}, {_bytes(sent)}, {rounds}"

    return [line("setup"), line("online")]


def _memory(told: Told) -> list[str]:
    """The peak memory of each party, and the line that needs it."""

    def part(side: str) -> str:
        peak = told["predicted"]["memory"][side]
        line = f" for line {peak['line']}" if peak["line"] else ""
        return f"{_bytes(peak['bytes'])} of {told[side]}{line}"

    return [f"memory {part('garbler')}, {part('evaluator')}"]


def _price(told: Told) -> list[str]:
    """The price of the run, if prices are known."""
    predicted = told["predicted"]
    if predicted["money"] is None:
        return []
    processors = _seconds(predicted["processor_seconds"])
    return [
        f"money  {predicted['money']:.3g} for {_bytes(predicted['bytes'])} and {processors} of processors"
    ]


def _work(work: Told) -> str:
    counts = [
        (work["and_count"], "ANDs"),
        (work["product_count"], "products"),
        (work["converted_words"], "words converted to it"),
    ]
    said = [f"{count} {what}" for count, what in counts if count]
    return f"{work['domain']}: {', '.join(said) or 'values alone'}"


def _operations(operations: Sequence[Told]) -> list[str]:
    rows = [row for row in operations if row["count"]]
    return [f"  line {row['line']}: {row['count']} {row['kind']} in {row['domain']}" for row in rows]


def _classes(assigned: str) -> list[str]:
    """The classes of operations that have a domain of their own, as `--classes` takes them."""
    return [f"  --classes {assigned}"] if assigned else []


def gap(told: Told) -> str:
    """How far the plan may be from the best."""
    bound = told["bound"]
    if "unknown" in bound:
        return f"how far the plan is from the best is not known: {bound['unknown']}"
    least = _of_objective(bound["least"], told["objective"])
    return f"by the model, every plan takes at least {least}; this one takes {_part(bound['gap'])}"


def _part(more: float) -> str:
    if more < ALIKE:
        return "no more"
    return f"at most {more:.0%} more" if more < 1 else f"at most {more + 1:.1f} times that"


def _of_objective(value: float, objective: str) -> str:
    if objective == "bytes":
        return _bytes(int(value))
    return _money(value) if objective.startswith("money") else _seconds(value)


def _money(value: float) -> str:
    return f"{value:.3g} of money"


def alternative(row: Told) -> str:
    """The cost of another choice of domains."""
    name = row["domain"] if row["domain"] == "auto" else f"all {row['domain']}"
    if "error" in row:
        return f"{name}: none ({row['error']})"
    return f"{name}: {_times(row['times'])}, {_more(row['bytes_times'])} the bytes"


def _other_garbler(row: Told | None) -> list[str]:
    """The cost if the other party garbled, where it is predicted."""
    if row is None:
        return []
    return [f"  {row['garbler']} garbles: {_times(row['times'])}, {_more(row['bytes_times'])} the bytes"]


def _times(times: float) -> str:
    if abs(times - 1) < ALIKE:
        return "as fast"
    return f"{times:.1f}x slower" if times > 1 else f"{1 / times:.1f}x faster"


def _more(times: float) -> str:
    return f"{times:.2g}x" if times < 10 else f"{times:.0f}x"


def _trust(told: Told) -> list[str]:
    lines = [
        f"  {told['garbler']} (garbles) and {told['evaluator']} (evaluates) compute",
        f"  security: {told['security']}",
        "  model: both follow the protocol and do not collude",
        "  either alone learns its outputs, and the sizes of all inputs and of the program",
    ]
    if told["outside_parties"]:
        lines.append(f"  {', '.join(told['outside_parties'])} only give inputs and take outputs")
    lines += [f"  {row['party'] or 'kept shares'} gives {row['name']}" for row in told["inputs"]]
    for row in told["outputs"]:
        parties = [party for party in row["parties"] if party is not None]
        lines.append(f"  {', '.join(parties) or 'nobody'} learns {row['name']}")
    return lines


def explained(told: Told, what: str) -> str | None:
    """Why the operations of a line, or of a kind, are in their domains; None if there are none."""
    rows = [row for row in told["operations"] if what in (str(row["line"]), row["kind"])]
    if not rows:
        return None
    lines = []
    for row in rows:
        lines.append(f"line {row['line']}: {row['count']} {row['kind']} in {row['domain']}")
        moves = [move for move in told["moves"] if move["class"] == _class(row["kind"])]
        lines += [f"  {_move(move)}" for move in moves if move["domain"] != row["domain"]]
    lines.append(f"planned for {told['link']}; profile {told['profile']}; objective {told['objective']}")
    return "\n".join(lines) + "\n"


def _class(kind: str) -> str:
    return next((name for name, kinds in CLASSES.items() if kind in kinds), "bits")


def _move(move: Told) -> str:
    if "error" in move:
        return f"with {move['class']} in {move['domain']}: no plan ({move['error']})"
    return (
        f"with {move['class']} in {move['domain']}: {_seconds(move['seconds'])}, {_times(move['times'])}, "
        f"{_more(move['bytes_times'])} the bytes"
    )


def _seconds(seconds: float) -> str:
    for factor, unit in ((1, "s"), (1e-3, "ms")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds * 1e6:.0f} us"


def _bytes(count: int) -> str:
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} bytes"
