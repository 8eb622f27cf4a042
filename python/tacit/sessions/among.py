"""All parties of a program in this process, for tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from tacit._native import Listener, PeerError, SecretKey, Session, UsageError
from tacit.sessions.alone import ALONE, Alone
from tacit.sessions.awaited import raise_first
from tacit.sessions.protection import Protection
from tacit.sessions.session import PartySession

Result = TypeVar("Result")


async def together(
    program: Callable[[PartySession], Awaitable[Result]],
    parties: int = 3,
    threshold: int | None = None,
    *,
    modulus: int | None = None,
    security: str | None = None,
    timeout_s: float = 30.0,
) -> dict[str, Result]:
    """Runs all parties of a program in this process, over TLS on loopback, for tests; returns their results.

    The parties are called p1, p2 and so on. `security` is as in `connect`. With `parties=1`, the program runs
    once, which is easier to debug: everything is as among three parties, without protection.
    """
    if parties == 1:
        if threshold:
            raise UsageError(f"threshold={threshold} with parties=1: one party has nobody to collude with")
        return {ALONE: await alone(modulus, security).whole(program)}
    keys = {name: SecretKey.generate() for name in names(parties)}
    listeners = {name: Listener.bind("127.0.0.1:0") for name in keys}
    tables = [
        f"[party.{name}]\naddress = {json.dumps(listener.address)}\nkey = {json.dumps(keys[name].public)}"
        for name, listener in listeners.items()
    ]
    file = Session.parse("\n".join([f"[limits]\ntimeout_s = {timeout_s}", *tables]), "local session")

    async def run(name: str) -> Result:
        terms: dict[str, Any] = {"threshold": threshold, "modulus": modulus, "security": security}
        terms["listener"] = listeners[name]
        return await PartySession(file, name, keys[name], **terms).whole(program)

    results = await asyncio.gather(*map(run, keys), return_exceptions=True)
    # The loss of a party is often only a consequence of another error.
    raise_first(results, PeerError)
    return dict(zip(keys, results, strict=True))  # type: ignore[arg-type]


def alone(modulus: int | None = None, security: str | None = None, inputs: Any = None) -> PartySession:
    """A session with one party, for trying a program out: nothing is protected."""
    executor = Alone(Protection.alone(modulus, security))
    return PartySession.over(executor, ALONE, _only_party, inputs)


def _only_party(role: str) -> str:
    """The one party speaks for all roles."""
    del role
    return ALONE


def names(parties: int) -> list[str]:
    """The names of parties on one machine, in the order of names: p1, p2 and so on."""
    width = len(str(parties))
    return [f"p{number:0{width}}" for number in range(1, parties + 1)]
