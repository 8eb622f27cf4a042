"""What three parties or more compute with, and against whom: the same at all of them."""

from __future__ import annotations

from dataclasses import dataclass

from tacit._native import Session, UsageError, largest_threshold

DEFAULT_MODULUS = 2**61 - 1
"""The prime computed with unless another is given."""

GF256 = 256
"""In place of a modulus: the field of 256 elements, where addition is exclusive or."""

PASSIVE = "passive"
"""The protection of sessions that ask for none: all parties follow the protocol."""

ACTIVE = "active"
"""Parties may depart from the protocol, and end the session by it."""

HERE = "among three parties or more"


@dataclass(frozen=True)
class Protection:
    """The field, the threshold and the adversary of a session, and any text that must be the same."""

    threshold: int
    modulus: int
    security: str
    program: str

    @classmethod
    def of(
        cls,
        session: Session,
        threshold: int | None,
        modulus: int | None,
        security: str | None,
        program: str = "",
    ) -> Protection:
        """What was asked for; else as many parties as possible may collude, and all follow the protocol."""
        made = cls(
            largest_threshold(len(session.computing)) if threshold is None else threshold,
            DEFAULT_MODULUS if modulus is None else modulus,
            PASSIVE if security is None else security,
            program,
        )
        made._check()
        return made

    @classmethod
    def alone(cls, modulus: int | None, security: str | None) -> Protection:
        """Of a session of one party, which nothing protects."""
        made = cls(0, DEFAULT_MODULUS if modulus is None else modulus, security or PASSIVE, "")
        made._check()
        return made

    def _check(self) -> None:
        if self.security not in (PASSIVE, ACTIVE):
            raise UsageError(f"security: expected {PASSIVE} or {ACTIVE} {HERE}; found {self.security}")
        if self.threshold < 0 or self.modulus < 0:
            raise UsageError("the threshold and the modulus must be positive")

    @property
    def fields(self) -> list[tuple[str, str]]:
        """What the parties compare besides."""
        return [("program", self.program)]
