"""A second opinion by CBMC, an independent model checker for C."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tacit import ProgramError, UsageError

_CHECKS = (
    "--signed-overflow-check",
    "--div-by-zero-check",
    "--undefined-shift-check",
    "--bounds-check",
    "--pointer-check",
)

_KINDS = {
    "overflow": "signed overflow",
    "division-by-zero": "division by zero",
    "undefined-shift": "bad shift",
    "array_bounds": "out of bounds",
    "pointer_dereference": "out of bounds",
    "assertion": "assertion",
    "unwind": "unwinding",
}
"""CBMC's names of properties, and their names here."""

_SAME = {
    "division overflow": "signed overflow",
    "null access": "out of bounds",
    "use after end": "out of bounds",
}
"""Kinds that CBMC does not distinguish from another one."""


def cbmc_command() -> str:
    """The path of CBMC."""
    command = shutil.which("cbmc")
    if command is None:
        raise UsageError("--with-cbmc: cbmc is not on the PATH; install CBMC")
    return command


def run_cbmc(command: str, source: str, unwind: str | None, seconds: float | None) -> list[dict[str, Any]]:
    """The properties that CBMC lists for a C file, each with `line`, `kind` and whether it is `violated`."""
    with tempfile.TemporaryDirectory(prefix="tacit-cbmc-") as folder:
        path = Path(folder) / "program.c"
        path.write_text(source, "utf-8")
        arguments = [command, "--json-ui", *_CHECKS, *_bounds(unwind), str(path)]
        try:
            done = subprocess.run(
                arguments,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ProgramError(f"cbmc took longer than {seconds} s") from None
    return read_results(done.stdout)


def _bounds(unwind: str | None) -> list[str]:
    """CBMC's options for the same bounds. CBMC counts one more: the test that ends a loop."""
    if unwind is None:
        return ["--unwinding-assertions", "--unwind", "64"]
    options = ["--unwinding-assertions"]
    for part in unwind.split(","):
        name, equals, bound = part.strip().rpartition("=")
        count = str(int(bound) + 1)
        options += ["--unwindset", f"{name}:{count}"] if equals else ["--unwind", count]
    return options


def read_results(text: str) -> list[dict[str, Any]]:
    """The properties in the output of `cbmc --json-ui`."""
    try:
        messages = json.loads(text)
    except ValueError:
        raise ProgramError(f"cbmc did not print JSON: {text[-400:]}") from None
    results = next((one["result"] for one in messages if isinstance(one, dict) and "result" in one), None)
    if results is None:
        errors = [str(one.get("messageText")) for one in messages if one.get("messageType") == "ERROR"]
        raise ProgramError("cbmc failed: " + "; ".join(errors))
    found = []
    for one in results:
        kind = next(
            (ours for theirs, ours in _KINDS.items() if f".{theirs}." in f".{one['property']}."), None
        )
        place = one.get("sourceLocation", {})
        found.append(
            {
                "kind": kind,
                "file": Path(place.get("file", "")).name,
                "line": int(place.get("line", 0)),
                "violated": one["status"] == "FAILURE",
            }
        )
    return found


def compare(ours: dict[str, Any], theirs: list[dict[str, Any]]) -> dict[str, Any]:
    """The differences in verdicts on a line and kind. An undecided property differs from nothing."""
    verdicts: dict[tuple[str, int, str], set[str]] = {}
    for one in ours["properties"]:
        kind = _SAME.get(one["kind"], one["kind"])
        verdicts.setdefault((one["file"], one["line"], kind), set()).add(one["verdict"])
    violated = {(one["file"], one["line"], one["kind"]) for one in theirs if one["violated"]}
    listed = {(one["file"], one["line"], one["kind"]) for one in theirs}
    differences = []
    for place, said in sorted(verdicts.items()):
        if "undecided" in said or place not in listed:
            continue
        if ("violated" in said) != (place in violated):
            other = "violated" if place in violated else "proven"
            differences.append(
                f"{place[0]}:{place[1]}: {place[2]}: {other} there, {' and '.join(sorted(said))} here"
            )
    common = sum(1 for place in verdicts if place in listed)
    return {"properties": len(theirs), "compared": common, "differences": differences}
