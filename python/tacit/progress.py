"""What a person sees on stderr while a program runs, and at its end."""

from __future__ import annotations

import json
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

REDRAWS_PER_S = 8


class Display:
    """Progress bars while a run proceeds, where stderr is a terminal; and the closing table."""

    def __init__(self) -> None:
        self._bars: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Display:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress

            self._bars = Progress(
                console=Console(stderr=True), transient=True, refresh_per_second=REDRAWS_PER_S
            )
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def update(self, phase: str, done: int, total: int) -> None:
        """Shows how much of a phase is done. A total of 0 is unknown."""
        if self._bars is None:
            return
        if phase not in self._tasks:
            self._tasks[phase] = self._bars.add_task(phase, total=None)
        self._bars.update(self._tasks[phase], completed=done, total=total or None)

    def table(self, report: str, title: str | None = None) -> None:
        """Prints the closing table of a report."""
        from rich.console import Console
        from rich.table import Table

        table = Table(title=title, title_justify="left", title_style="bold")
        for heading in ("phase", "seconds", "sent", "received", "messages", "rounds"):
            table.add_column(heading, justify="left" if heading == "phase" else "right")
        for row in _rows(json.loads(report)):
            table.add_row(*row)
        Console(stderr=True).print(table)


def _rows(report: dict[str, Any]) -> list[list[str]]:
    """The cells of the closing table."""
    phases = [
        [
            phase["phase"],
            f"{phase['seconds']:.3f}",
            f"{phase['bytes_sent']:,}",
            f"{phase['bytes_received']:,}",
            f"{phase['messages_sent'] + phase['messages_received']:,}",
            f"{phase['rounds']:,}",
        ]
        for phase in report["phases"]
    ]
    return phases + _among(report) if "peers" in report else phases


def _among(report: dict[str, Any]) -> list[list[str]]:
    """What went to each of several other parties and came from it, after what was predicted of that."""
    rows = [
        [f"shares, {peer}", "", f"{shares['payload_sent']:,}", f"{shares['payload_received']:,}", "", ""]
        for peer, shares in report["peers"].items()
    ]
    predicted = report.get("predicted")
    if predicted is not None:
        sent, received = predicted["payload_sent"], predicted["payload_received"]
        rows.append(["shares, predicted", "", f"{sent:,}", f"{received:,}", "", f"{predicted['rounds']:,}"])
    return rows
