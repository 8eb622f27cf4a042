"""The field and the protection of a session of three parties or more: the same at all of them."""

from __future__ import annotations

from dataclasses import dataclass

from tacit._native import Session, UsageError, largest_threshold

DEFAULT_MODULUS = 2**61 - 1
"""The default prime."""

GF256 = 256
"""In place of a modulus: the field of 256 elements, where addition is exclusive or."""

PASSIVE = "passive"
"""The default: all parties follow the protocol."""

ACTIVE = "active"
"""Parties may depart from the protocol, but can only end the session."""

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
        """The requested protection; by default the highest threshold, and all parties follow the protocol."""
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
        """That of a session with one party, which protects nothing."""
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
        """The further fields that the parties compare."""
        return [("program", self.program)]
