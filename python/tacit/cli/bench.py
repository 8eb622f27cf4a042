"""`tacit bench`."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Annotated

import typer

from tacit import UsageError
from tacit.cli.bench_papers import NAME, Asked, bench_papers
from tacit.cli.options import INPUTS, OUTPUT, Clang, Function, takes_run_options
from tacit.exit_codes import ExitCode
from tacit.measure.cases import cases_of
from tacit.measure.costs import COSTS
from tacit.measure.networks import split_modes, split_nets
from tacit.measure.parameters import parse_parameters
from tacit.measure.records import Record
from tacit.measure.summary import table, tell
from tacit.measure.sweep import Sweep, Terms
from tacit.measure.targets import target_of
from tacit.options import RunOptions, refuse
from tacit.sources import Translation

PAPERS = "Papers"
"""The group of options of `tacit bench papers` in the help text."""


@takes_run_options(without=("net", "mode"))
def bench_command(
    program: Annotated[
        str | None,
        typer.Argument(
            metavar="PROGRAM",
            help="A C file, app.py:FUNCTION, a compiled program or a circuit file; or papers, for "
            "all numbers of the papers that Tacit follows.",
        ),
    ] = None,
    params: Annotated[
        list[str] | None,
        typer.Option(
            "--param", rich_help_panel=INPUTS, help="NAME=VALUE,VALUE,… or NAME=FIRST..LAST; for C, a macro."
        ),
    ] = None,
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="How often each case is run.")] = 5,
    net: Annotated[
        str | None,
        typer.Option(
            "--net", help="Links to run over, separated by commas: none, lan, wan, or e.g. 100mbit,100ms."
        ),
    ] = None,
    mode: Annotated[
        str | None, typer.Option("--mode", help="auto, precomputed or streamed, separated by commas.")
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            rich_help_panel=INPUTS,
            help="Inputs, as for run; roles without inputs get random ones.",
        ),
    ] = None,
    driver: Annotated[
        str | None,
        typer.Option(
            "--driver",
            rich_help_panel=INPUTS,
            help="FILE.py or FILE.py:NAME that yields parameters, inputs and outputs.",
        ),
    ] = None,
    seed: Annotated[str, typer.Option("--seed", help="The seed of random inputs.")] = "0",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            rich_help_panel=OUTPUT,
            help="The file for the results, instead of stdout. For papers a folder, by default target/bench.",
        ),
    ] = None,
    append: Annotated[
        bool, typer.Option("--append", rich_help_panel=OUTPUT, help="Append to the file of --output.")
    ] = False,
    function: Function = None,
    clang: Clang = None,
    list_costs: Annotated[
        bool, typer.Option("--list-costs", help="List every figure that can be plotted, and exit.")
    ] = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", rich_help_panel=PAPERS, help="Measure small sizes, which takes under 5 minutes."
        ),
    ] = False,
    only: Annotated[
        str | None,
        typer.Option("--only", rich_help_panel=PAPERS, help="Papers, separated by commas, e.g. TASTY,ABY."),
    ] = None,
    stored: Annotated[
        Path | None,
        typer.Option(
            "--from",
            rich_help_panel=PAPERS,
            help="Measure nothing; read a papers.json that was written before.",
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--markdown", rich_help_panel=PAPERS, help="Also write all rows to this file, as Markdown."
        ),
    ] = None,
    *,
    options: RunOptions,
) -> int:
    """Run a program over parameters and links, check the outputs, and write a JSON line for each run.

    As `tacit bench papers`: measure what the papers report, and write it beside their numbers.
    """
    if list_costs:
        _list_costs()
        return ExitCode.OK
    if program is None:
        raise UsageError("PROGRAM is missing")
    asked = Asked(quick, only, stored, page)
    if program == NAME:
        others = {"--param": params, "--input": given, "--driver": driver, "--net": net, "--mode": mode}
        refuse({**others, "--append": append or None, "--function": function}, f"with {NAME}")
        options.refuse(f"with {NAME}")
        return bench_papers(asked, output)
    refuse(asked.flags(), f"with a program; it is for {NAME}")
    if append and output is None:
        raise UsageError("--append needs --output")
    sweep = Sweep(
        target_of(program, Translation(function, clang)),
        cases_of(parse_parameters(params or []), driver),
        Terms(
            split_nets(net),
            split_modes(mode),
            repeat,
            seed,
            given or [],
            options,
        ),
    )
    _run(sweep, output, append)
    return ExitCode.OK


def _run(sweep: Sweep, output: Path | None, append: bool) -> None:
    total = len(sweep.plans())
    done: list[Record] = []
    with _open(output, append) as stream:
        for record in sweep.run():
            stream.write(json.dumps(record.fields, separators=(",", ":")) + "\n")
            stream.flush()
            done.append(record)
            tell(record, len(done), total)
    table(done)


def _open(path: Path | None, append: bool) -> AbstractContextManager[IO[str]]:
    """Where the lines go. Measurements are never overwritten."""
    if path is None:
        return nullcontext(sys.stdout)
    try:
        return path.open("a" if append else "x", encoding="utf-8")
    except FileExistsError:
        raise UsageError(f"{path} exists already; add to it with --append") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _list_costs() -> None:
    width = max(map(len, COSTS))
    for cost in COSTS.values():
        line = f"{cost.name:{width}}  {cost.unit or '-'}  {cost.what} ({cost.over.value})"
        sys.stdout.write(line + "\n")
