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
console = Console(highlight=False)


def load(name: str) -> Any:
    """An input file of the examples."""
    return json.loads((FOLDER / name).read_text("utf-8"))


def run(name: str) -> dict[str, Any]:
    """Runs an example between two processes and returns the merged outputs."""
    files = {role: f"examples/{name}_{role.lower()}.json" for role in "AB"}
    arguments = ["run", f"examples/{name}.c", "--local"]
    arguments += [f"--input={role}={file}" for role, file in files.items()]
    console.print(f"$ tacit {' '.join(arguments)}", style="bold")
    command = [sys.executable, "-m", "tacit", *arguments]
    finished = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=FOLDER.parent)
    outputs: dict[str, Any] = json.loads(finished.stdout)
    return outputs


def millionaires() -> None:
    """Who is richer, without saying how rich."""
    console.rule("Millionaires: who is richer?")
    table = Table("role", "millions (its secret)")
    fortunes = {role: load(f"millionaires_{role.lower()}.json")["mil"] for role in "AB"}
    for role, fortune in fortunes.items():
        table.add_row(role, str(fortune))
    console.print(table)
    richer = run("millionaires")["richer"]
    check(bool(richer), fortunes["A"] > fortunes["B"])
    console.print(f"Both learn {{'richer': {richer}}}: A is {'' if richer else 'not '}richer than B.\n")


def nearest() -> None:
    """Which of A's taxis is nearest to B."""
    console.rule("Nearest match: which of A's taxis is nearest to B?")
    here = load("nearest_b.json")["here"]
    table = Table(
        "taxi", "x", "y", "distance² to B", title="A's secret", caption="No party sees the last column."
    )
    distances: dict[int, int] = {}
    for taxi in load("nearest_a.json")["taxis"]:
        distances[taxi["id"]] = (taxi["x"] - here["x"]) ** 2 + (taxi["y"] - here["y"]) ** 2
        table.add_row(*(str(taxi[key]) for key in ("id", "x", "y")), str(distances[taxi["id"]]))
    console.print(table)
    console.print(f"B's secret: it is at x = {here['x']}, y = {here['y']}.")
    found = run("nearest")
    check((found["distance"], found["id"]), min((distance, taxi) for taxi, distance in distances.items()))
    console.print(f"Both learn {found}: taxi {found['id']} is nearest.\n")


def check(found: object, expected: object) -> None:
    """Ends the demo where the parties computed something else than plain arithmetic."""
    if found != expected:
        sys.exit(f"wrong result: {found}, expected {expected}")


def main() -> None:
    """Runs both programs and prints the time they took."""
    start = time.monotonic()
    millionaires()
    nearest()
    console.print(f"The demo took {time.monotonic() - start:.1f} s.")


if __name__ == "__main__":
    main()
