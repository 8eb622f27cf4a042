"""Programs among any number of parties on the command line: `tacit run auction.py --local --parties 5`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tacit._native import (
    Kind,
    Listener,
    Program,
    ProgramError,
    SecretKey,
    Session,
    TacitError,
)
from tacit.local import PartyResult, Traffic, run_parties
from tacit.options import RunOptions
from tacit.programs import PartyProgram
from tacit.python_file import user_traceback
from tacit.sessions.among import names
from tacit.sessions.protection import GF256, Protection
from tacit.sessions.session import PartySession
from tacit.sessions.visiting import come

OwnTraffic = Callable[[str, int, int, int], object]
"""A function called with the party's phase, the bytes sent and received in it, and the predicted bytes."""

TELLING_S = 0.25
"""Seconds between a party's reports of its traffic."""


def take_part(
    program: PartyProgram, session: PartySession, traffic: OwnTraffic | None = None
) -> tuple[str, str]:
    """Runs a program as one party; returns its result, and a report, as JSON.

    Meanwhile `traffic` is called with the bytes that the party has sent and received.
    """
    told = program if traffic is None else partial(_watched, program, traffic)
    try:
        result = asyncio.run(session.whole(told))
    except TacitError:
        raise
    except Exception as error:
        raise ProgramError(f"the program failed:\n{user_traceback(error)}") from error
    try:
        return json.dumps(result), json.dumps(session.report)
    except (TypeError, ValueError) as error:
        raise ProgramError(f"the program's result cannot be written as JSON: {error}") from None


async def _watched(program: PartyProgram, traffic: OwnTraffic, session: PartySession) -> Any:
    """Runs a program while its traffic is reported."""
    telling = asyncio.create_task(_tell(session, traffic))
    try:
        return await program(session)
    finally:
        telling.cancel()


async def _tell(session: PartySession, traffic: OwnTraffic) -> None:
    """Reports the bytes of each phase repeatedly."""
    while True:
        for phase in session.executor.phases():
            traffic(phase["phase"], phase["bytes_sent"], phase["bytes_received"], 0)
        await asyncio.sleep(TELLING_S)


def take_part_in(
    program: Program,
    inputs: Mapping[str, str],
    roles: Mapping[str, str],
    options: RunOptions,
    file: Session,
    party: str,
    key: SecretKey,
    *,
    threshold: int | None,
    modulus: int = GF256,
    listener: Listener | None = None,
    traffic: OwnTraffic | None = None,
) -> tuple[dict[str, str], str]:
    """Runs a compiled program as one party; returns the JSON outputs of its roles, and a report as JSON.

    `roles` maps each role to the party that speaks for it; `modulus` is the prime field for words.
    """
    program.check_inputs(inputs, [role for role, speaker in roles.items() if speaker == party])
    session = PartySession(
        file,
        party,
        key,
        threshold=threshold,
        modulus=modulus,
        program=_agreed(program, roles, options),
        net=options.net,
        planned_link=options.planned_link,
        profile=options.profile,
        listener=listener,
    )

    async def run(session: PartySession) -> dict[str, str]:
        return await session.run_compiled(program, inputs, roles, RunOptions(**options.lowering()))

    outputs, report = take_part(run, session, traffic)
    return json.loads(outputs), json.dumps(_of_one_run(json.loads(report)))


def _agreed(program: Program, roles: Mapping[str, str], options: RunOptions) -> str:
    """The description of a run on which all parties must agree."""
    spoken = ", ".join(f"{role} is {speaker}" for role, speaker in roles.items())
    work = "the usual effort" if options.effort is None else f"effort {options.effort}"
    sharing = {"domain": options.domain, "classes": options.classes}
    shared = "".join(f", {name} {value}" for name, value in sharing.items() if value is not None)
    return f"{program.name} {program.hash}, {spoken}, {work}{shared}"


def visit_run(
    program: Program,
    inputs: Mapping[str, str],
    roles: Mapping[str, str],
    options: RunOptions,
    file: Session,
    party: str,
    key: SecretKey,
    *,
    threshold: int | None,
    modulus: int = GF256,
) -> dict[str, str]:
    """Takes part in a compiled program without computing; returns the JSON outputs of the party's roles."""
    program.check_inputs(inputs, [role for role, speaker in roles.items() if speaker == party])
    agreed = _agreed(program, roles, options)
    protection = Protection.of(file, threshold, modulus, None, agreed)
    programs, net = [(program, inputs)], options.net
    visiting = come(file, party, key, protection, give=_asked_nothing, programs=programs, net=net)
    _, _, ran = asyncio.run(visiting)
    return ran[0] if ran else {}


def _asked_nothing(name: str, kind: Kind | None, shape: Sequence[int]) -> Any:
    """Refuses requests of a compiled program for anything except its ports."""
    raise ProgramError(f"{name} of {kind} and shape {tuple(shape)} is no input of the program")


def _of_one_run(report: dict[str, Any]) -> dict[str, Any]:
    """The report of a session in which only one program has run, as a report of that run."""
    (run,) = report.pop("runs")
    return {**run, **report}


def run_compiled_locally(
    program: Program,
    parties: Sequence[str],
    roles: Mapping[str, str],
    threshold: int | None,
    inputs: Mapping[str, str],
    options: RunOptions,
    modulus: int = GF256,
    traffic: Traffic | None = None,
) -> list[PartyResult]:
    """Runs a compiled program between these parties, each a process of its own on this machine, over TLS."""
    common = {"roles": roles, "threshold": threshold, "modulus": modulus, "options": options.given()}
    jobs = {
        party: {
            "inputs": {role: given for role, given in inputs.items() if roles[role] == party},
            **common,
        }
        for party in parties
    }
    return run_parties(jobs, program, traffic=traffic)


def run_locally(
    file: Path,
    name: str | None,
    parties: int,
    threshold: int | None,
    modulus: int,
    inputs: Mapping[str, str],
    net: str | None,
    planned_link: str | None = None,
    profile: str | None = None,
    traffic: Traffic | None = None,
) -> list[PartyResult]:
    """Runs every party, `p1` and so on, as a process of its own on this machine, over TLS."""
    common = {
        "file": str(file),
        "name": name,
        "threshold": threshold,
        "modulus": modulus,
        "net": net,
        "planned_link": planned_link,
        "profile": profile,
    }
    jobs = {party: {"inputs": json.loads(inputs.get(party, "{}")), **common} for party in names(parties)}
    return run_parties(jobs, traffic=traffic)
