"""The tutorial runs as it stands."""

from __future__ import annotations

from pathlib import Path

from pages import DOCS, alone, blocks, run_page


def test_the_first_hour(tmp_path: Path) -> None:
    page = DOCS / "first-hour.md"
    with alone("first-hour"):
        ran = run_page(page, tmp_path)
    assert ran == sum(block.title is None and block.language != "text" for block in blocks(page)) == 10
