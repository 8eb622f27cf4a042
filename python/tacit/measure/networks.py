"""Lists of links and modes, as the command line gives them."""

from __future__ import annotations

import re

from tacit import UsageError
from tacit._native import run_options

MODES = next(option["choices"] for option in run_options() if option["name"] == "mode")

_BANDWIDTH = re.compile(r"[\d.]+[a-z]*bit")


def split_nets(text: str | None) -> list[str | None]:
    """The links in `none,lan,100mbit,20ms`, where a bandwidth belongs to the latency after it.

    None is the machine's own loopback, as it is.
    """
    if text is None:
        return [None]
    parts = iter(text.split(","))
    nets: list[str | None] = []
    for part in parts:
        whole = f"{part},{next(parts, '')}" if _BANDWIDTH.fullmatch(part) else part
        if not part:
            raise UsageError(f"--net {text}: a link is empty")
        nets.append(None if whole == "none" else whole)
    return nets


def split_modes(text: str | None) -> list[str | None]:
    """The modes in `precomputed,streamed`."""
    if text is None:
        return [None]
    found = text.split(",")
    for mode in found:
        if mode not in MODES:
            raise UsageError(f"--mode {mode}: there are {', '.join(MODES)}")
    return list(found)
