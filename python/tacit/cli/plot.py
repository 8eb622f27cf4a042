"""`tacit plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit._native import UsageError
from tacit.measure.plot import Style, lines_of, write_plot
from tacit.measure.records import load
from tacit.options import refuse
from tacit.tastyl.postprocessing import process


def plot_command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="What bench wrote.")],
    x: Annotated[
        str | None, typer.Option("--x", help="A parameter, or net, mode, program, or a figure.")
    ] = None,
    y: Annotated[
        list[str] | None,
        typer.Option("--y", help="A figure, as online_s or A.online_s; may be given several times."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The plot; ends in .png, .pdf or .svg.")
    ] = None,
    log_x: Annotated[bool, typer.Option("--log-x", help="A logarithmic axis.")] = False,
    log_y: Annotated[bool, typer.Option("--log-y", help="A logarithmic axis.")] = False,
    title: Annotated[str | None, typer.Option("--title", help="Stands above the plot.")] = None,
    script: Annotated[
        Path | None,
        typer.Option("--script", help="A Python file whose process_costs(cost_objs) draws, as TASTY's do."),
    ] = None,
) -> None:
    """Plot figures of measured runs: medians in the band of their quartiles."""
    if script is not None:
        given = {"--x": x, "--y": y, "--output": output, "--title": title}
        refuse({**given, "--log-x": log_x or None, "--log-y": log_y or None}, "beside --script")
        process(script, files)
        return
    missing = [name for name, value in {"--x": x, "--y": y, "--output": output}.items() if not value]
    if x is None or y is None or output is None:
        raise UsageError(f"a plot needs {' and '.join(missing)}, or --script")
    lines = lines_of(load(*files), x, y)
    write_plot(lines, x, output, Style(log_x, log_y, title))
