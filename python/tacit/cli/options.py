"""Options that several commands have."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from tacit import Program, Session, UsageError


class Level(str, Enum):
    """The least security that anything in a run may have: 112 bits, 128 bits."""

    MEDIUM = "medium"
    LONG = "long"


class IntWidth(str, Enum):
    """Bits of an `int`."""

    SIXTEEN = "16"
    THIRTY_TWO = "32"
    SIXTY_FOUR = "64"


ProgramPath = Annotated[
    Path,
    typer.Argument(
        metavar="PROGRAM",
        help="A file of C, C++ or Rust, app.py:FUNCTION, a compiled program, or a circuit file.",
    ),
]
Params = Annotated[
    list[str] | None,
    typer.Option("--param", help="NAME=VALUE: a static parameter of a function in Python."),
]
Function = Annotated[
    str | None,
    typer.Option("--function", help="The main function, where a C file has several candidates."),
]
Clang = Annotated[
    str | None,
    typer.Option("--clang", help="The clang that compiles C; otherwise the one installed with Tacit."),
]
Effort = Annotated[
    int | None,
    typer.Option(
        "--effort", min=0, max=1 << 62, help="Steps of work to spend on fewer AND gates; 0 for none."
    ),
]
Unwind = Annotated[
    str | None,
    typer.Option(
        "--unwind",
        help="How often loops and recursion that inputs decide go round: N, or N,f.0=M,g=K for the first "
        "loop of f and for calls of g. Runs that would go on are taken not to happen.",
    ),
]
IntWidthOption = Annotated[
    IntWidth | None,
    typer.Option("--int-width", help="Bits of an int of C; 32 unless given."),
]
Security = Annotated[
    Level | None,
    typer.Option("--security", help="The security level, in place of the session file's; long unless given."),
]


@dataclass(frozen=True)
class Terms:
    """What a run was asked to be, apart from its program and inputs."""

    party: str | None
    session: Path | None
    key: Path | None
    mode: str | None
    garbling: str | None
    domain: str | None
    net: str | None
    report: Path | None
    store: Path | None
    security: Level | None
    effort: int | None
    shares: Path | None = None
    planned_link: str | None = None

    @property
    def level(self) -> str | None:
        """The name of the security level, if one is given."""
        return self.security.value if self.security else None


def session_at(path: Path, security: Level | None) -> Session:
    """The session in a file, at this level if one is given."""
    session = Session.load(str(path))
    return session if security is None else session.with_security(security.value)


def who(name: str, session: Session, program: Program) -> str:
    """The party of this name, or the one that speaks for the role of this name."""
    if name in session.parties:
        return name
    if name in program.roles:
        return session.party_of(name)
    known = ", ".join(dict.fromkeys([*session.parties, *program.roles]))
    raise UsageError(
        f"--as {name}: neither a party of the session nor a role of the program; there are {known}"
    )


def peer_of(party: str, session: Session, program: Program) -> str | None:
    """The other party that speaks for a role of the program, if there is exactly one."""
    others = {session.party_of(role) for role in program.roles if role != "kept"} - {party}
    return others.pop() if len(others) == 1 else None
