"""`python -m tacit.probe NUMBER`: runs one program of `tacit calibrate`, and prints its seconds.

Each program has a process of its own, so that its parties are as new as those of a run.
"""

from __future__ import annotations

import sys

from tacit._native import probe


def main() -> None:
    """Prints the seconds of setup and of online."""
    setup, online = probe(int(sys.argv[1]))
    sys.stdout.write(f"{setup} {online}\n")


if __name__ == "__main__":
    main()
