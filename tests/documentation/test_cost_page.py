"""The page of costs has the bytes and rounds that plans predict."""

from __future__ import annotations

from pages import DOCS

from tacit.bench.costs import EXACT, HEAD, rows


def test_bytes_and_rounds_are_those_of_plans() -> None:
    _, _, rest = (DOCS / "costs.md").read_text("utf-8").partition(HEAD)
    told = [line.strip("| ").split(" | ") for line in rest.partition("\n\n")[0].splitlines()]
    assert [cells[:EXACT] for cells in told] == [list(cells[:EXACT]) for cells in rows()]
