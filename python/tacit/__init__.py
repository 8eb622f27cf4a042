"""Computes on data that its owners do not show each other."""

from tacit import starting  # noqa: F401 - before the others, which take a while

# isort: split
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from tacit._native import (
    AbortError,
    Array,
    ArrayType,
    InputError,
    Kind,
    KindError,
    OpenSession,
    PeerError,
    Program,
    ProgramError,
    RangeError,
    SecretError,
    SecretKey,
    Session,
    ShapeError,
    Store,
    TacitError,
    UsageError,
    __version__,
)
from tacit.language.circuits import CFunction, Circuit, c_function, circuit
from tacit.language.function import Function, Trace, function, keep, kept, output
from tacit.language.loops import fori, scan
from tacit.language.operators import abs_ as abs  # noqa: A004
from tacit.language.operators import all_ as all  # noqa: A004
from tacit.language.operators import any_ as any  # noqa: A004
from tacit.language.operators import (
    argmax,
    argmin,
    argsort,
    arith,
    array,
    astype,
    bits,
    bool_,
    broadcast_to,
    concatenate,
    constant,
    cumsum,
    dot,
    exact,
    from_bits,
    he,
    lookup,
    matmul,
    maximum,
    minimum,
    prod,
    reshape,
    sort,
    sqrt,
    stack,
    transpose,
    update,
    where,
    wrapping,
    yao,
)
from tacit.language.operators import max_ as max  # noqa: A004
from tacit.language.operators import min_ as min  # noqa: A004
from tacit.language.operators import sum_ as sum  # noqa: A004
from tacit.language.outputs import Outputs
from tacit.language.types import boolean as bool  # noqa: A004
from tacit.language.types import field, fixed, float32, float64, i8, i16, i32, i64, u8, u16, u32, u64, uint
from tacit.language.types import integer as int  # noqa: A004

if TYPE_CHECKING:
    from tacit.language.connection import Connection
    from tacit.language.elementary import exp, log, reciprocal, sigmoid, softmax, tanh
    from tacit.sessions.among import together
    from tacit.sessions.linear import SingularError
    from tacit.sessions.protection import DEFAULT_MODULUS, GF256
    from tacit.sessions.session import PartySession, SessionRole
    from tacit.sessions.visiting import Visit, visit
    from tacit.table_files import TableFile, table
    from tacit.tables import Query, sql

    Role: TypeAlias = Any
    """A role in the body of a function, and a role's inputs in calls of the function."""

    connect = PartySession

    session = PartySession
    """The same, under the name used in programs of two parties."""

    join = PartySession
    """The same, under the name used in programs of three or more parties."""

    LiveSession = PartySession
    Runtime = PartySession
    LiveRole = SessionRole
else:
    from tacit.language.function import Role

Share = Array

_ELEMENTARY = "tacit.language.elementary"
_SESSION = "tacit.sessions.session"

_LATER = {
    "Connection": ("tacit.language.connection", "Connection"),
    "DEFAULT_MODULUS": ("tacit.sessions.protection", "DEFAULT_MODULUS"),
    "GF256": ("tacit.sessions.protection", "GF256"),
    "LiveRole": (_SESSION, "SessionRole"),
    "LiveSession": (_SESSION, "PartySession"),
    "PartySession": (_SESSION, "PartySession"),
    "Query": ("tacit.tables", "Query"),
    "Runtime": (_SESSION, "PartySession"),
    "SessionRole": (_SESSION, "SessionRole"),
    "SingularError": ("tacit.sessions.linear", "SingularError"),
    "TableFile": ("tacit.table_files", "TableFile"),
    "Visit": ("tacit.sessions.visiting", "Visit"),
    "connect": (_SESSION, "PartySession"),
    "exp": (_ELEMENTARY, "exp"),
    "join": (_SESSION, "PartySession"),
    "log": (_ELEMENTARY, "log"),
    "reciprocal": (_ELEMENTARY, "reciprocal"),
    "session": (_SESSION, "PartySession"),
    "sigmoid": (_ELEMENTARY, "sigmoid"),
    "softmax": (_ELEMENTARY, "softmax"),
    "sql": ("tacit.tables", "sql"),
    "table": ("tacit.table_files", "table"),
    "tanh": (_ELEMENTARY, "tanh"),
    "together": ("tacit.sessions.among", "together"),
    "visit": ("tacit.sessions.visiting", "visit"),
}
"""Names that are imported when they are first used, with their modules: they take as long as all others."""

__all__ = [
    "DEFAULT_MODULUS",
    "GF256",
    "AbortError",
    "Array",
    "ArrayType",
    "CFunction",
    "Circuit",
    "Connection",
    "Function",
    "InputError",
    "Kind",
    "KindError",
    "LiveRole",
    "LiveSession",
    "OpenSession",
    "Outputs",
    "PartySession",
    "PeerError",
    "Program",
    "ProgramError",
    "Query",
    "RangeError",
    "Role",
    "Runtime",
    "SecretError",
    "SecretKey",
    "Session",
    "SessionRole",
    "ShapeError",
    "Share",
    "SingularError",
    "Store",
    "TableFile",
    "TacitError",
    "Trace",
    "UsageError",
    "Visit",
    "__version__",
    "abs",
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "arith",
    "array",
    "astype",
    "bits",
    "bool",
    "bool_",
    "broadcast_to",
    "c_function",
    "circuit",
    "concatenate",
    "connect",
    "constant",
    "cumsum",
    "dot",
    "exact",
    "exp",
    "field",
    "fixed",
    "float32",
    "float64",
    "fori",
    "from_bits",
    "function",
    "he",
    "i8",
    "i16",
    "i32",
    "i64",
    "int",
    "join",
    "keep",
    "kept",
    "log",
    "lookup",
    "matmul",
    "max",
    "maximum",
    "min",
    "minimum",
    "output",
    "prod",
    "reciprocal",
    "reshape",
    "scan",
    "session",
    "sigmoid",
    "softmax",
    "sort",
    "sql",
    "sqrt",
    "stack",
    "sum",
    "table",
    "tanh",
    "together",
    "transpose",
    "u8",
    "u16",
    "u32",
    "u64",
    "uint",
    "update",
    "visit",
    "where",
    "wrapping",
    "yao",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=None)
    module, attribute = _LATER[name]
    found = globals()[name] = getattr(import_module(module), attribute)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
