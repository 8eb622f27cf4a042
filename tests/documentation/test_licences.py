"""The list of licences is complete, and so is the SBOM."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import licences  # noqa: E402

pytestmark = pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")


def allowed() -> set[str]:
    """The licences of `deny.toml`."""
    (names,) = re.findall(r"^allow = \[(.*)\]$", (ROOT / "deny.toml").read_text(), re.MULTILINE)
    return set(re.findall(r'"([^"]+)"', names))


def permits(expression: str) -> bool:
    """Whether an SPDX expression is fulfilled by licences that are allowed."""
    text = re.sub(r"[\w.-]+(?: WITH [\w.-]+)?", _decided, expression)
    return bool(eval(text.replace("AND", "and").replace("OR", "or"), {"__builtins__": {}}))


def _decided(found: re.Match[str]) -> str:
    return found[0] if found[0] in ("AND", "OR") else str(found[0] in allowed())


def listed() -> set[tuple[str, str]]:
    text = (ROOT / "THIRD_PARTY.md").read_text().partition("## Python")[0]
    return set(re.findall(r"^\| ([\w-]+) \| (\d\S*) \|", text, re.MULTILINE))


def test_all_crates_are_listed() -> None:
    """By `cargo tree`, which is another way to find them than that of the tool."""
    command = ["cargo", "tree", "--locked", "--package", "tacit-py", "--features", "tacit-py/cadical"]
    form = ["--edges", "normal", "--prefix", "none", "--format", "{p}"]
    targets = [f"--target={target}" for target in licences.TARGETS]
    tree = subprocess.run([*command, *form, *targets], cwd=ROOT, check=True, capture_output=True, text=True)
    crates = {
        (words[0], words[1].removeprefix("v"))
        for words in map(str.split, filter(None, tree.stdout.splitlines()))
    }
    others = {(name, version) for name, version in crates if not name.startswith("tacit-")}
    assert len(others) > 50
    assert others <= listed()


def test_their_licences_are_allowed() -> None:
    refused = [crate for crate in licences.crates() if not permits(crate.licence)]
    assert refused == []


def test_expressions() -> None:
    assert permits("(MIT OR GPL-3.0-only) AND Unicode-3.0")
    assert not permits("MIT AND GPL-3.0-only")
    assert permits(licences.spdx("MIT/Unheard-of"))


def test_the_list_is_as_the_tool_makes_it() -> None:
    rust = licences.listing().partition("## Python")[0]
    assert (ROOT / "THIRD_PARTY.md").read_text().partition("## Python")[0] == rust
    text = (ROOT / "THIRD_PARTY.md").read_text()
    assert all(f"| {package.name} |" in text for package in licences.python_packages())


def test_the_sbom() -> None:
    bill = licences.bill()
    assert bill == licences.bill()
    references = [each["bom-ref"] for each in bill["components"]]
    assert len(references) == len(set(references))
    known = {*references, bill["metadata"]["component"]["bom-ref"]}
    assert {each["ref"] for each in bill["dependencies"]} == known
    assert {on for each in bill["dependencies"] for on in each["dependsOn"]} <= known
    others = [each for each in bill["components"] if "hashes" in each]
    assert {(each["name"], each["version"]) for each in others} == listed()
