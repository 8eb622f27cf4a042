"""The machine that a bench ran on."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")


def cpu_flags() -> frozenset[str]:
    """The features that the processor says it has."""
    return frozenset(_cpuinfo("flags", "Features").split())


def describe() -> dict[str, str | int]:
    """Machine, revision and date, as they stand in every result file."""
    return {
        "machine": f"{_cpuinfo('model name', 'CPU part') or platform.machine()}, {platform.system()}",
        "cores": os.cpu_count() or 1,
        "revision": _git("rev-parse", "HEAD") + ("+" if _git("status", "--porcelain", "-uno") else ""),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    }


def _cpuinfo(*keys: str) -> str:
    for line in CPUINFO.read_text().splitlines() if CPUINFO.exists() else []:
        key, _, value = line.partition(":")
        if key.strip() in keys:
            return value.strip()
    return ""


def _git(*arguments: str) -> str:
    try:
        finished = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return finished.stdout.strip()
