"""Roots of secret words, bit by bit, and rounded quotients of them by public numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit._native import Array, RangeError

if TYPE_CHECKING:
    from tacit.sessions.session import PartySession


def room(session: PartySession) -> int:
    """The maximum bits, sign included, of numbers that are compared or truncated."""
    return session.modulus.bit_length() - 1


def check_room(session: PartySession, bits: int, what: str) -> None:
    """Refuses operations that need numbers with more bits than there is room for."""
    if bits > room(session):
        raise RangeError(
            f"{what} needs {bits} bits here, and the field of this session, modulo {session.modulus}, has "
            f"{room(session)} for it; take a larger modulus, or numbers of fewer bits"
        )


def greatest_root(target: Array, factor: Array | int, bits: int, width: int) -> Array:
    """The largest q of `bits` bits with `q * q * factor <= target`; all numbers compared have `width` bits.

    Cost: for each bit a comparison and two products, or one if the factor is public.
    """
    root, multiple, square = target * 0, target * 0, target * 0
    for bit in reversed(range(bits)):
        grown = square + multiple * (2 << bit) + factor * (1 << 2 * bit)
        fits = 1 - target.less_within(grown, width)
        root = root + fits * (1 << bit)
        multiple, square = multiple + fits * factor * (1 << bit), square + fits * (grown - square)
    return root


def rounded_quotient(session: PartySession, number: Array, divisor: int, bits: int, what: str) -> Array:
    """Signed words of fewer than `bits` bits divided by a public divisor, rounded to nearest, halves up.

    Cost: a truncation, if the field has room for about 2 · `bits` + 8 bits; else a comparison and a
    truncation of two bits for each bit of the result.
    """
    check_room(session, bits + 1, what)
    if divisor == 1:
        return number
    if divisor & divisor - 1 == 0:
        check_room(session, bits + 2, what)
        return (number + divisor // 2).truncate(divisor.bit_length() - 1, bits + 2)
    # Twice the number and the divisor, so that halves are whole; made positive by a multiple of the divisor.
    offset = (1 << bits) // divisor + 1
    raised = 2 * number + (1 + 2 * offset) * divisor
    width = ((2 << bits) + (1 + 2 * offset) * divisor).bit_length()
    check_room(session, width + 1, what)
    return _quotient(session, raised, 2 * divisor, width) - offset


def _quotient(session: PartySession, number: Array, divisor: int, width: int) -> Array:
    """Quotients of numbers from 0 up of `bits` bits by a public divisor, rounded down.

    Source: Granlund and Montgomery, "Division by invariant integers using multiplication" (PLDI 1994).
    """
    dropped = width + divisor.bit_length()
    factor = (1 << dropped) // divisor + 1
    if width + factor.bit_length() + 1 <= room(session):
        return (number * factor).truncate(dropped, width + factor.bit_length() + 1)
    quotient = number * 0
    for bit in reversed(range(width - divisor.bit_length() + 1)):
        fits = 1 - number.less_within(divisor << bit, width + 1)
        quotient, number = quotient + fits * (1 << bit), number - fits * (divisor << bit)
    return quotient
