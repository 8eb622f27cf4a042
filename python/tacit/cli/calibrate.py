"""`tacit calibrate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tacit import UsageError
from tacit._native import calibrate


def calibrate_command(
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")] = Path("profile.json"),
    name: Annotated[
        str | None, typer.Option("--name", help="The profile's name; by default, the file's name.")
    ] = None,
) -> None:
    """Measure how fast this machine computes, for plans made with --profile FILE."""
    called = name or output.stem
    if not called or len(called) > 64:
        raise UsageError("--name: a profile's name has 1 to 64 characters")
    text = calibrate(called, _told if sys.stderr.isatty() else _silent)
    beside = output.with_name(output.name + ".new")
    try:
        beside.write_text(text, "utf-8")
        beside.replace(output)
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror}") from None
    sys.stdout.write(f"{output}\n")


def _told(done: int, programs: int) -> None:
    sys.stderr.write(f"\rmeasured {done} of {programs} programs" + ("\n" if done == programs else ""))
    sys.stderr.flush()


def _silent(_done: int, _programs: int) -> None:
    pass
