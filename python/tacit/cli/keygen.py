"""`tacit keygen`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from tacit import UsageError, _native


def keygen_command(
    name: Annotated[
        Path, typer.Argument(help="Writes NAME.key, for you alone, and NAME.pub, for your peers.")
    ],
) -> None:
    """Make a key pair."""
    secret_path = name.with_name(name.name + ".key")
    public_path = name.with_name(name.name + ".pub")
    if public_path.exists():
        raise UsageError(f"{public_path} exists already; keys are never overwritten")
    secret, public = _native.keygen()
    create(secret_path, secret, 0o600)
    create(public_path, public, 0o644)
    sys.stderr.write(f"{secret_path} (keep it to yourself) and {public_path} (give it to your peers)\n")


def create(path: Path, text: str, mode: int) -> None:
    """Writes a new file with this mode from its first moment on."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        raise UsageError(f"{path} exists already; keys are never overwritten") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), mode)
        file.write(text)
