"""Reports of runs as files."""

from __future__ import annotations

import json
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
        path.write_text(json.dumps(value, indent=2) + "\n", "utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
