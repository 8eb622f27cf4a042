"""Tests a wheel as a stranger would: a clean virtual environment, an install, a first answer from Python.

Prints sizes and times beside their bars. Only the standard library is used.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

MEGABYTE = 1_000_000
BARS = {"wheel": 12.0, "environment": 60.0, "install": 10.0, "first answer, all in all": 15.0}
"""Megabytes, megabytes, seconds, seconds. Only sizes fail a run: seconds depend on what else runs."""

PROGRAM = """
import tacit as t


@t.function
def richer(alice, bob):
    a, b = alice.input("fortune", t.u32), bob.input("fortune", t.u32)
    t.output("alice_is_richer", a > b, alice, bob)


out = richer.run(alice={"fortune": 12}, bob={"fortune": 7})
print(out["alice"]["alice_is_richer"], out["bob"]["alice_is_richer"])
"""


def wheel_in(folder: Path) -> Path:
    """The wheel in a folder for this machine."""
    found = sorted(folder.glob(f"tacit-*_{platform.machine()}.whl"))
    if len(found) != 1:
        raise SystemExit(f"{folder} has {len(found)} wheels for {platform.machine()}; run make wheel")
    return found[0]


def run(*command: str | Path, folder: Path) -> str:
    """Runs a command without anything of the caller's Python, and returns its stdout."""
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("PYTHON") and key != "VIRTUAL_ENV"
    }
    done = subprocess.run(
        [*map(str, command)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def size(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())


def packages(folder: Path) -> Path:
    """The folder of an environment that packages are installed into."""
    (found,) = folder.glob("lib/python3.*/site-packages")
    return found


def check_contents(wheel: Path) -> None:
    """One stable interface for all versions of Python, and the licences."""
    assert "-abi3-manylinux" in wheel.name, wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in (
        "tacit/_native.abi3.so",
        "tacit/py.typed",
        "THIRD_PARTY.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
    ):
        assert any(name.endswith(wanted) for name in names), f"{wheel.name} has no {wanted}"


def check_error_without_compiler(python: Path, folder: Path) -> None:
    """Where C is compiled without the extra, the message names it."""
    (folder / "f.c").write_text("void f(int INPUT_A_x) { int OUTPUT_y = INPUT_A_x; }\n")
    done = subprocess.run(
        [python, "-I", "-m", "tacit", "compile", "f.c", "--stats"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "pip install 'tacit[c]'" in done.stderr, done.stderr


def locked(lock: Path) -> set[tuple[str, str]]:
    """Names and versions in a `Cargo.lock`."""
    return set(re.findall(r'name = "(.+)"\nversion = "(.+)"', lock.read_text()))


def check_sdist(folder: Path, unpacked: Path, build: bool) -> None:
    """Has cargo resolve what the sdist holds, to the versions of the lock; builds a wheel of it if asked."""
    (archive,) = folder.glob("tacit-*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(unpacked, filter="data")
    (root,) = unpacked.iterdir()
    before = locked(root / "Cargo.lock")
    manifest = root / "crates/py/Cargo.toml"
    run("cargo", "metadata", "--format-version", "1", "--manifest-path", manifest, folder=root)
    assert locked(root / "Cargo.lock") <= before, "cargo would build other versions than the lock says"
    if build:
        run(
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--no-deps",
            "--wheel-dir",
            unpacked,
            archive,
            folder=unpacked,
        )
    print(f"{archive.name}: {archive.stat().st_size / MEGABYTE:.1f} MB, {'built' if build else 'resolved'}")


def processor_time() -> float:
    """Seconds that commands so far had a processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(wheel: Path, folder: Path) -> dict[str, float]:
    """Installs the wheel, runs it, and says what that took."""
    environment = folder / "environment"
    start = time.monotonic()
    run(sys.executable, "-m", "venv", environment, folder=folder)
    python = environment / "bin/python"
    before = size(packages(environment))
    installing = time.monotonic()
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, folder=folder)
    installed = time.monotonic()
    answer = run(python, "-c", PROGRAM, folder=folder)
    answered = time.monotonic()
    assert answer == "True True\n", answer
    version = wheel.name.split("-")[1]
    assert run(environment / "bin/tacit", "--version", folder=folder) == f"tacit {version}\n"
    check_error_without_compiler(python, folder)
    return {
        "wheel": wheel.stat().st_size / MEGABYTE,
        "environment": (size(packages(environment)) - before) / MEGABYTE,
        "install": installed - installing,
        "first answer, all in all": answered - start,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", type=Path, help="the folder that `make wheel` writes to")
    parser.add_argument("--build-sdist", action="store_true", help="also build a wheel of the sdist: minutes")
    given = parser.parse_args()
    wheels = given.wheels.resolve()
    wheel = wheel_in(wheels)
    check_contents(wheel)
    with tempfile.TemporaryDirectory() as folder:
        before = processor_time()
        found = measure(wheel, Path(folder))
        used = processor_time() - before
    with tempfile.TemporaryDirectory() as folder:
        check_sdist(wheels, Path(folder), given.build_sdist)
    print(wheel.name)
    for name, bar in BARS.items():
        unit = "MB" if name in ("wheel", "environment") else "s"
        over = "" if found[name] <= bar else "  OVER"
        print(f"{name:26} {found[name]:7.2f} {unit:2}   bar {bar:g} {unit}{over}")
    print(f"{'processor time of all':26} {used:7.2f} s")
    too_large = [name for name in ("wheel", "environment") if found[name] > BARS[name]]
    if too_large:
        raise SystemExit(f"over the bar: {', '.join(too_large)}")


if __name__ == "__main__":
    main()
