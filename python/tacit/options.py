"""The options of runs: every way of running a program takes all of them, and passes them on together.

Their values and meanings are described once, in the native half: `tacit._native.run_options()`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypedDict

from tacit._native import UsageError, check_options


class OptionWords(TypedDict, total=False):
    """The options of runs as keywords of a call."""

    mode: str | None
    domain: str | None
    classes: str | None
    garbler: str | None
    garbling: str | None
    transfers: str | None
    matrices: str | None
    security: str | None
    insecure_bench: str | None
    effort: int | None
    objective: str | None
    gigabyte_price: str | int | None
    core_hour_price: str | int | None
    most_bytes: int | None
    most_ms: int | None
    most_memory: int | None
    profile: str | None
    planned_link: str | None
    net: str | None


@dataclass(frozen=True)
class RunOptions:
    """The options of a run. None means the session file's value or, without one, the default."""

    mode: str | None = None
    domain: str | None = None
    classes: str | None = None
    garbler: str | None = None
    garbling: str | None = None
    transfers: str | None = None
    matrices: str | None = None
    security: str | None = None
    insecure_bench: str | None = None
    effort: int | None = None
    objective: str | None = None
    gigabyte_price: str | int | None = None
    core_hour_price: str | int | None = None
    most_bytes: int | None = None
    most_ms: int | None = None
    most_memory: int | None = None
    profile: str | None = None
    planned_link: str | None = None
    net: str | None = None

    @classmethod
    def taken(cls, keywords: dict[str, Any]) -> RunOptions:
        """The options among the keywords of a call, from which they are removed."""
        return cls(**{name: keywords.pop(name) for name in NAMES if name in keywords})

    def given(self) -> dict[str, Any]:
        """The options that are not None, by keyword."""
        return {name: value for name in NAMES if (value := getattr(self, name)) is not None}

    def or_else(self, usual: RunOptions) -> RunOptions:
        """These options, with a program's defaults in place of None."""
        return RunOptions(**{**usual.given(), **self.given()})

    def flags(self) -> dict[str, Any]:
        """The options that are not None, as written on the command line."""
        return {flag(name): value for name, value in self.given().items()}

    def lowering(self) -> dict[str, Any]:
        """Those of them that decide how a program is lowered among any number of parties."""
        return {name: value for name, value in self.given().items() if name in LOWERING}

    def check(self) -> None:
        """Refuses invalid values, under the names of the command line."""
        warning = check_options(self.flags())
        if warning is not None:
            sys.stderr.write(f"tacit: {warning}\n")

    def refuse(self, where: str, allowed: Iterable[str] = ()) -> None:
        """Refuses options that have no effect at `where`, under the names of the command line."""
        refuse({flag(name): value for name, value in self.given().items() if name not in allowed}, where)


NAMES = tuple(field.name for field in fields(RunOptions))
"""The names of options as keywords."""


LOWERING = ("effort", "domain", "classes")
"""The options that decide how a program is lowered among any number of parties."""


USUAL = RunOptions()
"""All from the session file, or the defaults."""


def flag(name: str) -> str:
    """The name of an option on the command line."""
    return f"--{name.replace('_', '-')}"


def refuse(given: Mapping[str, object], where: str) -> None:
    """Refuses options of the command line that are given but have no effect at `where`."""
    for option, value in given.items():
        if value is not None and value != []:
            raise UsageError(f"{option} cannot be used {where}")
