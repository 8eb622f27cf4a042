"""Formats, lints and tests what changed, and what depends on it, without slow tests: `make quick`.

What changed is what differs from the merge base of HEAD and the main branch (`BASE=` names another commit),
with files that git does not know yet.

Rust: the changed packages are formatted. They and all that depend on them are linted with all targets, so
that whatever uses them still compiles. The tests of the changed packages run, and the unit tests of the
packages that use them directly, in the profile `quick`: it is incremental and hardly optimised, so its
first build takes minutes and later ones seconds.

Python: files are formatted, linted and typed. Changed files of tests run whole. Where the package changed,
so do all tests that start no process of their own, and the tests in the folder named like the changed part.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MODULE = "tacit-py"
"""The Python module. It has no tests; chosen beside others, it gives dependencies the features of all."""

EVERYWHERE = ("Cargo.toml", "Cargo.lock")
"""A change of these concerns every package."""

PARTS = {"among": "parties", "party_program": "parties", "local_party": "parties", "tables": "store"}
"""The folders of tests of parts of the Python package that have another name."""


@dataclass
class Package:
    """A package of the workspace."""

    name: str
    folder: str
    uses: set[str] = field(default_factory=set)


def run(*command: str, environment: dict[str, str] | None = None) -> None:
    """Runs a command, whose output is the user's."""
    print("+", " ".join(command), flush=True)
    start = time.monotonic()
    code = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **(environment or {})}, check=False
    ).returncode
    print(f"  {time.monotonic() - start:.0f} s", flush=True)
    if code:
        sys.exit(code)


def output(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def base() -> str:
    """The last commit that HEAD shares with the main branch, or HEAD where there is no such branch."""
    for branch in ("origin/HEAD", "origin/main", "main", "master"):
        known = subprocess.run(
            ["git", "merge-base", "HEAD", branch], cwd=ROOT, check=False, capture_output=True, text=True
        )
        if known.returncode == 0:
            return known.stdout.strip()
    return "HEAD"


def changed_files(since: str) -> list[str]:
    """The files that differ from a commit, by their paths from the root; those that are gone too."""
    differ = output("git", "diff", "--name-only", "--no-renames", since)
    new = output("git", "ls-files", "--others", "--exclude-standard")
    return sorted({*differ.splitlines(), *new.splitlines()})


def packages() -> dict[str, Package]:
    """The packages of the workspace by name, each with those of them that it uses, in its tests too."""
    described = json.loads(output("cargo", "metadata", "--no-deps", "--format-version=1", "--offline"))
    found = {}
    for package in described["packages"]:
        folder = Path(package["manifest_path"]).parent.relative_to(ROOT).as_posix()
        uses = {dependency["name"] for dependency in package["dependencies"] if dependency.get("path")}
        found[package["name"]] = Package(package["name"], folder, uses)
    return found


def changed_packages(files: Iterable[str], workspace: dict[str, Package]) -> set[str]:
    """The packages that files belong to."""
    found = set()
    for file in files:
        if file in EVERYWHERE:
            return set(workspace)
        if not file.endswith((".py", ".md")):
            found |= {package.name for package in workspace.values() if file.startswith(f"{package.folder}/")}
    return found


def users(names: set[str], workspace: dict[str, Package]) -> set[str]:
    """The packages that use one of these directly, without these."""
    return {package.name for package in workspace.values() if package.uses & names} - names


def all_users(names: set[str], workspace: dict[str, Package]) -> set[str]:
    """The packages that use one of these, through others too, without these."""
    found = set(names)
    while more := users(found, workspace):
        found |= more
    return found - names


def selected(names: Iterable[str]) -> list[str]:
    """Arguments of cargo that choose packages."""
    return [f"--package={name}" for name in sorted(names)]


def check_rust(files: list[str], features: list[str]) -> None:
    """Formats, lints and tests packages."""
    workspace = packages()
    changed = changed_packages(files, workspace)
    if not changed:
        return
    run("cargo", "fmt", *selected(changed))
    lint = ["cargo", "clippy", "--release", "--locked", "--quiet", "--all-targets", *features]
    run(*lint, *selected({*changed, *all_users(changed, workspace), MODULE}), "--", "-D", "warnings")
    test = ["cargo", "test", "--profile=quick", "--locked", "--quiet", *features]
    run(*test, "--lib", "--tests", *selected({*changed, MODULE}))
    if near := users(changed, workspace) - {MODULE}:
        run(*test, "--lib", *selected({*near, MODULE}))


def tests_of(files: Iterable[str]) -> list[str]:
    """The files and folders of Python tests that belong to changed files."""
    found = set()
    for file in map(Path, files):
        if file.parts[0] == "tests" and file.name.startswith("test_") and (ROOT / file).exists():
            found.add(file.as_posix())
        if file.parts[:2] == ("python", "tacit"):
            part = Path(file.parts[2]).stem
            folder = ROOT / "tests" / PARTS.get(part, part)
            found |= {f"tests/{folder.name}"} if folder.is_dir() else set()
    return sorted(found)


def check_python(files: list[str], workers: str) -> None:
    """Formats, lints, types and tests Python."""
    python = [file for file in files if file.endswith((".py", ".pyi"))]
    if not python:
        return
    there = [file for file in python if (ROOT / file).exists()]
    bin_folder = Path(sys.executable).parent
    run(f"{bin_folder}/ruff", "format", "--quiet", *there)
    run(f"{bin_folder}/ruff", "check", "--quiet")
    run(f"{bin_folder}/mypy")
    pytest = [sys.executable, "-m", "pytest", f"--numprocesses={workers}"]
    own = tests_of(python)
    if any(file.startswith("python/") or Path(file).name == "conftest.py" for file in python):
        run("make", "build")
        run(*pytest, "tests", "--quick", *(f"--whole={path}" for path in own))
    elif own:
        run("make", "build")
        run(*pytest, *own)


def main() -> None:
    """Checks what changed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--base", default="", help="the commit to compare with")
    parser.add_argument("--workers", default="2", help="processes that run Python tests side by side")
    parser.add_argument("--features", action="append", default=[], help="features of cargo's")
    arguments = parser.parse_args()
    start = time.monotonic()
    files = changed_files(arguments.base or base())
    check_python(files, arguments.workers)
    check_rust(files, [f"--features={feature}" for feature in arguments.features])
    print(f"{len(files)} changed files took {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
