"""Progress bars and the closing table on stderr."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tacit.notebook import NotebookBars, in_notebook

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from tacit.watch.board import Board

Told = Callable[[str, int, int], object]
"""A function that is called with the phase of a run, the amount done, and the total, 0 if it is unknown."""

REDRAWS_PER_S = 8


@contextmanager
def shown(progress: Told | bool | None) -> Iterator[Told | None]:
    """The function to call with a run's progress: the caller's own or, for True, one that draws bars."""
    if not isinstance(progress, bool):
        yield progress
    elif progress:
        with Display(notebooks=True) as display:
            yield display.update
    else:
        yield None


class Display:
    """Progress bars while a run proceeds, if stderr is a terminal; and the closing table.

    With `notebooks`, there are also bars in the output of a notebook's cell. A `board` gets everything.
    """

    def __init__(self, board: Board | None = None, *, notebooks: bool = False) -> None:
        self._board = board
        self._notebooks = notebooks
        self._bars: Progress | None = None
        self._in_notebook: NotebookBars | None = None
        self._tasks: dict[str, TaskID] = {}

    @classmethod
    def of(cls, board: Board | None, program: str, parties: Sequence[str]) -> Display:
        """The display of a run of this program with these parties on this machine."""
        if board is not None:
            board.begin(program, parties)
        return cls(board)

    def __enter__(self) -> Display:
        if sys.stderr.isatty() and _is_package("rich"):
            from rich.console import Console
            from rich.progress import Progress

            console = Console(stderr=True)
            self._bars = Progress(console=console, transient=True, refresh_per_second=REDRAWS_PER_S)
            self._bars.start()
        elif self._notebooks and in_notebook():
            self._in_notebook = NotebookBars()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()
        if self._in_notebook is not None:
            self._in_notebook.stop(failed=error is not None)

    def update(self, phase: str, done: int, total: int) -> None:
        """Shows how much of a phase is done. A total of 0 is unknown."""
        if self._board is not None:
            self._board.progress(phase, done, total)
        if self._in_notebook is not None:
            self._in_notebook.update(phase, done, total)
        if self._bars is None:
            return
        if phase not in self._tasks:
            self._tasks[phase] = self._bars.add_task(phase, total=None)
        self._bars.update(self._tasks[phase], completed=done, total=total or None)

    @property
    def traffic(self) -> Callable[[str, str, int, int, int], object] | None:
        """The function to call with the bytes of each party, as `Board.traffic`; None without a board."""
        return None if self._board is None else self._board.traffic

    def traffic_of(self, party: str) -> Callable[[str, int, int, int], object] | None:
        """The function to call with the bytes of this party; None without a board."""
        return None if self._board is None else partial(self._board.traffic, party)

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


def _is_package(name: str) -> bool:
    """Whether this name would import a package, and not a user's file beside the program."""
    try:
        found = importlib.util.find_spec(name)
    except ValueError:  # Something put into `sys.modules` by hand.
        return False
    return found is not None and found.submodule_search_locations is not None


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
    """Rows for several other parties: the bytes sent to and received from each, after the predicted ones."""
    rows = [
        [f"shares, {peer}", "", f"{shares['payload_sent']:,}", f"{shares['payload_received']:,}", "", ""]
        for peer, shares in report["peers"].items()
    ]
    predicted = report.get("predicted")
    if predicted is not None:
        sent, received = predicted["payload_sent"], predicted["payload_received"]
        seconds = f"{sum(predicted['time']['online'].values()) / 1e9:.3f}"
        rounds = f"{predicted['rounds']:,}"
        rows.append(["shares, predicted", seconds, f"{sent:,}", f"{received:,}", "", rounds])
    return rows
