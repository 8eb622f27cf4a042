"""`python -m tacit.bench NAME`: measures, prints a table, writes target/bench/NAME.json."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tacit.bench.machine import cpu_flags, describe
from tacit.bench.programs import BenchError
from tacit.bench.rows import Judged, Sheet, judge
from tacit.bench.suites import SUITES

FOLDER = Path("target/bench")
WIDTH = 130
"""Characters of a line where the output is no terminal."""


def main() -> int:
    """Runs the bench named on the command line; 1 where it misses a bar."""
    if len(sys.argv) != 2 or sys.argv[1] not in SUITES:
        sys.stderr.write(f"usage: python -m tacit.bench {'|'.join(SUITES)}\n")
        return 2
    name = sys.argv[1]
    suite = SUITES[name]
    try:
        measured = suite.measure()
    except BenchError as error:
        sys.stderr.write(f"bench {name}: {error}\n")
        return 1
    rows = judge(measured, suite.bars, cpu_flags())
    sheets = suite.sheets(measured)
    _write(name, rows, sheets)
    _print(name, rows)
    for sheet in sheets:
        _print_sheet(sheet)
    return int(any(row.ok is False for row in rows))


def _write(name: str, rows: list[Judged], sheets: list[Sheet]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    result = {**describe(), "bench": name, "rows": [asdict(row) for row in rows]}
    if sheets:
        result["sheets"] = [asdict(sheet) for sheet in sheets]
    (FOLDER / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n", "utf-8")


def _print(name: str, rows: list[Judged]) -> None:
    table = Table("what", title=f"bench {name}", title_justify="left", title_style="bold")
    for heading in ("measured", "unit", "bar", "ratio", ""):
        table.add_column(heading, justify="left" if heading == "unit" else "right")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        verdict = {None: "", True: "ok", False: "missed"}[row.ok]
        table.add_row(row.name, _figure(row.value), row.unit, _figure(row.bar), ratio, verdict)
    _console().print(table)


def _print_sheet(sheet: Sheet) -> None:
    first, *others = sheet.headings
    table = Table(first, title=sheet.title, title_justify="left", title_style="bold")
    for heading in others:
        table.add_column(heading, justify="right")
    for line in sheet.lines:
        table.add_row(*line)
    _console().print(table)


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else WIDTH)


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return f"{value / factor:.4g} {letter}"
    return f"{value:.4g}"


if __name__ == "__main__":
    sys.exit(main())
