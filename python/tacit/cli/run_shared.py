"""`tacit run` of a program among any number of parties."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tacit import DEFAULT_MODULUS, InputError, PartySession, Session, UsageError, visit
from tacit.cli.options import Terms
from tacit.inputs import read_inputs
from tacit.options import refuse
from tacit.party_program import run_locally, take_part
from tacit.programs import load_party_program
from tacit.python_file import split_name
from tacit.report import write_report
from tacit.sessions.alone import ALONE
from tacit.sessions.among import alone, names

PARTIES = 3
"""How many take part in a run on one machine, unless said."""


TWO = 2
"""So many have protocols of their own."""


@dataclass(frozen=True)
class Sharing:
    """The options of `run` about the parties and their field."""

    parties: int | None
    threshold: int | None
    modulus: str | None

    def prime(self) -> int:
        """The modulus."""
        if self.modulus is None:
            return DEFAULT_MODULUS
        try:
            return int(self.modulus, 0)
        except ValueError:
            raise UsageError(f"--modulus {self.modulus} is not a number") from None


def run_shared(
    path: Path,
    terms: Terms,
    sharing: Sharing,
    given: Sequence[str],
    local: bool,
    compiled: Mapping[str, object],
) -> None:
    """Runs the program; prints what each party here gets as one JSON object.

    `compiled` are options of other programs.
    """
    if not local and _is_outside(terms):
        check_options(terms, sharing, local, {**compiled, "--store": terms.store}, taken=("net",))
        _visit(terms, sharing, given)
        return
    file, name = split_name(str(path))
    kept = {"--store": terms.store} if local else {}
    check_options(terms, sharing, local, {**compiled, **kept}, taken=("net", "planned_link", "profile"))
    results = (_local if local else _party)(file, name, terms, sharing, given)
    sys.stdout.write(json.dumps(results) + "\n")


def check_options(
    terms: Terms, sharing: Sharing, local: bool, other: Mapping[str, object], taken: Sequence[str]
) -> None:
    """Refuses options that mean nothing among many parties: those of runs but for `taken`, and `other`."""
    own = {"--as": terms.party, "--session": terms.session}
    here = {**own, "--key": terms.key} if local else {}
    where = "for a program among many parties" + " here" * local
    refuse({**other, "--shares": terms.shares, **here}, where)
    terms.options.refuse(where, taken)
    if local:
        if sharing.parties == TWO:
            raise UsageError(
                "--parties 2: two parties run a program without --parties; three or more with it"
            )
        return
    missing = [option for option, value in own.items() if value is None]
    if missing:
        raise UsageError(f"{', '.join(missing)} missing; or run every party here with --local")
    if sharing.parties is not None:
        raise UsageError("--parties is for --local; elsewhere the session file names the parties")


def _is_outside(terms: Terms) -> bool:
    """Whether this party only gives inputs and receives results, without computing."""
    if terms.session is None or terms.party is None:
        return False
    session = Session.load(str(terms.session))
    return terms.party in session.parties and terms.party not in session.computing


def _visit(terms: Terms, sharing: Sharing, given: Sequence[str]) -> None:
    """Gives inputs and prints results, as a party that does not compute."""
    assert terms.session is not None
    assert terms.party is not None
    refuse({"--report": terms.report}, "for a party that does not compute")
    inputs = json.loads(read_inputs(given, [terms.party]).get(terms.party, "{}"))
    visiting = visit(
        terms.session,
        terms.party,
        inputs,
        terms.key,
        threshold=sharing.threshold,
        modulus=sharing.prime(),
        net=terms.options.net,
    )
    visited = asyncio.run(visiting)
    sys.stdout.write(json.dumps({terms.party: visited.results}) + "\n")
    if visited.late:
        raise InputError(
            f"{', '.join(visited.late)} came too late: not all computing parties had it in time, so it was "
            "not computed with"
        )


def _local(
    file: Path, name: str | None, terms: Terms, sharing: Sharing, given: Sequence[str]
) -> dict[str, object]:
    parties = names(sharing.parties or PARTIES)
    inputs = read_inputs(given, parties)
    if len(parties) == 1:
        return _alone(file, name, terms, sharing, inputs)
    results = run_locally(
        file.resolve(),
        name,
        len(parties),
        sharing.threshold,
        sharing.prime(),
        inputs,
        terms.options.net,
        terms.options.planned_link,
        terms.options.profile,
        terms.display(name or file.name, parties).traffic,
    )
    if terms.report is not None:
        write_report(terms.report, {result.party: result.report for result in results})
    return {party: json.loads(text) for result in results for party, text in result.outputs.items()}


def _alone(
    file: Path, name: str | None, terms: Terms, sharing: Sharing, inputs: Mapping[str, str]
) -> dict[str, object]:
    """Runs the program with one party, in this process."""
    if sharing.threshold is not None:
        raise UsageError(
            f"--threshold {sharing.threshold} with --parties 1, which has nobody to collude with"
        )
    options = {"--net": terms.options.net, "--planned-link": terms.options.planned_link}
    refuse({**options, "--profile": terms.options.profile}, "with --parties 1")
    session = alone(sharing.prime(), None, json.loads(inputs.get(ALONE, "{}")))
    result, report = take_part(load_party_program(file.resolve(), name), session)
    if terms.report is not None:
        write_report(terms.report, report)
    return {ALONE: json.loads(result)}


def _party(
    file: Path, name: str | None, terms: Terms, sharing: Sharing, given: Sequence[str]
) -> dict[str, object]:
    assert terms.session is not None
    assert terms.party is not None
    inputs = json.loads(read_inputs(given, [terms.party]).get(terms.party, "{}"))
    session = PartySession(
        terms.session,
        terms.party,
        terms.key,
        threshold=sharing.threshold,
        modulus=sharing.prime(),
        inputs=inputs,
        net=terms.options.net,
        planned_link=terms.options.planned_link,
        profile=terms.options.profile,
        store=terms.store,
    )
    told = terms.display(name or file.name, [terms.party]).traffic_of(terms.party)
    result, report = take_part(load_party_program(file, name), session, told)
    if terms.report is not None:
        write_report(terms.report, report)
    return {terms.party: json.loads(result)}
