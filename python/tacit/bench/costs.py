"""What a million operations cost between two parties and among more, as plans predict it: docs/costs.md.

`python -m tacit.bench.costs docs/costs.md` writes the tables into the page.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import tacit as t
from tacit import _native
from tacit.sessions.reactor import WORD_MODULUS

DOMAINS = ("yao", "bool", "arith")
DOMAINS_AMONG = ("bool", "arith")
PARTIES = (3, 5)
LINKS = ("lan", "wan")
MILLION = 10**6
SORTED = 10**4

OPERATIONS: dict[str, tuple[int, Callable[[Any, Any], Any]]] = {
    "additions": (MILLION, lambda x, y: t.wrapping(x) + t.wrapping(y)),
    "products": (MILLION, lambda x, y: t.wrapping(x) * t.wrapping(y)),
    "comparisons": (MILLION, lambda x, y: x < y),
    "numbers sorted": (SORTED, lambda x, y: t.concatenate([x[: SORTED // 2], y[: SORTED // 2]]).sort()),
}
"""Operations on two arrays of 32-bit numbers, and the number of results."""

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
EXACT = 7
"""Columns that do not depend on the speed of machines."""

COLUMNS_AMONG = ("operation", "parties", "domain", "bytes of all", "most bytes of one", "rounds")


def head(columns: Sequence[str]) -> str:
    """The first two lines of a table."""
    return f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|\n"


HEAD, HEAD_AMONG = head(COLUMNS), head(COLUMNS_AMONG)


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


def rows_among() -> Iterator[tuple[str, ...]]:
    """The cells of the table of more parties, of whom as many as possible may collude."""
    for name, (count, compute) in OPERATIONS.items():
        program = _program(count, compute)
        for parties in PARTIES:
            for domain in DOMAINS_AMONG:
                told = json.loads(
                    _native.prediction_among(program, parties, domain=domain, modulus=WORD_MODULUS)
                )
                sent = [sum(to) for to in told["sent"]]
                figures = (sum(sent), max(sent), told["rounds"])
                yield (
                    f"{count:,} {name}",
                    str(parties),
                    f"`{domain}`",
                    *(f"{figure:,}" for figure in figures),
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


def main(page: Path) -> None:
    """Writes the tables into a page, in place of those that are there."""
    text = page.read_text("utf-8")
    for first, cells in ((HEAD, rows()), (HEAD_AMONG, rows_among())):
        before, _, rest = text.partition(first)
        _, _, after = rest.partition("\n\n")
        table = "".join(f"| {' | '.join(row)} |\n" for row in cells)
        text = f"{before}{first}{table}\n{after}"
    page.write_text(text, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
