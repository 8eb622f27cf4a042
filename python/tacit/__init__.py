"""Computes on data that its owners will not show each other."""

from tacit._native import (
    AbortError,
    InputError,
    PeerError,
    Program,
    ProgramError,
    SecretKey,
    Session,
    TacitError,
    UsageError,
    __version__,
)

__all__ = [
    "AbortError",
    "InputError",
    "PeerError",
    "Program",
    "ProgramError",
    "SecretKey",
    "Session",
    "TacitError",
    "UsageError",
    "__version__",
]
