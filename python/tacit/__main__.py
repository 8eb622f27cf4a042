"""The command `tacit`, also as `python -m tacit`."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__" and not getattr(sys.flags, "safe_path", False) and Path(sys.path[0]) == Path.cwd():
    # Python looks for modules in the current folder first, which may have a user's rich.py. A user's program
    # still finds its own modules.
    del sys.path[0]

from tacit.cli import execute


def main() -> None:
    """Runs the command line and exits with its code."""
    sys.exit(execute(sys.argv[1:]))


if __name__ == "__main__":
    main()
