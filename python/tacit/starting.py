"""How the command `tacit` begins: Ctrl-C ends it quietly, also while its modules are still being imported.

Importing this module sees to it. Programs that import the package keep their own way. The module imports
nothing that Python has not loaded by then, since all that it would import comes too early.
"""

from __future__ import annotations

import _signal as signal  # The module `signal` around it takes long to import.
import os
import sys

INTERRUPTED = 130
"""The exit code, as `tacit.exit_codes` has it."""


def _is_command() -> bool:
    """Whether this process is the command: `tacit …`, or `python -m tacit …`, whose `argv` is set later."""
    if sys.argv[:1] == ["-m"]:
        following = sys.orig_argv[sys.orig_argv.index("-m") + 1 :] if "-m" in sys.orig_argv else []
        return following[:1] == ["tacit"]
    return os.path.basename("".join(sys.argv[:1])) == "tacit"  # noqa: PTH119 - pathlib takes long to import


def _end(_signal: int, _frame: object) -> None:
    """Ends the process, in which nothing has begun yet."""
    os.write(2, b"tacit: interrupted\n")
    os._exit(INTERRUPTED)


def _begin() -> None:
    """Has Ctrl-C end the process at once, if it is the command, and nobody has said otherwise."""
    if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def begun() -> None:
    """Has Ctrl-C raise `KeyboardInterrupt` again, for what has begun must end in order."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


_begin()
