"""One run as one HTML page, complete in itself: no script, nothing to load."""

from __future__ import annotations

from importlib.resources import files

from tacit.measure.costs import COSTS, PHASES
from tacit.measure.page.exchanges import directions, rounds, traffic
from tacit.measure.page.svg import element, text
from tacit.measure.page.tables import domains, figures, identity, operations
from tacit.measure.page.times import timeline, waiting
from tacit.measure.records import Record
from tacit.measure.units import readable

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What a page may load: nothing."""

_TILES = (
    ("online_s", "online"),
    ("setup_s", "setup"),
    ("sent_bytes", "sent by all parties"),
    ("and_count", "AND gates"),
    ("online_rounds", "rounds online"),
    ("peak_memory_bytes", "peak memory"),
)

_MODES = {
    "precomputed": "tables sent in setup",
    "streamed": "tables sent online, while they are evaluated",
}


def page_of(record: Record) -> str:
    """The page."""
    return document(f"{_name(record)}, a run of Tacit", _body(record))


def document(title: str, body: str, *styles: str, policy: str = POLICY) -> str:
    """A page that loads nothing but what its policy allows, with the style of all pages and further ones."""
    style = files(__package__).joinpath("style.css").read_text("utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="color-scheme", content="light dark"),
        element("title", text(title)),
        element("style", style, *styles),
    )
    return "<!doctype html>\n" + element("html", head, body, lang="en") + "\n"


def _body(record: Record) -> str:
    return element(
        "body",
        element("header", *_title(record)),
        element(
            "main",
            element("dl", *(_tile(record, name, what) for name, what in _TILES), class_="tiles"),
            _section("time", "Where the time went", _legend_phases(), timeline(record), _NOTE_TIMELINE),
            _section("waiting", "Computing and waiting", *_waiting(record)),
            _section("traffic", "Bytes between the parties", _legend_ways(record), traffic(record)),
            _section("rounds", "Rounds", rounds(record), _NOTE_ROUNDS),
            _section("domains", "What ran in which domain", domains(record)),
            _section("operations", "Operations", operations(record)),
            _section("identity", "What was run", identity(record)),
            _section("figures", "Figures", _folded("Show every figure", figures(record))),
        ),
    )


_NOTE_TIMELINE = element(
    "p",
    "The parties end setup together; that is where their clocks are laid on one another.",
    class_="note",
)
_NOTE_ROUNDS = element(
    "p", "A round is one turn of a party from sending to receiving.", class_="note"
)  # fmt: skip


def _name(record: Record) -> str:
    return str(next(iter(record.reports.values())).get("program") or record.program)


def _title(record: Record) -> list[str]:
    first = next(iter(record.reports.values()))
    sides = [
        f"{party} ({str(report['side']).lower()})" if "side" in report else party
        for party, report in record.reports.items()
    ]
    if len(sides) == 1 and "peer" in first:
        sides.append(f"{first['peer']} (no report)")
    facts = [
        " and ".join(sides),
        _MODES.get(str(first.get("mode")), str(first.get("mode", ""))),
        *(f"{name} = {value}" for name, value in record.params.items()),
        *([f"link: {record.net}"] if record.net else []),
    ]
    return [
        element("p", "Tacit run", class_="eyebrow"),
        element("h1", text(_name(record))),
        element("p", text(" · ".join(fact for fact in facts if fact)), class_="facts"),
    ]


def _tile(record: Record, name: str, what: str) -> str:
    cost = COSTS[name]
    return element(
        "div", element("dt", text(what)), element("dd", text(readable(cost.at(record), cost.unit)))
    )


def _section(name: str, title: str, *parts: str) -> str:
    return element("section", element("h2", text(title), id=name), *parts, aria_labelledby=name)


def _folded(summary: str, content: str) -> str:
    return element("details", element("summary", text(summary)), content)


def _key(classes: str, what: str) -> str:
    return element("li", element("span", class_=f"key {classes}", aria_hidden="true"), text(what))


def _legend_phases() -> str:
    return element("ul", *(_key(phase, phase) for phase in PHASES), class_="legend")


def _legend_ways(record: Record) -> str:
    keys = [_key(way.class_, way.name) for way in directions(record)]
    return element("ul", *keys, class_="legend")


def _waiting(record: Record) -> list[str]:
    """A drawing for each phase, each to its own scale."""
    parts = [
        element(
            "ul", _key("plain", "computing"), _key("plain wait", "waiting for the network"), class_="legend"
        )
    ]
    for phase in PHASES:
        parts += [element("h3", text(phase)), waiting(record, phase)]
    parts.append(element("p", "Each phase has a scale of its own.", class_="note"))
    return parts
