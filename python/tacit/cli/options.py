"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ProgramPath = Annotated[
    Path,
    typer.Argument(
        metavar="PROGRAM", help="A C file, app.py:FUNCTION, a compiled program, or a circuit file."
    ),
]
Params = Annotated[
    list[str] | None,
    typer.Option("--param", help="NAME=VALUE: a static parameter of a function in Python."),
]
Function = Annotated[
    str | None,
    typer.Option("--function", help="The main function, where a C file has several candidates."),
]
Clang = Annotated[
    str | None,
    typer.Option("--clang", help="The clang that compiles C; otherwise the one installed with Tacit."),
]
