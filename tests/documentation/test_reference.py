"""The reference of Python names everything that `tacit` offers."""

from __future__ import annotations

import re

from pages import DOCS

import tacit

SECTION = re.compile(r"^::: ([\w.]+)\n(?:    .*\n)*?      members: \[([^]]*)\]$", re.MULTILINE)
ALIASES = {"__version__"}
"""What the page need not describe."""


def test_every_public_name_is_in_the_reference() -> None:
    text = (DOCS / "python.md").read_text()
    described = {name for _, names in SECTION.findall(text) for name in names.split(", ")}
    described |= set(re.findall(r"^::: tacit\._native\.(\w+)$", text, re.MULTILINE))
    missing = [
        name
        for name in tacit.__all__
        if getattr(getattr(tacit, name), "__qualname__", name) not in described
        and not isinstance(getattr(tacit, name), tacit.Kind)
        and name not in ALIASES
    ]
    assert missing == []
