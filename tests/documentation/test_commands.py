"""What pages say about commands is so: options exist, examples run, Python and TOML parse."""

from __future__ import annotations

import ast
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from pages import DOCS, Block, blocks

from conftest import Tacit
from tacit.cli import app

ROOT = DOCS.parent
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
COMMAND = re.compile(r"^(?: {4})?tacit ([a-z].*)$", re.MULTILINE)
INLINE = re.compile(r"`tacit ([a-z][^`]*)`")
ALONE = re.compile(r" --(local|clear)\b")
"""What makes a command one that needs no other party."""

PASSED_ON = {"auction"}
"""Commands whose options are another program's."""


def commands(page: Path) -> Iterator[str]:
    """The commands `tacit …` of a page, without the program's name."""
    text = page.read_text().replace("\\\n", " ")
    for found in [*COMMAND.findall(text), *INLINE.findall(text)]:
        yield re.split(r"\s(?:#|\||>|2>|&)\s?", found)[0]


def unknown(command: str) -> list[str]:
    """What of a command there is not: its name, or options."""
    words = shlex.split(command.replace("…", " ").replace("'s", ""))
    here: Any = typer.main.get_command(app)
    while words and hasattr(here, "commands"):
        names = words.pop(0).split("|")
        if not set(names) <= set(here.commands):
            return names
        if names[0] in PASSED_ON:
            return []
        here = here.commands[names[0]]
    known = {option for parameter in here.params for option in [*parameter.opts, *parameter.secondary_opts]}
    given = [word.partition("=")[0] for word in words if word.startswith("--")]
    return [option for option in given if option not in {*known, "--help"}]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_exist(page: Path) -> None:
    wrong = {command: unknown(command) for command in commands(page)}
    assert {command: names for command, names in wrong.items() if names} == {}


def test_some_commands_are_found() -> None:
    assert sum(len(list(commands(page))) for page in PAGES) > 100
    assert unknown("run app.py --no-such 1") == ["--no-such"]
    assert unknown("walk app.py") == ["walk"]


def examples() -> list[str]:
    """Commands on one machine with programs and inputs of this repository, as pages write them."""
    found = [each for page in PAGES for each in COMMAND.findall(page.read_text().replace("\\\n", " "))]
    local = [each for each in dict.fromkeys(found) if ALONE.search(each) and " examples/" in each]
    return [each for each in local if all(map(_exists, re.findall(r"=([\w/.]+\.json)", each)))]


def _exists(path: str) -> bool:
    return (ROOT / path).exists()


@pytest.mark.parametrize("command", examples())
def test_examples_run_as_they_stand(tacit: Tacit, command: str) -> None:
    (tacit.folder / "examples").symlink_to(ROOT / "examples")
    done = tacit(*shlex.split(command, comments=True))
    assert done.code == 0, done.stderr
    assert done.stdout


def of_language(language: str) -> list[tuple[str, Block]]:
    found = [(page, block) for page in PAGES for block in blocks(page) if block.language == language]
    return [(f"{page.name}:{block.line}", block) for page, block in found]


@pytest.mark.parametrize(("where", "block"), of_language("python"))
def test_python_parses(where: str, block: Block) -> None:
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    compile(block.text, where, "exec", flags)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib is of 3.11")
@pytest.mark.parametrize(("where", "block"), of_language("toml"))
def test_toml_parses(where: str, block: Block) -> None:
    import tomllib

    assert tomllib.loads(block.text), where
