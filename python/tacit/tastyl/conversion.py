"""How wide a converted value is, and whether it has a sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacit._native import Array, Kind, ProgramError, ShapeError
from tacit.tastyl.value import Value, width_of


@dataclass(frozen=True)
class Wanted:
    """What a constructor was told about the value it makes."""

    bitlen: int | None = None
    signed: bool | None = None
    force_bitlen: int | None = None
    force_signed: bool | None = None

    @staticmethod
    def of(bitlen: Any, signed: bool | None, force_bitlen: Any, force_signed: bool | None) -> Wanted:
        """The same, checked."""
        return Wanted(width_of(bitlen), signed, width_of(force_bitlen, "force_bitlen"), force_signed)

    @property
    def is_forced(self) -> bool:
        """Whether bits may be dropped."""
        return self.force_bitlen is not None or self.force_signed is not None

    def kind(self, found: Kind, what: str) -> Kind:
        """What numbers of kind `found` become. They stay what they are, unless they are forced."""
        if found.modulus is not None:
            raise ProgramError(
                f"{what} is Modular, which is neither garbled nor encrypted in this version; "
                "write Unsigned in its place, reduced by %"
            )
        bits, signed = found.bits, found.signed
        if self.force_signed is not None:
            signed = self.force_signed
        elif self.signed is not None and self.signed != signed:
            if signed:
                raise ProgramError(
                    f"{what} has a sign: write Signed(val=…), or force_signed=False if it is never negative"
                )
            bits, signed = bits + 1, True
        if self.force_bitlen is not None:
            bits = self.force_bitlen
        elif self.bitlen is not None:
            if bits > self.bitlen:
                raise ProgramError(
                    f"{what} has {bits} bits, which bitlen={self.bitlen} cannot hold; "
                    f"force_bitlen={self.bitlen} drops the high ones"
                )
            bits = self.bitlen
        return Kind.int(bits) if signed else Kind.uint(bits)


def shaped(made: Value, shape: tuple[int, ...], what: str) -> None:
    """Refuses a vector where a number is made, a number where a vector is, and another dimension."""
    name = type(made).__name__
    if made.is_vector and not shape:
        raise ShapeError(f"{what} is a single number; write {name.removesuffix('Vec')}(val=…)")
    if shape and not made.is_vector:
        raise ShapeError(f"{what} is a vector; write {name}Vec(val=…)")
    if made.declared_shape is not None and made.declared_shape != shape:
        raise ShapeError(f"{what} has the dimensions {list(shape)}, not dim={list(made.declared_shape)}")


def as_kind(array: Array, kind: Kind) -> Array:
    """An array of another kind; the same array if it is of that kind already."""
    return array if array.kind == kind else array.astype(kind)
