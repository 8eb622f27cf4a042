"""What the roles of a program give, read from the head of its canonical binary form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tacit import Program, ProgramError

HEADER = b"TACITP\x01\x00"
"""What the form begins with, its version included."""

MAX_DEPTH = 64


@dataclass(frozen=True)
class Integer:
    """An integer."""

    bits: int
    signed: bool


@dataclass(frozen=True)
class Float:
    """A floating-point number."""

    bits: int


@dataclass(frozen=True)
class Array:
    """Elements of one shape."""

    length: int
    element: Shape


@dataclass(frozen=True)
class Struct:
    """Named members."""

    members: dict[str, Shape]


Shape = Integer | Float | Array | Struct


@dataclass(frozen=True)
class InputPort:
    """A value that a role gives."""

    role: str
    name: str
    shape: Shape


def input_ports(program: Program) -> list[InputPort]:
    """What the roles give, in the program's order."""
    encoded = program.to_bytes()
    if not encoded.startswith(HEADER):
        raise ProgramError("the program's form is unknown here, so its inputs have to be given with --input")
    head = _Head(encoded, len(HEADER))
    head.text()  # the program's name
    roles = [head.text() for _ in range(head.number())]
    for _ in range(head.number()):
        head.skip_field()
    return [head.port(roles) for _ in range(head.number())]


class _Head:
    """Reads one item after the other. The bytes are a program's own, so they are well-formed."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data = data
        self._at = position

    def number(self) -> int:
        """An unsigned number, seven bits a byte, the lowest first."""
        value = shift = 0
        while True:
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self) -> str:
        """Text after its length."""
        length = self.number()
        start, self._at = self._at, self._at + length
        return self._data[start : self._at].decode("utf-8")

    def skip_field(self) -> None:
        """A prime's limbs, or GF(2^8)."""
        if self.number() == 0:
            for _ in range(self.number()):
                self.number()

    def port(self, roles: list[str]) -> InputPort:
        name, role = self.text(), roles[self.number()]
        nodes = [self._node() for _ in range(self.number())]
        return InputPort(role, name, _shape(iter(nodes), MAX_DEPTH))

    def _node(self) -> tuple[Any, ...]:
        kind = self.number()
        if kind == 0:
            return ("integer", self.number(), bool(self.number()))
        if kind == 1:
            return ("array", self.number())
        if kind == 2:
            return ("struct", [self.text() for _ in range(self.number())])
        return ("float", self.number())


def _shape(nodes: Iterator[tuple[Any, ...]], depth: int) -> Shape:
    """The shape that the nodes spell, which stand depth first."""
    if not depth:
        raise ProgramError("an input's shape nests too deep")
    kind, *parts = next(nodes)
    if kind == "integer":
        return Integer(*parts)
    if kind == "float":
        return Float(*parts)
    if kind == "array":
        return Array(parts[0], _shape(nodes, depth - 1))
    return Struct({name: _shape(nodes, depth - 1) for name in parts[0]})
