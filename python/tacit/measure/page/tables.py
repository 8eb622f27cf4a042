"""The tables of the page of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tacit.measure.costs import COSTS, Over
from tacit.measure.page.svg import element, text
from tacit.measure.records import Record, place_of
from tacit.measure.units import amount, count, readable

YAO_BYTES_PER_AND = 32


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column names its rows."""
    headings = element("tr", *(element("th", text(cell), scope="col") for cell in head))
    body = [
        element("tr", element("th", text(first), scope="row"), *(element("td", text(cell)) for cell in rest))
        for first, *rest in rows
    ]
    written = element(
        "table",
        element("caption", text(caption)),
        element("thead", headings),
        element("tbody", *body),
    )
    return element("div", written, class_="scroll", tabindex="0", role="region", aria_label=caption)


def operations(record: Record) -> str:
    """What the program computed, by domain and kind, with the lines that asked for most of it."""
    report = next(iter(record.reports.values()))
    kinds: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for each in report.get("operations", ()):
        kinds.setdefault((str(each.get("domain", "")), each["kind"]), []).append(
            (each["count"], each["line"])
        )
    rows = [
        (
            _DOMAINS.get(domain, domain),
            kind,
            count(sum(number for number, _ in found)),
            _places(report, found),
        )
        for (domain, kind), found in kinds.items()
    ]
    return table(
        "Elements computed, or taken in where many become one; what merely moves is not counted.",
        ("domain", "operation", "elements", "from"),
        sorted(rows),
    )


_DOMAINS = {"yao": "Yao"}

_MAX_PLACES = 4

_HEAD = ("domain", "what", "count", "cost")


def _places(report: Mapping[str, Any], found: Sequence[tuple[float, int]]) -> str:
    most = sorted((each for each in found if each[1]), reverse=True)
    places = [place_of(report, line) for _, line in most[:_MAX_PLACES]]
    return ", ".join([*places, *(["…"] if len(most) > _MAX_PLACES else [])])


def domains(record: Record) -> str:
    """What ran in which domain. Every secret value of this version is a garbled one."""
    report = next(iter(record.reports.values()))
    work: Mapping[str, Any] = report.get("work", {})
    if "parties" in report:
        return table("Secret values, as shares of bits.", _HEAD, _shared(work))
    ands = work.get("and_count", 0)
    rows = [
        ("Yao", "AND gates", count(ands), amount(ands * YAO_BYTES_PER_AND, "B") + " of garbled tables"),
        ("Yao", "AND depth, at most", count(work.get("and_depth", 0)), "no rounds"),
        ("Yao", "XOR gates", count(work.get("xor_count", 0)), "no bytes"),
        ("Yao", "input bits of the garbler", count(work.get("garbler_input_bits", 0)), "a label each"),
        ("Yao", "input bits of the evaluator", count(work.get("evaluator_input_bits", 0)), "a transfer each"),
        ("Yao", "random bits", count(work.get("random_bits", 0)), ""),
        ("Yao", "output bits", count(work.get("output_bits", 0)), ""),
    ]
    shown = [row for row in rows if row[2] != "0"]
    return table("Secret values; what is public was computed in the clear.", _HEAD, shown)


def _shared(work: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """What a run among several parties consists of."""
    inputs: Mapping[str, int] = work.get("input_bits", {})
    rows = [
        ("AND gates", work.get("and_count", 0), "a product each"),
        ("AND depth, at most", work.get("and_depth", 0), "products that follow one another"),
        ("XOR gates", work.get("xor_count", 0), "no bytes"),
        *((f"input bits of {party}", bits, "a share for each other party") for party, bits in inputs.items()),
        ("random bits", work.get("random_bits", 0), "no bytes"),
        ("output bits", work.get("output_bits", 0), "an opening each"),
    ]
    return [("bool", what, count(number), cost) for what, number, cost in rows if number]


def figures(record: Record) -> str:
    """Every figure, of the run and of each party."""
    parties = list(record.reports)
    rows = []
    for cost in COSTS.values():
        own = [cost.at(record, None if cost.over is Over.RUN else party) for party in parties]
        whole = cost.at(record)
        if whole is None and all(value is None for value in own):
            continue
        each = ["" if cost.over is Over.RUN else readable(value, cost.unit) for value in own]
        rows.append((cost.what, cost.name, readable(whole, cost.unit), *each))
    head = ("figure", "name", "run", *(f"party {party}" for party in parties))
    return table("Every figure. That of the run is the parties' largest or their sum.", head, rows)


def identity(record: Record) -> str:
    """What was run, exactly."""
    first = next(iter(record.reports.values()))
    security = first.get("security", {})
    rows = [
        ("program", first.get("program_hash", "")),
        ("plan", first.get("plan_hash", "")),
        (
            "security",
            f"level {security.get('level', 'long')}, "
            f"{security.get('computational_bits')} bits computational, "
            f"{security.get('statistical_bits')} bits statistical",
        ),
        ("tacit", first.get("tacit", "")),
        *((name, str(record.fields[name])) for name in ("machine", "time") if record.fields.get(name)),
    ]
    return table("Parties with other hashes would have refused one another.", ("what", "which"), rows)
