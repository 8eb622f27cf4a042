"""`tacit plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacit.measure.plot import Style, lines_of, write_plot
from tacit.measure.records import load


def plot_command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="What bench wrote.")],
    x: Annotated[str, typer.Option("--x", help="A parameter, or net, mode, program, or a figure.")],
    y: Annotated[
        list[str],
        typer.Option("--y", help="A figure, as online_s or A.online_s; may be given several times."),
    ],
    output: Annotated[Path, typer.Option("-o", "--out", help="The plot; ends in .png, .pdf or .svg.")],
    log_x: Annotated[bool, typer.Option("--log-x", help="A logarithmic axis.")] = False,
    log_y: Annotated[bool, typer.Option("--log-y", help="A logarithmic axis.")] = False,
    title: Annotated[str | None, typer.Option("--title", help="Stands above the plot.")] = None,
) -> None:
    """Plot figures of measured runs: medians in the band of their quartiles."""
    lines = lines_of(load(*files), x, y)
    write_plot(lines, x, output, Style(log_x, log_y, title))
