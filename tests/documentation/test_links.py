"""Links lead somewhere, within pages, between them and to files; the site's navigation has every page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import DOCS

ROOT = DOCS.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as web sites make them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text()), re.MULTILINE)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target, anchor in LINK.findall(FENCED.sub("", page.read_text())):
        file = page.parent / target if target else page
        known = file.exists() and (not anchor or file.suffix != ".md" or anchor[1:] in anchors(file))
        if not known:
            broken.append(target + anchor)
    assert broken == []


def test_every_page_is_in_the_navigation() -> None:
    navigation = re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(navigation) == sorted(page.name for page in DOCS.glob("*.md"))
