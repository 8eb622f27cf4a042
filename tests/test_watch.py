"""The page of a run in progress: what is on it, who can read it, and that it ends with the run."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from conftest import EXAMPLES, Many, Parties, Running, Tacit
from tacit.watch.board import Board
from tacit.watch.server import CLIENTS, LONGEST_REQUEST, Server, watching

MILLIONAIRES = EXAMPLES / "millionaires.c"
SECRETS = ("48163297", "77120034")
"""Inputs that must not turn up on the page."""

MANY = f"""
import asyncio

async def main(rt):
    x = rt.share_by_all({SECRETS[0]})
    await asyncio.sleep(1)
    return await rt.open(x[0] < x[1])
"""


@pytest.fixture
def board() -> Board:
    made = Board("auction.c")
    made.begin("auction", ["alice", "bob"])
    return made


@pytest.fixture
def server(board: Board) -> Iterator[Server]:
    served = Server(board)
    yield served
    served.close()


def asked(
    server: Server, path: str | None = None, method: str = "GET", host: str | None = None
) -> tuple[int, str, http.client.HTTPMessage]:
    """What a server answers."""
    at = urlsplit(server.address)
    assert at.port is not None
    connection = http.client.HTTPConnection("127.0.0.1", at.port, timeout=10)
    connection.request(method, path or at.path, headers={"Host": host or at.netloc})
    answer = connection.getresponse()
    found = answer.status, answer.read().decode(), answer.headers
    connection.close()
    return found


def states(stream: socket.socket) -> Iterator[dict[str, Any]]:
    """The states that a server tells on a stream, to its end."""
    with stream.makefile("rb") as lines:
        for line in lines:
            if line.startswith(b"data: "):
                yield json.loads(line[6:])


def stream(address: str) -> socket.socket:
    """Follows the events of a page."""
    at = urlsplit(address)
    assert at.hostname is not None
    assert at.port is not None
    connected = socket.create_connection((at.hostname, at.port), timeout=30)
    connected.sendall(f"GET {at.path}events HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n".encode())
    return connected


def test_phases_end_when_the_next_begins(board: Board) -> None:
    board.progress("analysis", 5, 10)
    board.progress("setup", 0, 0)
    board.traffic("alice", "setup", 30, 10, 80)
    board.traffic("bob", "setup", 10, 30, 80)
    analysis, setup, online = board.snapshot()["phases"]
    assert (analysis["state"], setup["state"], online["state"]) == ("done", "running", "waiting")
    # Without ANDs, bytes tell how far it is; each is counted once, though both of its ends are here.
    assert (setup["done"], setup["total"], setup["bytes"], setup["predicted_bytes"]) == (40, 80, 40, 80)
    assert board.snapshot()["parties"][1] == {"name": "bob", "sent": 10, "received": 30}


def test_one_party_counts_what_it_sends_and_receives() -> None:
    board = Board("auction.c")
    board.begin("auction", ["alice"])
    board.traffic("alice", "online", 30, 10, 100)
    board.progress("online", 3, 4)
    online = board.snapshot()["phases"][2]
    assert (online["done"], online["total"], online["bytes"], online["predicted_bytes"]) == (3, 4, 40, 100)


@pytest.mark.parametrize(("end", "state"), [("done", "done"), ("failed", "failed")])
def test_the_end_is_told(board: Board, end: str, state: str) -> None:
    board.progress("online", 1, 2)
    board.finish(end)
    told = board.snapshot()
    assert told["state"] == state
    assert [phase["state"] for phase in told["phases"]][2] == state
    assert board.snapshot()["seconds"] == told["seconds"]


def test_the_rate_is_that_of_late(board: Board) -> None:
    assert board.snapshot()["bytes_per_second"] is None
    board.traffic("alice", "online", 0, 0, 0)
    time.sleep(0.02)
    board.traffic("alice", "online", 1000, 1000, 0)
    assert 0 < board.snapshot()["bytes_per_second"] <= 1000 / 0.02


def test_the_page_loads_nothing_from_elsewhere(server: Server) -> None:
    status, page, headers = asked(server)
    assert status == 200
    script_status, script, _ = asked(server, urlsplit(server.address).path + "page.js")
    assert script_status == 200
    for text in (page, script):
        assert re.findall(r"https?://", text) == []
    assert "innerHTML" not in script
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; connect-src 'self';")
    assert "frame-ancestors 'none'" in policy
    for name, value in (
        ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ):
        assert headers[name] == value


def test_who_does_not_know_the_path_finds_nothing(server: Server) -> None:
    own = urlsplit(server.address).path
    assert len(own) > 30
    another = "-/" if own[-2] == "_" else "_/"
    for path in ("/", "/events", "/page.js", own[:-1], own + "other", own[:-2] + another, own + "../events"):
        assert asked(server, path)[:2] == (404, "there is nothing here\n"), path


def test_addresses_are_of_this_machine_and_of_one_run(server: Server, board: Board) -> None:
    at = urlsplit(server.address)
    assert (at.scheme, at.hostname) == ("http", "127.0.0.1")
    other = Server(board)
    assert urlsplit(other.address).path != at.path
    other.close()


@pytest.mark.parametrize("host", ["evil.example", "localhost", "127.0.0.1", "127.0.0.1:1"])
def test_requests_for_another_host_are_refused(server: Server, host: str) -> None:
    assert asked(server, host=host)[0] == 421


def test_a_sentnames_one_host(server: Server) -> None:
    at = urlsplit(server.address)
    for hosts in ("", f"Host: {at.netloc}\r\nHost: {at.netloc}\r\n"):
        with socket.create_connection((at.hostname or "", at.port or 0), timeout=10) as client:
            client.sendall(f"GET {at.path} HTTP/1.1\r\n{hosts}\r\n".encode())
            assert client.recv(64).startswith(b"HTTP/1.1 421 ")


def test_only_reading_is_allowed(server: Server) -> None:
    assert asked(server, method="POST")[0] == 405


@pytest.mark.parametrize(
    "sent", [b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01" * 10 + b"\r\n\r\n", b"G" * 2 * LONGEST_REQUEST]
)
def test_what_is_no_sentgets_no_answer(server: Server, sent: bytes) -> None:
    at = urlsplit(server.address)
    with socket.create_connection((at.hostname or "", at.port or 0), timeout=10) as client:
        client.sendall(sent)
        with contextlib.suppress(ConnectionResetError):
            assert client.recv(64) == b""
    assert asked(server)[0] == 200


def test_there_are_so_many_clients_at_most(server: Server) -> None:
    followed = [stream(server.address) for _ in range(CLIENTS)]
    assert all(next(states(each)) for each in followed)
    with stream(server.address) as late, contextlib.suppress(ConnectionResetError):
        assert late.recv(64) == b""
    for each in followed:
        each.close()


def test_a_client_that_does_not_read_holds_up_nothing(board: Board) -> None:
    server = Server(board)
    stalled = [stream(server.address) for _ in range(3)]
    began = time.monotonic()
    server.close()
    assert time.monotonic() - began < 10
    for each in stalled:
        each.close()


def test_pages_learn_the_end_and_the_server_is_gone() -> None:
    with watching(True, "auction.c") as board:
        assert board is not None
        server_address = _addresses_of_this_process()
        assert server_address
    assert _addresses_of_this_process() == []


def test_nothing_is_served_unless_asked() -> None:
    with watching(False, "auction.c") as board:
        assert board is None


def _addresses_of_this_process() -> list[str]:
    """Threads that serve a page."""
    return [thread.name for thread in threading.enumerate() if thread.name == "tacit watch"]


def address_of(run: Running) -> str:
    """The address that a command prints at its beginning."""
    assert run.process.stderr is not None
    line = run.process.stderr.readline()
    found = re.fullmatch(r"tacit: watch this run at (http://127\.0\.0\.1:\d+/[\w-]{32}/)\n", line)
    assert found, line
    return found[1]


def followed(run: Running) -> list[dict[str, Any]]:
    """The states of a command's page, from its beginning to its end."""
    with stream(address_of(run)) as events:
        return list(states(events))


def nothing_secret(seen: list[dict[str, Any]], folder: Path) -> None:
    text = json.dumps(seen)
    for secret in (*SECRETS, "richer", str(folder), "key"):
        assert secret not in text


def test_a_run_on_this_machine(tacit: Tacit) -> None:
    given = [f'A={{"mil": {SECRETS[0]}}}', f'B={{"mil": {SECRETS[1]}}}']
    run = tacit.start("run", MILLIONAIRES, "--local", "--watch", "--input", given[0], "--input", given[1])
    seen = followed(run)
    assert run.wait().outputs == {"richer": 0}
    first, last = seen[0], seen[-1]
    assert (first["program"], first["state"]) == ("millionaires.c", "running")
    assert (last["program"], last["state"]) == ("millionaires", "done")
    assert [phase["state"] for phase in last["phases"]] == ["done"] * 3
    assert [party["name"] for party in last["parties"]] == ["A", "B"]
    assert last["parties"][0]["sent"] > 0
    assert last["phases"][2]["bytes"] >= last["phases"][2]["predicted_bytes"] > 0
    nothing_secret(seen, tacit.folder)


def test_a_failed_run(tacit: Tacit) -> None:
    given = ["--input", 'A={"mil": 48163297771200340}', "--input", 'B={"mil": 1}']
    run = tacit.start("run", MILLIONAIRES, "--local", "--watch", *given)
    seen = followed(run)
    assert run.wait().code == 4
    assert seen[-1]["state"] == "failed"
    nothing_secret(seen, tacit.folder)


def test_a_party_of_a_session(parties: Callable[..., Parties]) -> None:
    between = parties()
    given = [f'{{"mil": {secret}}}' for secret in SECRETS]
    a = between.start("A", MILLIONAIRES, given[0], "--watch")
    b = between.start("B", MILLIONAIRES, given[1])
    seen = followed(a)
    assert a.wait().code == b.wait().code == 0
    assert [party["name"] for party in seen[-1]["parties"]] == ["A"]
    assert seen[-1]["state"] == "done"
    assert seen[-1]["parties"][0]["received"] > 0
    nothing_secret(seen, between.tacit.folder)


def test_three_parties(many: Callable[..., Many]) -> None:
    between = many()
    program = between.tacit.write("program.py", MANY)
    first = between.start("p1", program, "--watch")
    others = [between.start(party, program) for party in ("p2", "p3")]
    seen = followed(first)
    assert [run.wait().code for run in (first, *others)] == [0, 0, 0]
    last = seen[-1]
    assert [party["name"] for party in last["parties"]] == ["p1"]
    assert last["parties"][0]["sent"] > 0
    assert last["phases"][2]["state"] == "done"
    nothing_secret(seen, between.tacit.folder)


def test_three_parties_here(tacit: Tacit) -> None:
    given = ["--input", 'A={"mil": 48163297}', "--input", 'B={"mil": 1}']
    run = tacit.start("run", MILLIONAIRES, "--local", "--parties", 3, "--watch", *given)
    seen = followed(run)
    assert run.wait().outputs == {"richer": 1}
    assert [party["name"] for party in seen[-1]["parties"]] == ["p1", "p2", "p3"]
    assert seen[-1]["parties"][2]["sent"] > 0
    nothing_secret(seen, tacit.folder)


def test_there_is_nothing_to_watch_in_the_clear(tacit: Tacit) -> None:
    tacit("run", MILLIONAIRES, "--clear", "--watch").failed(2, "--watch cannot be used with --clear")
