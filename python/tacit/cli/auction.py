"""`tacit auction`, which hands its arguments to the program `tacit-auction`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import typer

from tacit import UsageError

PROGRAM = "tacit-auction"

PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
"""Settings of the command: all arguments are the program's."""


def program() -> Path:
    """The program: beside the interpreter, where `make auction` puts it, or on the path."""
    beside = Path(sys.executable).parent / PROGRAM
    if beside.is_file():
        return beside
    found = shutil.which(PROGRAM)
    if found is None:
        raise UsageError(
            f"{PROGRAM} is not installed; run `make auction`, or `cargo install --path crates/auction`"
        )
    return Path(found)


def auction_command(context: typer.Context) -> int:
    """Hold auctions with sealed bids on two servers, and bid in them: see `tacit auction help`."""
    child = subprocess.Popen([program(), *(context.args or ["help"])])
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:
            # Ctrl-C reaches the program too, which stops in good order.
            if child.poll() is None:
                child.terminate()
