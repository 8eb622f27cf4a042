"""A plan's graph in the language of Graphviz: the program with its domains and the costs of its operations.

`told` is the object that `tacit._native.outlook` returns with `graph`. Equal plans give equal texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.plan_page import Node, back_edges, node_of

Told = Mapping[str, Any]

COLOURS = {"way0": "#2a78d6", "way1": "#b4540a", "setup": "#1a7f5a"}
GREY = "#777777"
"""The lines of nodes, by the names of colours of the page, and of all others."""


def plan_dot(told: Told) -> str | None:
    """The text, or None if the program has too many operations to be drawn."""
    graph = told["graph"]
    if graph is None:
        return None
    nodes, edges = graph["nodes"], graph["edges"]
    facts = f"planned for {told['link']}; objective {told['objective']}"
    lines = [
        f"label={quoted([told['program'], facts])};",
        'labelloc="t";',
        'node [shape="box", style="rounded", fontname="sans-serif"];',
        *(f"n{number} [{_node(node_of(node, told))}];" for number, node in enumerate(nodes)),
        *_edges(edges, back_edges(len(nodes), edges)),
    ]
    return "digraph plan {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _edges(edges: Sequence[Sequence[int]], back: set[tuple[int, int]]) -> list[str]:
    """All edges; those that lead back are dashed and do not determine layers."""
    leads_back = ' [style="dashed", constraint="false"]'
    return [f"n{a} -> n{b}{leads_back if (a, b) in back else ''};" for a, b in edges]


def _node(node: Node) -> str:
    lines = [line for line in node.lines if line]
    attributes = [f"label={quoted(lines)}", f'color="{COLOURS.get(node.colour, GREY)}"']
    if node.more:
        attributes.append(f"tooltip={quoted([node.more])}")
    return ", ".join(attributes)


def quoted(lines: list[str]) -> str:
    """Lines as one quoted label, with everything escaped that has a meaning for Graphviz."""
    return '"' + "\\n".join(_escaped(line) for line in lines) + '"'


def _escaped(line: str) -> str:
    """Escapes quotes, backslashes and the ampersands of HTML entities."""
    meant = {"\\": "\\\\", '"': '\\"', "&": "&amp;"}
    return "".join(
        meant.get(letter, letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}") for letter in line
    )
