"""Links as the command line gives them: `lan`, `wan`, `mobile`, or a form like `100mbit,20ms`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tacit import UsageError

_FORM = re.compile(r"([\d.]+)([gmk])bit,\s*([\d.]+)(us|ms|s)")
_BITS = {"g": 1e9, "m": 1e6, "k": 1e3}
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


@dataclass(frozen=True)
class Link:
    """What a party sends in a second, and how long a byte is on its way."""

    bits_per_second: float
    latency: float


_NAMED = {"lan": Link(1e9, 0.25e-3), "wan": Link(100e6, 50e-3), "mobile": Link(20e6, 40e-3)}


def link_of(text: str) -> Link:
    """The link of this name or form.

    Raises UsageError for any other text.
    """
    if text in _NAMED:
        return _NAMED[text]
    form = _FORM.fullmatch(text.strip())
    try:
        if form is None:
            raise ValueError
        bits, of_bits, time, of_time = form.groups()
        link = Link(float(bits) * _BITS[of_bits], float(time) * _SECONDS[of_time])
    except ValueError:
        link = Link(0, 0)
    if not 1 <= link.bits_per_second <= 1e15 or link.latency > 3600:
        raise UsageError(f"--link {text}: expected lan, wan, mobile or a form like 100mbit,20ms")
    return link
