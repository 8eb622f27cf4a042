"""The source of a party's secret key."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from tacit._native import SecretKey, Session, UsageError


def secret_key(
    session: str | PathLike[str] | Session, party: str, key: str | PathLike[str] | SecretKey | None
) -> SecretKey:
    """The key of a party: by default, the file with its name beside the session file."""
    if isinstance(key, SecretKey):
        return key
    if key is None:
        if isinstance(session, Session):
            raise UsageError("this session is not a file, so give key=…")
        key = Path(session).parent / f"{party}.key"
    return SecretKey.load(str(key))
