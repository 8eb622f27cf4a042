"""Which party speaks for each role of a program among any number of parties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit._native import Session, UsageError


def speakers_in(session: Session, roles: Sequence[str]) -> dict[str, str]:
    """The party of a session that speaks for each role."""
    named = {}
    for role in roles:
        try:
            named[role] = session.party_of(role)
        except UsageError:
            continue
    return speakers(roles, sorted(session.parties), named)


def speakers(roles: Sequence[str], parties: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    """The party that speaks for each role: those that are named, or, if none is, one after the other."""
    if not named:
        if len(roles) > len(parties):
            raise UsageError(
                f"{len(roles)} roles ({', '.join(roles)}) for {len(parties)} parties; a session file says "
                "under [role.NAME] which party speaks for a role"
            )
        return dict(zip(roles, parties, strict=False))
    for role in roles:
        if role not in named:
            raise UsageError(
                f"no party is called {role}, and no [role.{role}] says which party speaks for it, as for "
                f"{next(iter(named))}"
            )
    return dict(named)
