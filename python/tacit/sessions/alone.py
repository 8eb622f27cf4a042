"""A session with one party, for trying a program out: nothing is protected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from tacit._native import PartyEnd, PartyTask
from tacit.sessions.awaited import Awaited
from tacit.sessions.executor import FRONT
from tacit.sessions.protection import Protection
from tacit.sessions.reactor import Reactor
from tacit.sessions.tasks import CURRENT

ALONE = "p1"
"""The name of the one party."""


class Alone(Reactor):
    """One party; three in this process compute for it, with the arrays, errors and limits of several."""

    def __init__(self, protection: Protection) -> None:
        self._know(ALONE, [ALONE], [], protection)

    async def meet(self, awaited: Awaited, ask: Callable[[], PartyTask]) -> None:
        join = partial(
            PartyEnd.alone,
            self._party,
            modulus=self.modulus,
            security=self.security,
            current=CURRENT,
            ask=ask,
            front=FRONT,
        )
        await self._begin(awaited, join)

    def _speakers(self, roles: Sequence[str]) -> dict[str, str]:
        return dict.fromkeys(roles, ALONE)
