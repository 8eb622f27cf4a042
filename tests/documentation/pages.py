"""Pages as programs: their code blocks, run from top to bottom in one folder."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parent.parent.parent / "docs"
TIME_LIMIT_S = 240

INTERPRETERS = {"sh": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}
"""The commands that run blocks of these languages; those of others without a title are only shown."""

FENCE = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A code block: a file where it has a title, else something to run, or what the one before printed."""

    language: str
    title: str | None
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """The code blocks of a page, in its order."""
    text = page.read_text()
    return [
        Block(found[1], found[2], found[3], text.count("\n", 0, found.start()) + 1)
        for found in FENCE.finditer(text)
    ]


def run_page(page: Path, folder: Path) -> int:
    """Runs a page in an empty folder, and compares what is printed; returns how many blocks ran.

    Blocks with a title become files; `sh` and `python` run; a `text` is the stdout of the block before.
    """
    variables = environment(folder)
    printed: str | None = None
    ran = 0
    for block in blocks(page):
        where = f"{page.name}:{block.line}"
        if block.title is not None:
            (folder / block.title).write_text(block.text)
        elif block.language == "text":
            assert printed is not None, f"{where}: nothing ran before it"
            assert printed == block.text, f"{where}: the page says\n{block.text}but printed was\n{printed}"
            printed = None
        elif block.language in INTERPRETERS:
            printed = _run(block, where, folder, variables)
            ran += 1
    return ran


def _run(block: Block, where: str, folder: Path, variables: dict[str, str]) -> str:
    done = subprocess.run(
        [*INTERPRETERS[block.language], block.text],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, f"{where}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def environment(folder: Path) -> dict[str, str]:
    """With a command `tacit`, which is that of the interpreter of the tests."""
    programs = folder / ".bin"
    programs.mkdir()
    command = programs / "tacit"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tacit "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "COLUMNS": "200"}


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Holds a lock of this machine: pages have fixed ports, and other runs of the tests may be under way."""
    with (Path(tempfile.gettempdir()) / f"tacit-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
