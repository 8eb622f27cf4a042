"""`tacit check`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit import UsageError
from tacit._native import CheckReport, check_c
from tacit.cbmc import cbmc_command, compare, run_cbmc
from tacit.cli.options import OUTPUT, Clang, Function, IntWidth, IntWidthOption
from tacit.compiler import clang_command
from tacit.exit_codes import ExitCode
from tacit.progress import Display
from tacit.report import write_report


def check_command(
    program: Annotated[list[Path], typer.Argument(metavar="FILE.c…", help="The C files of one program.")],
    unwind: Annotated[
        str | None,
        typer.Option(
            "--unwind",
            help="Maximum iterations of loops, and depth of recursion, that depend on inputs: N, or "
            "N,f.0=M,g=K for the first loop of f and for calls of g. The check proves that they suffice.",
        ),
    ] = None,
    conflicts: Annotated[
        int | None,
        typer.Option(
            "--conflicts", min=1, max=2**32 - 1, help="Bound on the solver's work for each property."
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", min=0, help="Time limit of all proofs together, in seconds."),
    ] = None,
    emit_test: Annotated[
        Path | None,
        typer.Option(
            "--emit-test",
            help="Write a C test for each violated property, with inputs that violate it.",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", rich_help_panel=OUTPUT, help="Write the findings as JSON.")
    ] = None,
    with_cbmc: Annotated[
        bool,
        typer.Option(
            "--with-cbmc", help="Also run CBMC, which must be on the PATH, and compare the verdicts."
        ),
    ] = False,
    function: Function = None,
    clang: Clang = None,
    int_width: IntWidthOption = None,
) -> int:
    """Prove that no input makes a C program do anything undefined, or find such inputs."""
    for source in program:
        if source.suffix != ".c":
            raise UsageError(f"{source}: only C is checked, in files named .c")
        if not source.is_file():
            raise UsageError(f"{source}: no such file")
    if int_width not in (None, IntWidth.THIRTY_TWO):
        for option, given in (("--emit-test", emit_test is not None), ("--with-cbmc", with_cbmc)):
            if given:
                raise UsageError(f"{option} writes C for an int of 32 bits; leave out --int-width")
    cbmc = cbmc_command() if with_cbmc else None
    with Display() as display:
        found = check_c(
            [str(source) for source in program],
            clang_command(clang),
            function=function,
            unwind=unwind,
            int_width=int_width.value if int_width else None,
            conflicts=conflicts,
            seconds=time_limit,
            progress=lambda done, total: display.update("check", done, total),
        )
    result: dict[str, Any] = json.loads(found.to_json())
    if cbmc is not None:
        listed = run_cbmc(cbmc, found.model_checker_source(), unwind, time_limit)
        result["cbmc"] = compare(result, listed)
    for line in _lines(result):
        sys.stdout.write(line + "\n")
    if emit_test is not None:
        _write_tests(found, len(result["properties"]), emit_test)
    if report is not None:
        write_report(report, json.dumps(result))
    counts = ", ".join(f"{result[verdict]} {verdict}" for verdict in ("proven", "violated", "undecided"))
    sys.stderr.write(f"{counts} (solver {result['solver']})\n")
    for difference in result.get("cbmc", {}).get("differences", []):
        sys.stderr.write(f"cbmc: {difference}\n")
    if result["violated"]:
        return ExitCode.VIOLATED
    return ExitCode.UNDECIDED if result["undecided"] else ExitCode.OK


def _lines(result: dict[str, Any]) -> list[str]:
    """One line for each property."""
    return [_line(found) for found in result["properties"]]


def _line(found: dict[str, Any]) -> str:
    what = f": {found['description']}" if found["description"] else ""
    text = (
        f"{found['verdict']:9} {found['file']}:{found['line']}: {found['kind']} in {found['function']}{what}"
    )
    if "inputs" not in found:
        return text
    inputs = ", ".join(f"{role}={json.dumps(values)}" for role, values in found["inputs"].items())
    return f"{text}, by {inputs or 'every run'}"


def _write_tests(found: CheckReport, count: int, path: Path) -> None:
    """Writes a test for each violated property: `test.c`, `test_2.c`, and so on."""
    tests = [text for text in map(found.test, range(count)) if text is not None]
    for number, text in enumerate(tests, 1):
        target = path if number == 1 else path.with_stem(f"{path.stem}_{number}")
        try:
            target.write_text(text, "utf-8")
        except OSError as error:
            raise UsageError(f"{target}: {error.strerror}") from None
