"""`tacit new`."""

from __future__ import annotations

import keyword
import sys
from pathlib import Path
from typing import Annotated

import typer

from tacit import UsageError

OTHER_FILES = ("driver", "tacit", "conftest")
"""Names of modules that the project needs, which it must not hide."""


def new_command(
    name: Annotated[
        Path, typer.Argument(metavar="NAME", help="The folder to create; its name becomes the program's.")
    ],
) -> None:
    """Write a small project to start from: program, driver, session file, test."""
    _check(name.name)
    files = {place.replace("NAME", name.name): text for place, text in FILES.items()}
    try:
        name.mkdir()
        for place, text in files.items():
            (name / place).write_text(text.replace("NAME", name.name), "utf-8")
    except FileExistsError:
        raise UsageError(f"{name} exists already; nothing is overwritten") from None
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}") from None
    sys.stderr.write(f"{name}: {', '.join(files)}; README.md says what to try\n")


def _check(name: str) -> None:
    """Refuses a name that no program can have."""
    if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
        raise UsageError(f"{name or 'an empty name'}: NAME must be a Python identifier, such as first_try")
    if name in sys.stdlib_module_names or name in OTHER_FILES:
        raise UsageError(f"{name}: {name}.py would hide the module of that name; choose another name")


PROGRAM = '''\
"""The smallest of the products of two vectors' elements; each party has one vector."""

import tacit as t


@t.function
def NAME(client, server, n: int = 4, bits: int = 32):
    """Roles come first; n and bits are public, and the same for both."""
    v = client.input("v", t.uint(bits)[n])
    w = server.input("w", t.uint(bits)[n])
    client.output("minimum", (v * w).min())
'''

DRIVER = '''\
"""The cases that `tacit bench` runs: parameters, inputs and the expected outputs."""

from random import randrange

from tacit.measure import Case


def driver():
    """A case for each length of the vectors."""
    for n in (4, 16, 64):
        v, w = ([randrange(1 << 32) for _ in range(n)] for _ in range(2))
        minimum = min(x * y for x, y in zip(v, w))
        yield Case({"n": n}, {"client": {"v": v}, "server": {"w": w}}, {"client": {"minimum": minimum}})
'''

SESSION = """\
# Who takes part, and where. Both have this file, their own secret key, and the other's public key.

[security]
level = "long"

[party.client]
address = "localhost:7801"
key = "client.pub"

[party.server]
address = "localhost:7802"
key = "server.pub"
"""

TEST = '''\
"""Runs the program between two parties in one process, with real protocols."""

import random

from NAME import NAME


def test_the_smallest_product():
    """The protocol computes what plain Python does."""
    for n in (1, 4, 7):
        v, w = ([random.randrange(1 << 32) for _ in range(n)] for _ in range(2))
        outputs = NAME.run(client={"v": v}, server={"w": w}, n=n)
        assert outputs["client"] == {"minimum": min(x * y for x, y in zip(v, w))}
        assert outputs["server"] == {}
'''

README = """\
# NAME

`NAME.py` is the program: a function between a client and a server.

In the clear, and as two processes on this machine:

    tacit run NAME.py:NAME --clear --input client='{"v": [5, 6, 7, 8]}' --input server='{"w": [9, 3, 4, 5]}'
    tacit run NAME.py:NAME --local --input client='{"v": [5, 6, 7, 8]}' --input server='{"w": [9, 3, 4, 5]}'

Its tests, with pytest:

    python -m pytest

Between two machines, each party makes a key with `tacit keygen client` or `tacit keygen server`, gives the
other the file that ends in `.pub`, and puts the addresses into `session.toml`. Then one runs

    tacit run NAME.py:NAME --as client --session session.toml --key client.key --input '{"v": [5, 6, 7, 8]}'

and the other

    tacit run NAME.py:NAME --as server --session session.toml --key server.key --input '{"w": [9, 3, 4, 5]}'

What it costs, for every length that `driver.py` goes through, and a plot of it:

    tacit bench NAME.py:NAME --driver driver.py --net lan,wan -o runs.jsonl
    tacit plot runs.jsonl --x n --y online_s -o online.png
"""

FILES = {
    "NAME.py": PROGRAM,
    "driver.py": DRIVER,
    "session.toml": SESSION,
    "test_NAME.py": TEST,
    "README.md": README,
}
