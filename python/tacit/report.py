"""Reports of runs as files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from tacit import UsageError


def write_report(path: Path, report: str | Mapping[str, str]) -> None:
    """Writes the report of a party, or of several as an object from party to report."""
    value = (
        json.loads(report)
        if isinstance(report, str)
        else {party: json.loads(text) for party, text in report.items()}
    )
    try:
        write_whole(path, json.dumps(value, indent=2) + "\n")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def write_whole(path: Path, text: str) -> None:
    """Replaces a file atomically: readers see the old or the new text, even with several writers."""
    if path.exists() and not path.is_file():
        path.write_text(text, "utf-8")  # A pipe or a terminal is not replaced.
        return
    path = path.resolve()
    made = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        made.write_text(text, "utf-8")
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)
