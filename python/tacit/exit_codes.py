"""The exit codes of the command line."""

from __future__ import annotations

from enum import IntEnum

from tacit import AbortError, InputError, PeerError, ProgramError, TacitError, UsageError


class ExitCode(IntEnum):
    """The exit codes of `tacit`, which are part of its interface."""

    OK = 0
    INTERNAL = 1
    USAGE = 2
    PROGRAM = 3
    INPUT = 4
    PEER = 5
    ABORT = 6
    VIOLATED = 7
    UNDECIDED = 8
    INTERRUPTED = 130


_BY_CLASS: dict[type[TacitError], ExitCode] = {
    UsageError: ExitCode.USAGE,
    ProgramError: ExitCode.PROGRAM,
    InputError: ExitCode.INPUT,
    PeerError: ExitCode.PEER,
    AbortError: ExitCode.ABORT,
}


def exit_code(error: TacitError) -> ExitCode:
    """The exit code for an error."""
    return next((code for kind, code in _BY_CLASS.items() if isinstance(error, kind)), ExitCode.INTERNAL)


def error_from(code: int, message: str) -> TacitError:
    """The error that has this exit code."""
    for kind, of_kind in _BY_CLASS.items():
        if of_kind == code:
            return kind(message)
    return TacitError(message)
