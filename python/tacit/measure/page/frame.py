"""The frame that the drawings of the page share: names on the left, then bars to a scale."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tacit.measure.page.svg import element, label, text, ticks

WIDTH = 920.0
RIGHT = 96.0
TICKS = 26.0
"""Height of the numbers below a grid."""

_LETTER = 7.6
_MAX_LETTERS = 32


@dataclass(frozen=True)
class Frame:
    """Where names end and lengths begin, and the value that the longest length stands for."""

    left: float
    limit: float

    @staticmethod
    def of(names: Iterable[str], limit: float) -> Frame:
        """A frame in which the names have room."""
        letters = max((min(len(name), _MAX_LETTERS) for name in names), default=0)
        return Frame(max(100.0, letters * _LETTER + 16), limit)

    def length(self, value: float) -> float:
        """How long a value is drawn."""
        return (WIDTH - self.left - RIGHT) * value / self.limit if self.limit else 0.0

    def name(self, y: float, name: str) -> str:
        """The name of what is drawn at this height."""
        short = name if len(name) <= _MAX_LETTERS else name[: _MAX_LETTERS - 1] + "…"
        return label(0, y, short)

    def bar(self, y: float, height: float, start: float, value: float, class_: str, tip: str) -> str:
        """A bar from `start`. One that would be too thin to see is a hair's breadth."""
        return element(
            "rect",
            element("title", text(tip)),
            x=self.left + self.length(start),
            y=y,
            width=max(self.length(value) - 1, 1.5) if value else 0,
            height=height,
            rx=2,
            class_=class_,
        )

    def value(self, y: float, end: float, value: str) -> str:
        """A number behind the end of a bar."""
        return label(self.left + self.length(end) + 8, y, value, "value")

    def grid(self, bottom: float, written: Callable[[float], str]) -> list[str]:
        """Lines at round numbers, with the numbers below."""
        marks: list[str] = []
        for value in ticks(self.limit):
            x = self.left + self.length(value)
            marks.append(element("line", x1=x, x2=x, y1=0, y2=bottom, class_="grid"))
            marks.append(label(x, bottom + 18, written(value), "tick", "middle"))
        return marks
