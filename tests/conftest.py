"""What the tests of the command line share."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import pytest

from tacit import SecretKey

EXAMPLES = Path(__file__).parent.parent / "examples"
ESTABLISHED, LISTENING = "01", "0A"
"""States of sockets in /proc/net/tcp."""

FIRST_PORT = 7821
"""The port of p1, the first of many parties."""

TIME_LIMIT_S = 120
"""No command may take this long, however slow the machine is."""

_counter = itertools.count()

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Commands would inherit that, and tests interrupt them.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the tests that take minutes")
    parser.addoption("--quick", action="store_true", help="leave out the tests that start processes")
    parser.addoption(
        "--whole", action="append", default=[], help="a file or folder that --quick leaves nothing out of"
    )


def starts_processes(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and "tacit" in item.fixturenames


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--quick"):
        whole = [(config.rootpath / path).resolve() for path in config.getoption("--whole")]

        def stays(item: pytest.Item) -> bool:
            return not starts_processes(item) or any(item.path.is_relative_to(path) for path in whole)

        out = [item for item in items if not stays(item)]
        items[:] = filter(stays, items)
        config.hook.pytest_deselected(items=out)
    if config.getoption("--long"):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="takes minutes; runs with --long"))


@dataclass(frozen=True)
class Finished:
    """A command that has ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def outputs(self) -> dict[str, Any]:
        """The one JSON object on stdout of a command that worked."""
        assert self.code == 0, self.stderr
        assert self.stdout.endswith("\n")
        assert self.stdout.count("\n") == 1, self.stdout
        value: dict[str, Any] = json.loads(self.stdout)
        return value

    def failed(self, code: int, *words: str) -> None:
        """Asserts this exit code, nothing on stdout, and one message with these words."""
        assert self.code == code, f"exit code {self.code}:\n{self.stdout}\n{self.stderr}"
        assert self.stdout == ""
        assert "Traceback" not in self.stderr
        assert "panicked" not in self.stderr
        messages = [line for line in self.stderr.splitlines() if line.startswith("tacit: ")]
        assert len(messages) == 1, self.stderr
        for word in words:
            assert word in self.stderr


class Running:
    """A command under way."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def wait(self) -> Finished:
        """Waits for its end."""
        stdout, stderr = self.process.communicate(timeout=TIME_LIMIT_S)
        return Finished(self.process.returncode, stdout or "", stderr)


@dataclass
class Tacit:
    """Runs the command line in a folder."""

    folder: Path
    running: list[Running] = field(default_factory=list)

    def start(
        self,
        *arguments: object,
        stdout: int | IO[str] = subprocess.PIPE,
        environment: Mapping[str, str] | None = None,
    ) -> Running:
        """Starts a command."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tacit", *map(str, arguments)],
            cwd=self.folder,
            env={**os.environ, "PYTHONSAFEPATH": "1", "COLUMNS": "200", **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.running.append(Running(process))
        return self.running[-1]

    def __call__(self, *arguments: object) -> Finished:
        """Runs a command to its end."""
        return self.start(*arguments).wait()

    def write(self, name: str, text: str) -> Path:
        """Writes a file into the folder."""
        path = self.folder / name
        path.write_text(text)
        return path

    def make_keys(self, *names: str) -> None:
        """Writes NAME.key and NAME.pub, the files of `tacit keygen NAME`, without a process for each."""
        for name in names:
            key = SecretKey.generate()
            key.save(str(self.folder / f"{name}.key"))
            key.save_public(str(self.folder / f"{name}.pub"))


@pytest.fixture
def tacit(tmp_path: Path) -> Iterator[Tacit]:
    """The command line in a folder of its own."""
    command = Tacit(tmp_path)
    yield command
    for running in command.running:
        if running.process.poll() is None:
            running.process.kill()
            running.process.communicate()


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Compiles C to a program, once for all tests of a run, also where they run side by side."""
    folder = tmp_path_factory.getbasetemp()
    # Every worker of pytest-xdist has a folder of its own in that of the run.
    shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder

    def compiled_program(text: str) -> Path:
        name = hashlib.sha256(text.encode()).hexdigest()
        program = shared / f"{name}.program"
        if not program.exists():
            source, own = folder / f"{name}.c", folder / name
            source.write_text(text)
            command = [sys.executable, "-m", "tacit", "compile", str(source), "--emit", "program"]
            assert (
                subprocess.run([*command, "-o", str(own)], check=False, timeout=TIME_LIMIT_S).returncode == 0
            )
            own.replace(program)
        return program

    return compiled_program


def loopback() -> str:
    """A loopback address of its own, which keeps tests apart, whichever run side by side.

    Every process, such as a worker of pytest-xdist, has a network of 250 addresses.
    """
    pid = os.getpid()
    return f"127.{1 + (pid >> 8) % 250}.{pid % 256}.{1 + next(_counter) % 250}"


def wait_for_socket(host: str, port: int, state: str) -> None:
    """Waits until a socket at an address is in a state of /proc/net/tcp."""
    address = int.from_bytes(socket.inet_aton(host), sys.byteorder)
    local = f"{address:08X}:{port:04X}"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
        if any(row[1] == local and row[3] == state for row in rows):
            return
        time.sleep(0.05)
    pytest.fail(f"no socket in state {state} at {local}")


@dataclass(frozen=True)
class Parties:
    """Two parties with keys and a session file in one folder."""

    tacit: Tacit
    host: str

    def arguments(self, party: str, program: str | Path, given: str) -> list[str | Path]:
        """The command of one party."""
        return [
            "run", program, "--as", party, "--session", "s.toml", "--key", f"{party}.key", "--input", given,
        ]  # fmt: skip

    def start(self, party: str, program: str | Path, given: str, *more: str | Path) -> Running:
        """Starts one party."""
        return self.tacit.start(*self.arguments(party, program, given), *more)

    def run(self, program: str | Path, a: str, b: str, *more: str | Path) -> tuple[Finished, Finished]:
        """Runs both parties to their ends."""
        first, second = self.start("A", program, a, *more), self.start("B", program, b, *more)
        return first.wait(), second.wait()

    def port(self, party: str) -> int:
        """The port of a party in the session file."""
        return {"A": 7801, "B": 7802}[party]


@pytest.fixture
def parties(tacit: Tacit) -> Callable[..., Parties]:
    """Makes keys and a session file for the parties A and B."""

    def make(timeout_s: float = 30, extra: str = "") -> Parties:
        host = loopback()
        tacit.make_keys("A", "B")
        tacit.write(
            "s.toml",
            f"""[limits]
timeout_s = {timeout_s}
[party.A]
address = "{host}:7801"
key = "A.pub"
[party.B]
address = "{host}:7802"
key = "B.pub"
{extra}""",
        )
        return Parties(tacit, host)

    return make


@dataclass(frozen=True)
class Many:
    """Parties p1, p2 and so on, with keys and a session file in one folder."""

    tacit: Tacit
    names: list[str]
    host: str

    def start(
        self,
        party: str,
        program: str | Path,
        *more: str | Path,
        session: str = "many.toml",
        environment: Mapping[str, str] | None = None,
    ) -> Running:
        """Starts one party."""
        threshold = (len(self.names) - 1) // 2
        own = ["--as", party, "--session", session, "--threshold", threshold]
        return self.tacit.start("run", program, *own, *more, environment=environment)

    def port(self, party: str) -> int:
        """The port of a party in the session file."""
        return FIRST_PORT + self.names.index(party)

    def start_all(self, program: str | Path, *more: str | Path) -> dict[str, Running]:
        """Starts all parties."""
        return {party: self.start(party, program, *more) for party in self.names}


@pytest.fixture
def many(tacit: Tacit) -> Callable[..., Many]:
    """Makes keys and a session file."""

    def make(parties: int = 3, timeout_s: float = 30) -> Many:
        host = loopback()
        names = [f"p{number}" for number in range(1, parties + 1)]
        tables = [f"[limits]\ntimeout_s = {timeout_s}"]
        for number, name in enumerate(names):
            key = SecretKey.generate()
            key.save(str(tacit.folder / f"{name}.key"))
            tables.append(f'[party.{name}]\naddress = "{host}:{FIRST_PORT + number}"\nkey = "{key.public}"')
        tacit.write("many.toml", "\n".join(tables))
        return Many(tacit, names, host)

    return make
