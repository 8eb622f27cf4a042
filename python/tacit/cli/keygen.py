"""`tacit keygen`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tacit import SecretKey, UsageError


def keygen_command(
    name: Annotated[
        Path, typer.Argument(help="Writes NAME.key, which you keep secret, and NAME.pub, for your peers.")
    ],
) -> None:
    """Make a key pair."""
    secret_path, public_path = (name.with_name(name.name + ending) for ending in (".key", ".pub"))
    for path in (secret_path, public_path):
        if path.exists():
            raise UsageError(f"{path} exists already; keys are never overwritten")
    key = SecretKey.generate()
    key.save(str(secret_path))
    key.save_public(str(public_path))
    sys.stderr.write(f"{secret_path} (keep it to yourself) and {public_path} (give it to your peers)\n")
