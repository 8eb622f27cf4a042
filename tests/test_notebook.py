"""Progress bars in notebooks."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from tacit.notebook import NotebookBars
from tacit.progress import shown

CELL = """
import tacit as t


@t.function
def richer(alice: t.Role, bob: t.Role) -> None:
    t.output("richer", alice.input("fortune", t.u32) > bob.input("fortune", t.u32), alice, bob)


outputs = richer.local(alice={"fortune": 12}, bob={"fortune": 7}, progress=True)
print(outputs["bob"])
"""


class Shown:
    """What IPython would show: a display, which is updated."""

    def __init__(self) -> None:
        self.displays = 0
        self.states: list[dict[str, str]] = []

    def display(self, state: dict[str, str], **how: Any) -> Shown:
        assert how == {"raw": True, "display_id": True}
        self.displays += 1
        self.states.append(state)
        return self

    def update(self, state: dict[str, str], **how: Any) -> None:
        assert how == {"raw": True}
        self.states.append(state)


class ZMQInteractiveShell:
    """What the shell of a notebook is called."""


@pytest.fixture
def ipython(monkeypatch: pytest.MonkeyPatch) -> Shown:
    """IPython as a notebook has it."""
    seen, package, displays = Shown(), ModuleType("IPython"), ModuleType("IPython.display")
    package.__dict__.update(get_ipython=ZMQInteractiveShell, display=displays)
    displays.__dict__.update(display=seen.display)
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", displays)
    monkeypatch.setattr("tacit.notebook.REDRAWS_PER_S", 1e9)
    return seen


def test_there_is_one_display_with_a_bar_for_each_phase(ipython: Shown) -> None:
    bars = NotebookBars()
    bars.update("setup", 0, 0)
    bars.update("online", 1, 4)
    assert ipython.displays == 1
    text = [state["text/plain"] for state in ipython.states]
    assert text == ["setup", "setup\nonline 25 %"]
    markup = ipython.states[-1]["text/html"]
    assert markup.count("<progress") == 2
    assert markup.count("value=") == 1
    assert 'value="0.250" aria-label="online"' in markup


def test_names_do_not_become_markup(ipython: Shown) -> None:
    NotebookBars().update("<b>", 1, 2)
    assert "<b>" not in ipython.states[0]["text/html"]


def test_a_run_that_is_done_ends_full_and_one_that_failed_does_not(ipython: Shown) -> None:
    with shown(True) as told:
        assert told is not None
        told("online", 1, 4)
    assert ipython.states[-1]["text/plain"] == "online 100 %"
    with pytest.raises(ValueError, match="why"), shown(True) as told:
        assert told is not None
        told("online", 1, 4)
        raise ValueError("why")
    assert ipython.states[-1]["text/plain"] == "online 25 %"


def test_a_run_that_tells_nothing_shows_nothing(ipython: Shown) -> None:
    with shown(True):
        pass
    assert ipython.states == []


def test_in_a_real_notebook() -> None:
    client = pytest.importorskip("nbclient", reason="nbclient is not installed: no notebook is run")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: no notebook is run")
    nbformat = pytest.importorskip("nbformat")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    client.NotebookClient(book, timeout=240, kernel_name="python3").execute()
    shown, printed = book.cells[0].outputs
    assert "<progress" in shown["data"]["text/html"]
    assert shown["data"]["text/plain"].endswith("online 100 %")
    assert printed["text"] == "{'richer': True}\n"
