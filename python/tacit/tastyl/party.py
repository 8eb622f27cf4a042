"""The two parties, to whose attributes values are bound."""

from __future__ import annotations

from typing import Any, NoReturn

from tacit._native import ProgramError
from tacit.tastyl.execution import execution
from tacit.tastyl.value import Sent, Value


class Party:
    """The client or the server: `client.x = …` binds a value, `client.x <<= server.y` sends one."""

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "_values", {})

    name: str
    _values: dict[str, Value]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = self._values.get(name)
        return Unassigned(self, name) if found is None else found

    def __setattr__(self, name: str, value: Any) -> None:
        where = f"{self.name}.{name}"
        if name in ("name", "output", "_values"):
            raise ProgramError(f"{where} means something else already; take another name")
        if isinstance(value, Unassigned):
            value.fail()
        if isinstance(value, Sent):
            value = value.arrive(self, name)
        if not isinstance(value, Value):
            raise ProgramError(
                f"{where} = {value!r}: parties have values like Unsigned(val=…, bitlen=…); "
                f"constants are ordinary variables, {name} = {value!r}"
            )
        if value.party is not None and value.party is not self:
            raise ProgramError(
                f"{value.where} is at {value.party.name}; send it with {where} <<= {_source(value)}"
            )
        self._check(name, value)
        value.bind(self, name)
        self._values[name] = value

    def _check(self, name: str, value: Value) -> None:
        """Refuses a value that is not what was declared under this name."""
        old = self._values.get(name)
        if old is None or old.has_value or old is value:
            return
        where = f"{self.name}.{name}"
        if type(old) is not (type(value).stands_for or type(value)):
            wanted = type(old).__name__
            raise ProgramError(
                f"{where} is declared as {wanted}, and this is {type(value).__name__}; "
                f"convert it: {wanted}(val={_source(value)})"
            )
        if old.declared_shape is not None and value.has_value and old.declared_shape != value.shape:
            raise ProgramError(f"{where} is declared with dim={old.dim}, and this has dim={value.dim}")
        if old.declared_bits is not None and value.has_value and value.bitlen > old.declared_bits:
            raise ProgramError(
                f"{where} is declared with bitlen={old.declared_bits}, and this has {value.bitlen} bits; "
                f"write force_bitlen={old.declared_bits} where it is converted to drop the high ones"
            )

    def output(self, value: Any, dest: object = None, desc: str | None = None) -> None:
        """Gives something to this party's user: a plain value, or anything of Python."""
        if isinstance(value, Unassigned):
            value.fail()
        if isinstance(value, Value):
            if value.party is not None and value.party is not self:
                raise ProgramError(f"{value.where} is at {value.party.name}; send it first")
            value.party = self
            value.output(dest=dest, desc=desc)
            return
        execution().outputs.append((self.name, desc or "output", lambda: value))

    def __repr__(self) -> str:
        return f"<{self.name}>"


def _source(value: Value) -> str:
    if value.party is not None and value.label:
        return f"{value.party.name}.{value.label}"
    return f"{type(value).__name__}(…)"


class Unassigned:
    """An attribute that nothing was bound to; it can only receive."""

    def __init__(self, party: Party, name: str) -> None:
        self._party = party
        self._name = name

    def fail(self) -> NoReturn:
        """Says that it has no value."""
        where = f"{self._party.name}.{self._name}"
        names = ", ".join(self._party._values) or "nothing"
        raise ProgramError(
            f"{where} is unknown: nothing was assigned to it (there is {names}); "
            f"declare it, as in {where} = Unsigned(bitlen=32).input(), or send it, {where} <<= …"
        )

    def __ilshift__(self, other: Any) -> Sent:
        return Sent(other)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.fail()

    def _refuse(self, *_: Any) -> Any:
        self.fail()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __invert__ = _refuse
    __floordiv__ = __truediv__ = __mod__ = __and__ = __or__ = __xor__ = _refuse
    __rfloordiv__ = __rtruediv__ = __rmod__ = __rand__ = __ror__ = __rxor__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _refuse
    __getitem__ = __setitem__ = __iter__ = __len__ = __contains__ = __bool__ = __int__ = __index__ = _refuse
    __hash__ = None  # type: ignore[assignment]
