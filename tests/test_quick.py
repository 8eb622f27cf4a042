"""What `make quick` chooses, and what tests share."""

from __future__ import annotations

import runpy
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import EXAMPLES, Tacit, loopback
from tacit import SecretKey

QUICK = runpy.run_path(str(Path(__file__).parent.parent / "tools" / "quick.py"))
Package = QUICK["Package"]
WORKSPACE = {
    "tacit-ot": Package("tacit-ot", "crates/ot", set()),
    "tacit-twoparty": Package("tacit-twoparty", "crates/twoparty", {"tacit-ot"}),
    "tacit-engine": Package("tacit-engine", "crates/engine", {"tacit-ot", "tacit-twoparty"}),
    "tacit-py": Package("tacit-py", "crates/py", {"tacit-engine"}),
}


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["crates/twoparty/src/lib.rs"], {"tacit-twoparty"}),
        (["crates/ot/tests/integration/main.rs", "crates/ot/Cargo.toml"], {"tacit-ot"}),
        (["crates/other/src/lib.rs", "python/tacit/report.py", "crates/ot/README.md"], set()),
        (["Cargo.lock"], set(WORKSPACE)),
    ],
)
def test_packages_of_changed_files(files: list[str], names: set[str]) -> None:
    assert QUICK["changed_packages"](files, WORKSPACE) == names


def test_what_depends_on_changed_packages() -> None:
    assert QUICK["users"]({"tacit-twoparty"}, WORKSPACE) == {"tacit-engine"}
    assert QUICK["all_users"]({"tacit-twoparty"}, WORKSPACE) == {"tacit-engine", "tacit-py"}
    assert QUICK["all_users"]({"tacit-ot", "tacit-engine"}, WORKSPACE) == {"tacit-twoparty", "tacit-py"}
    assert QUICK["all_users"](set(WORKSPACE), WORKSPACE) == set()


def test_python_tests_of_changed_files() -> None:
    assert QUICK["tests_of"](["python/tacit/language/values.py"]) == ["tests/language"]
    assert QUICK["tests_of"](["python/tacit/party_program.py", "python/tacit/report.py"]) == ["tests/parties"]
    assert QUICK["tests_of"](["tests/test_usage.py", "tests/conftest.py", "tests/test_gone.py"]) == [
        "tests/test_usage.py"
    ]


def test_keys_made_here_are_as_those_of_keygen(tacit: Tacit) -> None:
    tacit.make_keys("here")
    assert tacit("keygen", "there").code == 0
    here, there = (tacit.folder / f"{name}.key" for name in ("here", "there"))
    assert stat.S_IMODE(here.stat().st_mode) == stat.S_IMODE(there.stat().st_mode) == 0o600
    public = SecretKey.load(str(here)).public
    assert public in (tacit.folder / "here.pub").read_text()
    assert public not in (tacit.folder / "there.pub").read_text()


def test_workers_have_addresses_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for pid in (4321, 4322):
        monkeypatch.setattr("os.getpid", lambda pid=pid: pid)
        found.append({loopback() for _ in range(200)})
    assert [len(addresses) for addresses in found] == [200, 200]
    assert not found[0] & found[1]


def test_programs_are_compiled_once(compiled: Callable[[str], Path], tacit: Tacit) -> None:
    source = (EXAMPLES / "millionaires.c").read_text()
    program = compiled(source)
    assert compiled(source) == program
    given = ["--input", 'A={"mil": 1}', "--input", 'B={"mil": 2}']
    assert tacit("run", program, "--clear", *given).outputs == {"richer": 0}
