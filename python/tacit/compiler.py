"""The clang that compiles C: by default that of the package ziglang, which the extra `c` installs."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

from tacit import UsageError


def clang_command(named: str | None) -> list[str]:
    """The command of the clang to use: the one named, else that of the locked `ziglang` package.

    Only the same compiler gives both parties the same program, so the default is never the system's compiler.
    """
    if named is None:
        return [_zig(), "clang"]
    found = shutil.which(named)
    if found is None:
        raise UsageError(f"--clang {named}: no such program")
    return [found]


def _zig() -> str:
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        zig = Path(folder) / "zig"
        if os.access(zig, os.X_OK):
            return str(zig)
    raise UsageError(
        "compiling C, C++ and Rust needs the package ziglang, which is not installed: "
        "pip install 'tacit[c]', or name another clang with --clang"
    )
