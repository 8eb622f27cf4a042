"""The party of a session that speaks for each role of a program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from tacit._native import Program, Session, UsageError

KEPT = "kept"
"""The role of no party: its inputs are shares kept by an earlier run, and its outputs are kept as shares."""


def party_of(name: str, session: Session, roles: Iterable[str], speaker: Callable[[str], str]) -> str:
    """The party with this name, or the one that speaks for the role with this name, by `speaker`."""
    if name in session.parties:
        return name
    if name in roles:
        return speaker(name)
    known = ", ".join(dict.fromkeys([*session.parties, *roles]))
    raise UsageError(
        f"{name} is neither a party of the session nor a role of the program; known names are {known}"
    )


def roles_of(party: str, session: Session, program: Program) -> list[str]:
    """The roles that a party of a session file speaks for. Nobody speaks for the role `kept`."""
    return [role for role in program.roles if role != KEPT and session.party_of(role) == party]


def peer_of(party: str, session: Session, program: Program) -> str | None:
    """The other party that speaks for a role of the program, if there is exactly one."""
    others = {session.party_of(role) for role in program.roles if role != KEPT} - {party}
    return others.pop() if len(others) == 1 else None


def speakers_in(session: Session, roles: Sequence[str]) -> dict[str, str]:
    """The party of a session of three or more that speaks for each role."""
    named = {}
    for role in roles:
        try:
            named[role] = session.party_of(role)
        except UsageError:
            continue
    return speakers(roles, sorted(session.computing), named)


def speakers(roles: Sequence[str], parties: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    """The party that speaks for each role: the named parties; or if none is named, the parties in order."""
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
