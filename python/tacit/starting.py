"""The start of the command `tacit`: Ctrl-C ends it quietly, even while its modules are being imported.

Importing this module sets this up. Programs that import the package are not affected. The module only imports
what Python has already loaded, because Ctrl-C is not handled before its imports are done.
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
    """Ends the process, which has not started anything yet."""
    os.write(2, b"tacit: interrupted\n")
    os._exit(INTERRUPTED)


def _begin() -> None:
    """Lets Ctrl-C end the process at once, if it is the command and no other handler is set."""
    if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def begun() -> None:
    """Lets Ctrl-C raise `KeyboardInterrupt` again, so that everything that has started ends in order."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


_begin()
