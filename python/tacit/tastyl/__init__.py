"""TASTYL, the language of TASTY, as it is printed in its paper, in the syntax of Python 3.

    from tacit.tastyl import *

    def protocol(client, server):
        client.v = UnsignedVec(bitlen=32, dim=4).input(desc="enter values for v")
        server.w = UnsignedVec(bitlen=32, dim=4).input(desc="enter values for w")
        client.gv = GarbledVec(val=client.v)
        client.gw <<= GarbledVec(val=server.w)
        client.min = Unsigned(val=(client.gv * client.gw).min_value())
        client.min.output(desc="minimum value")

Source: Henecka, Kögl, Sadeghi, Schneider, Wehrenberg, "TASTY: tool for automating secure two-party
computations", 2010, section 4 and appendices A to C. `docs/tastyl.md` tells what differs.
"""

from tacit.tastyl.circuits import FairplayCircuit, FileCircuit, GarbledCircuit, protocol_path
from tacit.tastyl.driver import Driver
from tacit.tastyl.garbled import Garbled, GarbledVec
from tacit.tastyl.homomorphic import Homomorphic, HomomorphicVec
from tacit.tastyl.party import Party
from tacit.tastyl.plain import Modular, ModularVec, Signed, SignedVec, Unsigned, UnsignedVec
from tacit.tastyl.polynomials import getPolyCoefficients, powers
from tacit.tastyl.protocol import Protocol, load
from tacit.tastyl.residues import ResidueValue as _ResidueValue  # registers itself
from tacit.tastyl.wide import WideProduct as _WideProduct  # registers itself

bitlength = int.bit_length
_REGISTERED = (_ResidueValue, _WideProduct)

__all__ = [
    "Driver",
    "FairplayCircuit",
    "FileCircuit",
    "Garbled",
    "GarbledCircuit",
    "GarbledVec",
    "Homomorphic",
    "HomomorphicVec",
    "Modular",
    "ModularVec",
    "Party",
    "Protocol",
    "Signed",
    "SignedVec",
    "Unsigned",
    "UnsignedVec",
    "bitlength",
    "getPolyCoefficients",
    "load",
    "powers",
    "protocol_path",
]
