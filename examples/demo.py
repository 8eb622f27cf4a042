"""The demo: two programs, each between two processes over TLS on loopback. `make demo` runs it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

FOLDER = Path(__file__).parent
console = Console()


def load(name: str) -> dict[str, Any]:
    """An input file of the examples."""
    value: dict[str, Any] = json.loads((FOLDER / name).read_text())
    return value


def run(program: str, **inputs: str) -> dict[str, Any]:
    """Runs a program between two processes and returns the merged outputs."""
    command = [sys.executable, "-m", "tacit", "run", str(FOLDER / program), "--local"]
    for role, name in inputs.items():
        command += ["--input", f"{role}={FOLDER / name}"]
    shown = [f"--input {role}=examples/{name}" for role, name in inputs.items()]
    console.print(f"$ tacit run examples/{program} --local {' '.join(shown)}", style="dim", highlight=False)
    finished = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    outputs: dict[str, Any] = json.loads(finished.stdout)
    return outputs


def millionaires() -> None:
    """Who is richer, without saying how rich."""
    console.rule("Millionaires")
    table = Table("role", "mil (secret)")
    for role, name in (("A", "millionaires_a.json"), ("B", "millionaires_b.json")):
        table.add_row(role, str(load(name)["mil"]))
    console.print(table)
    console.print(
        "Both learn:", run("millionaires.c", A="millionaires_a.json", B="millionaires_b.json"), "\n"
    )


def main() -> None:
    """Runs both programs and prints the time they took."""
    start = time.monotonic()
    millionaires()
    console.print(f"The demo took {time.monotonic() - start:.1f} s.")


if __name__ == "__main__":
    main()
