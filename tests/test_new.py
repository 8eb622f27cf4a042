"""`tacit new`: what it writes works as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import TIME_LIMIT_S, Tacit

GIVEN = ["--input", 'client={"v": [5, 6, 7, 8]}', "--input", 'server={"w": [9, 3, 4, 5]}']


@pytest.fixture
def project(tacit: Tacit) -> Path:
    """A new project, in which the command line then runs."""
    made = tacit("new", "first_try")
    assert (made.code, made.stdout) == (0, "")
    tacit.folder = tacit.folder / "first_try"
    return tacit.folder


def test_its_files(project: Path) -> None:
    names = ["README.md", "driver.py", "first_try.py", "session.toml", "test_first_try.py"]
    assert sorted(path.name for path in project.iterdir()) == names
    assert all("NAME" not in path.read_text() for path in project.iterdir())


def test_its_test_passes(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project,
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST")},
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("how", ["--clear", "--local"])
def test_its_program_runs(tacit: Tacit, how: str) -> None:
    assert tacit("run", "first_try.py:first_try", how, *GIVEN).outputs == {"minimum": 18}


def test_its_session_file_and_driver(tacit: Tacit, project: Path) -> None:
    for name in ("client", "server"):
        assert tacit("keygen", name).code == 0
    # Sockets of this folder in place of ports, which other tests may use.
    text = (project / "session.toml").read_text()
    text = text.replace("localhost:7801", "unix:c").replace("localhost:7802", "unix:s")
    (project / "session.toml").write_text(text)
    given = {"client": '{"v": [5, 6, 7, 8]}', "server": '{"w": [9, 3, 4, 5]}'}
    running = [
        tacit.start(
            "run", "first_try.py:first_try", "--as", name, "--session", "session.toml",
            "--key", f"{name}.key", "--input", given[name],
        )
        for name in given
    ]  # fmt: skip
    assert [each.wait().outputs for each in running] == [{"minimum": 18}, {}]
    done = tacit(
        "bench", "first_try.py:first_try", "--driver", "driver.py", "--repeat", "1", "-o", "runs.jsonl"
    )
    assert done.code == 0, done.stderr
    assert (project / "runs.jsonl").read_text().count("\n") == 3


def test_nothing_is_overwritten(tacit: Tacit) -> None:
    tacit.write("taken", "mine")
    tacit("new", "taken").failed(2, "taken exists already")
    assert (tacit.folder / "taken").read_text() == "mine"
    assert tacit("new", "again").code == 0
    tacit("new", "again").failed(2, "again exists already")


@pytest.mark.parametrize("name", ["2nd", "a-b", "class", "", "a b", "naïve", ".", ".."])
def test_names_that_are_none(tacit: Tacit, name: str) -> None:
    tacit("new", name).failed(2, "a Python identifier")
    assert list(tacit.folder.iterdir()) == []


@pytest.mark.parametrize("name", ["random", "tacit", "driver"])
def test_names_of_modules(tacit: Tacit, name: str) -> None:
    tacit("new", name).failed(2, f"{name}.py would hide")


def test_no_such_place(tacit: Tacit) -> None:
    tacit("new", "none/first_try").failed(2, "No such file")
