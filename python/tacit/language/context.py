"""Which program is being written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from tacit._native import Graph, PartyEnd, ProgramError

_GRAPH: ContextVar[Graph | PartyEnd] = ContextVar("tacit_graph")


def graph() -> Graph:
    """The program that is being written."""
    found = writer()
    if isinstance(found, Graph):
        return found
    raise ProgramError(
        "three parties or more compute at once and write no program; put this into a function made with "
        "@t.function, and run that with s.run"
    )


def writer() -> Graph | PartyEnd:
    """The maker of arrays: the program being traced, or three or more parties that compute at once."""
    try:
        return _GRAPH.get()
    except LookupError:
        raise ProgramError(
            "no program is being written; call this within a function made with @t.function"
        ) from None


def using(program: Graph | PartyEnd) -> Callable[[], None]:
    """Makes a program the one that is being written, until what is returned is called in the same task."""
    token = _GRAPH.set(program)
    return lambda: _GRAPH.reset(token)


@contextmanager
def writing(program: Graph) -> Iterator[None]:
    """Makes a program the one that is being written."""
    token = _GRAPH.set(program)
    try:
        yield
    finally:
        _GRAPH.reset(token)
