"""`tacit compile`."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from tacit import Program, UsageError
from tacit.cli.options import Clang, Function, Params, ProgramPath
from tacit.language.command import load_source


class Emit(str, Enum):
    """A form in which a program can be written."""

    BRISTOL = "bristol"
    PROGRAM = "program"


def compile_command(
    program: ProgramPath,
    stats: Annotated[
        bool, typer.Option("--stats", help="Print the circuit's size and depth as JSON.")
    ] = False,
    emit: Annotated[
        Emit | None,
        typer.Option("--emit", help="Write the program; needs -o. Both can be run in its place."),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Where --emit writes.")] = None,
    params: Params = None,
    function: Function = None,
    clang: Clang = None,
) -> None:
    """Compile a program without running it."""
    if (emit is None) != (output is None):
        raise UsageError("--emit and -o FILE go together")
    loaded = load_source(program, params or [], function=function, clang=clang).program
    if emit is not None and output is not None:
        _write(output, _encode(loaded, emit))
    if stats:
        sys.stdout.write(loaded.stats() + "\n")


def _encode(program: Program, form: Emit) -> bytes:
    return program.to_bytes() if form is Emit.PROGRAM else program.to_bristol().encode("ascii")


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
