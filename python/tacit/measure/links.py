"""Links as the command line gives them: `lan`, `wan`, `mobile`, or a form like `100mbit,20ms`."""

from __future__ import annotations

from dataclasses import dataclass

from tacit import _native


@dataclass(frozen=True)
class Link:
    """What a party sends in a second, and how long a byte is on its way."""

    bits_per_second: float
    latency: float


def link_of(text: str, option: str = "--link") -> Link:
    """The link of this name or form.

    Raises UsageError, which names the option, for any other text.
    """
    return Link(*_native.link(text, option))
