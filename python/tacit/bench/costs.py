"""What a million operations cost between two parties, as plans predict it: the table of docs/costs.md.

`python -m tacit.bench.costs docs/costs.md` writes the table into the page.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tacit as t
from tacit import _native

DOMAINS = ("yao", "bool", "arith")
LINKS = ("lan", "wan")
MILLION = 10**6
SORTED = 10**4

OPERATIONS: dict[str, tuple[int, Callable[[Any, Any], Any]]] = {
    "additions": (MILLION, lambda x, y: t.wrapping(x) + t.wrapping(y)),
    "products": (MILLION, lambda x, y: t.wrapping(x) * t.wrapping(y)),
    "comparisons": (MILLION, lambda x, y: x < y),
    "numbers sorted": (SORTED, lambda x, y: t.concatenate([x[: SORTED // 2], y[: SORTED // 2]]).sort()),
}
"""What is computed of two arrays of 32-bit numbers, and for how many results."""

COLUMNS = (
    "operation",
    "domain",
    "link",
    "bytes in setup",
    "bytes online",
    "rounds in setup",
    "rounds online",
    "seconds of setup",
    "seconds online",
)
HEAD = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|\n"
EXACT = 7
"""Columns that do not depend on the speed of machines."""


def rows() -> Iterator[tuple[str, ...]]:
    """The cells of the table: operation, domain, link, bytes, rounds, and seconds."""
    for name, (count, compute) in OPERATIONS.items():
        program = _program(count, compute)
        for domain in DOMAINS:
            for link in LINKS:
                told = json.loads(_native.outlook(program, domain=domain, planned_link=link))
                setup, online = told["predicted"]["setup"], told["predicted"]["online"]
                yield (
                    f"{count:,} {name}",
                    f"`{domain}`",
                    f"`{link}`",
                    *(f"{part['garbler_bytes'] + part['evaluator_bytes']:,}" for part in (setup, online)),
                    *(f"{part['rounds']:,}" for part in (setup, online)),
                    *(_two_digits(part["seconds"]) for part in (setup, online)),
                )


def _two_digits(seconds: float) -> str:
    """A number of seconds with two significant digits, without an exponent."""
    rounded = float(f"{seconds:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"


def _program(count: int, compute: Callable[[Any, Any], Any]) -> Any:
    @t.function
    def operations(a: t.Role, b: t.Role, *, n: int) -> None:
        x, y = a.input("x", t.u32[n]), b.input("y", t.u32[n])
        a.output("result", compute(x, y))

    return operations.trace(n=count).program


def table() -> str:
    """The table as Markdown."""
    return HEAD + "".join(f"| {' | '.join(cells)} |\n" for cells in rows())


def main(page: Path) -> None:
    """Writes the table into a page, in place of the one that is there."""
    before, _, rest = page.read_text("utf-8").partition(HEAD)
    _, _, after = rest.partition("\n\n")
    page.write_text(f"{before}{table()}\n{after}", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
