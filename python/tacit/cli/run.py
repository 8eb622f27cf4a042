"""`tacit run`."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit import OpenSession, ProgramError, SecretKey, Session, Store, UsageError, _native
from tacit.cli.options import (
    AMONG,
    INPUTS,
    OUTPUT,
    InputOption,
    KeyPath,
    Params,
    PartyName,
    ProgramPath,
    SessionPath,
    Terms,
    Watch,
    takes_run_options,
    takes_translation,
)
from tacit.cli.run_among import has_words, run_among
from tacit.cli.run_shared import Sharing, check_options, run_shared
from tacit.inputs import RoleInputs, read_given
from tacit.local import run_local
from tacit.measure.cases import cases_of, plain
from tacit.measure.parameters import parse_parameters
from tacit.options import LOWERING, RunOptions, refuse
from tacit.programs import Source, is_compiled, load_source
from tacit.report import write_report
from tacit.sessions.speakers import party_of, peer_of, roles_of
from tacit.sources import Translation
from tacit.watch.server import watching

Given = Sequence[str] | Mapping[str, Mapping[str, Any]]
"""Inputs as on the command line, or the values of each role."""


@takes_run_options()
@takes_translation
def run_command(
    program: ProgramPath,
    party: PartyName = None,
    session: SessionPath = None,
    key: KeyPath = None,
    given: InputOption = None,
    local: Annotated[
        bool,
        typer.Option("--local", help="Run all parties on this machine, each as its own process, over TLS."),
    ] = False,
    clear: Annotated[
        bool, typer.Option("--clear", help="Compute in the clear, without any protocol.")
    ] = False,
    params: Params = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", rich_help_panel=OUTPUT, help="Write times, bytes and counts to this file as JSON."
        ),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option("--store", help="Use a run that `prepare` has put into this folder."),
    ] = None,
    shares: Annotated[
        Path | None,
        typer.Option("--shares", help="The folder of values that are kept as shares from run to run."),
    ] = None,
    parties: Annotated[
        int | None,
        typer.Option(
            "--parties",
            rich_help_panel=AMONG,
            min=1,
            max=64,
            help="With --local: run the program among N parties, three or more; with 1, unprotected.",
        ),
    ] = None,
    threshold: Annotated[
        int | None,
        typer.Option(
            "--threshold",
            rich_help_panel=AMONG,
            min=1,
            help="Run the program among all parties, tolerating up to T that collude.",
        ),
    ] = None,
    modulus: Annotated[
        str | None,
        typer.Option(
            "--modulus",
            rich_help_panel=AMONG,
            help="The prime of the field, for an `async def` or `--domain arith`.",
        ),
    ] = None,
    driver: Annotated[
        str | None,
        typer.Option(
            "--driver",
            rich_help_panel=INPUTS,
            help="FILE.py or FILE.py:NAME, which yields parameters and inputs; each is a run.",
        ),
    ] = None,
    watch: Watch = False,
    *,
    translation: Translation,
    options: RunOptions,
) -> None:
    """Run a program, and print the outputs as one JSON object."""
    if clear:
        refuse({"--watch": watch or None}, "with --clear")
    with watching(watch, program.name) as board:
        terms = Terms(party, session, key, report, store, shares, options, board)
        if (parties, threshold, modulus) != (None, None, None):
            sharing = Sharing(parties, threshold, modulus)
            other = {"--clear": clear or None, "--driver": driver}
            if is_compiled(program):
                _compiled_among(program, terms, sharing, given or [], local, params or [], translation, other)
            else:
                compiled = {**other, "--param": params, **translation.flags()}
                run_shared(program, terms, sharing, given or [], local, compiled)
            return
        _check(terms, local, clear)
        if driver is None:
            loaded = load_source(program, params or [], translation)
            _print(loaded, _run(loaded, given or [], terms, local, clear))
            return
        if given or report is not None:
            raise UsageError(
                "--driver gives the inputs itself and makes several runs: no --input and no --report"
            )
        for case in cases_of(parse_parameters(params or []), driver):
            loaded = load_source(program, translation=translation, static=case.params)
            outputs = _run(loaded, case.inputs, terms, local, clear)
            mistake = case.mistake(outputs)
            if mistake is not None:
                raise ProgramError(f"wrong result with {dict(case.params) or 'these inputs'}: {mistake}")
            _print(loaded, outputs)


def _compiled_among(
    program: Path,
    terms: Terms,
    sharing: Sharing,
    given: Sequence[str],
    local: bool,
    params: list[str],
    translation: Translation,
    other: Mapping[str, object],
) -> None:
    """Runs a compiled program among any number of parties. `other` are options of other runs."""
    # Without words there is no number that a prime would be for.
    prime = None if has_words(terms) else sharing.modulus
    pointless = {**other, "--modulus": prime, "--store": terms.store}
    check_options(terms, sharing, local, pointless, taken=("net", "planned_link", "profile", *LOWERING))
    run_among(load_source(program, params, translation), terms, sharing, given, local)


def _print(source: Source, outputs: Mapping[str, Any]) -> None:
    sys.stdout.write(source.merged(outputs) + "\n")


def _run(source: Source, given: Given, terms: Terms, local: bool, clear: bool) -> Mapping[str, Any]:
    if clear:
        return source.clear(_inputs(given, source.program.roles))
    chosen = replace(terms, options=terms.options.or_else(source.usual))
    return _local(source, given, chosen) if local else _party(source, given, chosen)


def _inputs(given: Given, roles: list[str]) -> dict[str, RoleInputs]:
    """The inputs of these roles."""
    nothing: dict[str, RoleInputs] = dict.fromkeys(roles, "{}")
    if isinstance(given, Mapping):
        return nothing | {role: json.dumps(plain(values)) for role, values in given.items() if role in roles}
    return nothing | read_given(given, roles)


def _check(terms: Terms, local: bool, clear: bool) -> None:
    """Refuses combinations of options that have no meaning."""
    if local and clear:
        raise UsageError("--local and --clear exclude one another")
    own = {"--as": terms.party, "--session": terms.session, "--key": terms.key}
    if not (local or clear):
        missing = [option for option, value in own.items() if value is None]
        if missing:
            raise UsageError(f"{', '.join(missing)} missing; or run every party here with --local")
        if terms.store is not None and terms.options.mode == "streamed":
            raise UsageError("--mode streamed cannot be used with --store: prepared runs are precomputed")
        if terms.store is not None and terms.shares is not None:
            raise UsageError("--shares cannot be used with --store: prepared runs keep no shares")
        return
    where = f"with {'--clear' if clear else '--local'}"
    refuse({**own, "--store": terms.store, "--shares": terms.shares}, where)
    if clear:
        terms.options.refuse(where)
        refuse({"--report": terms.report}, where)


def _local(source: Source, given: Given, terms: Terms) -> Mapping[str, Any]:
    program = source.program
    inputs = source.encode(_inputs(given, program.roles))
    with terms.display(program.name, program.roles) as display:
        told, traffic = display.update, display.traffic
        results = run_local(program, inputs, terms.options, progress=told, traffic=traffic)
    reports = {result.party: result.report for result in results}
    for party, text in reports.items():
        display.table(text, f"party {party}")
    if terms.report is not None:
        write_report(terms.report, reports)
    return source.decode({role: text for result in results for role, text in result.outputs.items()})


def _party(source: Source, given: Given, terms: Terms) -> Mapping[str, Any]:
    program = source.program
    assert terms.session is not None
    assert terms.key is not None
    assert terms.party is not None
    session, options = Session.load(str(terms.session)), terms.options.given()
    party = party_of(terms.party, session, program.roles, session.party_of)
    roles = roles_of(party, session, program)
    inputs = source.encode(_inputs(given, roles))
    key = SecretKey.load(str(terms.key))
    shares = None if terms.shares is None else str(terms.shares)
    with terms.display(program.name, [party]) as display:
        told, traffic = display.update, display.traffic_of(party)
        if terms.store is None:
            outputs, text = _native.run(
                program,
                session,
                party,
                key,
                inputs,
                progress=told,
                traffic=traffic,
                shares=shares,
                **options,
            )
        else:
            peer = peer_of(party, session, program)
            with _prepared(terms.store, key) as store:
                opened = OpenSession.open(session, party, key, peer=peer, **options)
                outputs, text = opened.run_prepared(program, inputs, store, progress=told, traffic=traffic)
                opened.close(store)
    display.table(text)
    if terms.report is not None:
        write_report(terms.report, text)
    return source.decode(outputs)


@contextmanager
def _prepared(folder: Path, key: SecretKey) -> Iterator[Store]:
    """The store in a folder; where there is none, an empty one that leaves nothing behind.

    The parties still compare what each has, so that both are told the same.
    """
    if folder.exists():
        yield Store.open(str(folder), key)
        return
    with tempfile.TemporaryDirectory(prefix="tacit-") as empty:
        yield Store.open(empty, key)
