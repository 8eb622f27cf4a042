"""Elements of HTML and SVG as text, and scales."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

_VOID = frozenset({"meta", "br", "link"})


def element(tag: str, *children: str, **attributes: str | float | None) -> str:
    """An element. Children are markup already; attributes are escaped, `class_` is `class`, `_` is `-`."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_attribute(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in _VOID:
        return f"<{tag}{written}>"
    return f"<{tag}{written}>{''.join(children)}</{tag}>"


def text(value: object) -> str:
    """Text as markup."""
    return escape(str(value))


def drawing(name: str, title: str, description: str, height: float, width: float, *marks: str) -> str:
    """A drawing that a screen reader can tell."""
    return element(
        "svg",
        element("title", text(title), id=f"{name}-title"),
        element("desc", text(description), id=f"{name}-desc"),
        *marks,
        viewBox=f"0 0 {_attribute(width)} {_attribute(height)}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
    )


def label(x: float, y: float, value: object, class_: str = "label", anchor: str = "start") -> str:
    """Text in a drawing."""
    return element("text", text(value), x=x, y=y, class_=class_, text_anchor=anchor)


def ticks(limit: float, count: int = 5) -> list[float]:
    """Round numbers from 0 to at most `limit`, about `count` steps."""
    if limit <= 0:
        return [0.0]
    rough = limit / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    return [number * step for number in range(math.floor(limit / step * 1.000001) + 1)]


def largest(values: Iterable[float]) -> float:
    """The largest, of none 0."""
    return max(values, default=0.0)


def _attribute(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
