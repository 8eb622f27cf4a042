"""`tacit calibrate`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit import Session, UsageError
from tacit._native import calibrate, calibrate_with_peer
from tacit.cli.options import AS, PARTIES, KeyPath, SessionPath
from tacit.measure.units import seconds
from tacit.options import refuse
from tacit.sessions.keys import secret_key

WITH_PEER = "With the peer"
"""The group of options in the help text."""


def calibrate_command(
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")] = Path("profile.json"),
    name: Annotated[
        str | None, typer.Option("--name", help="The profile's name; by default, the file's name.")
    ] = None,
    party: Annotated[str | None, AS] = None,
    session: SessionPath = None,
    key: KeyPath = None,
    peer: Annotated[
        str | None,
        typer.Option(
            "--peer",
            rich_help_panel=PARTIES,
            help="The other party, if the session has more than two that compute.",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            rich_help_panel=WITH_PEER,
            help="This machine's profile, if it was measured before: a file, or built-in.",
        ),
    ] = None,
    net: Annotated[
        str | None,
        typer.Option("--net", rich_help_panel=WITH_PEER, help="Slow the link down, to try this out."),
    ] = None,
) -> None:
    """Measure how fast this machine computes, for plans made with --profile FILE.

    With --session and --as, by both parties at once: also the link between them, for --planned-link, and a
    profile of both machines that both parties can use.
    """
    called = name or output.stem
    if not called or len(called) > 64:
        raise UsageError("--name: a profile's name has 1 to 64 characters")
    watch = _told if sys.stderr.isatty() else _silent
    if session is None:
        others = {"--as": party, "--key": key, "--peer": peer, "--profile": profile, "--net": net}
        refuse(others, "without --session")
        _write(output, calibrate(called, watch))
        return
    if party is None:
        raise UsageError("--as missing: the party of the session that you are")
    file = Session.load(str(session))
    me = party if party in file.parties else file.party_of(party)
    peers = [name for name in file.computing if name != me]
    if peer is None and len(peers) > 1:
        raise UsageError(f"--peer missing: the link to which of {', '.join(peers)}?")
    text, told = calibrate_with_peer(
        file,
        me,
        secret_key(session, me, key),
        name=called,
        watch=watch,
        peer=peer,
        profile=profile,
        net=net,
    )
    _write(output, text)
    link = json.loads(told)
    sys.stdout.write(f"{link['link']}\n")
    sys.stderr.write(_described(link))


def _write(output: Path, text: str) -> None:
    """Writes a profile, and prints its path."""
    beside = output.with_name(output.name + ".new")
    try:
        beside.write_text(text, "utf-8")
        beside.replace(output)
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror}") from None
    sys.stdout.write(f"{output}\n")


def _described(link: dict[str, Any]) -> str:
    """The measured link, and warnings about it."""
    ways = [link["sent_bits_per_second"], link["received_bits_per_second"]]
    sent, received = (f"{bits / 1e6:.1f} Mbit/s" for bits in ways)
    warnings = "".join(f"tacit: warning: {warning}\n" for warning in link["warnings"])
    return (
        f"{link['peer']}: {sent} to it, {received} from it, {seconds(link['round_seconds'])} a round trip; "
        f"plan with --planned-link {link['link']}\n{warnings}"
    )


def _told(done: int, programs: int) -> None:
    sys.stderr.write(f"\rmeasured {done} of {programs} programs" + ("\n" if done == programs else ""))
    sys.stderr.flush()


def _silent(_done: int, _programs: int) -> None:
    pass
