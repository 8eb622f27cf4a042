"""`tacit run` of a compiled program among any number of parties."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from tacit import SecretKey, Session, UsageError
from tacit.cli.options import Terms
from tacit.cli.run_shared import PARTIES, Sharing
from tacit.inputs import RoleInputs, read_given
from tacit.options import refuse
from tacit.party_program import run_compiled_locally, take_part_in, visit_run
from tacit.programs import Source
from tacit.progress import Display
from tacit.report import write_report
from tacit.sessions.among import names
from tacit.sessions.protection import GF256
from tacit.sessions.reactor import WORD_MODULUS
from tacit.sessions.speakers import party_of, speakers, speakers_in


def run_among(source: Source, terms: Terms, sharing: Sharing, given: Sequence[str], local: bool) -> None:
    """Runs the program; prints the outputs as one JSON object."""
    outputs = _local(source, terms, sharing, given) if local else _party(source, terms, sharing, given)
    sys.stdout.write(source.merged(outputs) + "\n")


def _local(source: Source, terms: Terms, sharing: Sharing, given: Sequence[str]) -> Mapping[str, Any]:
    if sharing.parties == 1:
        raise UsageError(
            "--parties 1 is for programs that are an async def; --clear runs others without protection"
        )
    roles = source.program.roles
    parties = names(sharing.parties or max(PARTIES, len(roles)))
    speaking = speakers(roles, parties, {role: role for role in roles if role in parties})
    inputs = _inputs(source, given, roles)
    results = run_compiled_locally(
        source.program,
        parties,
        speaking,
        sharing.threshold,
        inputs,
        terms.options,
        _modulus(terms, sharing),
        traffic=terms.display(source.program.name, parties).traffic,
    )
    reports = {result.party: result.report for result in results}
    for party, text in reports.items():
        Display().table(text, f"party {party}")
    if terms.report is not None:
        write_report(terms.report, reports)
    return source.decode({role: text for result in results for role, text in result.outputs.items()})


def _party(source: Source, terms: Terms, sharing: Sharing, given: Sequence[str]) -> Mapping[str, Any]:
    assert terms.session is not None
    assert terms.party is not None
    session = Session.load(str(terms.session))
    speaking = speakers_in(session, source.program.roles)
    party = party_of(terms.party, session, speaking, speaking.__getitem__)
    key = SecretKey.load(str(terms.key or terms.session.parent / f"{party}.key"))
    inputs = _inputs(source, given, [role for role, speaker in speaking.items() if speaker == party])
    run = (source.program, inputs, speaking, terms.options, session, party, key)
    modulus = _modulus(terms, sharing)
    if party not in session.computing:
        options = {"--planned-link": terms.options.planned_link, "--profile": terms.options.profile}
        refuse({"--report": terms.report, **options}, "for a party that does not compute")
        outputs = visit_run(*run, threshold=sharing.threshold, modulus=modulus)
        return source.decode(outputs)
    outputs, report = take_part_in(
        *run,
        threshold=sharing.threshold,
        modulus=modulus,
        traffic=terms.display(source.program.name, [party]).traffic_of(party),
    )
    Display().table(report)
    if terms.report is not None:
        write_report(terms.report, report)
    return source.decode(outputs)


def has_words(terms: Terms) -> bool:
    """Whether the options say which values are shared as words."""
    return terms.options.domain is not None or terms.options.classes is not None


def _modulus(terms: Terms, sharing: Sharing) -> int:
    """The field of the run: bits only, or a prime with room for words."""
    if not has_words(terms):
        return GF256
    return WORD_MODULUS if sharing.modulus is None else sharing.prime()


def _inputs(source: Source, given: Sequence[str], roles: list[str]) -> dict[str, str]:
    """The inputs of these roles, checked against their kinds."""
    if given and not roles:
        raise UsageError("--input: this party speaks for no role; it only computes")
    read: dict[str, RoleInputs] = {**dict.fromkeys(roles, "{}"), **read_given(given, roles)}
    inputs = source.encode(read)
    source.program.check_inputs(inputs, roles)
    return inputs
