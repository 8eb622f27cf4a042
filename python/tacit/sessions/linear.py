"""Linear equations over the field of a session, among three parties or more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacit._native import Array, InputError, KindError, ShapeError, UsageError
from tacit.language.operators import array, concatenate
from tacit.sessions.modular_matrices import Eliminated, centred, eliminated
from tacit.sessions.words import words

if TYPE_CHECKING:
    from tacit.sessions.session import PartySession

CHANCE_BITS = 40
"""A regular matrix is taken for singular with a probability of at most 2 to the power of minus this."""


class SingularError(InputError):
    """A matrix has no inverse in the field of the session. Its rank is known to all parties."""


async def solve(session: PartySession, matrix: Any, right: Any) -> Array:
    """The solution x of `matrix @ x = right` modulo the session's prime; `right` is a vector or a matrix.

    Elements are those of the field, or integers with a kind; the result is of the field. The parties open
    R · A · S for random matrices R and S that nobody knows, as Bar-Ilan and Beaver (PODC 1989) do with one.
    The opened matrix only depends on the rank of A, so for a regular matrix it reveals nothing.

    Cost: for n equations with k right sides, 2 · n² + 2 · n · k products and n² openings, in five rounds.

    Errors: `SingularError` at all parties, if the matrix is singular. Then they all know its rank.
    """
    a = _square(session, matrix, "solve")
    b = _elements(right, "solve")
    if b.ndim not in (1, 2) or b.shape[0] != a.shape[0]:
        raise ShapeError(f"solve: a matrix of shape {a.shape} and a right side of shape {b.shape}")
    masked = await _regular(session, a, "solve")
    return masked.right @ (masked.inverse(session) @ (masked.left @ b))


async def inverse(session: PartySession, matrix: Any) -> Array:
    """The inverse of a matrix modulo the session's prime.

    Cost: for n rows 3 · n² products and n² openings, in four rounds.

    Openings and errors: as `solve`.
    """
    masked = await _regular(session, _square(session, matrix, "inverse"), "inverse")
    return masked.right @ (masked.inverse(session) @ masked.left)


async def determinant(session: PartySession, matrix: Any) -> Array:
    """The determinant of a matrix modulo the session's prime.

    The parties open R · A · S for random matrices R and S whose determinants are known as shares, since they
    are products of triangular ones. The opened matrix only depends on the rank of A, up to a statistical
    distance of 2 · n / p. So everybody learns the rank, and whether the determinant is 0.

    Cost: for n rows 4 · n² products and n² openings, in about log2(n) + 6 rounds.

    Errors: `UsageError`, if the prime is below 2^41 · n.
    """
    a = _square(session, matrix, "determinant")
    size = a.shape[0]
    if session.modulus < 2 * size << CHANCE_BITS:
        raise UsageError(
            f"determinant of {size} rows needs a modulus of {(2 * size << CHANCE_BITS).bit_length()} bits or "
            f"more, not {session.modulus}, so that the opened matrix only reveals the rank"
        )
    (left, of_left), (right, of_right) = _triangular(session, size), _triangular(session, size)
    found = eliminated(await session.open(left @ (a @ right)), session.modulus)
    if found.inverse is None:
        return session.constant(0)
    ((known,),) = centred([[found.determinant]], session.modulus)
    return concatenate([of_left, of_right]).prod().inverse() * known


@dataclass(frozen=True)
class _Masked:
    """The opened product of a regular matrix with two random ones."""

    left: Array
    right: Array
    found: list[list[int]]

    def inverse(self, session: PartySession) -> Array:
        return session.constant(centred(self.found, session.modulus))


async def _regular(session: PartySession, a: Array, what: str) -> _Masked:
    """Masks a matrix with two random ones, and opens the product.

    Errors: the matrix is singular.
    """
    size, best = a.shape[0], Eliminated(-1, 0, None)
    # Both random matrices are regular, except with a probability of 2 / (p - 1).
    for _ in range(-(-CHANCE_BITS // (session.modulus.bit_length() - 2))):
        left, right = session.random((size, size)), session.random((size, size))
        found = eliminated(await session.open(left @ (a @ right)), session.modulus)
        if found.inverse is not None:
            return _Masked(left, right, found.inverse)
        best = max(best, found, key=lambda one: one.rank)
    raise SingularError(
        f"{what}: the matrix of {size} rows has rank {best.rank} modulo {session.modulus}: no inverse exists"
    )


def _triangular(session: PartySession, size: int) -> tuple[Array, Array]:
    """A random matrix that is a product of triangular ones, and numbers whose product is its determinant."""
    below, above = session.random((2, size * (size - 1) // 2))
    diagonal = session.random((size,))
    ends = session.constant([0, 1])

    def filled(numbers: Array, on_diagonal: Array, lower: bool) -> Array:
        """The matrix with these numbers on one side of the diagonal."""
        known = concatenate([numbers, on_diagonal, ends])
        count, places = numbers.shape[0], []
        zero, free = known.shape[0] - 2, iter(range(count))
        for row in range(size):
            for column in range(size):
                if row == column:
                    places.append(count + min(row, on_diagonal.shape[0] - 1))
                else:
                    places.append(next(free) if (row > column) == lower else zero)
        return known[places].reshape(size, size)

    return filled(below, ends[1:], True) @ filled(above, diagonal, False), diagonal


def _square(session: PartySession, matrix: Any, what: str) -> Array:
    """A square matrix of elements of the field."""
    session.require_prime_field(what)
    a = _elements(matrix, what)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or a.shape[0] == 0:
        raise ShapeError(f"{what} of an array of shape {a.shape}: it takes a square matrix")
    return a


def _elements(x: Any, what: str) -> Array:
    """Elements of the field; also from integers with a kind."""
    x = array(x)
    if x.has_kind and x.kind.fraction is not None:
        raise KindError(f"{what} of {x.kind}: it computes modulo the prime, with integers")
    return words(x)
