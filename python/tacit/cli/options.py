"""Options that several commands have."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tacit._native import run_options
from tacit.options import NAMES, RunOptions, flag
from tacit.progress import Display
from tacit.sources import Translation
from tacit.watch.board import Board

DESCRIBED = {option["name"]: option for option in run_options()}
"""The options of runs, by keyword."""


USUALLY = {
    "mode": "auto",
    "domain": "auto",
    "garbler": "auto",
    "garbling": "half-gates",
    "transfers": "auto",
    "matrices": "auto",
    "security": "long",
    "effort": "4194304",
    "objective": "total",
    "profile": "built-in",
    "planned_link": "250mbit,5ms",
}
"""The defaults of options of runs, if neither the command line nor the session file sets them."""

PARTIES = "Parties"
INPUTS = "Inputs"
OUTPUT = "Output"
OF_RUNS = "Options of runs"
OF_C = "C, C++ and Rust"
AMONG = "Three parties and more"
"""The groups of options in help texts."""


class IntWidth(str, Enum):
    """Bits of an `int`."""

    SIXTEEN = "16"
    THIRTY_TWO = "32"
    SIXTY_FOUR = "64"


ProgramPath = Annotated[
    Path,
    typer.Argument(
        metavar="PROGRAM",
        help="A source file in C, C++ or Rust, app.py:FUNCTION, a compiled program, or a circuit file.",
    ),
]
Params = Annotated[
    list[str] | None,
    typer.Option(
        "--param", rich_help_panel=INPUTS, help="NAME=VALUE sets a static parameter of a function in Python."
    ),
]
AS = typer.Option("--as", rich_help_panel=PARTIES, help="Your party's name, or a role that it speaks for.")
"""This party, for commands that require it and for those that do not."""

PartyName = Annotated[str | None, AS]
SessionPath = Annotated[
    Path | None,
    typer.Option("--session", rich_help_panel=PARTIES, help="The session file: parties, addresses, keys."),
]
KeyPath = Annotated[
    Path | None, typer.Option("--key", rich_help_panel=PARTIES, help="The file with your secret key.")
]
InputOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        rich_help_panel=INPUTS,
        help="Inputs: a JSON file or object, or a table. With several roles: ROLE=…, once for each role.",
    ),
]
Function = Annotated[
    str | None,
    typer.Option(
        "--function",
        rich_help_panel=OF_C,
        help="The main function, if a C file has several candidates.",
    ),
]
Clang = Annotated[
    str | None,
    typer.Option(
        "--clang",
        rich_help_panel=OF_C,
        show_default="the one installed with Tacit",
        help="The clang that compiles C.",
    ),
]
Effort = Annotated[
    int | None,
    typer.Option(
        flag("effort"),
        rich_help_panel=OF_RUNS,
        show_default=USUALLY["effort"],
        min=DESCRIBED["effort"]["range"][0],
        max=DESCRIBED["effort"]["range"][1],
        help=DESCRIBED["effort"]["help"],
    ),
]
Unwind = Annotated[
    str | None,
    typer.Option(
        "--unwind",
        rich_help_panel=OF_C,
        help="Maximum iterations of loops, and depth of recursion, that depend on inputs: N, or N,f.0=M,g=K "
        "for the first loop of f and for calls of g. Runs beyond the bounds are assumed not to happen.",
    ),
]
IntWidthOption = Annotated[
    IntWidth | None,
    typer.Option("--int-width", rich_help_panel=OF_C, show_default="32", help="Width of C's int in bits."),
]
Watch = Annotated[
    bool,
    typer.Option(
        "--watch",
        rich_help_panel=OUTPUT,
        help="Show the run on a page of this machine while it lasts; its address is printed on stderr.",
    ),
]


Command = Callable[..., int | None]
"""The function of a command."""


def takes_run_options(*, without: tuple[str, ...] = ()) -> Callable[[Command], Command]:
    """Gives a command the options of runs, but for those `without`, as one `RunOptions` named `options`."""

    def made(**given: Any) -> RunOptions:
        options = RunOptions(**given)
        options.check()
        return options

    return _taking("options", [_parameter(DESCRIBED[name]) for name in NAMES if name not in without], made)


def takes_translation(command: Command) -> Command:
    """Gives a command the options of C as one `Translation` named `translation`."""

    def made(int_width: IntWidth | None, **given: Any) -> Translation:
        return Translation(**given, int_width=int_width.value if int_width else None)

    kinds = {"function": Function, "clang": Clang, "unwind": Unwind, "int_width": IntWidthOption}
    own = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in kinds.items()
    ]
    return _taking("translation", own, made)(command)


def _taking(
    name: str, own: list[inspect.Parameter], made: Callable[..., object]
) -> Callable[[Command], Command]:
    """Gives a command parameters of its own, as the one object that is made of them."""

    def given(command: Command) -> Command:
        @functools.wraps(command)
        def parsed(**arguments: Any) -> int | None:
            values = {parameter.name: arguments.pop(parameter.name) for parameter in own}
            return command(**arguments, **{name: made(**values)})

        signature = inspect.signature(command, eval_str=True)
        kept = [parameter for parameter in signature.parameters.values() if parameter.name != name]
        parsed.__signature__ = signature.replace(parameters=[*kept, *own])  # type: ignore[attr-defined]
        return parsed

    return given


def _parameter(option: dict[str, Any]) -> inspect.Parameter:
    """The parameter of a command for an option of runs."""
    name, choices, limits = option["name"], option["choices"], {}
    kind: Any = str
    if choices is not None:
        literal: Any = Literal
        kind = literal[tuple(choices)]
    elif option["range"] is not None:
        kind, limits = int, dict(zip(("min", "max"), option["range"], strict=True))
    annotated: Any = Annotated
    told = {"rich_help_panel": OF_RUNS, "show_default": USUALLY.get(name, False), "help": option["help"]}
    annotation = annotated[kind | None, typer.Option(flag(name), **told, **limits)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


@dataclass(frozen=True)
class Terms:
    """The parties of a run, and the records that are kept of it."""

    party: str | None
    session: Path | None
    key: Path | None
    report: Path | None
    store: Path | None
    shares: Path | None
    options: RunOptions
    board: Board | None = None

    def display(self, program: str, parties: Sequence[str]) -> Display:
        """The display of a run of this program with these parties on this machine."""
        return Display.of(self.board, program, parties)
