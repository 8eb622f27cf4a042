"""Writes down what is in the wheel: `THIRD_PARTY.md`, the licences, and an SBOM in the form CycloneDX 1.6.

Rust crates come from `cargo metadata` and `Cargo.lock`, Python packages from what is installed.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TARGETS = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"]
"""What wheels are built for."""

CRATE = "tacit-py"
"""The crate that becomes the native module."""

PYTHON = ["rich", "typer", "ziglang"]
"""The packages that the wheel depends on; the last one only with the extra `c`."""

CLASSIFIERS = {
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: ISC License (ISCL)": "ISC",
    "License :: OSI Approved :: MIT License": "MIT",
}
"""SPDX expressions of packages with older metadata."""

NOTES = {
    "cadical": "The crate contains the solver CaDiCaL, which is MIT.",
    "ring": "Contains code of BoringSSL and fiat-crypto under these licences.",
    "ziglang": "Contains Zig, LLVM, musl and others under licences of their own; needed for C alone.",
}


@dataclass(frozen=True)
class Package:
    """A package under a licence."""

    name: str
    version: str
    licence: str
    kind: str
    checksum: str | None = None
    needs: list[str] = field(default_factory=list)

    @property
    def reference(self) -> str:
        """Its package URL."""
        return f"pkg:{self.kind}/{self.name}@{self.version}"


def spdx(licence: str) -> str:
    """A licence as an SPDX expression: old crates write a slash for OR."""
    return re.sub(r"\s*/\s*", " OR ", licence)


def checksums() -> dict[tuple[str, str], str]:
    """SHA-256 of the crates that `Cargo.lock` names."""
    entry = re.compile(r'name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "(\w{64})"')
    return {
        (name, version): digest for name, version, digest in entry.findall((ROOT / "Cargo.lock").read_text())
    }


def metadata() -> Any:
    """What cargo says of the native module and all that it may be built from."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--features", "cadical"]
    manifest = ["--manifest-path", str(ROOT / "crates/py/Cargo.toml")]
    targets = [f"--filter-platform={target}" for target in TARGETS]
    done = subprocess.run([*command, *manifest, *targets], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def reached(root: str, nodes: dict[str, Any]) -> set[str]:
    """The packages that a package is linked with or expanded by, itself included."""
    found: set[str] = set()
    left = [root]
    while left:
        here = left.pop()
        if here not in found:
            found.add(here)
            left += needed(nodes[here])
    return found


def needed(node: Any) -> list[str]:
    """What a package needs when it runs or is compiled; not for its tests and its build script."""
    return [each["pkg"] for each in node["deps"] if any(kind["kind"] is None for kind in each["dep_kinds"])]


def crates() -> list[Package]:
    """The Rust crates of the native module, this project's first."""
    found = metadata()
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    root = next(key for key, package in packages.items() if package["name"] == CRATE)
    digests = checksums()

    def made(key: str, needs: list[str]) -> Package:
        package = packages[key]
        name, version = package["name"], package["version"]
        return Package(name, version, spdx(package["license"]), "cargo", digests.get((name, version)), needs)

    everything = reached(root, nodes)
    chosen = [made(key, [made(each, []).reference for each in needed(nodes[key])]) for key in everything]
    return sorted(chosen, key=lambda crate: (crate.checksum is not None, crate.name, crate.version))


def licence_of(name: str) -> str:
    """The licence of an installed package: as an SPDX expression, else by its classifiers."""
    about = importlib.metadata.metadata(name)
    (expression,) = about.get_all("License-Expression") or [""]
    classifiers = [text for text in about.get_all("Classifier") or [] if text in CLASSIFIERS]
    if not expression and not classifiers:
        raise SystemExit(f"the package {name} does not say its licence in a form that is known here")
    return expression or " AND ".join(CLASSIFIERS[text] for text in classifiers)


def requirements(name: str) -> Iterator[str]:
    """The installed packages that an installed package requires, without extras."""
    for line in importlib.metadata.requires(name) or []:
        wanted, _, marker = line.partition(";")
        required = re.split(r"[^\w.-]", wanted.strip())[0]
        if "extra" not in marker and _is_installed(required):
            yield required


def _is_installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def python_packages() -> list[Package]:
    """The Python packages that are installed beside the wheel."""
    found: dict[str, Package] = {}
    left = list(PYTHON)
    while left:
        name = left.pop().lower()
        if name not in found:
            needs = [each.lower() for each in requirements(name)]
            version = importlib.metadata.version(name)
            found[name] = Package(name, version, licence_of(name), "pypi", needs=needs)
            left += needs
    return [found[name] for name in sorted(found)]


def listing() -> str:
    """The text of `THIRD_PARTY.md`."""
    rust = [crate for crate in crates() if crate.checksum is not None]
    lines = [
        "# Licences of others' work",
        "",
        "Made by `make licences`. Tacit itself is licensed under MIT or Apache 2.0.",
        "A few of the crates are compiled only together with other parts of the workspace.",
        "",
        "## Rust crates that the wheel is compiled from",
        "",
        "| crate | version | licence |",
        "|---|---|---|",
        *(f"| {crate.name} | {crate.version} | {crate.licence} |" for crate in rust),
        "",
        "## Python packages that are installed beside it",
        "",
        "| package | licence |",
        "|---|---|",
        *(f"| {package.name} | {package.licence} |" for package in python_packages()),
        "",
    ]
    named = {package.name for package in [*rust, *python_packages()]}
    lines += ["## Notes", "", *(f"- {name}: {text}" for name, text in NOTES.items() if name in named), ""]
    return "\n".join(lines)


def component(package: Package) -> dict[str, Any]:
    """A package as a component of an SBOM."""
    made: dict[str, Any] = {
        "type": "library",
        "bom-ref": package.reference,
        "name": package.name,
        "version": package.version,
        "licenses": [{"expression": package.licence}],
        "purl": package.reference,
    }
    if package.checksum is not None:
        made["hashes"] = [{"alg": "SHA-256", "content": package.checksum}]
    return made


def bill() -> dict[str, Any]:
    """The SBOM. It holds no time and no random number, so that equal sources give equal files."""
    rust, python = crates(), python_packages()
    of = {package.name: package.reference for package in python}
    root = next(crate for crate in rust if crate.name == CRATE)
    wheel = Package("tacit", root.version, root.licence, "pypi")
    needs = {crate.reference: crate.needs for crate in rust}
    needs |= {package.reference: [of[each] for each in package.needs] for package in python}
    needs[wheel.reference] = [root.reference, *(of[name] for name in PYTHON)]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": component(wheel)},
        "components": [component(package) for package in [*rust, *python]],
        "dependencies": [{"ref": ref, "dependsOn": sorted(set(on))} for ref, on in sorted(needs.items())],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sbom", type=Path, help="also write the SBOM to this file")
    given = parser.parse_args()
    (ROOT / "THIRD_PARTY.md").write_text(listing())
    if given.sbom is not None:
        given.sbom.parent.mkdir(parents=True, exist_ok=True)
        given.sbom.write_text(json.dumps(bill(), indent=1) + "\n")
    print(f"THIRD_PARTY.md{f', {given.sbom}' if given.sbom else ''}", file=sys.stderr)


if __name__ == "__main__":
    main()
