"""Runs made by hand, for tests that need no protocol."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tacit.measure.records import VERSION, Record

SHARES = {"analysis": 0.1, "setup": 0.6, "online": 0.3}


def phase(name: str, seconds: float, sent: int, received: int) -> dict[str, Any]:
    """A phase that computes for three quarters of its time."""
    return {
        "phase": name,
        "seconds": seconds,
        "network_seconds": seconds / 4,
        "compute_seconds": seconds * 3 / 4,
        "bytes_sent": sent,
        "bytes_received": received,
        "payload_sent": None if name == "analysis" else sent - 40,
        "payload_received": None if name == "analysis" else received - 40,
        "messages_sent": 2,
        "messages_received": 3,
        "rounds": 2,
    }


def report(
    party: str, peer: str, seconds: float = 1.0, sent: int = 1000, received: int = 2000
) -> dict[str, Any]:
    """The report of one party."""
    sides: dict[str, Any] = {"predicted": {}}
    for name in ("setup", "online"):
        sides["predicted"][name] = {"garbler_bytes": sent - 40, "evaluator_bytes": received - 40}
    return {
        "version": 2,
        "tacit": "0.1.0",
        "program": "closest",
        "source": "app.py",
        "program_hash": "ab" * 32,
        "plan_hash": "cd" * 32,
        "party": party,
        "side": "Garbler" if party < peer else "Evaluator",
        "peer": peer,
        "mode": "precomputed",
        "security": {"level": "long", "computational_bits": 128, "statistical_bits": 40, "softspoken_k": 4},
        "work": {
            "and_count": 1234,
            "and_depth": 21,
            "xor_count": 5678,
            "garbler_input_bits": 64,
            "evaluator_input_bits": 32,
            "random_bits": 0,
            "output_bits": 16,
        },
        "operations": [
            {"domain": "yao", "kind": "mul", "line": 12, "count": 2048},
            {"domain": "yao", "kind": "add", "line": 12, "count": 512},
            {"domain": "yao", "kind": "add", "line": 13, "count": 7},
            {"domain": "yao", "kind": "arg_min_u", "line": 14, "count": 512},
            {"domain": "yao", "kind": "gate", "line": 0, "count": 3},
        ],
        **sides,
        "phases": [phase(name, seconds * share, sent, received) for name, share in SHARES.items()],
        "peak_memory_bytes": 17_000_000,
    }


def line(
    n: int = 1, net: str | None = "lan", seconds: float = 1.0, repeat: int = 0, sent: int = 1000
) -> dict[str, Any]:
    """A line of `tacit bench`."""
    return {
        "version": VERSION,
        "tacit": "0.1.0",
        "time": "2026-01-01T00:00:00+00:00",
        "program": "closest.c",
        "params": {"n": n},
        "net": net,
        "mode": None,
        "repeat": repeat,
        "checked": True,
        "compile_s": 0.5,
        "clear_s": 0.1,
        "wall_s": 2.0,
        "and_depth": 17,
        "reports": {
            "A": report("A", "B", seconds, sent, 2000),
            "B": report("B", "A", seconds * 2, 2000, sent),
        },
        "machine": "a machine",
        "cores": 2,
        "revision": "",
    }


def record(**choices: Any) -> Record:
    """A record of `tacit bench`."""
    return Record(line(**choices))


def write(path: Path, lines: Sequence[dict[str, Any]]) -> Path:
    """A file of `tacit bench`."""
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path
