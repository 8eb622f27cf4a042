"""Adds a domain to a copy of the sources, by the patch in `tests/new_domain`, and runs its tests there.

The patch shows what a new domain takes: files of its own, and a line or two in each of the lists of
domains. Its header names the tests that must pass with it. More files touched than `MOST` are a failure too.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

from planted import COPY, ROOT, refresh, run, sources

PATCH = ROOT / "tests" / "new_domain" / "diff.patch"
MOST = 5
"""Files that a domain may touch besides its own and tests."""


def touched(patch: str) -> list[str]:
    """The files that a patch changes and that are there without it."""
    changed = re.findall(r"^--- a/(\S+)$", patch, re.MULTILINE)
    return [name for name in changed if "/tests/" not in name]


def main() -> None:
    """Exits with 1 where the domain can't be added so, or its tests fail."""
    patch = PATCH.read_text()
    COPY.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet"], cwd=COPY, check=True)
    files = sources()
    refresh(files)
    added = re.findall(r"^\+\+\+ b/(\S+)$", patch, re.MULTILINE)
    try:
        steps = [["git", "apply", "--whitespace=nowarn", str(PATCH)]]
        steps += [shlex.split(test) for test in re.findall(r"^Test: (.+)$", patch, re.MULTILINE)]
        for step in steps:
            ended = run(step)
            if ended.returncode:
                sys.exit(f"{shlex.join(step)} failed:\n{ended.stdout}")
            print("\n".join(re.findall(r"^test result: .*$", ended.stdout, re.MULTILINE)), flush=True)
    finally:
        for name in set(added) - set(files):
            (COPY / name).unlink(missing_ok=True)
        refresh(files)
    lists = touched(patch)
    print(f"a domain touches {len(lists)} files besides its own: {', '.join(lists)}")
    sys.exit(len(lists) > MOST)


if __name__ == "__main__":
    main()
