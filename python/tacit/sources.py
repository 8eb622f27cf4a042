"""Programs from files: C, compiled programs, circuits."""

from __future__ import annotations

import sys
from pathlib import Path

from tacit import Program, ProgramError, UsageError
from tacit.compiler import clang_command

MAX_BYTES = 1 << 30


def load_program(path: Path, *, function: str | None = None, clang: str | None = None) -> Program:
    """The program in a file. C goes by its name's ending `.c`, everything else by content."""
    if path.suffix == ".c":
        if not path.is_file():
            raise UsageError(f"{path}: no such file")
        program = Program.compile_c(str(path), clang_command(clang), function)
        for warning in program.warnings:
            sys.stderr.write(f"warning: {warning}\n")
        return program
    for option, value in (("--function", function), ("--clang", clang)):
        if value is not None:
            raise UsageError(f"{option} is for C, and {path} is none: the name does not end in .c")
    data = _read(path)
    try:
        if _is_text(data):
            return Program.from_circuit(data.decode("ascii"), path.stem)
        return Program.from_bytes(data)
    except ProgramError as error:
        raise ProgramError(f"{path}: {error}") from None


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
