"""One party of a session."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit import _native
from tacit._native import SecretKey, Session, UsageError
from tacit.language.outputs import Outputs, Results
from tacit.options import USUAL, RunOptions
from tacit.progress import Told, shown
from tacit.sessions.speakers import party_of, roles_of

if TYPE_CHECKING:
    from tacit.language.function import Trace


class Connection:
    """One party of a function, which runs it with the peers of a session."""

    def __init__(
        self,
        trace: Trace,
        session: str | PathLike[str],
        role: str,
        key: str | PathLike[str] | None = None,
        options: RunOptions = USUAL,
        *,
        progress: Told | bool | None = None,
        shares: str | PathLike[str] | None = None,
    ) -> None:
        self._trace = trace
        self._shares = None if shares is None else str(shares)
        self._session = Session.load(str(session))
        self.party = party_of(role, self._session, trace.program.roles, self._session.party_of)
        self._key = SecretKey.load(str(key or Path(session).parent / f"{self.party}.key"))
        self._options, self._progress = options, progress

    @property
    def roles(self) -> list[str]:
        """The roles that this party speaks for."""
        return roles_of(self.party, self._session, self._trace.program)

    def run(self, **given: Any) -> Outputs:
        """Runs the function with the peers, from the inputs of this party's roles; returns their outputs."""
        others = [role for role in given if role not in self.roles]
        if others:
            raise UsageError(f"{self.party} gives the inputs of {', '.join(self.roles)}, not of {others[0]}")
        inputs = self._trace.encode({**{role: {} for role in self.roles}, **given})
        cancel = _native.Cancel()

        def work() -> Results:
            with shown(self._progress) as told:
                outputs, report = _native.run(
                    self._trace.program,
                    self._session,
                    self.party,
                    self._key,
                    inputs,
                    progress=told,
                    cancel=cancel,
                    shares=self._shares,
                    **self._options.given(),
                )
            return Results(self._trace.decode(outputs), {self.party: json.loads(report)})

        return Outputs(work, cancel.cancel)
