"""Serves the page of a run on this machine alone, until the run is over.

Only who knows the address can read it: it has a random port of 127.0.0.1 and a random path. Requests that
name another host are refused, so that no page of the web reaches it by a name of its own. All that a client
can do is to read; how much it can send, how long it can take and how many there can be is bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import secrets
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tacit.watch.board import DONE, FAILED, Board
from tacit.watch.page import HEADERS, page, script

HOST = "127.0.0.1"
TOKEN_BYTES = 24
LONGEST_REQUEST = 8192
REQUEST_S = 5.0
"""How long a client may take to ask, or to read what it was sent."""

CLIENTS = 16
"""How many may be there at one time."""

INTERVAL_S = 0.25
"""How often pages are told the state of the run."""

END_S = 1.0
"""How long the end of the run waits for pages to be told of it."""


@contextmanager
def watching(wanted: bool, program: str) -> Iterator[Board | None]:
    """What a run tells how far it is, if that is to be shown on a page."""
    if not wanted:
        yield None
        return
    board = Board(program)
    server = Server(board)
    sys.stderr.write(f"tacit: watch this run at {server.address}\n")
    sys.stderr.flush()
    state = FAILED
    try:
        yield board
        state = DONE
    finally:
        board.finish(state)
        server.close()


class Server:
    """A server on a thread of its own."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._socket = socket.create_server((HOST, 0), backlog=CLIENTS)
        self._port = self._socket.getsockname()[1]
        self._root = f"/{secrets.token_urlsafe(TOKEN_BYTES)}/"
        self._clients = 0
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="tacit watch", daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self._port}{self._root}"

    def close(self) -> None:
        """Tells open pages the last state, and ends."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(2 * END_S)

    def _run(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        tasks: set[asyncio.Task[None]] = set()

        def arrived(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.get_running_loop().create_task(self._attend(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(arrived, sock=self._socket, limit=LONGEST_REQUEST)
        await self._over.wait()
        server.close()
        if tasks:
            _, late = await asyncio.wait(set(tasks), timeout=END_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers one request."""
        self._clients += 1
        try:
            if self._clients <= CLIENTS:
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), REQUEST_S)
                await self._answer(head, writer)
                writer.close()
                await asyncio.wait_for(writer.wait_closed(), REQUEST_S)
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError, asyncio.TimeoutError):
            pass  # A client that is gone, late, or not speaking HTTP gets no answer.
        finally:
            self._clients -= 1
            writer.transport.abort()

    async def _answer(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        lines = head.decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ")
        hosts = [value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
                 if name.lower() == "host"]  # fmt: skip
        if hosts != [f"{HOST}:{self._port}"]:
            return await self._send(
                writer, "421 Misdirected Request", "text/plain", "another host is meant\n"
            )
        file = self._file(path)
        if file is None:
            return await self._send(writer, "404 Not Found", "text/plain", "there is nothing here\n")
        if method != "GET":
            return await self._send(writer, "405 Method Not Allowed", "text/plain", "only GET is allowed\n")
        if file == "events":
            return await self._events(writer)
        if file == "page.js":
            return await self._send(writer, "200 OK", "text/javascript", script())
        return await self._send(writer, "200 OK", "text/html", page())

    def _file(self, path: str) -> str | None:
        """What is asked for by someone who knows the path; None for all others."""
        root, file = path[: len(self._root)], path[len(self._root) :]
        known = hmac.compare_digest(root.encode("latin-1"), self._root.encode())
        return file if known and file in ("", "page.js", "events") else None

    async def _send(self, writer: asyncio.StreamWriter, status: str, kind: str, body: str) -> None:
        encoded = body.encode()
        await _write(writer, _head(status, kind, f"Content-Length: {len(encoded)}\r\n") + encoded)

    async def _events(self, writer: asyncio.StreamWriter) -> None:
        """The state of the run, again and again, and once more at its end."""
        await _write(writer, _head("200 OK", "text/event-stream"))
        while not self._over.is_set():
            await _write(writer, self._state())
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._over.wait(), INTERVAL_S)
        await _write(writer, self._state())

    def _state(self) -> bytes:
        return b"data: " + json.dumps(self._board.snapshot()).encode() + b"\n\n"


def _head(status: str, kind: str, more: str = "") -> bytes:
    fields = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\n{fields}{more}\r\n".encode()


async def _write(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await asyncio.wait_for(writer.drain(), REQUEST_S)
