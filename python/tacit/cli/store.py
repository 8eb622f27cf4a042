"""`tacit prepare` and `tacit store`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit import OpenSession, SecretKey, Session, Store, UsageError
from tacit.cli.options import (
    AMONG,
    AS,
    OUTPUT,
    PARTIES,
    KeyPath,
    Params,
    SessionPath,
    Watch,
    takes_run_options,
    takes_translation,
)
from tacit.cli.prepare_shared import Material, is_session, prepare_shared
from tacit.cli.run_shared import Sharing
from tacit.options import RunOptions, refuse
from tacit.programs import load_source
from tacit.progress import Display
from tacit.report import write_report
from tacit.sessions.speakers import party_of, peer_of
from tacit.sources import Translation
from tacit.watch.server import watching

DEFAULT_STORE = Path("tacit-store")

StorePath = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the store.")]
KeyFile = Annotated[
    Path | None,
    typer.Option("--key", rich_help_panel=PARTIES, help="The file with your secret key, to open entries."),
]

store_app = typer.Typer(help="List, verify and remove prepared runs.", no_args_is_help=True)


@takes_run_options()
@takes_translation
def prepare_command(
    program: Annotated[
        Path,
        typer.Argument(
            metavar="PROGRAM|SESSION.toml",
            help="A program for two parties, or the session file for programs among any number of parties.",
        ),
    ],
    party: Annotated[str, AS],
    session: SessionPath = None,
    key: KeyPath = None,
    count: Annotated[
        int | None,
        typer.Option("--count", min=1, help="The number of runs, the same at both parties; 1 by default."),
    ] = None,
    comparisons: Annotated[
        int,
        typer.Option(
            "--comparisons", rich_help_panel=AMONG, min=0, help="For a session: material for N comparisons."
        ),
    ] = 0,
    bits: Annotated[
        int, typer.Option("--bits", rich_help_panel=AMONG, min=0, help="For a session: N random bits.")
    ] = 0,
    masks: Annotated[
        list[str] | None,
        typer.Option(
            "--masks",
            rich_help_panel=AMONG,
            help="For a session: BITS:COUNT masks, for truncation, remainders and bits.",
        ),
    ] = None,
    threshold: Annotated[
        int | None,
        typer.Option("--threshold", rich_help_panel=AMONG, min=1, help="For a session: as for run."),
    ] = None,
    modulus: Annotated[
        str | None, typer.Option("--modulus", rich_help_panel=AMONG, help="For a session: as for run.")
    ] = None,
    store: Annotated[Path, typer.Option("--store", help="The folder for prepared runs.")] = DEFAULT_STORE,
    params: Params = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", rich_help_panel=OUTPUT, help="Write times, bytes and counts to this file as JSON."
        ),
    ] = None,
    watch: Watch = False,
    *,
    translation: Translation,
    options: RunOptions,
) -> None:
    """Do the setup of runs in advance, for `run --store`."""
    if is_session(program):
        other = {"--session": session, "--count": count, "--param": params, **translation.flags()}
        where = "when preparing for a session file"
        refuse(other, where)
        options.refuse(where, ("net",))
        sharing, material = Sharing(None, threshold, modulus), Material(bits, comparisons, masks or [])
        with watching(watch, program.name) as board:
            moved = Display.of(board, program.name, [party]).traffic_of(party)
            prepare_shared(program, party, key, store, sharing, material, options.net, report, moved)
        return
    shared = {
        "--comparisons": comparisons,
        "--bits": bits,
        "--masks": masks,
        "--threshold": threshold,
        "--modulus": modulus,
    }
    for option, value in shared.items():
        if value:
            raise UsageError(f"{option} is for a session file, not for a program of two parties")
    if session is None or key is None:
        raise UsageError("--session and --key are missing")
    count = count or 1
    with watching(watch, program.name) as board:
        source = load_source(program, params or [], translation)
        loaded, options = source.program, options.or_else(source.usual)
        file, secret = Session.load(str(session)), SecretKey.load(str(key))
        name = party_of(party, file, loaded.roles, file.party_of)
        kept = Store.open(str(store), secret)
        with Display.of(board, loaded.name, [name]) as display:
            peer = peer_of(name, file, loaded)
            opened = OpenSession.open(file, name, secret, peer=peer, **options.given())
            told, traffic = display.update, display.traffic_of(name)
            ready, text = opened.prepare(loaded, kept, count, progress=told, traffic=traffic)
            opened.close(kept)
    display.table(text)
    if report is not None:
        write_report(report, text)
    sys.stdout.write(json.dumps({"prepared": count, "ready": ready}) + "\n")


@store_app.command("list")
def list_command(store: StorePath) -> None:
    """Print the contents of a store, as one JSON object for each kind of run."""
    for pool in _pools(Store.inspect(str(store))):
        sys.stdout.write(json.dumps(pool) + "\n")


@store_app.command("verify")
def verify_command(store: StorePath, key: KeyFile = None) -> None:
    """Verify a store: with a key every entry, without one files and lengths."""
    damage = _open(store, key).verify()
    for line in damage[1:]:
        sys.stderr.write(f"{line}\n")
    if damage:
        raise UsageError(damage[0])


@store_app.command("prune")
def prune_command(
    store: StorePath,
    key: KeyFile = None,
    all_entries: Annotated[
        bool, typer.Option("--all", help="Remove every prepared run, also unused ones.")
    ] = False,
) -> None:
    """Remove spent, unfinished and damaged entries; counters stay."""
    removed = _open(store, key).prune(everything=all_entries)
    sys.stdout.write(json.dumps({"removed_segments": removed}) + "\n")


def _open(store: Path, key: Path | None) -> Store:
    return Store.inspect(str(store)) if key is None else Store.open(str(store), SecretKey.load(str(key)))


def _pools(store: Store) -> list[dict[str, Any]]:
    pools: list[dict[str, Any]] = json.loads(store.list())
    return pools
