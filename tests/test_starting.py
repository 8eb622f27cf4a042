"""What the import of the package does: Ctrl-C in between, and what is left for later."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

INTERRUPTING = """
import os, signal, sys

class AtNativeModule:
    def find_spec(self, name, path=None, target=None):
        if name == "tacit._native":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, {handler})
sys.meta_path.insert(0, AtNativeModule())
"""
"""Interrupts the process when it begins to import the native module."""


def interrupted(
    folder: Path, *arguments: str, handler: str = "signal.default_int_handler"
) -> subprocess.CompletedProcess[str]:
    (folder / "sitecustomize.py").write_text(INTERRUPTING.format(handler=handler))
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("way", ["-m", "script"])
def test_the_command_ends_quietly(tmp_path: Path, way: str) -> None:
    script = tmp_path / "tacit"
    script.write_text("from tacit.__main__ import main\nmain()\n")
    ended = interrupted(tmp_path, *(["-m", "tacit"] if way == "-m" else [str(script)]), "--version")
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "tacit: interrupted\n")


def test_what_is_ignored_stays_ignored(tmp_path: Path) -> None:
    ended = interrupted(tmp_path, "-m", "tacit", "--version", handler="signal.SIG_IGN")
    assert ended.returncode == 0
    assert ended.stdout.startswith("tacit ")


@pytest.mark.parametrize("arguments", [["-c", "import tacit"], ["-m", "tacit.bench", "nothing"]])
def test_programs_that_import_the_package_keep_their_own_way(tmp_path: Path, arguments: list[str]) -> None:
    ended = interrupted(tmp_path, *arguments)
    assert ended.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in ended.stderr


def test_what_few_programs_need_is_imported_when_it_is_used() -> None:
    code = "import sys, tacit; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(ran.stdout.split())
    libraries = {"asyncio", "concurrent.futures", "csv", "logging"}
    language = {"tacit.language.columns", "tacit.language.elementary"}
    others = {"tacit.sessions.session", "tacit.table_files", "tacit.tables"}
    assert not loaded & (libraries | language | others)
