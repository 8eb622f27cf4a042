"""One pass through a protocol.

A protocol is run through several times. While it is *traced*, its garbled values become a program, and
nothing of the parties' values is known. *Before* the program runs each party goes through the protocol with
its own inputs, which gives what it puts into the program; *after*, it does so again with what the program has
opened to it, which gives its outputs. So what a party computes with plain values it computes by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacit._native import Array, Graph, InputError, Kind, Program, ProgramError
from tacit.language.values import Port
from tacit.tastyl.numbers import Numbers, drawn

ROLES = ("client", "server")
MAX_CONDITIONS = 10_000
"""How many conditions on values that are not known a protocol may have."""

FOLDER = str(Path(__file__).parent)


class NotKnown(Exception):  # noqa: N818 - it is no error
    """A value that is not known in this pass."""


class NotOwned(NotKnown):
    """A random value of which is not known yet whose it is."""


@dataclass
class Known:
    """What one party knows."""

    role: str
    inputs: Mapping[str, Numbers] = field(default_factory=dict)
    random: dict[tuple[str, int, int], Numbers] = field(default_factory=dict)
    given: Mapping[str, Numbers] | None = None
    """What it has put into the program."""
    opened: Mapping[str, Numbers] | None = None
    """What the program has opened to it, by the names of its outputs; not before it has run."""


@dataclass(frozen=True)
class Asked:
    """An input of a protocol."""

    port: Port
    desc: str | None


@dataclass
class Execution:
    """One pass."""

    name: str
    known: Known | None = None
    condition: bool = False
    """What a condition on a value that is not known counts as."""
    order: tuple[str, ...] = ROLES
    """The roles as the program has them: the first holds what is encrypted, and garbles."""

    def __post_init__(self) -> None:
        self.graph = Graph(self.name)
        numbers = {role: self.graph.role(role) for role in self.order}
        self.numbers = [numbers[role] for role in ROLES]
        self.encrypts = False
        """Whether anything is encrypted homomorphically."""
        self._holder: str | None = None
        self.kinds = Graph("kinds")
        self.kinds.role("nobody")
        self.asked: list[Asked] = []
        self.given: list[tuple[Port, Callable[[], Numbers]]] = []
        self.opened: list[Port] = []
        self.outputs: list[tuple[str, str, Callable[[], Any]]] = []
        self.conditions = 0
        self._values = 0
        self._places: dict[tuple[str, int], int] = {}

    def kind_of(self, kind: Kind, shape: tuple[int, ...]) -> Array:
        """An array that stands for a plain value: only its kind and shape count."""
        self._values += 1
        return self.kinds.input(0, f"value{self._values}", kind, shape)

    def ask(self, port: Port, desc: str | None) -> Callable[[], Numbers]:
        """Declares an input of a party."""
        if any((other.port.role, other.port.name) == (port.role, port.name) for other in self.asked):
            raise ProgramError(
                f"{port.role} is asked for {port.name} twice; inputs of a driver go by their desc=, "
                "others by the attribute they are assigned to"
            )
        self.asked.append(Asked(port, desc))

        def value() -> Numbers:
            known = self._of(port.role)
            if port.name not in known.inputs:
                raise InputError(f"{port.role}.{port.name}: no value is given")
            return known.inputs[port.name]

        return value

    def draw(
        self, owner: Callable[[], str | None], kind: Kind, shape: tuple[int, ...]
    ) -> Callable[[], Numbers]:
        """Random numbers that the owner draws, the same in every pass."""
        file, line = _place()
        count = self._places.get((file, line), 0)
        self._places[file, line] = count + 1

        def value() -> Numbers:
            role = owner()
            if role is None:
                raise NotOwned
            known = self._of(role)
            if (file, line, count) not in known.random:
                known.random[file, line, count] = drawn(kind, shape)
            return known.random[file, line, count]

        return value

    def give(
        self, role: str, label: str | None, kind: Kind, shape: tuple[int, ...], value: Callable[[], Numbers]
    ) -> Array:
        """A plain value of a party as an input of the program."""
        kind = Kind.uint(1) if kind.is_bool else kind
        base = name = label or "value"
        taken = {port.name for port, _ in self.given if port.role == role}
        count = 1
        while name in taken:
            count += 1
            name = f"{base}_{count}"
        self.given.append((Port(role, name, kind, shape), value))
        return self.graph.input(self.numbers[ROLES.index(role)], name, kind, shape)

    def open(self, role: str, array: Array) -> Callable[[], Numbers]:
        """Opens a value of the program to a party."""
        port = Port(role, f"opened{len(self.opened)}", array.kind, array.shape)
        self.opened.append(port)
        self.graph.output([self.numbers[ROLES.index(role)]], port.name, array)

        def value() -> Numbers:
            known = self._of(role)
            if known.opened is None:
                raise NotKnown
            if port.name not in known.opened:
                raise differs()
            return known.opened[port.name]

        return value

    @property
    def holder(self) -> str | None:
        """The party that holds homomorphic values: as in TASTY the server, unless the client computes."""
        return (self._holder or "server") if self.encrypts else None

    def hold(self, role: str) -> None:
        """Takes note that a party computes with what is encrypted homomorphically."""
        if self._holder not in (None, role):
            raise ProgramError(
                f"{self._holder} and {role} both compute with homomorphic values, and only one party has a "
                f"key; send them to {self._holder} and compute there, or compute with garbled values"
            )
        self._holder = role

    def decide(self, value: Callable[[], Numbers]) -> bool:
        """Whether a plain number is true, as far as is known in this pass."""
        try:
            return bool(value())
        except NotKnown:
            self.conditions += 1
            if self.conditions > MAX_CONDITIONS:
                raise ProgramError(
                    f"more than {MAX_CONDITIONS} conditions depend on values that only one party knows; "
                    "loops have to end whatever these are"
                ) from None
            return self.condition

    def finish(self) -> Program:
        """The program of what is garbled. One that opens nothing gives a constant to both."""
        if not self.opened:
            self.graph.output(self.numbers, "end", self.graph.asarray(0))
        return self.graph.finish("TASTYL")

    def _of(self, role: str | None) -> Known:
        if self.known is None or self.known.role != role:
            raise NotKnown
        return self.known


def differs() -> ProgramError:
    """What the parties compute together depends on what only one of them knows."""
    return ProgramError(
        "what is garbled, sent or opened depends on a condition that only one party knows; "
        "after such an if, only compute with plain values of that party and output them, or use mux"
    )


_EXECUTION: ContextVar[Execution] = ContextVar("tacit_tastyl_execution")


def execution() -> Execution:
    """The pass under way."""
    try:
        return _EXECUTION.get()
    except LookupError:
        raise ProgramError("values of TASTYL belong into a protocol(client, server)") from None


@contextmanager
def executing(one: Execution) -> Iterator[None]:
    """Makes a pass the one under way."""
    token = _EXECUTION.set(one)
    try:
        yield
    finally:
        _EXECUTION.reset(token)


def _place() -> tuple[str, int]:
    """The line of the protocol that is being executed."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(FOLDER):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
