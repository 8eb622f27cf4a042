"""`tacit prepare` of what programs among any number of parties need ahead."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit import PartySession, UsageError
from tacit.cli.run_shared import Sharing
from tacit.party_program import OwnTraffic, take_part
from tacit.report import write_report


@dataclass(frozen=True)
class Material:
    """The material to make: random bits, comparisons, and `BITS:COUNT` for masks."""

    bits: int
    comparisons: int
    masks: Sequence[str]

    def wanted(self) -> dict[str, Any]:
        """The arguments of `prepare`."""
        wanted: dict[str, Any] = {"bits": self.bits, "comparisons": self.comparisons, "masks": {}}
        for text in self.masks:
            try:
                size, count = map(int, text.split(":"))
            except ValueError:
                raise UsageError(f"--masks {text} is not BITS:COUNT") from None
            wanted["masks"][size] = count
        if not any(wanted.values()):
            raise UsageError("nothing to prepare: give --comparisons, --bits or --masks")
        return wanted


def is_session(path: Path) -> bool:
    """Whether the argument is a session and not a program."""
    return path.suffix == ".toml"


def prepare_shared(
    file: Path,
    party: str,
    key: Path | None,
    store: Path,
    sharing: Sharing,
    material: Material,
    net: str | None,
    report: Path | None,
    traffic: OwnTraffic | None,
) -> None:
    """Makes material at all parties, each into its store; `traffic` counts the bytes of this one."""
    wanted = material.wanted()
    session = PartySession(
        file,
        party,
        key,
        threshold=sharing.threshold,
        modulus=sharing.prime(),
        program=f"prepare {json.dumps(wanted)}",
        net=net,
        store=store,
    )

    async def keep(session: PartySession) -> dict[str, Any]:
        await session.prepare(**wanted)
        return wanted

    result, text = take_part(keep, session, traffic)
    if report is not None:
        write_report(report, text)
    sys.stdout.write(json.dumps({"prepared": json.loads(result)}) + "\n")
