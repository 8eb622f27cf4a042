"""What goes wrong between two parties: a clear error in time, no output, the documented exit code."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from conftest import (
    ESTABLISHED,
    EXAMPLES,
    LISTENING,
    Finished,
    Parties,
    Running,
    Tacit,
    wait_for_socket,
)

MILLIONAIRES = EXAMPLES / "millionaires.c"

# Some 200 000 ANDs; over the slow link they take half a minute.
LONG = """
void grind(unsigned INPUT_A_x, unsigned INPUT_B_y)
{
    unsigned OUTPUT_z = INPUT_A_x;
    for (int i = 0; i < 400; i++)
        OUTPUT_z = OUTPUT_z * INPUT_B_y + INPUT_A_x;
}
"""
SLOW = ("--net", "2mbit,20ms")
MODES = pytest.mark.parametrize("mode", ["precomputed", "streamed"])

PEER, ABORT, INTERRUPTED = 5, 6, 130


def unreliable(finished: Finished, *words: str) -> None:
    """Asserts that a run failed for its peer: with an error of the network or of the protocol."""
    finished.failed(finished.code if finished.code in (PEER, ABORT) else PEER, *words)


def long_run(
    parties: Callable[..., Parties], program: Path, mode: str, timeout_s: float = 10
) -> tuple[Running, Running]:
    """Both parties in the middle of a run that takes long."""
    made = parties(timeout_s=timeout_s)
    first = made.start("A", program, '{"x": 3}', "--mode", mode, *SLOW)
    second = made.start("B", program, '{"y": 5}', "--mode", mode, *SLOW)
    wait_for_socket(made.host, made.port("A"), ESTABLISHED)
    time.sleep(1)
    assert first.process.poll() is None
    assert second.process.poll() is None
    return first, second


@contextmanager
def listening(host: str, port: int, behave: Callable[[socket.socket], None]) -> Iterator[None]:
    """A server in the place of a party."""
    with socket.create_server((host, port)) as server:
        server.settimeout(30)
        held = []

        def serve() -> None:
            try:
                while True:
                    connection, _ = server.accept()
                    connection.settimeout(30)
                    held.append(connection)
                    behave(connection)
            except OSError:
                return

        threading.Thread(target=serve, daemon=True).start()
        yield
        for connection in held:
            connection.close()


def dial(host: str, port: int) -> socket.socket:
    """A connection to a party that is about to listen."""
    deadline = time.monotonic() + 20
    while True:
        try:
            return socket.create_connection((host, port), timeout=5)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@pytest.mark.parametrize("party", ["A", "B"])
def test_peer_absent(parties: Callable[..., Parties], party: str) -> None:
    made = parties(timeout_s=2)
    made.start(party, MILLIONAIRES, '{"mil": 1}').wait().failed(PEER, "B" if party == "A" else "A")


@pytest.mark.parametrize("party", ["A", "B"])
def test_silent_from_the_start(parties: Callable[..., Parties], party: str) -> None:
    made = parties(timeout_s=2)
    peer = "B" if party == "A" else "A"
    with listening(made.host, made.port(peer), lambda _: None):
        running = made.start(party, MILLIONAIRES, '{"mil": 1}')
        if party == "A":
            with dial(made.host, made.port("A")):
                running.wait().failed(PEER, "B")
        else:
            running.wait().failed(PEER, "A")


@pytest.mark.parametrize("party", ["A", "B"])
def test_garbage_from_the_start(parties: Callable[..., Parties], party: str) -> None:
    made = parties(timeout_s=3)
    peer = "B" if party == "A" else "A"
    garbage = secrets.token_bytes(100_000)

    def send(connection: socket.socket) -> None:
        connection.sendall(garbage)

    with listening(made.host, made.port(peer), send):
        running = made.start(party, MILLIONAIRES, '{"mil": 1}')
        if party == "A":
            with dial(made.host, made.port("A")) as connection:
                with suppress(OSError):
                    connection.sendall(garbage)
                unreliable(running.wait())
        else:
            unreliable(running.wait())


@pytest.mark.parametrize("side", ["A", "B"])
def test_a_key_that_the_peer_does_not_expect(parties: Callable[..., Parties], side: str) -> None:
    made = parties(timeout_s=8)
    folder = made.tacit.folder
    made.tacit.make_keys("other")
    text = (folder / "s.toml").read_text()
    (folder / "t.toml").write_text(text.replace(f'"{side}.pub"', '"other.pub"'))
    (folder / f"{side}.key").replace(folder / "true.key")
    (folder / "other.key").replace(folder / f"{side}.key")
    honest = "B" if side == "A" else "A"
    impostor = made.tacit.start(
        "run",
        MILLIONAIRES,
        "--as",
        side,
        "--session",
        "t.toml",
        "--key",
        f"{side}.key",
        "--input",
        '{"mil": 1}',
    )
    made.start(honest, MILLIONAIRES, '{"mil": 2}').wait().failed(PEER, side)
    impostor.wait().failed(PEER, honest)


def test_different_programs(parties: Callable[..., Parties], tacit: Tacit) -> None:
    made = parties(timeout_s=10)
    source = MILLIONAIRES.read_text()
    tacit.write("one.c", source)
    tacit.write("two.c", source.replace(">", "<"))
    assert ">" in source
    first, second = made.start("A", "one.c", '{"mil": 1}'), made.start("B", "two.c", '{"mil": 2}')
    # Both compilers are named, since a program differs also where only they do.
    for running, peer in ((first, "B"), (second, "A")):
        finished = running.wait()
        finished.failed(PEER, peer, "program")
        assert finished.stderr.count("made by clang version") == 2


def test_different_modes(parties: Callable[..., Parties]) -> None:
    made = parties(timeout_s=10)
    first = made.start("A", MILLIONAIRES, '{"mil": 1}', "--mode", "streamed")
    second = made.start("B", MILLIONAIRES, '{"mil": 2}', "--mode", "precomputed")
    first.wait().failed(PEER, "streamed", "precomputed")
    second.wait().failed(PEER, "streamed", "precomputed")


def test_different_garbling(parties: Callable[..., Parties]) -> None:
    made = parties(timeout_s=10)
    folder = made.tacit.folder
    first = made.start("A", MILLIONAIRES, '{"mil": 1}', "--garbling", "half-gates")
    text = (folder / "s.toml").read_text() + '[security]\ngarbling = "three-halves"\n'
    (folder / "t.toml").write_text(text)
    second = made.tacit.start(
        "run", MILLIONAIRES, "--as", "B", "--session", "t.toml", "--key", "B.key", "--input", '{"mil": 2}'
    )
    first.wait().failed(PEER, "half-gates", "three-halves")
    second.wait().failed(PEER, "half-gates", "three-halves")


def test_different_planned_links(parties: Callable[..., Parties]) -> None:
    made = parties(timeout_s=10)
    folder = made.tacit.folder
    first = made.start("A", MILLIONAIRES, '{"mil": 1}', "--planned-link", "lan")
    (folder / "t.toml").write_text((folder / "s.toml").read_text() + '[link]\nplanned = "70mbit,85ms"\n')
    second = made.tacit.start(
        "run", MILLIONAIRES, "--as", "B", "--session", "t.toml", "--key", "B.key", "--input", '{"mil": 2}'
    )
    for running in (first, second):
        running.wait().failed(PEER, "planned link", "1000 Mbit/s, 0.25 ms", "70 Mbit/s, 85 ms")


def test_different_parameters(parties: Callable[..., Parties]) -> None:
    made = parties(timeout_s=10)
    folder = made.tacit.folder
    first = made.start("A", MILLIONAIRES, '{"mil": 1}')
    (folder / "t.toml").write_text((folder / "s.toml").read_text() + "[security]\nsoftspoken_k = 8\n")
    second = made.tacit.start(
        "run", MILLIONAIRES, "--as", "B", "--session", "t.toml", "--key", "B.key", "--input", '{"mil": 2}'
    )
    first.wait().failed(PEER, "B", "security")
    second.wait().failed(PEER, "A", "security")


def test_different_security_levels(parties: Callable[..., Parties]) -> None:
    made = parties(timeout_s=10)
    first = made.start("A", MILLIONAIRES, '{"mil": 1}')
    second = made.start("B", MILLIONAIRES, '{"mil": 2}', "--security", "medium")
    first.wait().failed(PEER, "security parameters", "level long", "level medium")
    second.wait().failed(PEER, "security parameters", "level long", "level medium")


@MODES
@pytest.mark.parametrize("victim", ["A", "B"])
def test_peer_killed_in_mid_protocol(
    parties: Callable[..., Parties], compiled: Callable[[str], Path], mode: str, victim: str
) -> None:
    first, second = long_run(parties, compiled(LONG), mode)
    killed, left = (first, second) if victim == "A" else (second, first)
    killed.process.kill()
    left.wait().failed(PEER, victim)


@MODES
@pytest.mark.parametrize("victim", ["A", "B"])
def test_peer_silent_in_mid_protocol(
    parties: Callable[..., Parties], compiled: Callable[[str], Path], mode: str, victim: str
) -> None:
    first, second = long_run(parties, compiled(LONG), mode, timeout_s=8)
    stopped, left = (first, second) if victim == "A" else (second, first)
    stopped.process.send_signal(signal.SIGSTOP)
    try:
        left.wait().failed(PEER, victim)
    finally:
        stopped.process.kill()


@MODES
@pytest.mark.parametrize("party", ["A", "B"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_ends_both_parties(
    parties: Callable[..., Parties], compiled: Callable[[str], Path], mode: str, party: str, number: int
) -> None:
    first, second = long_run(parties, compiled(LONG), mode, timeout_s=20)
    interrupted, left = (first, second) if party == "A" else (second, first)
    interrupted.process.send_signal(number)
    interrupted.wait().failed(INTERRUPTED, "interrupted")
    # The word that the party gives up may be lost behind data on the slow link; then it is simply gone.
    unreliable(left.wait(), party)


def test_interruption_while_waiting_for_the_peer(parties: Callable[..., Parties]) -> None:
    made = parties(timeout_s=60)
    running = made.start("A", MILLIONAIRES, '{"mil": 1}')
    wait_for_socket(made.host, made.port("A"), LISTENING)
    running.process.send_signal(signal.SIGINT)
    running.wait().failed(INTERRUPTED, "interrupted")


def test_an_address_in_use(parties: Callable[..., Parties]) -> None:
    made = parties(timeout_s=3)
    with socket.create_server((made.host, made.port("A"))):
        finished = made.start("A", MILLIONAIRES, '{"mil": 1}').wait()
    finished.failed(2, f"{made.host}:7801")


def test_a_closed_stdout_is_no_crash(tacit: Tacit) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        running = tacit.start(
            "run",
            MILLIONAIRES,
            "--clear",
            "--input",
            'A={"mil": 1}',
            "--input",
            'B={"mil": 1}',
            stdout=closed,
        )
    finished = running.wait()
    assert finished.code == 1
    assert "Traceback" not in finished.stderr
