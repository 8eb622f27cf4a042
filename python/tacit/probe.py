"""`python -m tacit.probe NUMBER SECONDS`: runs one program of `tacit calibrate`, and prints its seconds.

Each program has a process of its own, so that its parties are as new as those of a run. The system ends the
process after so many seconds, whatever it does then.
"""

from __future__ import annotations

import signal
import sys

from tacit._native import probe


def main() -> None:
    """Prints the seconds of setup and of online."""
    signal.alarm(int(sys.argv[2]))
    setup, online = probe(int(sys.argv[1]))
    sys.stdout.write(f"{setup} {online}\n")


if __name__ == "__main__":
    main()
