"""`tacit pfe`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit import InputError, UsageError, _native, pfe
from tacit.cli.options import (
    OUTPUT,
    InputOption,
    KeyPath,
    Params,
    PartyName,
    SessionPath,
    takes_run_options,
    takes_translation,
)
from tacit.inputs import RoleInputs, as_json, read_given
from tacit.measure.units import counted
from tacit.options import NAMES, RunOptions, refuse
from tacit.programs import Source, load_source
from tacit.progress import Display
from tacit.report import write_report, write_whole
from tacit.sources import Translation

OWNER = "the data's owner"
"""Whose data `--input` gives where there is no program that names roles."""

MAX_INTERFACE_BYTES = 1 << 20


@dataclass(frozen=True)
class _Own:
    """Who this party is, and where its report goes."""

    party: str | None
    session: Path | None
    key: Path | None
    report: Path | None
    net: str | None
    ahead: pfe.Ahead | None

    def flags(self) -> dict[str, object]:
        """Each by its name on the command line."""
        own = {"--as": self.party, "--session": self.session, "--key": self.key}
        stored = {} if self.ahead is None else {"--store": self.ahead.store}
        return {**own, "--report": self.report, "--net": self.net, **stored}

    def complete(self) -> tuple[str, Path, Path]:
        """Name, session and key of this party, all of which are needed."""
        own = {"--as": self.party, "--session": self.session, "--key": self.key}
        missing = [option for option, value in own.items() if value is None]
        if missing:
            raise UsageError(f"{', '.join(missing)} missing; or run both parties here with --local")
        assert self.party is not None
        assert self.session is not None
        assert self.key is not None
        return self.party, self.session, self.key

    def tell(self, report: dict[str, Any]) -> None:
        """Prints and writes the costs of the run."""
        with Display() as display:
            display.table(json.dumps(report))
        for phase in report["predicted"]:
            sys.stderr.write(
                f"predicted of {phase['phase']}: {phase['payload_sent']:,} bytes sent, "
                f"{phase['payload_received']:,} received, {counted(phase['rounds'], 'round')}\n"
            )
        if self.report is not None:
            write_report(self.report, json.dumps(self._with_seconds(report)))

    def _with_seconds(self, report: dict[str, Any]) -> dict[str, Any]:
        """The report with the seconds that a run with its setup was to take on a link like `--net`."""
        if report["task"] != "a run":
            return report
        link = self.net or pfe.DEFAULT_LINK
        seconds = pfe.predicted_seconds(report, link)
        took = {phase["phase"]: phase["seconds"] for phase in report["phases"]}
        for phase, predicted in seconds.items():
            sys.stderr.write(
                f"predicted of {phase} over {link}: {predicted:.2g} s; it took {took.get(phase, 0):.2g} s\n"
            )
        return {**report, "predicted_seconds": {"link": link, **seconds}}


@takes_run_options(without=tuple(name for name in NAMES if name not in ("net", "planned_link")))
@takes_translation
def pfe_command(
    program: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PROGRAM]",
            help="At the function's holder: the private function, as for `run`. The data's owner omits it.",
        ),
    ] = None,
    party: PartyName = None,
    session: SessionPath = None,
    key: KeyPath = None,
    given: InputOption = None,
    owner: Annotated[
        str | None,
        typer.Option("--owner", help="The role of the data's owner; all other roles are the holder's."),
    ] = None,
    gates: Annotated[
        int | None,
        typer.Option("--gates", help="Pad the function to this number of gates, which hides its own number."),
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            help="half-elgamal (default): few bytes; universal-circuit: few rounds; katz-malka-elgamal, "
            "katz-malka-djn, katz-malka-bfv: for comparison; or auto: the fastest predicted for the link "
            "--net or --planned-link.",
        ),
    ] = None,
    publish: Annotated[
        Path | None,
        typer.Option(
            "--publish", help="Only write the function's interface to this file, for the data's owner."
        ),
    ] = None,
    interface: Annotated[
        Path | None,
        typer.Option("--interface", help="At the data's owner: accept only this published interface."),
    ] = None,
    max_gates: Annotated[
        int | None,
        typer.Option(
            "--max-gates",
            min=1,
            help="At the data's owner: accept at most N gates and inputs together; 1000000 by default.",
        ),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option("--store", help="Use a run that --prepare has put into this folder."),
    ] = None,
    prepare: Annotated[
        int | None,
        typer.Option(
            "--prepare",
            min=1,
            help="Only do the setups of N runs, the same number at both parties, for --store.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", rich_help_panel=OUTPUT, help="Write times, bytes and rounds to this file as JSON."
        ),
    ] = None,
    local: Annotated[
        bool, typer.Option("--local", help="Run both parties in this process, with the real protocol.")
    ] = False,
    params: Params = None,
    *,
    translation: Translation,
    options: RunOptions,
) -> None:
    """Evaluate a private function: the data's owner learns the result, but of the function only its size."""
    if prepare is not None and store is None:
        raise UsageError("--prepare: --store is missing, the folder to keep runs in")
    if prepare is not None:
        refuse({"--input": given}, "with --prepare: inputs are given to runs")
    ahead = None if store is None else pfe.Ahead(store, prepare)
    own = _Own(party, session, key, report, options.net, ahead)
    if program is None:
        holders = {"--owner": owner, "--gates": gates, "--protocol": protocol, "--publish": publish}
        links = {"--planned-link": options.planned_link, "--local": local or None}
        refuse({**holders, "--param": params, **links, **translation.flags()}, "without a PROGRAM")
        _own_data(own, given or [], interface, max_gates or pfe.MAX_GATES)
        return
    refuse({"--interface": interface, "--max-gates": max_gates}, "with a PROGRAM: the data's owner has none")
    if gates is not None and gates < 1:
        raise UsageError(f"--gates {gates}: announce at least one gate for each bit of the outputs")
    if protocol != pfe.AUTO:
        refuse({"--planned-link": options.planned_link}, "without --protocol auto")
    link = options.planned_link or (None if local else options.net or pfe.DEFAULT_LINK)
    form = pfe.Form(gates, protocol, link, sys.stderr.write)
    if publish is not None:
        pointless = {"--local": local or None, "--input": given, **own.flags()}
        refuse(pointless, "with --publish, which only writes the interface")
        told = pfe.interface_of(load_source(program, params or [], translation), owner, form)
        _write_interface(publish, told)
    elif local:
        refuse(own.flags(), "with --local")
        _local(load_source(program, params or [], translation), given or [], owner, form)
    else:
        own.complete()
        _hold(own, load_source(program, params or [], translation), given or [], owner, form)


def _local(source: Source, given: list[str], owner: str | None, form: pfe.Form) -> None:
    roles = source.program.roles
    owner = pfe.only_owner(roles, owner)
    nothing: dict[str, RoleInputs] = dict.fromkeys(roles, "{}")
    inputs = source.encode(nothing | read_given(given, roles))
    form = form.settled(source, owner)
    outputs, gates = _native.private_local(source.program, owner, inputs, form.gates, form.protocol)
    sys.stderr.write(f"{_told(gates, form.protocol)} are announced; only {owner} learns the result\n")
    sys.stdout.write(source.merged(source.decode({owner: outputs})) + "\n")


def _hold(own: _Own, source: Source, given: list[str], owner: str | None, form: pfe.Form) -> None:
    party, session, key = own.complete()
    ahead = own.ahead
    preparing = ahead is not None and ahead.count is not None
    inputs = {} if preparing else source.encode(read_given(given, source.program.roles))
    report = pfe.hold_source(source, session, party, key, owner, form, inputs, own.net, ahead)
    own.tell(report)
    gates = _told(report["gates"], report["protocol"])
    learns = "nobody learns anything yet" if preparing else f"{report['peer']} alone learns the result"
    sys.stderr.write(f"{gates} were announced; {learns}\n")
    _tell_prepared(ahead)


def _tell_prepared(ahead: pfe.Ahead | None) -> None:
    if ahead is not None and ahead.count is not None:
        sys.stdout.write(json.dumps({"prepared": ahead.count}) + "\n")


def _told(gates: int, protocol: str | None) -> str:
    kind = "gates of a universal circuit" if protocol == "universal-circuit" else "NAND gates"
    return f"{gates} {kind}"


def _own_data(own: _Own, given: list[str], file: Path | None, max_gates: int) -> None:
    party, session, key = own.complete()
    published = None if file is None else _read_interface(file)
    ahead = own.ahead
    if ahead is not None and ahead.count is not None:
        _, report = pfe.prepare_for(
            session,
            party,
            key,
            store=ahead.store,
            count=ahead.count,
            interface=published,
            max_gates=max_gates,
            net=own.net,
        )
        own.tell(report)
        _tell_prepared(ahead)
        return
    data = read_given(given, [OWNER if published is None else str(published.get("owner"))])
    text = next((as_json(role, value) for role, value in data.items()), "{}")
    if published is not None:
        _native.check_private_inputs(json.dumps(published), text)
    store = None if ahead is None else ahead.store
    function = pfe.meet(
        session, party, key, interface=published, max_gates=max_gates, store=store, net=own.net
    )
    sys.stderr.write(f"announced: {json.dumps(function.interface)}\n")
    sys.stderr.flush()
    found = function.run_text(text)
    own.tell(found.report)
    sys.stdout.write(json.dumps(found.outputs) + "\n")


def _write_interface(path: Path, interface: dict[str, Any]) -> None:
    try:
        write_whole(path, json.dumps(interface, indent=2) + "\n")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _read_interface(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_INTERFACE_BYTES:
            raise InputError(f"{path} is larger than {MAX_INTERFACE_BYTES} bytes")
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not an interface: {error}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{path} is not an interface: it has no JSON object")
    return value
