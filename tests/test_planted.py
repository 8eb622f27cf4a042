"""Planted bugs, and the domain that is added in a test, fit the sources as they are.

`make test-planted` runs the tests that planted bugs must fail, `make test-new-domain` those of the domain.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize(
    "patch",
    [*sorted((ROOT / "tests").glob("planted/*.patch")), ROOT / "tests" / "new_domain" / "diff.patch"],
    ids=lambda path: path.stem,
)
def test_a_patch_still_applies(patch: Path) -> None:
    checked = subprocess.run(
        ["git", "apply", "--check", str(patch)], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr
