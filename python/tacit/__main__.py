"""The command `tacit`, also as `python -m tacit`."""

from __future__ import annotations

import sys

from tacit.cli import execute


def main() -> None:
    """Runs the command line and exits with its code."""
    sys.exit(execute(sys.argv[1:]))


if __name__ == "__main__":
    main()
