"""Programs from files: C, C++ and Rust, compiled programs, circuits."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from pathlib import Path

from tacit import Program, ProgramError, UsageError
from tacit.compiler import clang_command
from tacit.options import flag

MAX_BYTES = 1 << 30


SOURCES = frozenset([".c", ".cc", ".cpp", ".cxx", ".rs"])
"""Suffixes of source files in C, C++ and Rust."""


@dataclass(frozen=True)
class Translation:
    """How sources in C, C++ and Rust are compiled."""

    function: str | None = None
    clang: str | None = None
    unwind: str | None = None
    int_width: str | None = None

    def flags(self) -> dict[str, str | None]:
        """The options by their names on the command line."""
        return {flag(field.name): getattr(self, field.name) for field in fields(self)}

    def refuse(self, why: str) -> None:
        """Refuses these options, if given, for a file of another kind."""
        for option, value in self.flags().items():
            if value is not None:
                raise UsageError(f"{option} is for C, and {why}")


USUAL = Translation()
"""How C is compiled by default."""


def load_program(path: Path, translation: Translation = USUAL) -> Program:
    """The program in a file. C, C++ and Rust are recognised by the suffix, everything else by content."""
    if path.suffix in SOURCES:
        if not path.is_file():
            raise UsageError(f"{path}: no such file")
        how = translation
        program = Program.compile_c(
            str(path), clang_command(how.clang), how.function, how.unwind, how.int_width
        )
        for warning in program.warnings:
            sys.stderr.write(f"warning: {warning}\n")
        return program
    translation.refuse(f"{path} is none: the name does not end in .c")
    data = _read(path)
    if _is_text(data):
        return _circuit(data, path, path.stem)
    try:
        return Program.from_bytes(data)
    except ProgramError as error:
        raise ProgramError(f"{path}: {error}") from None


def load_circuit(path: Path, name: str) -> Program:
    """The circuit in a file as a program of that name."""
    data = _read(path)
    if not _is_text(data):
        raise ProgramError(f"{path} is not a circuit file")
    return _circuit(data, path, name)


def _circuit(data: bytes, path: Path, name: str) -> Program:
    try:
        return Program.from_circuit(data.decode("ascii"), name, _names_beside(path))
    except ProgramError as error:
        raise ProgramError(f"{path}: {error}") from None


def _names_beside(path: Path) -> str | None:
    """The text of the file that names a circuit's inputs and outputs, if there is one beside the circuit."""
    names = path.with_suffix(".fmt")
    if path.suffix == ".fmt" or not names.is_file():
        return None
    try:
        return _read(names).decode("ascii")
    except UnicodeDecodeError:
        raise ProgramError(f"{names} is not ASCII") from None


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ProgramError(f"{path} is larger than {MAX_BYTES} bytes")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _is_text(data: bytes) -> bool:
    """Whether this can be a circuit file: its head is printable ASCII."""
    return all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in data[:1024]) and data.isascii()
