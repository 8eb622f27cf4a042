"""Public square matrices modulo a prime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Matrix = list[list[int]]


@dataclass(frozen=True)
class Eliminated:
    """The results of eliminating a matrix."""

    rank: int
    determinant: int
    inverse: Matrix | None
    """None if the matrix is singular."""


def eliminated(matrix: Sequence[Sequence[int]], prime: int) -> Eliminated:
    """Rank, determinant and inverse, by Gauss and Jordan."""
    size = len(matrix)
    rows = [
        [*(number % prime for number in row), *(int(place == own) for place in range(size))]
        for own, row in enumerate(matrix)
    ]
    rank, determinant = 0, 1
    for column in range(size):
        pivot = next((row for row in range(rank, size) if rows[row][column]), None)
        if pivot is None:
            determinant = 0
            continue
        if pivot != rank:
            rows[rank], rows[pivot] = rows[pivot], rows[rank]
            determinant = -determinant
        determinant = determinant * rows[rank][column] % prime
        factor = pow(rows[rank][column], -1, prime)
        own = rows[rank] = [number * factor % prime for number in rows[rank]]
        for other, row in enumerate(rows):
            if other != rank and (factor := row[column]):
                rows[other] = [(a - factor * b) % prime for a, b in zip(row, own, strict=True)]
        rank += 1
    inverse = [row[size:] for row in rows] if rank == size else None
    return Eliminated(rank, determinant % prime, inverse)


def centred(matrix: Matrix, prime: int) -> Matrix:
    """The same numbers modulo the prime, from -prime/2 to prime/2."""
    return [[number - prime if number > prime // 2 else number for number in row] for row in matrix]
