"""A party that does not compute, beside three or more that do: it gives inputs and receives results."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

from tacit._native import Cancel, InputError, Kind, Program, SecretKey, Session, UsageError
from tacit._native import visit as visit_all
from tacit.language.values import Port
from tacit.options import RunOptions
from tacit.sessions.keys import secret_key
from tacit.sessions.protection import HERE, Protection
from tacit.sessions.shaping import shaping

if TYPE_CHECKING:
    from tacit.programs import Runnable, Source

Inputs = Mapping[str, Any] | Callable[[str], Any]
"""Inputs by name, or a function that returns the input with a name when it is requested."""

LEAST = 3
"""The minimum number of computing parties of sessions with outside parties."""


@dataclass(frozen=True)
class Visit:
    """The outcome of a visit."""

    results: dict[str, Any] = field(default_factory=dict)
    """The results from the computing parties, by name."""
    late: tuple[str, ...] = ()
    """Inputs that not all computing parties received in time, which count as not given."""
    outputs: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The outputs of the program that the party took part in, by role."""


async def visit(
    session: str | PathLike[str] | Session,
    party: str,
    inputs: Inputs | None = None,
    key: str | PathLike[str] | SecretKey | None = None,
    *,
    threshold: int | None = None,
    modulus: int | None = None,
    security: str | None = None,
    program: str = "",
    net: str | None = None,
    run: Runnable | None = None,
    roles: Mapping[str, Any] | None = None,
    **static: Any,
) -> Visit:
    """Takes part in a session as a party with `computes = false`, until the session ends.

    The computing parties request inputs with `collect` and send results with `tell`. `inputs` has the inputs
    by name, or is a function that is called with a name when the input is asked for. The other arguments are
    those of `connect`, the same as at the computing parties.

    If the session runs a compiled program (`s.run`) in which this party speaks for roles, `run` is that
    program, with its static parameters, and `roles` has the inputs of those roles, by role.
    """
    if run is None and (roles is not None or static):
        named = ", ".join(["roles"] * (roles is not None) + list(static))
        raise UsageError(f"{named} of a visit without run=, the compiled program that they are for")
    file = session if isinstance(session, Session) else Session.load(str(session))
    me = party if party in file.parties else file.party_of(party)
    _check(file, me)
    protection = Protection.of(file, threshold, modulus, security, program)
    source = None if run is None else _source(run, static)
    given, told, ran = await come(
        file,
        me,
        secret_key(session, me, key),
        protection,
        give=_giving(me, inputs or {}),
        programs=[] if source is None else [(source.program, source.encode_values(roles or {}))],
        net=net,
    )
    results = {name: shaping(tuple(shape), kind)(numbers) for name, kind, shape, numbers in told}
    outputs = {} if source is None or not ran else source.decode_by_role(ran[0])
    return Visit(results, tuple(name for name, taken in given if not taken), outputs)


async def come(
    file: Session,
    party: str,
    key: SecretKey,
    protection: Protection,
    *,
    give: Callable[[str, Kind | None, Sequence[int]], Any],
    programs: Sequence[tuple[Program, Mapping[str, str]]],
    net: str | None,
) -> tuple[list[tuple[str, bool]], list[Any], list[dict[str, str]]]:
    """As `visit`, with JSON inputs of programs by role.

    Returns what was given and whether it was taken, the results, and the JSON outputs of programs.
    """
    options, cancel = RunOptions.taken({} if net is None else {"net": net}), Cancel()
    work = functools.partial(
        visit_all,
        file,
        party,
        key,
        modulus=protection.modulus,
        threshold=protection.threshold,
        security=protection.security,
        fields=protection.fields,
        cancel=cancel,
        give=give,
        programs=programs,
        net=options.net,
    )
    # A thread of its own: in a shared pool, parties of one process could wait for one another's turn.
    pool = ThreadPoolExecutor(1, "tacit visit")
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, work)
    finally:
        cancel.cancel()
        pool.shutdown(wait=False)


def _source(program: Runnable, static: dict[str, Any]) -> Source:
    """A program with its static parameters."""
    from tacit.programs import source_of

    return source_of(program, static)


def _check(file: Session, party: str) -> None:
    """Refuses computing parties, and sessions of two parties."""
    if party in file.computing:
        raise UsageError(
            f"{party} computes: it runs the program, by connect. Only parties with computes = false visit"
        )
    if len(file.computing) < LEAST:
        raise UsageError(
            f"{party} has two computing parties: run the program as {party}, by `tacit run --as {party}`; "
            f"visits are for parties {HERE}"
        )


def _giving(party: str, inputs: Inputs) -> Callable[[str, Kind | None, Sequence[int]], Any]:
    """A function that returns the integers of an input when it is requested."""

    def give(name: str, kind: Kind | None, shape: Sequence[int]) -> Any:
        if callable(inputs):
            value = inputs(name)
        elif name in inputs:
            value = inputs[name]
        else:
            known = ", ".join(inputs) or "none"
            raise InputError(f"{party}.{name} is requested but missing; the inputs given are {known}")
        if value is None:
            raise InputError(f"{party}.{name} is requested, but None is not a number")
        return value if kind is None else Port(party, name, kind, tuple(shape)).encode(value)

    return give
