"""Progress bars in the output of a notebook's cell. They only need IPython, not the widgets of Jupyter."""

from __future__ import annotations

import sys
import time
from typing import Any

REDRAWS_PER_S = 4
"""Redraws per second. Each is a message to the browser."""

STYLE = "display:grid;grid-template-columns:max-content minmax(8em,30em) 4em;gap:0 1em;align-items:center"


def in_notebook() -> bool:
    """Whether this code runs in a cell of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class NotebookBars:
    """A bar for each phase of a run; they stay when the run has ended."""

    def __init__(self) -> None:
        self._phases: dict[str, tuple[int, int]] = {}
        self._display: Any = None
        self._drawn = 0.0

    def update(self, phase: str, done: int, total: int) -> None:
        """Shows how much of a phase is done. A total of 0 is unknown."""
        is_new = phase not in self._phases
        self._phases[phase] = (done, total)
        if is_new or time.monotonic() - self._drawn >= 1 / REDRAWS_PER_S:
            self._draw()

    def stop(self, *, failed: bool) -> None:
        """Shows the end of the run: all that has begun is done, unless it failed."""
        if not failed:
            self._phases = dict.fromkeys(self._phases, (1, 1))
        if self._phases:
            self._draw()

    def _draw(self) -> None:
        from IPython.display import display

        self._drawn = time.monotonic()
        shown = {"text/html": self._markup(), "text/plain": self._text()}
        if self._display is None:
            self._display = display(shown, raw=True, display_id=True)
        else:
            self._display.update(shown, raw=True)

    def _markup(self) -> str:
        from html import escape

        rows = [_row(escape(phase), *amounts) for phase, amounts in self._phases.items()]
        return f'<div style="{STYLE}">{"".join(rows)}</div>'

    def _text(self) -> str:
        return "\n".join(f"{phase} {_share(*amounts)}".strip() for phase, amounts in self._phases.items())


def _row(phase: str, done: int, total: int) -> str:
    bar = f'<progress max="1"{_value(done, total)} aria-label="{phase}" style="width:100%"></progress>'
    return f"<span>{phase}</span>{bar}<span>{_share(done, total)}</span>"


def _value(done: int, total: int) -> str:
    """The value of a bar; a bar without one shows only that the phase is running."""
    return f' value="{done / total:.3f}"' if total else ""


def _share(done: int, total: int) -> str:
    return f"{100 * done // total} %" if total else ""
