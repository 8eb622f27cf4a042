"""Plants bugs one at a time into a copy of the sources, and runs the test that each must fail.

Each patch in `tests/planted` breaks a promise in a way that leaves results right: a mask used twice, a key
that is constant, an output that too many receive. Its header names the test and says what is wrong:

    Test: cargo test --release --locked -p tacit-twoparty --test integration shares::reuse
    Why: one triple would serve two ANDs, and the sum of what is opened is the sum of the operands.

A test passes without its patch and fails with it, or this program says so and exits with 1.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATCHES = ROOT / "tests" / "planted"
WORK = ROOT / "target" / "planted"
COPY = WORK / "copy"
TIMEOUT_S = 1200


@dataclass(frozen=True)
class Planted:
    """A patch and the test that it must fail."""

    path: Path
    test: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.path.stem


def read(path: Path) -> Planted:
    """Reads the header of a patch."""
    found = re.search(r"^Test: (.+)$", path.read_text(), re.MULTILINE)
    if not found or not re.search(r"^Why: \S", path.read_text(), re.MULTILINE):
        sys.exit(f"{path.name} has no line `Test:` or no line `Why:`")
    test = tuple(shlex.split(found[1]))
    if test[:2] != ("cargo", "test"):
        sys.exit(f"{path.name}: the test must be a command `cargo test …`, not {found[1]}")
    return Planted(path, test)


def sources() -> list[str]:
    """The files that git tracks, and new ones that it does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def refresh(names: Sequence[str]) -> None:
    """Makes the copy equal to the sources; files that are equal keep their times, so cargo builds little."""
    for name in names:
        source, target = ROOT / name, COPY / name
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Runs a command in the copy; its output is text. One that takes too long has failed."""
    environment = {
        **os.environ,
        "CARGO_TARGET_DIR": str(WORK / "target"),
        # What these tests look at does not depend on how well the compiler optimises.
        "CARGO_PROFILE_RELEASE_INCREMENTAL": "true",
        "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1",
    }
    try:
        return subprocess.run(
            command,
            cwd=COPY,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, f"it took more than {TIMEOUT_S} s")


def build_only(test: Sequence[str]) -> list[str]:
    """The command that builds a test and does not run it."""
    before = test[: test.index("--")] if "--" in test else test
    return [*before, "--no-run"]


def holds(test: Sequence[str]) -> str:
    """Why a test does not pass on the sources as they are; nothing if it does."""
    ended = run(test)
    passed = sum(int(count) for count in re.findall(r"test result: ok\. (\d+) passed", ended.stdout))
    if ended.returncode:
        return f"fails without the patch:\n{ended.stdout}"
    return "" if passed else "no test has this name"


def survives(planted: Planted) -> str:
    """Why a planted bug is not caught; nothing if it is."""
    applied = run(["git", "apply", "--whitespace=nowarn", str(planted.path)])
    if applied.returncode:
        return f"the patch does not apply:\n{applied.stdout}"
    built = run(build_only(planted.test))
    if built.returncode:
        return f"does not compile with the patch:\n{built.stdout}"
    ended = run(planted.test)
    return "" if ended.returncode and "test result: FAILED" in ended.stdout else "passes with the patch"


def main() -> None:
    """Tries all patches, or those named."""
    parser = argparse.ArgumentParser(description="Plants bugs that tests must find, one at a time.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="patches to try, without .patch; else all")
    names = parser.parse_args().names
    planted = [read(path) for path in sorted(PATCHES.glob("*.patch")) if not names or path.stem in names]
    if missing := set(names) - {one.name for one in planted}:
        sys.exit(f"no such patch in tests/planted: {', '.join(sorted(missing))}")
    COPY.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet"], cwd=COPY, check=True)
    files = sources()
    refresh(files)
    broken = {test: holds(test) for test in dict.fromkeys(one.test for one in planted)}
    survivors = 0
    for one in planted:
        start = time.monotonic()
        reason = broken[one.test] or survives(one)
        refresh(files)
        survivors += bool(reason)
        verdict = f"NOT CAUGHT: {reason}" if reason else "caught"
        print(f"{one.name:48} {time.monotonic() - start:6.0f} s  {verdict}", flush=True)
    print(f"{len(planted) - survivors} of {len(planted)} planted bugs are caught")
    sys.exit(bool(survivors))


if __name__ == "__main__":
    main()
