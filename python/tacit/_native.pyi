"""The native half of the package. Everything public here is offered by `tacit` itself."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, final

_int = int
_list = list

__version__: str

class TacitError(Exception):
    """The base class of all errors of this package."""

class UsageError(TacitError):
    """A session file, key file or option is wrong."""

class ProgramError(TacitError):
    """The program does not compile, or cannot be run."""

class InputError(TacitError):
    """An input is missing, unknown, out of range or of the wrong shape."""

class PeerError(TacitError):
    """The other party is absent, gone, silent, not authentic, or set to run something else."""

class AbortError(TacitError):
    """The protocol was aborted: a message violated it, or the other party aborted."""

class ShapeError(ProgramError):
    """Shapes are incompatible, or a position is out of bounds."""

class KindError(ProgramError):
    """Kinds of numbers are incompatible, or a number does not fit in its kind."""

class RangeError(KindError):
    """Numbers are too wide for the field of a session, or an opened number is outside its promised range."""

class SecretError(ProgramError):
    """A secret value is used where only a public one is possible: as a condition, number or index."""

@final
class Program:
    """A program: its inputs, its computation, and the outputs of each role."""

    @staticmethod
    def compile_c(
        source: str,
        clang: Sequence[str],
        function: str | None = None,
        unwind: str | None = None,
        int_width: str | None = None,
    ) -> Program:
        """Compiles the main function of a file in C, C++ or Rust. `clang` is the compiler's command."""

    @staticmethod
    def from_bytes(data: bytes, source: str | None = None) -> Program:
        """A program from the bytes of `to_bytes` or `to_netlist`; `source` is the source file's name."""

    @staticmethod
    def from_circuit(text: str, name: str, names: str | None = None) -> Program:
        """A program from a circuit file. `names` is the text of Fairplay's `.fmt` file beside it."""

    def to_bytes(self) -> bytes:
        """The canonical binary form."""

    def to_bristol(self, effort: int | None = None, target: str = "size") -> tuple[bytes, str]:
        """The whole program as one circuit in Bristol Fashion, and a JSON map from wires to variables."""

    def to_netlist(self, effort: int | None = None, target: str = "size") -> bytes:
        """The whole program as one circuit with its inputs and outputs, in the compact form."""

    def stats(self, effort: int | None = None, target: str = "size") -> str:
        """The size of the circuit as JSON: and_count, xor_count, not_count, and_depth, inputs, outputs."""

    def clear(self, inputs: Mapping[str, str]) -> str:
        """Computes in the clear. Inputs are JSON objects by role; returns the outputs of all roles as one."""

    def check_inputs(self, inputs: Mapping[str, str], roles: Sequence[str]) -> None:
        """Refuses JSON inputs of these roles that do not fit."""

    def merge_outputs(self, outputs: Mapping[str, str]) -> str:
        """The JSON outputs of several roles as one object."""

    @property
    def name(self) -> str:
        """The name of the main function or file."""

    @property
    def source(self) -> str | None:
        """The file that lines of the program refer to, without its folder, if known."""

    @property
    def warnings(self) -> list[str]:
        """The compiler's assumptions about undefined behaviour, with places in the source."""

    @property
    def roles(self) -> list[str]:
        """The roles that the program names, in its order."""

    @property
    def hash(self) -> str:
        """BLAKE3 of the binary form, in hexadecimal digits."""

@final
class CheckReport:
    """What a check found."""

    def to_json(self) -> str:
        """JSON: program, compiler, solver, proven, violated, undecided, properties."""

    def test(self, number: int) -> str | None:
        """A C file that runs the program on the inputs that violate a property; none where there are none."""

    def model_checker_source(self) -> str:
        """A C file whose inputs are any values, for model checkers such as CBMC."""

def check_c(
    sources: Sequence[str],
    clang: Sequence[str],
    *,
    function: str | None = None,
    unwind: str | None = None,
    int_width: str | None = None,
    conflicts: int | None = None,
    seconds: float | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> CheckReport:
    """Proves of a C program that it does nothing it may not, or finds inputs with which it does."""

def verify(
    program: Program,
    sources: Sequence[str],
    clang: Sequence[str],
    *,
    function: str | None = None,
    unwind: str | None = None,
    int_width: str | None = None,
    conflicts: int | None = None,
    seconds: float | None = None,
    runs: int = 256,
) -> str:
    """JSON: `verdict` (equal, different with `inputs`, undecided with `bits`); `native` for sources."""

@final
class Session:
    """The parties, their addresses and keys, and the options of runs."""

    @staticmethod
    def load(path: str) -> Session:
        """Reads a session file."""

    @staticmethod
    def parse(text: str, path: str) -> Session:
        """Reads the text of a session file. `path` is its name in errors and the folder of key files."""

    @property
    def parties(self) -> list[str]:
        """The names of the parties, in the file's order."""

    @property
    def computing(self) -> list[str]:
        """The parties that compute."""

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
    """A party's secret key. Python cannot read it."""

    @staticmethod
    def generate() -> SecretKey:
        """A new key from the operating system's random generator."""

    @staticmethod
    def load(path: str) -> SecretKey:
        """Reads a key file, which must be readable only by its owner."""

    def save(self, path: str) -> None:
        """Writes the key to a new file that is readable only by its owner."""

    def save_public(self, path: str) -> None:
        """Writes the public key to a new file."""

    @property
    def public(self) -> str:
        """The public key as text."""

@final
class Store:
    """Prepared runs on disk, locked for this process."""

    @staticmethod
    def open(path: str, key: SecretKey) -> Store:
        """Opens the store of the party with this key, or creates it."""

    @staticmethod
    def inspect(path: str) -> Store:
        """Opens an existing store for listing and pruning, without the party's key."""

    def list(self) -> str:
        """The contents as JSON: a list with one object for each kind of run, as `docs/store.md` describes."""

    def verify(self) -> _list[str]:
        """Descriptions of everything that is damaged."""

    def prune(self, *, everything: bool = False) -> _int:
        """Removes spent, unfinished and damaged entries, or all. Returns the number of removed segments."""

@final
class OpenSession:
    """A connection to a peer that serves many runs. Both parties make the same calls in the same order.

    `options` are options of runs: given to `open`, they apply to all runs, otherwise to one.
    """

    @staticmethod
    def open(
        session: Session,
        party: str,
        key: SecretKey,
        *,
        peer: str | None = None,
        listener: Listener | None = None,
        shares: str | None = None,
        cancel: Cancel | None = None,
        **options: str | _int | None,
    ) -> OpenSession:
        """Connects to the peer, which may be omitted if two parties compute.

        `shares` is the folder of shares that are kept between runs. `cancel` ends the run in progress and
        the session.
        """

    def run(
        self,
        program: Program,
        inputs: Mapping[str, str],
        *,
        progress: Callable[[str, _int, _int], object] | None = None,
        traffic: Callable[[str, _int, _int, _int], object] | None = None,
        **options: str | _int | None,
    ) -> tuple[dict[str, str], str]:
        """As the function `run`."""

    def prepare(
        self,
        program: Program,
        store: Store,
        count: _int,
        *,
        progress: Callable[[str, _int, _int], object] | None = None,
        traffic: Callable[[str, _int, _int, _int], object] | None = None,
        **options: str | _int | None,
    ) -> tuple[_int, str]:
        """Puts `count` runs into both stores. Returns how many can now be used, and the report as JSON."""

    def run_prepared(
        self,
        program: Program,
        inputs: Mapping[str, str],
        store: Store,
        *,
        progress: Callable[[str, _int, _int], object] | None = None,
        traffic: Callable[[str, _int, _int, _int], object] | None = None,
        **options: str | _int | None,
    ) -> tuple[dict[str, str], str]:
        """As `run`, but uses one of the runs in both stores."""

    def close(self, store: Store | None = None) -> None:
        """Ends the session normally; the store gets back entries that were reserved and not used."""

@final
class Cancel:
    """A request to end a run early, which any thread may make."""

    def __init__(self) -> None: ...
    def cancel(self) -> None:
        """Asks the run to end."""

def run(
    program: Program,
    session: Session,
    party: str,
    key: SecretKey,
    inputs: Mapping[str, str],
    *,
    listener: Listener | None = None,
    progress: Callable[[str, int, int], object] | None = None,
    traffic: Callable[[str, int, int, int], object] | None = None,
    cancel: Cancel | None = None,
    shares: str | None = None,
    **options: str | int | None,
) -> tuple[dict[str, str], str]:
    """Takes part in a run. Returns the JSON outputs of the party's roles, and the report as JSON.

    `shares` is the folder of shares that are kept between runs; `options` are those of runs, which go before
    the session's.

    While the run lasts, `progress` is called with the phase, the amount done and the total, 0 if it is
    unknown; `traffic` with the phase, the bytes sent and received in it, and those predicted of both.

    Sees signals while it runs: an exception from a handler ends the run at both parties and is raised.
    """

def run_options() -> list[dict[str, Any]]:
    """What options of runs there are.

    Each has a `name`, a `help`, its `choices` if it is one of a few names, and its `range` if it is a number.
    """

def check_options(given: Mapping[str, str | int]) -> str | None:
    """Refuses options of runs that there are not, or that may not be so; named as here: `net` or `--net`.

    What is to be known of those that are taken, if anything.
    """

def outlook(
    program: Program,
    *,
    moves: bool = False,
    bound: bool = False,
    graph: bool = False,
    alternatives: bool = True,
    **options: str | int | None,
) -> str:
    """How a run between parties of the roles' names would go, and what else could be chosen, as JSON."""

def link(text: str, option: str) -> tuple[int, float]:
    """Bits a second, and seconds in one direction, of a link; `option` is its name in errors."""

def seconds_among(
    link: str, *, computing: Mapping[str, int], rounds: int, most_bytes: int, profile: str | None = None
) -> tuple[float, float, float]:
    """Seconds of computing, sending and waiting of a run among three parties or more.

    `computing` has how often a party computes each unit of a profile.
    """

def probe(number: int) -> tuple[float, float]:
    """Runs a program of the measurement; returns the seconds of setup and online."""

def calibrate(name: str, watch: Callable[[int, int], object]) -> str:
    """Measures this machine; the text of a profile of this name."""

def calibrate_with_peer(
    session: Session,
    party: str,
    key: SecretKey,
    *,
    name: str,
    watch: Callable[[int, int], object],
    peer: str | None = None,
    profile: str | None = None,
    net: str | None = None,
    listener: Listener | None = None,
) -> tuple[str, str]:
    """Measures the link to the peer, which calls the same, and both machines.

    `profile` is this machine's, if it was measured before. Returns the text of the joint profile of this
    name, and the link as JSON.
    """

def private_local(
    program: Program,
    owner: str,
    inputs: Mapping[str, str],
    gates: int | None = None,
    protocol: str | None = None,
) -> tuple[str, int]:
    """A private function of the other roles on the data of `owner`, both parties here.

    Returns the JSON object that `owner` learns, and the announced number of gates.
    """

def private_interface(
    program: Program, owner: str, gates: int | None = None, protocol: str | None = None
) -> str:
    """What is public of a program as a private function on the data of the role `owner`, as JSON."""

def private_seconds(protocol: str, size: list[int], link: str) -> tuple[float, float]: ...
def private_plan(program: Program, owner: str, gates: int | None = None, link: str | None = None) -> str:
    """What a program as a private function will take by each protocol, the soonest first, as JSON."""

def check_private_inputs(interface: str, inputs: str) -> None:
    """Refuses an interface that is none, and data that do not fit it."""

def private_hold(
    program: Program,
    owner: str,
    session: Session,
    party: str,
    key: SecretKey,
    inputs: Mapping[str, str],
    *,
    gates: int | None = None,
    protocol: str | None = None,
    store: str | None = None,
    prepare: int | None = None,
    peer: str | None = None,
    listener: Listener | None = None,
    cancel: Cancel | None = None,
    **options: str | int | None,
) -> tuple[str, str]:
    """Takes part as the holder of a private function; returns its interface and the report, as JSON.

    With `store` in a run that was prepared, with `prepare` too in preparing as many.
    """

def private_prepare(
    session: Session,
    party: str,
    key: SecretKey,
    max_gates: int,
    store: str,
    count: int,
    *,
    interface: str | None = None,
    peer: str | None = None,
    listener: Listener | None = None,
    cancel: Cancel | None = None,
    **options: str | int | None,
) -> tuple[str, str]:
    """Takes part as the data's owner in preparing runs; returns the interface and the report, as JSON."""

class AnnouncedFunction:
    """A function that a peer has announced to the data's owner, who has sent nothing of its data yet."""

    @staticmethod
    def meet(
        session: Session,
        party: str,
        key: SecretKey,
        max_gates: _int,
        *,
        interface: str | None = None,
        store: str | None = None,
        peer: str | None = None,
        listener: Listener | None = None,
        cancel: Cancel | None = None,
        **options: str | _int | None,
    ) -> AnnouncedFunction:
        """Meets the holder of a function and hears what it is; with `store`, for a run that was prepared."""

    @property
    def interface(self) -> str: ...
    def run(self, inputs: str) -> tuple[str, str]:
        """Gives data, as a JSON object, to the function, once; returns the result and the report, as JSON."""

    def decline(self) -> None:
        """Does not give data to the function, and tells its holder so."""

def clear_by_role(program: Program, inputs: Mapping[str, str]) -> dict[str, str]:
    """Computes in the clear. Inputs are JSON objects by role; so are the outputs."""

def in_process(
    program: Program, inputs: Mapping[str, str], **options: str | int | None
) -> tuple[dict[str, str], dict[str, str]]:
    """Runs both parties here, over memory. Returns the JSON outputs by role, and the parties' reports."""

def plan(program: Program, **options: str | int | None) -> str:
    """How a run between parties of the roles' names would go, and what it would cost, for people to read."""

def ports(program: Program) -> tuple[list[tuple[str, str]], list[tuple[list[str], str]]]:
    """The role and name of every input, and the roles and name of every output."""

@final
class Kind:
    """The kind of an array's elements. With dimensions, as in `t.u32[n, d]`, it is the type of an array."""

    @staticmethod
    def uint(bits: _int) -> Kind:
        """Unsigned integers."""

    @staticmethod
    def int(bits: _int) -> Kind:
        """Signed integers."""

    @staticmethod
    def boolean() -> Kind:
        """Truth values."""

    @staticmethod
    def fixed(integer: _int, fraction: _int) -> Kind:
        """Signed fixed-point numbers."""

    @staticmethod
    def field(modulus: _int) -> Kind:
        """Integers modulo a prime, which is not checked here."""

    @staticmethod
    def float(bits: _int) -> Kind:
        """Floating-point numbers of IEEE 754, of 32 or 64 bits."""

    @property
    def bits(self) -> _int:
        """Width of the word that holds an element."""

    @property
    def signed(self) -> bool:
        """Whether that word has a sign."""

    @property
    def fraction(self) -> _int | None:
        """Bits after the binary point, if there is one."""

    @property
    def modulus(self) -> _int | None:
        """The prime, of a field."""

    @property
    def is_float(self) -> bool:
        """Whether an element is a floating-point number."""

    @property
    def is_bool(self) -> bool:
        """Whether elements are truth values."""

    def __getitem__(self, dims: _int | tuple[_int, ...]) -> ArrayType: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> _int: ...

@final
class ArrayType:
    """The type of an array: the kind of its elements, and its shape."""

    @property
    def kind(self) -> Kind:
        """The kind of an element."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions."""

@final
class Array:
    """A secret array; no party sees its elements.

    Operators, broadcasting, slicing and methods are those of NumPy. Operations are recorded as a program,
    with widths that grow so that nothing overflows. Operations on numbers that three or more parties share
    run at once, with widths that grow in the same way, or modulo the prime for elements of the field, which
    have no kind. Arrays never change: elements cannot be assigned.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions; a single number has none."""

    @property
    def kind(self) -> Kind:
        """The kind of the elements, and so their range; elements of a shared field have none."""

    @property
    def has_kind(self) -> bool:
        """Whether elements have a kind, in contrast to elements of the parties' field."""

    @property
    def dtype(self) -> Kind:
        """The same as `kind`."""

    @property
    def ndim(self) -> int:
        """Number of dimensions."""

    @property
    def size(self) -> int:
        """Number of elements."""

    @property
    def is_wrapping(self) -> bool:
        """Whether arithmetic keeps the width."""

    @property
    def domain(self) -> str | None:
        """The domain to which the array is pinned, if it is the result of a pin."""

    @property
    def public(self) -> bool:
        """Whether the value is public among three or more parties, or will be."""

    @property
    def T(self) -> Array:  # noqa: N802
        """The axes reversed."""

    def __add__(self, other: Any) -> Array: ...
    def __radd__(self, other: Any) -> Array: ...
    def __sub__(self, other: Any) -> Array: ...
    def __rsub__(self, other: Any) -> Array: ...
    def __mul__(self, other: Any) -> Array: ...
    def __rmul__(self, other: Any) -> Array: ...
    def __matmul__(self, other: Any) -> Array: ...
    def __rmatmul__(self, other: Any) -> Array: ...
    def __truediv__(self, other: Any) -> Array: ...
    def __rtruediv__(self, other: Any) -> Array: ...
    def __floordiv__(self, other: Any) -> Array: ...
    def __rfloordiv__(self, other: Any) -> Array: ...
    def __mod__(self, other: Any) -> Array: ...
    def __rmod__(self, other: Any) -> Array: ...
    def __divmod__(self, other: Any) -> tuple[Array, Array]: ...
    def __rdivmod__(self, other: Any) -> tuple[Array, Array]: ...
    def __pow__(self, exponent: int) -> Array: ...
    def __lshift__(self, other: Any) -> Array: ...
    def __rlshift__(self, other: Any) -> Array: ...
    def __rshift__(self, other: Any) -> Array: ...
    def __rrshift__(self, other: Any) -> Array: ...
    def __and__(self, other: Any) -> Array: ...
    def __rand__(self, other: Any) -> Array: ...
    def __or__(self, other: Any) -> Array: ...
    def __ror__(self, other: Any) -> Array: ...
    def __xor__(self, other: Any) -> Array: ...
    def __rxor__(self, other: Any) -> Array: ...
    def __neg__(self) -> Array: ...
    def __pos__(self) -> Array: ...
    def __abs__(self) -> Array: ...
    def __invert__(self) -> Array: ...
    def __eq__(self, other: Any) -> Array: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Array: ...  # type: ignore[override]
    def __lt__(self, other: Any) -> Array: ...
    def __le__(self, other: Any) -> Array: ...
    def __gt__(self, other: Any) -> Array: ...
    def __ge__(self, other: Any) -> Array: ...
    def __bool__(self) -> bool:
        """Raises `SecretError`: conditions must be public."""

    def __int__(self) -> int:
        """Raises: a secret has no value yet."""

    def __float__(self) -> float:
        """Raises: a secret has no value yet."""

    def __index__(self) -> int:
        """Raises `SecretError`: indices must be public."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Array]: ...
    def __getitem__(self, index: Any) -> Array: ...
    def sum(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
        """The sum."""

    def prod(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
        """The product."""

    def any(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
        """Whether an element is true, or not zero."""

    def all(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
        """Whether every element is true, or not zero."""

    def min(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
        """The smallest element."""

    def max(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
        """The largest element."""

    def argmin(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
        """The position of the first smallest element."""

    def argmax(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
        """The position of the first largest element."""

    def sort(self, axis: int = -1) -> Array:
        """A sorted array; unlike NumPy's method, a new one."""

    def argsort(self, axis: int = -1) -> Array:
        """The positions of the elements in ascending order."""

    def cumsum(self, axis: int | None = None) -> Array:
        """The running sum."""

    def dot(self, other: Any) -> Array:
        """The inner product, or the product of matrices."""

    def select(self, x: Any, y: Any) -> Array:
        """`x` where this array is true, otherwise `y`."""

    def pick(self, other: Any, largest: bool = False) -> Array:
        """The smaller or the larger of this array and another, element by element."""

    def pinned(self, domain: str) -> Array:
        """The same value in the domain `arith`, `bool`, `yao` or `he`."""

    def sqrt(self) -> Array:
        """The square root, rounded down; 0 for negative numbers. In a field, one of a nonzero square.

        Of floats it is that of IEEE 754: rounded to the nearest, and a NaN for negative numbers.
        """

    def bits(self, bits: int | None = None) -> Array:
        """The bits of every element along a new last axis, the least significant first.

        For shared elements of a field, which are non-negative numbers, `bits` is their number of bits.
        """

    def bit(self, position: int) -> Array:
        """One bit of every element; 0 is the least significant, -1 the most."""

    def from_bits(self) -> Array:
        """Unsigned integers from their bits along the last axis."""

    def lookup(self, position: Array) -> Array:
        """The entry at a secret position along the first axis."""

    def update(self, position: Array, entry: Any) -> Array:
        """The table with the entry at a secret position replaced."""

    def astype(self, kind: Kind) -> Array:
        """Another kind: high bits that do not fit are dropped, fractions rounded down; zero is false.

        To floats, numbers are rounded to the nearest. From floats, integers get the integer part, and
        fixed-point numbers are rounded to the nearest. Numbers out of range become the nearest in range, and
        a NaN becomes 0.

        Numbers that three or more parties share can only be converted to kinds that hold all of them.
        """

    def within(self, bits: int | Kind) -> Array:
        """The same numbers, with the program's promise that they have at most so many bits, or fit in a kind.

        The sign is one of the bits; the result keeps the sign and the binary point. Of several promises, the
        narrowest counts. Nothing checks the promise. Between two parties, numbers that break it lose their
        high bits. Among more parties, all must promise the same; numbers that break it may be revealed in
        part, and an opened number outside its range raises `RangeError`.
        """

    def wrapping(self, on: bool = True) -> Array:
        """The same numbers as machine integers, or as numbers with growing widths."""

    def reshape(self, *dims: int | tuple[int, ...]) -> Array:
        """The same elements in another shape; one dimension may be -1."""

    def flatten(self) -> Array:
        """The elements in a row."""

    def ravel(self) -> Array:
        """The elements in a row."""

    def transpose(self, axes: Sequence[int] | None = None) -> Array:
        """The axes in another order; by default reversed."""

    def broadcast_to(self, dims: int | tuple[int, ...]) -> Array:
        """Repeated to a shape."""

    def inverse(self) -> Array:
        """`1 / x` in the field, for nonzero numbers."""

    def parity(self) -> Array:
        """The least significant bit of non-negative numbers."""

    def truncate(self, dropped: int, bits: int) -> Array:
        """`x / 2^dropped`, rounded down, for numbers of so many bits, sign included."""

    def truncate_probably(self, dropped: int, bits: int) -> Array:
        """As `truncate`, but rounded at random: up with the probability of the dropped fraction."""

    def remainder(self, low: int, bits: int) -> Array:
        """The remainder modulo `2^low` of non-negative numbers of so many bits."""

    def less_within(self, other: Any, bits: int) -> Array:
        """1 where `x < y`, for numbers whose difference has so many bits, sign included."""

    def equal_within(self, other: Any, bits: int) -> Array:
        """1 where `x = y`, for numbers as in `less_within`."""

    def fixed_mul(self, other: Any, fraction: int, bits: int) -> Array:
        """The product of fixed-point numbers with so many bits after the point, and so many in total."""

    def fixed_divide(self, other: Any, fraction: int, bits: int) -> Array:
        """The quotient of numbers as in `fixed_mul`."""

    def greater_equal_toft(self, other: Any, bits: int) -> Array:
        """1 where `x >= y`, for non-negative numbers of so many bits, by Toft's protocol."""

    def greater_equal_gf256(self, other: Any, bits: int) -> Array:
        """As `greater_equal_toft`, with the result in GF(2^8)."""

    def to_gf256(self) -> Array:
        """Bits in GF(2^8)."""

    def from_gf256(self) -> Array:
        """Bits of GF(2^8) in the field of the computation."""

    def divide(self, other: Any, bits: int) -> tuple[Array, Array]:
        """Quotient and remainder of non-negative numbers of so many bits."""

@final
class Graph:
    """A program while it is written."""

    def __init__(self, name: str, file: str | None = None) -> None:
        """`file` is the one whose lines operations come from, as code objects name it."""

    def role(self, name: str) -> int:
        """The number of the role of that name."""

    def input(self, role: int, name: str, kind: Kind, shape: int | tuple[int, ...]) -> Array:
        """An input that a role gives."""

    def output(self, roles: Sequence[int], name: str, array: Array) -> None:
        """An output that roles receive."""

    def asarray(self, object: Any, kind: Kind | None = None) -> Array:  # noqa: A002
        """An array of public numbers, secret ones, or lists of both."""

    def begin_loop(
        self, count: int, carried: Sequence[Array], sliced: Sequence[Array]
    ) -> tuple[Array, list[Array], list[Array]]:
        """Begins a loop: the iteration's number, what is carried, its part of what is taken apart."""

    def end_loop(self, carried: Sequence[Array], kept: Sequence[Array]) -> tuple[list[Array], list[Array]]:
        """Ends the innermost loop: what is carried in the end, and the stacks of what was kept."""

    def abandon_loop(self) -> None:
        """Gives up the innermost loop."""

    def apply_circuit(self, circuit: Program, arguments: Sequence[Array]) -> list[Array]:
        """Applies a circuit file to unsigned integers."""

    def apply_program(self, program: Program, arguments: Sequence[Array]) -> list[Array]:
        """Applies a program: its inputs in order become arguments, its outputs results."""

    def finish(self, made_by: str = "Python", source: str | None = None) -> Program:
        """The program, of a source file of that name. Nothing can be written afterwards."""

@final
class LivePath:
    """A path of a reactive program: what one of its tasks appends."""

@final
class PartyTask:
    """One task of a program among any number of parties."""

    @property
    def opened(self) -> bool:
        """Whether it has opened values that were not compared since."""

@final
class PartyEnd:
    """A party that has joined the others."""

    @staticmethod
    def join(
        session: Session,
        party: str,
        key: SecretKey,
        *,
        modulus: int,
        threshold: int,
        security: str,
        fields: list[tuple[str, str]],
        cancel: Cancel,
        current: Callable[[], object],
        ask: Callable[[], PartyTask],
        front: Sequence[str],
        net: str | None = None,
        planned_link: str | None = None,
        profile: str | None = None,
        listener: Listener | None = None,
        store: str | None = None,
    ) -> PartyEnd:
        """Joins the other parties; blocks.

        `security` is "passive" or "active". `ask` tells the task that runs; it is asked when `current` gives
        another object than before. `front` are the folders of the files through which programs call.
        """

    @staticmethod
    def alone(
        party: str,
        *,
        modulus: int,
        security: str,
        current: Callable[[], object],
        ask: Callable[[], PartyTask],
        front: Sequence[str],
    ) -> PartyEnd:
        """A party by itself, to try a program out: nothing is protected. Arguments are as for `join`."""

    @property
    def names(self) -> list[str]:
        """The parties in order."""

    @property
    def bytes_sent(self) -> int:
        """Bytes sent so far, without what the transport adds."""

    def report(self) -> str:
        """What the session has cost this party so far, and what ran in it, as JSON."""

    def task(self, name: str) -> PartyTask:
        """The task of this name; the first one's is empty."""

    def input(
        self,
        owner: int,
        dims: int | Sequence[int],
        value: Any = None,
        kind: Kind | None = None,
        name: str = "an input",
    ) -> Array:
        """An input of the party with this number: of a kind, or elements of the field."""

    def asarray(self, object: Any, kind: Kind | None = None) -> Array:  # noqa: A002
        """An array of public numbers, shared ones, or lists of both; without a kind, of the field."""

    def random(self, dims: int | Sequence[int], bits: bool) -> Array:
        """Random elements, or random bits."""

    def prepare(self, what: str, count: int, bits: int | None = None) -> None:
        """Makes ahead bits, comparisons, or masks of so many bits, for the task that runs."""

    def keep(self, what: str, count: int, number: int, bits: int | None = None) -> None:
        """Makes as `prepare`, into the stores of all parties; an event of this number tells the end."""

    def stored(self) -> tuple[int, int, list[tuple[int, int]]]:
        """What may be taken out of the store: bits, comparisons, and masks by their bits."""

    def open(self, array: Array, number: int, to: list[int] | None = None) -> None:
        """Opens a value, to all parties or to some; an event of this number tells it."""

    def synchronise(self, number: int) -> None:
        """Compares what all have seen; an event of this number tells that it was the same."""

    def conclude(self, number: int) -> None:
        """Compares what all have seen, as `synchronise` does, once the program needs nothing more."""

    def settle(self, task: PartyTask, number: int) -> None:
        """As `synchronise`, of a task that may have ended."""

    def run(
        self,
        program: Program,
        speakers: Sequence[str],
        inputs: Mapping[str, str],
        task: PartyTask,
        number: int,
        effort: int | None = None,
        domain: str | None = None,
        classes: str | None = None,
    ) -> None:
        """Runs a compiled program in a task of its own; an event of this number tells outputs as JSON.

        `speakers` speak for its roles; inputs and outputs are of this party's roles. `domain` is how
        values are shared that the program pins to none, and `classes` the same for classes of operations.
        """

    @property
    def outside(self) -> list[str]:
        """The parties that do not compute, in order."""

    def collect(
        self,
        name: str,
        dims: int | Sequence[int],
        of: list[str],
        seconds: float,
        number: int,
        kind: Kind | None = None,
    ) -> None:
        """Asks parties outside for an input; an event of this number tells the arrays that came, by place.

        They are elements of the field, though numbers of a kind are asked for.
        """

    def tell(self, name: str, array: Array, to: list[str], number: int) -> None:
        """Tells parties outside an array; an event of this number says that it is on its way."""

    def flush(self) -> None:
        """Lets everything that was written run."""

    def leave(self, why: str | None = None) -> None:
        """Ends the computation at this party; blocks for a moment."""

    def fileno(self) -> int:
        """Becomes readable when there are events."""

    def events(self) -> list[tuple[int, Any, Exception | None]]:
        """What was waited for, by number: numbers, outputs or collected arrays, or an exception."""

@final
class LiveEnd:
    """One end of a link, on which a reactive session may be started."""

    @staticmethod
    def of_session(
        session: Session,
        party: str,
        key: SecretKey,
        *,
        listener: Listener | None = None,
        shares: str | None = None,
        **options: str | int | None,
    ) -> LiveEnd:
        """A party of a session in which two compute.

        `shares` is the folder of shares that are kept between runs; `options` are those of runs.
        """

    @staticmethod
    def pair(
        first: str, second: str, *, timeout_s: float | None = None, **options: str | int | None
    ) -> tuple[LiveEnd, LiveEnd]:
        """Both ends of a link in memory."""

    def start(
        self,
        ready: int,
        ended: int,
        *,
        current: Callable[[], object],
        ask: Callable[[], LivePath],
        wake: Callable[[], object],
        front: Sequence[str],
    ) -> Live:
        """Starts the session on a thread of its own. Events `ready` and `ended` tell of the peer and the end.

        `ask`, `current` and `front` are as for `PartyEnd.join`; `wake` is called when something was written
        since the last `submit`.
        """

@final
class LiveWork:
    """A run that was appended, and begins when it is planned."""

    def begin(
        self, number: int, inputs: Mapping[str, str], store: Store | None = None, **options: str | int | None
    ) -> None:
        """Plans it, and lets it begin.

        An event of this number tells as JSON the outputs by role, or how many runs can be spent.
        """

    def drop(self) -> None:
        """Has nothing run, and the peer told so, unless it has begun."""

@final
class Live:
    """A reactive session in progress."""

    @property
    def graph(self) -> Graph:
        """The program that is written."""

    @property
    def garbles(self) -> bool:
        """Whether this party garbles."""

    @property
    def pending(self) -> int:
        """Steps that have not run."""

    def path(self, name: str) -> LivePath:
        """Begins a path."""

    def end_path(self, path: LivePath) -> None:
        """Ends a path."""

    def input(
        self, role: str, name: str, kind: Kind, shape: int | tuple[int, ...], text: str | None = None
    ) -> Array:
        """An input of one of this party's roles, as JSON, or of another's."""

    def kept(self, name: str, kind: Kind, shape: int | tuple[int, ...]) -> Array:
        """What earlier runs have kept under a name, as it was when the session began."""

    def keep(self, name: str, array: Array) -> None:
        """Has an array kept under a name when the session ends."""

    def open(self, array: Array, to_me: bool, to_peer: bool, number: int) -> None:
        """Opens an array; an event of this number tells the value as JSON."""

    def work(self, program: Program, *, prepared: bool = False, count: int | None = None) -> LiveWork:
        """Appends that a program is run, spent from the store, or prepared so often."""

    def submit(self) -> None:
        """Lets everything that was written run."""

    def close(self) -> None:
        """Ends this party's program."""

    def cancel(self) -> None:
        """Gives up."""

    def fileno(self) -> int:
        """Becomes readable when there are events."""

    def events(self) -> list[tuple[int, str | None, Exception | None]]:
        """What has happened: numbers, each with text or an exception."""

def visit(
    session: Session,
    party: str,
    key: SecretKey,
    *,
    modulus: int,
    threshold: int,
    security: str,
    fields: list[tuple[str, str]],
    cancel: Cancel,
    give: Callable[[str, Kind | None, list[int]], Any],
    programs: Sequence[tuple[Program, Mapping[str, str]]],
    net: str | None = None,
) -> tuple[list[tuple[str, bool]], list[tuple[str, Kind | None, list[int], list[int]]], list[dict[str, str]]]:
    """Takes part as a party that does not compute; blocks until the session ends.

    `give` is asked for each input by name, kind and shape. `programs` are those in which it speaks for the
    roles whose JSON inputs are given. Returns whether each input was taken, the results with name, kind,
    shape and numbers, and the JSON outputs of each program that ran.
    """

def largest_threshold(parties: int) -> int:
    """The largest threshold that so many parties can compute with."""

def prediction_among(
    program: Program,
    parties: int,
    *,
    domain: str,
    modulus: int,
    classes: str | None = None,
    link: str = "lan",
    profile: str | None = None,
) -> str:
    """What a run sends among so many parties with the largest threshold, exactly, as JSON; nothing runs.

    `computing` has how often a party computes each unit of a profile, `has_words` says whether it computes
    with words, and `domain` and `classes` say how values are shared: with the domain `auto`, as is predicted
    to be fastest for the link and the profile.

    The roles are the first parties; `modulus` is the prime that words are computed with.
    """

def concatenate(arrays: Sequence[Array], axis: int = 0) -> Array:
    """Arrays one after the other along an axis."""

def stack(arrays: Sequence[Array], axis: int = 0) -> Array:
    """Arrays side by side along a new axis."""
