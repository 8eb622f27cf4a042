"""The page of costs has the bytes and rounds that plans predict."""

from __future__ import annotations

from pages import DOCS

from tacit.bench.costs import EXACT, HEAD, HEAD_AMONG, rows, rows_among


def told(head: str) -> list[list[str]]:
    """The cells of the table that begins so."""
    _, _, rest = (DOCS / "costs.md").read_text("utf-8").partition(head)
    return [line.strip("| ").split(" | ") for line in rest.partition("\n\n")[0].splitlines()]


def test_bytes_and_rounds_are_those_of_plans() -> None:
    assert [cells[:EXACT] for cells in told(HEAD)] == [list(cells[:EXACT]) for cells in rows()]


def test_bytes_and_rounds_among_more_parties_are_those_of_predictions() -> None:
    assert told(HEAD_AMONG) == [list(cells) for cells in rows_among()]
