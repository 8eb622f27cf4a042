"""What a person sees of a sweep, on stderr: a line for each run, and a table at the end."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tacit.measure.costs import COSTS
from tacit.measure.quartiles import Quartiles
from tacit.measure.records import Record
from tacit.measure.units import readable

COLUMNS = ("setup_s", "online_s", "sent_bytes", "and_count")


def tell(record: Record, number: int, total: int) -> None:
    """Says that a run is done."""
    online = readable(COSTS["online_s"].at(record), "s")
    checked = "" if record.fields["checked"] else ", not checked: the program draws random bits"
    sys.stderr.write(f"{number}/{total}  {case_of(record)}  online {online}{checked}\n")


def table(records: Sequence[Record]) -> None:
    """The medians of each case, and the quartiles of what scatters."""
    from rich.console import Console
    from rich.table import Table

    cases: dict[str, list[Record]] = {}
    for record in records:
        cases.setdefault(case_of(record), []).append(record)
    shown = Table("case", title="medians (and quartiles)", title_justify="left", title_style="bold")
    for name in COLUMNS:
        shown.add_column(name, justify="right")
    for case, members in cases.items():
        shown.add_row(case, *(_cell(members, name) for name in COLUMNS))
    Console(stderr=True).print(shown)


def case_of(record: Record) -> str:
    """A case in words."""
    params = [f"{name}={value}" for name, value in record.params.items()]
    return " ".join([*params, *filter(None, (record.net, record.mode))]) or record.program


def _cell(records: Sequence[Record], name: str) -> str:
    cost = COSTS[name]
    values = [value for record in records if (value := cost.at(record)) is not None]
    if not values:
        return "-"
    found = Quartiles.of(values)
    median = readable(found.median, cost.unit)
    if found.low == found.high:
        return median
    return f"{median} ({readable(found.low, cost.unit)} to {readable(found.high, cost.unit)})"
