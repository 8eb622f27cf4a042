"""Kinds of elements: integers of any width, truth values, fixed point, fields, floats."""

from __future__ import annotations

from functools import lru_cache

from tacit._native import Kind, KindError

u8, u16, u32, u64 = (Kind.uint(bits) for bits in (8, 16, 32, 64))
i8, i16, i32, i64 = (Kind.int(bits) for bits in (8, 16, 32, 64))
boolean = Kind.boolean()
float32, float64 = Kind.float(32), Kind.float(64)


def uint(bits: int) -> Kind:
    """Unsigned integers of `bits` bits."""
    return Kind.uint(bits)


def integer(bits: int) -> Kind:
    """Signed integers of `bits` bits, in two's complement."""
    return Kind.int(bits)


def fixed(integer: int, fraction: int) -> Kind:
    """Signed multiples of `2**-fraction`, at least `-2**(integer-1)` and less than `2**(integer-1)`."""
    return Kind.fixed(integer, fraction)


def field(modulus: int) -> Kind:
    """Integers modulo a prime."""
    if not _is_prime(modulus):
        raise KindError(f"{modulus} is not a prime, so there is no field of that size")
    return Kind.field(modulus)


@lru_cache
def _is_prime(number: int) -> bool:
    """Miller and Rabin's test to the first 24 primes."""
    small = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89]
    if number < 2 or any(number % prime == 0 for prime in small):
        return number in small
    twos = ((number - 1) & (1 - number)).bit_length() - 1
    return all(_passes(number, base, twos) for base in small)


def _passes(number: int, base: int, twos: int) -> bool:
    power = pow(base, (number - 1) >> twos, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False
