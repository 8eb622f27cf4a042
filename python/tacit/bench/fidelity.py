"""Programs that no one of this project wrote, against native runs: GCC's torture tests and csmith's.

The sources come from Debian's packages, pinned by hash, and are kept in `target/fidelity` alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.bench.programs import BenchError, build_example
from tacit.bench.rows import Row
from tacit.compiler import clang_command

FOLDER = Path("target/fidelity")

CSMITH_PROGRAMS = 1100
"""Random programs, of which some are left out."""

TWO_PARTIES = 20
"""Programs that also run between two parties."""

OLD_C = [
    "-std=gnu17",
    "-fgnu89-inline",
    "-Wno-implicit-function-declaration",
    "-Wno-implicit-int",
    "-Wno-int-conversion",
    "-Wno-incompatible-pointer-types",
    "-Wno-incompatible-function-pointer-types",
    "-Wno-return-type",
    "-Wno-return-mismatch",
]
"""Flags for C as the torture tests have it."""

CSMITH_OPTIONS = ["--no-argc", "--max-funcs", "3", "--max-block-depth", "3", "--max-block-size", "3"]

PRINTF = """\
extern unsigned OUTPUT_checksum;
#define printf(format, value, ...) (OUTPUT_checksum = (unsigned)(unsigned long)(value))
"""
"""Stands in for stdio.h where csmith's programs become circuits: what is printed last is the output."""


@dataclass(frozen=True)
class Package:
    """A package of Debian."""

    name: str
    version: str
    file: str
    sha256: str


GCC = Package(
    "gcc-12-source",
    "12.2.0-14+deb12u1",
    "gcc-12-source_12.2.0-14+deb12u1_all.deb",
    "8f2a5411028dfe216aeb6346b926df0cc7471f375c6a375bf180fbf279af02a1",
)
CSMITH = Package(
    "csmith",
    "2.3.0-7",
    "csmith_2.3.0-7_amd64.deb",
    "bb6adc7acae8719875ba44140791bba2d2d53bbdbb8c319d1edcdb65bc6e7003",
)
CSMITH_HEADERS = Package(
    "libcsmith-dev",
    "2.3.0-7",
    "libcsmith-dev_2.3.0-7_amd64.deb",
    "dab2bd193a51c3738b8d68f211f42a36b69d2e6f0ac607d192ce43102287d0e7",
)


def measure(sample: int | None = None) -> list[Row]:
    """The rows of the bench; with `sample`, of about as many programs of each kind."""
    torture = _compare("torture", *_torture(sample))
    random = _compare("csmith", *_csmith(sample or CSMITH_PROGRAMS))
    rows: list[Row] = []
    for name, results in (("torture", torture), ("csmith", random)):
        agree = [result for result in results if result["status"] == "agrees"]
        secret = sum(result["secret_inputs"] > 0 for result in agree)
        differ = [result for result in results if result["status"] == "differs"]
        for result in differ:
            sys.stderr.write(f"{result['name']} differs: {result['reason']}\n")
        rows += [
            Row(f"{name} programs that agree", len(agree), "programs"),
            Row(f"{name} programs that agree, with secret inputs", secret, "programs"),
            Row(f"{name} programs that differ", len(differ), "programs"),
            Row(f"{name} programs left out", len(results) - len(agree) - len(differ), "programs"),
        ]
        _write_left_out(name, results)
    rows.append(Row("torture programs that agree between two parties", _between_parties(), "programs"))
    return rows


def _torture(sample: int | None) -> tuple[list[str], list[str], list[str]]:
    """The names of the sources, flags for both compilers, flags for ours."""
    folder = FOLDER / "torture"
    if not (folder / "complete").exists():
        unpacked = _unpack(GCC)
        archive = next(unpacked.glob("usr/src/gcc-12/gcc-*.tar.xz"), None)
        if archive is None:
            raise BenchError(f"{GCC.file} holds no sources of gcc")
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as members:
            for member in members:
                path = Path(member.name)
                if path.match("gcc/testsuite/gcc.c-torture/execute/*.c") and member.isfile():
                    content = members.extractfile(member)
                    assert content is not None
                    (folder / path.name).write_bytes(content.read())
        (folder / "complete").touch()
    names = sorted(path.name for path in folder.glob("*.c") if path.name != "abort.c")
    step = 1 if sample is None else max(1, len(names) // sample)
    return names[::step], OLD_C, ["-Dvolatile="]


def _csmith(count: int) -> tuple[list[str], list[str], list[str]]:
    program = (_unpack(CSMITH) / "usr/bin/csmith").resolve()
    headers = (_unpack(CSMITH_HEADERS) / "usr/include/csmith").resolve()
    folder = FOLDER / "csmith"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stdio").mkdir(exist_ok=True)
    (folder / "stdio/stdio.h").write_text(PRINTF, "utf-8")
    names = [f"seed_{seed}.c" for seed in range(1, count + 1)]
    for seed, name in enumerate(names, 1):
        if not (folder / name).exists():
            command = [str(program), *CSMITH_OPTIONS, "--seed", str(seed)]
            # csmith leaves a file where it runs.
            made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if made.returncode:
                raise BenchError(f"csmith failed: {made.stderr}")
            text = made.stdout.replace("\nint main", "\nunsigned OUTPUT_checksum;\nint main")
            (folder / name).write_text(text, "utf-8")
    circuit = [f"-I{(folder / 'stdio').resolve()}", "-Dvolatile="]
    return names, [f"-I{headers}", "-std=gnu17"], circuit


def _unpack(package: Package) -> Path:
    """Downloads a package and unpacks it, without installing it."""
    folder = FOLDER / package.name
    if (folder / "complete").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    archive = FOLDER / package.file
    if not archive.exists():
        _run(["apt-get", "download", f"{package.name}={package.version}"], FOLDER)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != package.sha256:
        raise BenchError(f"{archive} has the hash {digest}, not {package.sha256}")
    _run(["dpkg-deb", "-x", str(archive.resolve()), str(folder.resolve())], FOLDER)
    (folder / "complete").touch()
    return folder


def _run(command: Sequence[str], folder: Path) -> None:
    try:
        finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BenchError(f"{command[0]}: {error}") from error
    if finished.returncode:
        raise BenchError(f"{' '.join(command)} failed:\n{finished.stderr}")


def _compare(kind: str, names: list[str], shared: list[str], circuit: list[str]) -> list[dict[str, Any]]:
    """The report of the example `fidelity` on each source."""
    program = build_example("cfront", "fidelity")
    keep = str(2 * TWO_PARTIES if kind == "torture" else 0)
    command = [str(program), str(FOLDER / kind), "--keep", keep, *shared, "--circuit", *circuit]
    environment = {**os.environ, "TACIT_ZIG": clang_command(None)[0]}
    finished = subprocess.run(
        command, input="\n".join(names), stdout=subprocess.PIPE, text=True, env=environment, check=False
    )
    if finished.returncode:
        raise BenchError(f"the example fidelity ended with exit code {finished.returncode}")
    return [json.loads(line) for line in finished.stdout.splitlines()]


def _write_left_out(kind: str, results: list[dict[str, Any]]) -> None:
    """Lists what is left out with its reason, and says on stderr how often each occurs."""
    left_out = sorted(
        (result["name"], _short(result["reason"])) for result in results if result["status"] == "left out"
    )
    path = FOLDER / f"{kind}_left_out.txt"
    path.write_text("".join(f"{name}: {reason}\n" for name, reason in left_out), "utf-8")
    sys.stderr.write(f"{kind}: {len(left_out)} left out, listed in {path}\n")
    for reason, count in Counter(_general(reason) for _, reason in left_out).most_common(12):
        sys.stderr.write(f"  {count:4} {reason}\n")


def _short(reason: str) -> str:
    """The line of a message that tells what is wrong."""
    lines = reason.splitlines()
    return next((line for line in lines if "error:" in line), lines[0])


def _general(reason: str) -> str:
    """A reason without the place."""
    parts = reason.split(": ", 1)
    return parts[1] if len(parts) == 2 and ".c:" in parts[0] else reason


def _between_parties() -> int:
    """The number of kept programs whose outputs are right when two processes compute them."""
    agree = 0
    for path in sorted((FOLDER / "torture/kept").glob("*.program")):
        case = json.loads(path.with_suffix(".json").read_text("utf-8"))
        inputs = [f"--input={role}={json.dumps(value)}" for role, value in case["inputs"].items()]
        command = [sys.executable, "-m", "tacit", "run", str(path), "--local", *inputs]
        finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        if finished.returncode:
            raise BenchError(f"{path.name} fails between two parties:\n{finished.stderr}")
        if json.loads(finished.stdout) != case["outputs"]:
            raise BenchError(f"{path.name} differs between two parties: {finished.stdout}")
        agree += 1
        if agree == TWO_PARTIES:
            break
    return agree
