"""A plan as one self-contained HTML page: the graph of the program with the costs of its operations.

`told` is the object that `tacit._native.outlook` returns with `graph`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.measure.page import document
from tacit.measure.page.svg import drawing, element, label, text
from tacit.measure.page.tables import table
from tacit.measure.units import amount, count, seconds
from tacit.outlook import alternative, gap

Told = Mapping[str, Any]

WIDTH, HEIGHT, ACROSS, DOWN, MARGIN = 176, 62, 24, 46, 12
"""The size of a node, and the space between and around nodes."""

STYLE = """
.node rect { fill: var(--card); stroke: var(--line); stroke-width: 1.5; }
.node rect.way0 { stroke: var(--way0); } .node rect.way1 { stroke: var(--way1); }
.node rect.setup { stroke: var(--setup); } .node rect.plain { stroke: var(--soft); }
.edge { fill: none; stroke: var(--soft); stroke-width: 1.2; opacity: 0.7; }
.back { stroke-dasharray: 4 3; }
"""
COLOURS = {"yao": "way0", "bool": "way1", "arith": "setup"}
"""How nodes of a domain are drawn; all others are plain."""


@dataclass(frozen=True)
class Node:
    """A node of the drawing: its three lines, its colour, and a longer text."""

    lines: tuple[str, str, str]
    colour: str
    more: str


def plan_page(told: Told) -> str:
    """The page."""
    predicted = told["predicted"]
    tiles = (
        ("online", seconds(predicted["online"]["seconds"])),
        ("setup", seconds(predicted["setup"]["seconds"])),
        ("sent by both parties", amount(predicted["bytes"], "B")),
        ("rounds online", count(predicted["online"]["rounds"])),
        (
            "peak memory",
            amount(max(predicted["memory"][side]["bytes"] for side in ("garbler", "evaluator")), "B"),
        ),
    )
    facts = (
        f"{told['garbler']} and {told['evaluator']}",
        f"planned for {told['link']}",
        f"profile {told['profile']}",
        f"objective {told['objective']}",
    )
    body = element(
        "body",
        element(
            "header",
            element("p", "Tacit plan", class_="eyebrow"),
            element("h1", text(told["program"])),
            element("p", text(" · ".join(facts)), class_="facts"),
        ),
        element(
            "main",
            element(
                "dl",
                *(
                    element("div", element("dt", text(what)), element("dd", text(value)))
                    for what, value in tiles
                ),
                class_="tiles",
            ),
            _section("graph", "Operations and what they cost", *_graph(told)),
            _section("alternatives", "Other plans", *_alternatives(told)),
        ),
    )
    return document(f"{told['program']}, a plan of Tacit", body, STYLE)


def _section(name: str, title: str, *parts: str) -> str:
    return element("section", element("h2", text(title), id=name), *parts, aria_labelledby=name)


def _alternatives(told: Told) -> list[str]:
    rows = [alternative(row).split(": ", 1) for row in told["alternatives"]]
    return [
        table("Beside the plan that was chosen.", ("domains", "what they take"), rows),
        element("p", text(gap(told)), class_="note"),
    ]


def _graph(told: Told) -> list[str]:
    graph = told["graph"]
    if graph is None:
        note = "The program has operations on too many lines to be drawn."
        return [element("p", text(note), class_="note")]
    nodes = [node_of(node, told) for node in graph["nodes"]]
    rows = [(node.lines[0], *node.lines[1:], node.more) for node in nodes if node.more]
    note = (
        "Costs are those of the operations, without conversions, inputs, outputs and latency; "
        "operations in loops are counted for every iteration. Dashed lines lead back."
    )
    return [
        element("ul", *(_key(colour, domain) for domain, colour in COLOURS.items()), class_="legend"),
        element("div", _drawn(nodes, graph["edges"], told["program"]), class_="scroll"),
        element("p", text(note), class_="note"),
        table("The same as a table.", ("operations", "how many", "cost", "in each domain"), rows),
    ]


def _key(colour: str, what: str) -> str:
    return element("li", element("span", class_=f"key {colour}", aria_hidden="true"), text(what))


def node_of(node: Told, told: Told) -> Node:
    """The drawing of a node of the graph."""
    for end in ("input", "output"):
        if end in node:
            return Node((str(node[end]), end, _party(told, end, node[end])), "plain", "")
    line, kind = node["line"], node["kind"]
    rows = [row for row in told["operations"] if (row["line"], row["kind"]) == (line, kind)]
    costs = {
        cost["domain"]: cost
        for cost in told["graph"]["costs"]
        if (cost["line"], cost["kind"]) == (line, kind)
    }
    domains = rows[0]["domain"] if rows else ""
    chosen = next((costs[domain] for domain in domains.split(", ") if domain in costs), None)
    number = f"{count(sum(row['count'] for row in rows))} in {domains}" if rows else ""
    name = f"line {line}: {kind}" if line else kind
    more = "; ".join(f"{domain}: {_cost(cost)}" for domain, cost in costs.items())
    colour = COLOURS.get(domains.split(", ")[0], "plain")
    return Node((name, number, _cost(chosen) if chosen else ""), colour, more)


def _party(told: Told, end: str, name: str) -> str:
    row = next(row for row in told[f"{end}s"] if row["name"] == name)
    if end == "input":
        return f"of {row['party'] or 'kept shares'}"
    parties = [party for party in row["parties"] if party is not None]
    return f"to {', '.join(parties) or 'nobody'}"


def _cost(cost: Told) -> str:
    return f"{seconds(cost['seconds'])}, {amount(cost['bytes'], 'B')}"


def _drawn(nodes: Sequence[Node], edges: Sequence[Sequence[int]], program: str) -> str:
    back = back_edges(len(nodes), edges)
    forward = [(a, b) for a, b in edges if (a, b) not in back]
    layers = layered(len(nodes), forward)
    places = {
        node: (MARGIN + column * (WIDTH + ACROSS), MARGIN + row * (HEIGHT + DOWN))
        for row, layer in enumerate(layers)
        for column, node in enumerate(layer)
    }
    width = 2 * MARGIN + max((len(layer) for layer in layers), default=0) * (WIDTH + ACROSS)
    height = 2 * MARGIN + len(layers) * (HEIGHT + DOWN)
    lines = [
        _edge(places[a], places[b], "edge back" if (a, b) in back else "edge") for a, b in edges if a != b
    ]
    boxes = [_box(node, places[number]) for number, node in enumerate(nodes)]
    description = f"{len(nodes)} nodes: inputs at the top, outputs at the bottom, operations between them."
    return drawing("flow", f"What {program} computes", description, height, max(width, 640), *lines, *boxes)


def _edge(start: tuple[float, float], end: tuple[float, float], class_: str) -> str:
    (x, y), (to_x, to_y) = start, end
    x, y, to_x = x + WIDTH / 2, y + HEIGHT, to_x + WIDTH / 2
    bend = max(abs(to_y - y) / 2, DOWN / 2)
    return element(
        "path", d=f"M{x:g},{y:g}C{x:g},{y + bend:g} {to_x:g},{to_y - bend:g} {to_x:g},{to_y:g}", class_=class_
    )


def _box(node: Node, place: tuple[float, float]) -> str:
    x, y = place
    classes = ("strong", "tick", "value")
    written = [
        label(x + 10, y + 18 + 17 * number, _short(line), class_)
        for number, (line, class_) in enumerate(zip(node.lines, classes, strict=True))
    ]
    title = element("title", text(node.more)) if node.more else ""
    return element(
        "g",
        title,
        element("rect", x=x, y=y, width=WIDTH, height=HEIGHT, rx=7, class_=node.colour),
        *written,
        class_="node",
    )


def _short(line: str, most: int = 25) -> str:
    return line if len(line) <= most else f"{line[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def back_edges(count_of_nodes: int, edges: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """Edges whose removal leaves no cycle."""
    after: dict[int, list[int]] = {}
    for a, b in edges:
        after.setdefault(a, []).append(b)
    entered, left, back = set[int](), set[int](), set[tuple[int, int]]()
    targets = {b for a, b in edges if a != b}
    starts = sorted(range(count_of_nodes), key=lambda node: node in targets)
    for start in starts:
        if start in entered:
            continue
        entered.add(start)
        path = [(start, iter(after.get(start, ())))]
        while path:
            node, ahead = path[-1]
            following = next(ahead, None)
            if following is None:
                left.add(node)
                path.pop()
            elif following not in entered:
                entered.add(following)
                path.append((following, iter(after.get(following, ()))))
            elif following not in left:
                back.add((node, following))
    return back


def layered(count_of_nodes: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Layers of nodes by the longest path to each; in a layer, nodes are in the order of their predecessors.

    The edges have no cycle.
    """
    givers: dict[int, list[int]] = {node: [] for node in range(count_of_nodes)}
    takers: dict[int, list[int]] = {node: [] for node in range(count_of_nodes)}
    for a, b in edges:
        givers[b].append(a)
        takers[a].append(b)
    waiting = {node: len(given) for node, given in givers.items()}
    layer = dict.fromkeys(range(count_of_nodes), 0)
    ready = [node for node, number in waiting.items() if number == 0]
    while ready:
        node = ready.pop()
        for taker in takers[node]:
            layer[taker] = max(layer[taker], layer[node] + 1)
            waiting[taker] -= 1
            if waiting[taker] == 0:
                ready.append(taker)
    layers: list[list[int]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for node, number in layer.items():
        layers[number].append(node)
    place: dict[int, float] = {}
    for nodes in layers:
        nodes.sort(key=lambda node: sum(place[giver] for giver in givers[node]) / max(len(givers[node]), 1))
        place.update({node: float(column) for column, node in enumerate(nodes)})
    return layers
