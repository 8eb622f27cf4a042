"""Names from a user's Python file."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from tacit import UsageError

_OWN = Path(__file__).resolve().parents[1]
"""The folder of this package, whose frames are left out of tracebacks for users."""


_LOADED: dict[tuple[Path, int, int], ModuleType] = {}
"""The modules of files that were run, by the file's identity and version."""


def split_name(spec: str) -> tuple[Path, str | None]:
    """The file and the name of `app.py:closest`; of `app.py`, no name."""
    file, colon, name = spec.rpartition(":")
    if colon and file.endswith(".py") and name.isidentifier():
        return Path(file), name
    return Path(spec), None


def load_name(path: Path, name: str) -> object:
    """The object with this name in the file. Runs the file, and shows the user what it raises."""
    module = load_module(path)
    try:
        found: object = getattr(module, name)
    except AttributeError:
        raise UsageError(f"{path} has no {name}") from None
    return found


def load_module(path: Path) -> ModuleType:
    """Runs the file. Like a script, it can import the modules beside it.

    A file is run again only if it has changed.
    """
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    state = path.stat()
    version = (path.resolve(), state.st_mtime_ns, state.st_size)
    if version not in _LOADED:
        _LOADED[version] = _run(path)
    return _LOADED[version]


def _run(path: Path) -> ModuleType:
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{path}: {type(error).__name__}: {error}") from error
    return module


def user_traceback(error: BaseException) -> str:
    """The calls in the user's code that led to an error, outermost first, and the error."""
    told = traceback.TracebackException.from_exception(error, compact=True)
    told.stack = traceback.StackSummary.from_list(
        [frame for frame in told.stack if _OWN not in Path(frame.filename).resolve().parents]
    )
    return "".join([*told.stack.format(), *told.format_exception_only()]).rstrip()
