"""Compiled programs among any number of parties: which party speaks for each role, and what a program is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from tacit._native import InputError, Program, Session, UsageError
from tacit.language.command import Source, load_source
from tacit.language.floats import named
from tacit.language.function import Function
from tacit.measure.cases import plain

Runnable = Function | Program | str | PathLike[str]
"""A function of the language, a program, or what `tacit run` takes: a file, or `app.py:FUNCTION`."""


def source_of(program: Runnable, static: Mapping[str, Any]) -> Source:
    """The program with these static parameters."""
    if isinstance(program, Function):
        trace = program.trace(**static)
        return Source(trace.program, trace)
    if not isinstance(program, Program):
        return load_source(Path(program), static=static)
    if static:
        raise UsageError(f"parameters ({', '.join(static)}) are for functions in Python")
    return Source(program)


def encode(source: Source, inputs: Mapping[str, Any]) -> dict[str, str]:
    """The inputs of roles, from values to JSON."""
    if source.trace is not None:
        return source.trace.encode(inputs)
    try:
        return {role: json.dumps(named(plain(values))) for role, values in inputs.items()}
    except TypeError as error:
        raise InputError(f"an input is neither number nor array: {error}") from None


def decode(source: Source, texts: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The outputs of roles, from JSON to values."""
    if source.trace is not None:
        return source.trace.decode(texts)
    return {role: json.loads(one) for role, one in texts.items()}


def speakers_in(session: Session, roles: Sequence[str]) -> dict[str, str]:
    """The party of a session that speaks for each role."""
    named = {}
    for role in roles:
        try:
            named[role] = session.party_of(role)
        except UsageError:
            continue
    return speakers(roles, sorted(session.parties), named)


def speakers(roles: Sequence[str], parties: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    """The party that speaks for each role: those that are named, or, if none is, one after the other."""
    if not named:
        if len(roles) > len(parties):
            raise UsageError(
                f"{len(roles)} roles ({', '.join(roles)}) for {len(parties)} parties; a session file says "
                "under [role.NAME] which party speaks for a role"
            )
        return dict(zip(roles, parties, strict=False))
    for role in roles:
        if role not in named:
            raise UsageError(
                f"no party is called {role}, and no [role.{role}] says which party speaks for it, as for "
                f"{next(iter(named))}"
            )
    return dict(named)
