"""The native half of the package. Everything public here is offered by `tacit` itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import final

__version__: str

class TacitError(Exception):
    """What every error of this package is."""

class UsageError(TacitError):
    """A session file, key file or option is wrong."""

class ProgramError(TacitError):
    """The program does not compile, or cannot be run."""

class InputError(TacitError):
    """An input is missing, unknown, out of range or of the wrong shape."""

class PeerError(TacitError):
    """The other party is absent, gone, silent, not who it should be, or wants to run something else."""

class AbortError(TacitError):
    """The protocol was ended because a message was wrong."""

@final
class Program:
    """A program: what it is given, what it computes, and who learns what."""

    @staticmethod
    def compile_c(source: str, clang: Sequence[str], function: str | None = None) -> Program:
        """The main function of a C file. `clang` is the command that compiles C to LLVM IR."""

    @staticmethod
    def from_bytes(data: bytes) -> Program:
        """A compiled program, as `to_bytes` makes them."""

    @staticmethod
    def from_circuit(text: str, name: str) -> Program:
        """A circuit file, Bristol or Bristol Fashion."""

    def to_bytes(self) -> bytes:
        """The canonical binary form."""

    def to_bristol(self) -> str:
        """The whole program as one circuit, in Bristol Fashion."""

    def stats(self) -> str:
        """JSON: and_count, xor_count, not_count, and_depth, inputs, outputs."""

    def clear(self, inputs: Mapping[str, str]) -> str:
        """Computes in the clear. Inputs are JSON objects by role; returns the outputs of all roles as one."""

    def merge_outputs(self, outputs: Mapping[str, str]) -> str:
        """The JSON outputs of several roles as one object."""

    @property
    def name(self) -> str:
        """The name of the main function or file."""

    @property
    def warnings(self) -> list[str]:
        """What the compiler took not to happen, with the place in the source."""

    @property
    def roles(self) -> list[str]:
        """Who the program names, in its order."""

    @property
    def hash(self) -> str:
        """BLAKE3 of the binary form, in hexadecimal digits."""

@final
class Session:
    """The parties, their addresses and keys, and the terms of a run."""

    @staticmethod
    def load(path: str) -> Session:
        """Reads a session file."""

    @staticmethod
    def parse(text: str, path: str) -> Session:
        """Reads the text of a session file; `path` names it in errors, and key files lie beside it."""

    @property
    def parties(self) -> list[str]:
        """The names of the parties, in the file's order."""

    def party_of(self, role: str) -> str:
        """The party that speaks for a role."""

@final
class Listener:
    """A place where a party awaits its peers, already bound."""

    @staticmethod
    def bind(address: str) -> Listener:
        """Binds a TCP address; port 0 takes a free one."""

    @property
    def address(self) -> str:
        """The address that was bound."""

@final
class SecretKey:
    """A party's secret key. Its text never reaches Python."""

    @staticmethod
    def generate() -> SecretKey:
        """A new key from the operating system's random generator."""

    @staticmethod
    def load(path: str) -> SecretKey:
        """Reads a key file, which only its owner may be able to read."""

    def save(self, path: str) -> None:
        """Writes the key to a new file that only the owner may read."""

    def save_public(self, path: str) -> None:
        """Writes the public part to a new file."""

    @property
    def public(self) -> str:
        """The public part as text."""

def run(
    program: Program,
    session: Session,
    party: str,
    key: SecretKey,
    inputs: Mapping[str, str],
    *,
    mode: str | None = None,
    net: str | None = None,
    listener: Listener | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[dict[str, str], str]:
    """Takes part in a run. Returns the JSON outputs of the party's roles, and the report as JSON.

    Sees signals while it runs: an exception from a handler ends the run at both parties and is raised.
    """
