"""Predicts the costs of a program among three or more parties, also among more than can run.

Up to 64 parties, bytes and rounds are exact: those of the prediction that a run compares. For more parties,
the bytes of a program of bits follow from the protocols' stated costs of each product, sharing and opening.
Seconds are those of the native module's model, which reports of runs use too; docs/plans.md says how accurate
they are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tacit import UsageError, _native
from tacit.measure.links import Link, link_of
from tacit.measure.units import amount, count, seconds
from tacit.sessions.reactor import WORD_MODULUS

MOST_EXACT = 64
"""Maximum number of parties that can run; up to it, bytes are exact."""

MOST = 10_000
"""Maximum number of parties of a simulation."""

GROWING = ("king-byte", "opened-byte", "shared-input-byte", "shared-round")
"""Units of computing that a party has in proportion to the number of parties."""

MOST_COLUMNS = 1 << 10
"""Maximum sharings that a party deals at a time."""


@dataclass(frozen=True)
class Scale:
    """The costs of a run among some parties. Bytes are those of shared elements, without message headers."""

    program: str
    parties: int
    threshold: int
    domain: str
    classes: str
    """Classes of operations in other domains, as `--classes` writes them."""
    exact: bool
    products: int
    opened: int
    rounds: int
    mean_bytes: int
    most_bytes: int
    computing: float
    sending: float
    waiting: float
    assumptions: tuple[str, ...]

    @property
    def seconds(self) -> float:
        """All seconds of the party that sends most."""
        return self.computing + self.sending + self.waiting


@dataclass(frozen=True)
class _Traffic:
    """The bytes that parties send, and the operations that they compute."""

    products: int
    opened: int
    rounds: int
    sent: Sequence[int]
    mean: int
    computing: Mapping[str, int]


def parties_of(text: str) -> int:
    """The number in `parties=N`.

    Raises UsageError for any other text.
    """
    name, _, number = text.partition("=")
    if name != "parties" or not (number.isascii() and number.isdecimal()):
        raise UsageError(f"--simulate {text}: expected parties=N, such as parties=1000")
    parties = int(number) if len(number) <= len(str(MOST)) else MOST + 1
    if not 3 <= parties <= MOST:
        raise UsageError(f"--simulate {text}: from 3 to {MOST} parties can be simulated")
    return parties


def scale(
    program: Any,
    parties: int,
    link: str,
    domain: str = "bool",
    profile: str | None = None,
    classes: str | None = None,
) -> Scale:
    """The predicted costs of a run among parties, of whom as many as possible may collude; nothing runs.

    With the domain `auto`, values are shared as is predicted to be fastest; as bits, if the parties are more
    than can run. `classes` are domains of classes of operations. `link` is that of each party to all others
    together, and `profile` says how fast each computes. Raises UsageError for a program of words among more
    parties than can run.
    """
    shape, threshold = link_of(link), (parties - 1) // 2
    exact = parties <= MOST_EXACT
    if domain == "auto" and not exact:
        domain = "bool"
    lowering = {"domain": domain, "classes": classes}
    told = _predicted(program, min(parties, MOST_EXACT), lowering, link, profile)
    traffic = _exact(told, parties) if exact else _on_paper(told, len(program.roles), (parties, threshold))
    most = max(traffic.sent)
    computing, sending, waiting = _native.seconds_among(
        link,
        computing=dict(traffic.computing),
        rounds=traffic.rounds,
        most_bytes=most,
        profile=profile,
    )
    return Scale(
        program=program.name,
        parties=parties,
        threshold=threshold,
        domain=told["domain"],
        classes=told["classes"],
        exact=exact,
        products=traffic.products,
        opened=traffic.opened,
        rounds=traffic.rounds,
        mean_bytes=traffic.mean,
        most_bytes=most,
        computing=computing,
        sending=sending,
        waiting=waiting,
        assumptions=_assumptions(parties, shape, profile),
    )


def _predicted(
    program: Any, parties: int, lowering: Mapping[str, Any], link: str, profile: str | None
) -> Mapping[str, Any]:
    told: dict[str, Any] = json.loads(
        _native.prediction_among(
            program, parties, modulus=WORD_MODULUS, link=link, profile=profile, **lowering
        )
    )
    return told


def _exact(told: Mapping[str, Any], parties: int) -> _Traffic:
    sent = [sum(row) for row in told["sent"]]
    figures = (told["products"], told["opened"], told["rounds"])
    return _Traffic(*figures, sent, round(sum(sent) / parties), told["computing"])


def _on_paper(told: Mapping[str, Any], roles: int, size: tuple[int, int]) -> _Traffic:
    """Bytes from the costs of each product, sharing and opening, with counts for the most that can run."""
    if told["has_words"]:
        raise UsageError(
            f"--simulate parties={size[0]}: the program computes with words, which can be simulated among up "
            f"to {MOST_EXACT} parties; choose fewer, or --domain bool for a program that pins none"
        )
    parties, width = size[0], element_bytes(size[0])
    shared = elements_among(size, told["products"], told["opened"] * roles)
    each = math.ceil(width * shared / parties)
    inputs = [width * given * (parties - 1) for given in told["inputs"]]
    mean = each + round(sum(inputs) / parties)
    figures = (told["products"], told["opened"], told["rounds"])
    sent = [each + given for given in inputs]
    return _Traffic(*figures, sent, mean, _computing(told["computing"], parties, max(sent)))


def _computing(units: Mapping[str, int], parties: int, most: int) -> dict[str, int]:
    """What a party computes among more parties than can run, by what it computes among as many as can."""
    grown = {name: count * parties // MOST_EXACT for name, count in units.items() if name in GROWING}
    return {**units, **grown, "shared-sent-byte": 2 * most}


def element_bytes(parties: int) -> int:
    """Bytes of a shared bit among eight parties or more: each needs a point of the field."""
    return 1 if parties < 1 << 8 else 2


def elements_among(size: tuple[int, int], products: int, opened: int) -> int:
    """Elements that all parties together send for products and for openings to one party each.

    Double sharings that mask products are part of it. Source: the costs of `King`, `Dealer` and `BlockPlace`
    in `crates/nparty`.
    """
    parties, threshold = size
    dealt = (parties - threshold - 1) + (parties - 2 * threshold - 1)
    columns = _columns(-(-products // (parties - threshold)))
    return products * (parties + threshold - 1) + columns * parties * dealt + opened * threshold


def _columns(needed: int) -> int:
    """Sharings that a party deals when `needed` are needed: in blocks that double."""
    if needed > MOST_COLUMNS:
        return -(-needed // MOST_COLUMNS) * MOST_COLUMNS
    return 1 << (needed - 1).bit_length() if needed > 0 else 0


def _assumptions(parties: int, link: Link, profile: str | None) -> tuple[str, ...]:
    rate = f"{link.bits_per_second / 1e6:g} Mbit/s"
    common = (
        f"every party has its own machine, as fast as the profile {profile or 'built-in'} says",
        f"each sends {rate} to all others together, and a message takes {1e3 * link.latency:g} ms",
        "as many parties as possible may collude, passively: fewer than half of them",
        "computing, sending and waiting follow one another; connecting and key agreement are not counted",
    )
    if parties <= MOST_EXACT:
        return common
    width = element_bytes(parties)
    return (
        *common,
        f"more than {MOST_EXACT} parties cannot run; bytes are those of each product, sharing and opening",
        f"a shared bit has {8 * width} bits; each output goes to every role; random bits send nothing",
        f"what a party computes for each other party grows from {MOST_EXACT} parties on as their number",
    )


def told(found: Scale) -> dict[str, Any]:
    """The prediction as a JSON object."""
    return {**asdict(found), "assumptions": list(found.assumptions), "seconds": found.seconds}


def written(found: Scale) -> str:
    """The prediction as text."""
    kind = "predicted" if found.exact else "simulated on paper"
    parts = ", ".join(
        f"{seconds(getattr(found, part))} {part}" for part in ("computing", "sending", "waiting")
    )
    sent = [amount(sent, "B") for sent in (found.mean_bytes, found.most_bytes)]
    lines = [
        f"{found.program}: among {found.parties} parties, of whom {found.threshold} may collude; {kind}",
        "",
        f"seconds  {seconds(found.seconds)} ({parts})",
        f"bytes    {sent[0]} sent by a party on average, {sent[1]} at most",
        f"rounds   {count(found.rounds)}",
        f"domain   {', '.join(part for part in (found.domain, found.classes) if part)}",
        f"work     {count(found.products)} products, {count(found.opened)} opened elements",
        "",
        "assumptions",
        *(f"  {one}" for one in found.assumptions),
    ]
    return "\n".join(lines) + "\n"
