"""`tacit compile`."""

from __future__ import annotations

import json
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit import Program, UsageError
from tacit._native import verify as verify_program
from tacit.cli.options import OUTPUT, Effort, Params, ProgramPath, takes_translation
from tacit.compiler import clang_command
from tacit.exit_codes import ExitCode
from tacit.programs import load_source
from tacit.sources import SOURCES, Translation


class Emit(str, Enum):
    """A form in which a program can be written."""

    BRISTOL = "bristol"
    NETLIST = "netlist"
    PROGRAM = "program"


class Target(str, Enum):
    """The cost that is minimized in a circuit."""

    SIZE = "size"
    DEPTH = "depth"


@takes_translation
def compile_command(
    program: ProgramPath,
    stats: Annotated[
        bool, typer.Option("--stats", help="Print the circuit's size and depth as JSON.")
    ] = False,
    emit: Annotated[
        Emit | None,
        typer.Option(
            "--emit", help="Write the program in this form; needs -o. It can be run in place of the source."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", rich_help_panel=OUTPUT, help="The file that --emit writes."),
    ] = None,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Prove that the circuits compute what the program says, and compare C with native runs.",
        ),
    ] = False,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", min=0, help="Time limit of --verify's proof, in seconds.")
    ] = None,
    effort: Effort = None,
    target: Annotated[
        Target,
        typer.Option(
            "--target", help="Minimise AND gates (size) or their layers (depth), for --stats and --emit."
        ),
    ] = Target.SIZE,
    params: Params = None,
    *,
    translation: Translation,
) -> int:
    """Compile a program without running it."""
    if (emit is None) != (output is None):
        raise UsageError("--emit needs -o FILE, and -o FILE needs --emit")
    loaded = load_source(program, params or [], translation).program
    if emit is not None and output is not None:
        for path, data in _encode(loaded, emit, output, effort, target).items():
            _write(path, data)
    if stats:
        sys.stdout.write(loaded.stats(effort, target.value) + "\n")
    if not verify:
        return ExitCode.OK
    # What is compiled for another machine does not run on this one.
    native = program.suffix in SOURCES and translation.int_width != "16"
    sources = [str(program)] if native else []
    command = clang_command(translation.clang) if native else []
    found = verify_program(
        loaded,
        sources,
        command,
        function=translation.function,
        unwind=translation.unwind,
        int_width=translation.int_width,
        seconds=time_limit,
    )
    return _tell(json.loads(found))


_PROVEN = "on every input, the circuits to be run compute what the program says"
_NO_RUNS: dict[str, Any] = {"agreed": 0, "undefined": 0, "left_out": 0, "different": None}


def _tell(found: dict[str, Any]) -> int:
    """Says what a verification found, and its exit code."""
    native = found.get("native", _NO_RUNS)
    told = {
        "equal": f"verified: {_PROVEN}" if not native["left_out"] else f"proven: {_PROVEN}",
        "different": "WRONG: the circuits to be run differ from the program on "
        f"{json.dumps(found.get('inputs'))}; please report it",
        "undecided": f"undecided: {found.get('bits')} output bits could not be proven equal within the limit",
    }
    sys.stderr.write(told[found["verdict"]] + "\n")
    if "native" in found:
        sys.stderr.write(
            f"native: {native['agreed']} random runs agree, {native['undefined']} have no defined outputs\n"
        )
    if native["left_out"]:
        sys.stderr.write(
            f"undecided: {native['left_out']} native runs were not made, as others took too long\n"
        )
    if native["different"] is not None:
        sys.stderr.write(
            f"WRONG: the native program differs on {json.dumps(native['different'])}; please report it\n"
        )
    if found["verdict"] == "different" or native["different"] is not None:
        return ExitCode.VIOLATED
    undecided = found["verdict"] == "undecided" or native["left_out"]
    return ExitCode.UNDECIDED if undecided else ExitCode.OK


def _encode(
    program: Program, form: Emit, output: Path, effort: int | None, target: Target
) -> dict[Path, bytes]:
    """The files of a form and what they hold."""
    if form is Emit.PROGRAM:
        return {output: program.to_bytes()}
    if form is Emit.NETLIST:
        return {output: program.to_netlist(effort, target.value)}
    circuit, wires = program.to_bristol(effort, target.value)
    return {output: circuit, output.with_suffix(".map.json"): wires.encode() + b"\n"}


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
