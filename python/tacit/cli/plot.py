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
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Files that bench wrote.")],
    x: Annotated[
        str | None, typer.Option("--x", help="The x-axis: a parameter, net, mode, program, or a figure.")
    ] = None,
    y: Annotated[
        list[str] | None,
        typer.Option("--y", help="A figure, such as online_s or A.online_s; may be given several times."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The plot; ends in .png, .pdf or .svg.")
    ] = None,
    log_x: Annotated[bool, typer.Option("--log-x", help="Make the x-axis logarithmic.")] = False,
    log_y: Annotated[bool, typer.Option("--log-y", help="Make the y-axis logarithmic.")] = False,
    title: Annotated[str | None, typer.Option("--title", help="The title of the plot.")] = None,
    script: Annotated[
        Path | None,
        typer.Option("--script", help="A Python file whose process_costs(cost_objs) draws, as in TASTY."),
    ] = None,
) -> None:
    """Plot figures of measured runs: medians, in a band between the quartiles."""
    if script is not None:
        given = {"--x": x, "--y": y, "--output": output, "--title": title}
        refuse({**given, "--log-x": log_x or None, "--log-y": log_y or None}, "with --script")
        process(script, files)
        return
    missing = [name for name, value in {"--x": x, "--y": y, "--output": output}.items() if not value]
    if x is None or y is None or output is None:
        raise UsageError(f"a plot needs {' and '.join(missing)}, or --script")
    lines = lines_of(load(*files), x, y)
    write_plot(lines, x, output, Style(log_x, log_y, title))
