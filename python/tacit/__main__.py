"""The command `tacit`, also as `python -m tacit`."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__" and not getattr(sys.flags, "safe_path", False) and Path(sys.path[0]) == Path.cwd():
    # Python looks for modules here first, where a user's rich.py may lie. A user's program finds its own.
    del sys.path[0]

from tacit.cli import execute


def main() -> None:
    """Runs the command line and exits with its code."""
    sys.exit(execute(sys.argv[1:]))


if __name__ == "__main__":
    main()
