"""Programs among any number of parties on the command line: `tacit run auction.py --local --parties 5`."""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tacit._native import (
    Listener,
    Program,
    ProgramError,
    SecretKey,
    Session,
    TacitError,
    UsageError,
)
from tacit.local import Children, PartyResult, session_file
from tacit.measure.python_file import load_module, user_traceback
from tacit.parties import GF256, Runtime

PartyProgram = Callable[[Runtime], Awaitable[Any]]
"""What every party runs."""

MAIN = "main"
"""The program in a file that names none."""


def load_program(file: Path, name: str | None) -> PartyProgram:
    """The program in a Python file: an `async def` of one argument."""
    name = name or MAIN
    found: object = vars(load_module(file)).get(name)
    if not inspect.iscoroutinefunction(found):
        raise UsageError(f"{file} has no program among many parties: `async def {name}(rt)` is missing")
    program: PartyProgram = found
    return program


def take_part(program: PartyProgram, runtime: Runtime) -> tuple[str, str]:
    """Runs a program as one party; gives what it returns, and a report, as JSON."""

    async def run() -> tuple[Any, dict[str, Any]]:
        start = time.monotonic()
        async with runtime:
            joined = time.monotonic()
            result = await program(runtime)
            await runtime.synchronise()
            sent = runtime.bytes_sent
        spent = {"joining": joined - start, "computing": time.monotonic() - joined}
        return result, {"party": runtime.party, "seconds": spent, "bytes_sent": sent}

    try:
        result, report = asyncio.run(run())
    except TacitError:
        raise
    except Exception as error:
        raise ProgramError(f"the program failed:\n{user_traceback(error)}") from error
    try:
        return json.dumps(result), json.dumps(report)
    except (TypeError, ValueError) as error:
        raise ProgramError(f"what the program returns is no JSON: {error}") from None


def take_part_in(
    program: Program,
    inputs: Mapping[str, str],
    roles: Mapping[str, str],
    effort: int | None,
    session: Session,
    party: str,
    key: SecretKey,
    *,
    threshold: int | None,
    net: str | None,
    listener: Listener | None = None,
) -> tuple[dict[str, str], str]:
    """Runs a compiled program as one party; gives the JSON outputs of its roles, and a report as JSON.

    `roles` are the parties that speak for them.
    """
    program.check_inputs(inputs, [role for role, speaker in roles.items() if speaker == party])
    spoken = ", ".join(f"{role} is {speaker}" for role, speaker in roles.items())
    work = "the usual effort" if effort is None else f"effort {effort}"
    runtime = Runtime(
        session,
        party,
        key,
        threshold=threshold,
        modulus=GF256,
        program=f"{program.name} {program.hash}, {spoken}, {work}",
        net=net,
        listener=listener,
    )

    async def run(runtime: Runtime) -> dict[str, str]:
        return await runtime.run_compiled(program, inputs, roles, effort)

    outputs, report = take_part(run, runtime)
    return json.loads(outputs), report


def run_compiled_locally(
    program: Program,
    parties: Sequence[str],
    roles: Mapping[str, str],
    threshold: int | None,
    inputs: Mapping[str, str],
    net: str | None,
    effort: int | None,
) -> list[PartyResult]:
    """Runs a compiled program between these parties, each a process of its own on this machine, over TLS."""
    encoded = program.to_bytes()
    with Children(None) as children:
        for party in parties:
            job = {
                "party": party,
                "program_bytes": len(encoded),
                "source": program.source,
                "inputs": {role: given for role, given in inputs.items() if roles[role] == party},
                "roles": roles,
                "threshold": threshold,
                "net": net,
                "effort": effort,
            }
            children.start(party, job, encoded)
        children.tell_all({"session": session_file(children.listening())})
        return children.results()


def run_locally(
    file: Path,
    name: str | None,
    parties: int,
    threshold: int | None,
    modulus: int,
    inputs: Mapping[str, str],
    net: str | None,
) -> list[PartyResult]:
    """Runs every party, `p1` and so on, as a process of its own on this machine, over TLS."""
    with Children(None) as children:
        for party in names(parties):
            job = {
                "party": party,
                "file": str(file),
                "name": name,
                "inputs": json.loads(inputs.get(party, "{}")),
                "threshold": threshold,
                "modulus": modulus,
                "net": net,
            }
            children.start(party, job)
        children.tell_all({"session": session_file(children.listening())})
        return children.results()


def names(parties: int) -> list[str]:
    """What so many parties on one machine are called, in the order of the names: p1, p2 and so on."""
    width = len(str(parties))
    return [f"p{number:0{width}}" for number in range(1, parties + 1)]
