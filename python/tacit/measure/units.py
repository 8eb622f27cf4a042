"""Numbers as people read them."""

from __future__ import annotations

_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
_COUNTS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def readable(value: float | None, unit: str) -> str:
    """A figure with its unit, in three digits or so: `4.21 ms`, `9.81 kB`, `8 135`."""
    if value is None:
        return "\N{EN DASH}"
    if unit == "s":
        return seconds(value)
    return amount(value, "B") if unit == "B" else count(value)


def seconds(value: float) -> str:
    """A time."""
    if value == 0:
        return "0 s"
    factor, name = next((pair for pair in _SECONDS if abs(value) >= pair[0]), _SECONDS[-1])
    return f"{_three(value / factor)} {name}"


def amount(value: float, unit: str) -> str:
    """An amount with a decimal prefix."""
    for factor, letter in _COUNTS:
        if abs(value) >= factor:
            return f"{_three(value / factor)} {letter}{unit}"
    return f"{_three(value)} {unit}"


def count(value: float) -> str:
    """A number in full, its digits in groups of three."""
    return f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}") if value == int(value) else _three(value)


def _three(value: float) -> str:
    """Three digits, and no fraction where the number has them without."""
    if abs(value) >= 100 or value == int(value):
        return f"{value:.0f}"
    return f"{value:.3g}"


def counted(number: int, thing: str) -> str:
    """So many of a thing: `1 round`, `2 rounds`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
