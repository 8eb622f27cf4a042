"""`python -m tacit.measure.compare A B`: two files of runs side by side; 1 where B has become worse.

A figure that depends on the program alone is worse as soon as it is larger. One that scatters is worse where
its median has grown by more than the runs scatter, and by more than 5 %; with fewer than three repetitions
nothing is known of the scatter, so it is shown and not judged.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from tacit import TacitError, UsageError
from tacit.exit_codes import exit_code
from tacit.measure.costs import Chosen, cost_of
from tacit.measure.quartiles import Quartiles
from tacit.measure.records import Record, Records, load
from tacit.measure.units import readable

FIGURES = (
    "setup_s",
    "online_s",
    "total_s",
    "online_compute_s",
    "setup_payload_bytes",
    "online_payload_bytes",
    "online_rounds",
    "and_count",
    "and_depth",
    "peak_memory_bytes",
)
"""What is compared."""

LEAST_NOISE = 0.05
LEAST_REPEATS = 3


class Verdict(Enum):
    """What became of a figure."""

    SAME = ""
    WORSE = "worse"
    BETTER = "better"
    UNJUDGED = "too few runs"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True)
class Row:
    """A figure of one case, in both files."""

    case: str
    figure: Chosen
    before: Quartiles | None
    after: Quartiles | None

    @property
    def ratio(self) -> float | None:
        """How many times the median before the one after is."""
        if self.before is None or self.after is None or not self.before.median:
            return None
        return self.after.median / self.before.median

    @property
    def noise(self) -> float:
        """The change of the median, as a part of it, that means nothing."""
        if self.figure.cost.exact or self.before is None or self.after is None:
            return 0.0
        return max(LEAST_NOISE, self.before.scatter, self.after.scatter)

    @property
    def verdict(self) -> Verdict:
        if self.before is None or self.after is None:
            return Verdict.NEW if self.before is None else Verdict.GONE
        if self.ratio is None:
            return Verdict.WORSE if self.after.median > self.before.median else Verdict.SAME
        if abs(self.ratio - 1) <= self.noise:
            return Verdict.SAME
        if not self.figure.cost.exact and min(self.before.count, self.after.count) < LEAST_REPEATS:
            return Verdict.UNJUDGED
        if self.ratio > 1 + self.noise:
            return Verdict.WORSE
        return Verdict.BETTER if self.ratio < 1 / (1 + self.noise) else Verdict.SAME


def compare(before: Records, after: Records, figures: Sequence[str] = FIGURES) -> list[Row]:
    """A row for each figure of each case that either file has."""
    old, new = _by_case(before), _by_case(after)
    rows = [
        Row(case, chosen, _quartiles(old.get(case, []), chosen), _quartiles(new.get(case, []), chosen))
        for case in dict.fromkeys([*old, *new])
        for chosen in map(cost_of, figures)
    ]
    return [row for row in rows if row.before or row.after]


def regressions(rows: Sequence[Row]) -> list[Row]:
    """The rows that are worse, or gone and so unknown."""
    return [row for row in rows if row.verdict in (Verdict.WORSE, Verdict.GONE)]


def _by_case(records: Records) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        params = [f"{name}={value}" for name, value in record.params.items()]
        terms = [record.net, record.mode]
        found.setdefault(" ".join([record.program, *params, *filter(None, terms)]), []).append(record)
    return found


def _quartiles(records: Sequence[Record], chosen: Chosen) -> Quartiles | None:
    values = [value for record in records if (value := chosen.at(record)) is not None]
    return Quartiles.of(values) if values else None


def _print(rows: Sequence[Row], before: str, after: str) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    for case in dict.fromkeys(row.case for row in rows):
        table = Table("figure", title=case, title_justify="left", title_style="bold")
        for heading in (before, after, "ratio", "noise", ""):
            table.add_column(heading, justify="right", overflow="fold")
        for row in (row for row in rows if row.case == case):
            table.add_row(*_cells(row))
        console.print(table)


def _cells(row: Row) -> list[str]:
    unit = row.figure.cost.unit
    ratio = "" if row.ratio is None else f"{row.ratio:.3f}"
    noise = f"± {100 * row.noise:.0f} %" if row.noise else ""
    values = [readable(each.median if each else None, unit) for each in (row.before, row.after)]
    return [row.figure.name, *values, ratio, noise, row.verdict.value]


def main(arguments: Sequence[str]) -> int:
    """Compares two files and returns the exit code."""
    try:
        if len(arguments) != 2 or not all(arguments):
            raise UsageError("name two files of runs: the one before and the one after")
        before, after = (load(path) for path in arguments)
        rows = compare(before, after)
    except TacitError as error:
        sys.stderr.write(f"compare: {error}\n")
        return exit_code(error)
    _print(rows, *arguments)
    machines = {str(record.fields.get("machine")) for record in [*before, *after]}
    if len(machines) > 1:
        sys.stderr.write(f"the runs were made on different machines: {'; '.join(sorted(machines))}\n")
    worse = regressions(rows)
    sys.stdout.write(f"{len(worse)} of {len(rows)} figures are worse\n")
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
