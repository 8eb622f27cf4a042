"""The median of repeated measurements, and how far they scatter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles


@dataclass(frozen=True)
class Quartiles:
    """The quartiles of some values; the middle half of them lies between `low` and `high`."""

    low: float
    median: float
    high: float
    count: int

    @staticmethod
    def of(values: Sequence[float]) -> Quartiles:
        """Interpolated linearly between the values; of one value, that value. Needs at least one."""
        if len(values) == 1:
            return Quartiles(values[0], values[0], values[0], 1)
        low, median, high = quantiles(values, n=4, method="inclusive")
        return Quartiles(low, median, high, len(values))

    @property
    def scatter(self) -> float:
        """The distance of the quartiles, as a part of the median."""
        return (self.high - self.low) / self.median if self.median else 0.0
