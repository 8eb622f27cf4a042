"""Names of tasks: every asyncio task of a session has a name, which is the same at all parties.

A task is named after the coroutines that led to it: `main/bid[2]` is the third task that `main` started with
a coroutine `bid`. So the name does not depend on when tasks run, nor on what other libraries start meanwhile.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from contextvars import Context, ContextVar, copy_context
from typing import Any, ClassVar, Protocol
from weakref import WeakKeyDictionary

from tacit._native import ProgramError

ROOT = "main"
"""The name of the task that enters a session."""

MAX_NAME = 200
"""The maximum length of a task's name; in longer ones, a hash replaces the middle."""


class Path:
    """The name of a task, and the tasks that it has started."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._started: Counter[str] = Counter()

    def fork(self, coroutine: str) -> Path:
        """The path of a task that this one starts."""
        number = self._started[coroutine]
        self._started[coroutine] += 1
        return Path(f"{self.name}/{coroutine}[{number}]")

    def shown(self) -> str:
        """The name; a long one with a hash in place of its middle."""
        if len(self.name) <= MAX_NAME:
            return self.name
        half = MAX_NAME // 2
        digest = hashlib.sha256(self.name.encode()).hexdigest()[:16]
        return f"{self.name[:half]}…{digest}…{self.name[-half:]}"


class Owner(Protocol):
    """A session whose tasks have names."""

    def task_ended(self, path: Path) -> None:
        """Called when a task has ended."""


_PATHS: ContextVar[Mapping[Owner, Path]] = ContextVar("tacit_paths")


CURRENT = _PATHS.get
"""Returns the same object as long as the same task runs; fails in tasks without names."""


def path_of(owner: Owner) -> Path:
    """The path of the running task."""
    path = _PATHS.get({}).get(owner)
    if path is None:
        raise ProgramError(
            "this task does not belong to the session; start tasks within `async with` of the session"
        )
    return path


def enter(owner: Owner) -> None:
    """Makes the running task the first of a session, and names the tasks that it starts."""
    _PATHS.set({**_PATHS.get({}), owner: Path(ROOT)})
    _Forking.on(asyncio.get_running_loop()).users += 1


def leave(owner: Owner) -> None:
    """Ends what `enter` began."""
    _PATHS.set({other: path for other, path in _PATHS.get({}).items() if other is not owner})
    loop = asyncio.get_running_loop()
    forking = _Forking.on(loop)
    forking.users -= 1
    if forking.users == 0:
        forking.remove(loop)


class _Forking:
    """A task factory that names tasks, around the one that the event loop had before."""

    _installed: ClassVar[WeakKeyDictionary[asyncio.AbstractEventLoop, _Forking]] = WeakKeyDictionary()

    def __init__(self, before: Callable[..., Any] | None) -> None:
        self.before = before
        self.users = 0

    @classmethod
    def on(cls, loop: asyncio.AbstractEventLoop) -> _Forking:
        """The task factory of an event loop."""
        found = cls._installed.get(loop)
        if found is None:
            found = cls._installed[loop] = cls(loop.get_task_factory())
            loop.set_task_factory(found)
        return found

    def remove(self, loop: asyncio.AbstractEventLoop) -> None:
        """Restores the event loop's own factory."""
        if loop.get_task_factory() is self:
            loop.set_task_factory(self.before)
        self._installed.pop(loop, None)

    def __call__(self, loop: asyncio.AbstractEventLoop, coro: Any, **terms: Any) -> Any:
        paths = _PATHS.get({})
        if not paths:
            return self._made(loop, coro, **terms)
        name = getattr(coro, "__qualname__", type(coro).__qualname__)
        forked = {owner: path.fork(name) for owner, path in paths.items()}
        given: Context | None = terms.get("context")
        context = copy_context() if given is None else given.copy()
        context.run(_PATHS.set, forked)
        if given is not None:
            terms["context"] = context
        task = context.run(self._made, loop, coro, **terms)
        for owner, path in forked.items():
            task.add_done_callback(_ending(owner, path))
        return task

    def _made(self, loop: asyncio.AbstractEventLoop, coro: Any, **terms: Any) -> Any:
        if self.before is None:
            return asyncio.Task(coro, loop=loop, **terms)
        return self.before(loop, coro, **terms)


def _ending(owner: Owner, path: Path) -> Callable[[Any], None]:
    def ended(_: Any) -> None:
        owner.task_ended(path)

    return ended
