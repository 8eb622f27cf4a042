"""`tacit report`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tacit import UsageError
from tacit.measure.page import page_of
from tacit.measure.records import Record, load
from tacit.measure.trace import trace_of


def report_command(
    report: Annotated[
        Path, typer.Argument(metavar="REPORT", help="A file that run --report or bench wrote.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The page to write; by default REPORT with the ending .html."),
    ] = None,
    trace: Annotated[
        Path | None, typer.Option("--trace", help="Also write the phases for Chrome's tracing or Perfetto.")
    ] = None,
    run: Annotated[
        int | None, typer.Option("--run", min=1, help="The number of the run, from 1, if REPORT has several.")
    ] = None,
) -> None:
    """Write one run as a single-file HTML page."""
    record = _choose(report, run)
    _write(output or report.with_suffix(".html"), page_of(record))
    if trace is not None:
        _write(trace, json.dumps(trace_of(record), indent=1) + "\n")


def _choose(path: Path, run: int | None) -> Record:
    records = load(path)
    if not records:
        raise UsageError(f"{path} has no runs")
    if run is None and len(records) > 1:
        raise UsageError(f"{path} has {len(records)} runs; name one with --run")
    if run is not None and run > len(records):
        raise UsageError(f"--run {run}: {path} has {len(records)} runs")
    return records[(run or 1) - 1]


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
