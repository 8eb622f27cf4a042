"""Private functions: one party's program stays secret, and so do the other's data.

The *holder* of a function calls `hold`, the *owner* of the data calls `meet`, each in its own process, over a
session. Only the owner learns the result. About the function it learns the interface: the types of inputs and
outputs, and a size.

    report = tacit.pfe.hold("policy.c", "session.toml", "lender", owner="APPLICANT", gates=3000)

    function = tacit.pfe.meet("session.toml", "applicant")
    print(function.interface)
    print(function.run({"income": 42000, "debt": 9000}).outputs)

With `prepare` and `prepare_for`, both do the setups of many runs beforehand, and keep them in stores; `hold`
and `meet` with `store=` use one each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit import _native
from tacit._native import InputError, SecretKey, Session, UsageError
from tacit.sessions.speakers import party_of

if TYPE_CHECKING:
    from tacit.programs import Runnable, Source

MAX_GATES = 1_000_000
"""Default maximum of gates and inputs together that the data's owner accepts: 64 MB of its memory, or 128 MB
for universal circuits."""

File = str | PathLike[str]

PROTOCOLS = (
    "half-elgamal",
    "universal-circuit",
    "katz-malka-elgamal",
    "katz-malka-djn",
    "katz-malka-bfv",
)
"""The protocols by name. The first is the default."""

AUTO = "auto"
"""Chooses the protocol that is predicted to be fastest."""

DEFAULT_LINK = "lan"
"""The link for predictions if none is given."""


@dataclass(frozen=True)
class Form:
    """The form in which a function is announced."""

    gates: int | None = None
    """The announced number of gates, which hides the real one; None announces the function's own number."""

    protocol: str | None = None
    """One of `PROTOCOLS`, or `auto`. Gates of `universal-circuit` have any table, others are NANDs."""

    link: str | None = DEFAULT_LINK
    """The link for which `auto` chooses; None if both parties are on this machine."""

    tell: Callable[[str], object] | None = None
    """Called with the choice of `auto`, and the reason for it."""

    def settled(self, source: Source, owner: str) -> Form:
        """The same, with the fastest protocol of `plan` in place of `auto`."""
        if self.protocol != AUTO:
            return self
        plans = plan_of(source, owner, self.gates, self.link)
        if self.tell is not None:
            where = "on this machine" if self.link is None else f"over {self.link}"
            first, *others = [str(plan) for plan in plans]
            self.tell(f"chosen {where}, {first}\n" + "".join(f"rather than {other}\n" for other in others))
        return replace(self, protocol=plans[0].protocol)


@dataclass(frozen=True)
class Plan:
    """The prediction for a run by one protocol, with its introduction."""

    protocol: str
    gates: int
    """Announced gates, of the protocol's kind."""
    bytes: int
    """Bytes of both parties. Exact."""
    setup_seconds: float
    online_seconds: float
    computing_seconds: float
    """Seconds in which the slower party computes."""
    link_seconds: float
    """Seconds in which the busier direction of the link is busy."""

    def __str__(self) -> str:
        seconds = self.setup_seconds + self.online_seconds
        return (
            f"{self.protocol}: {self.gates:,} gates, {self.bytes:,} bytes, about {seconds:.2g} s "
            f"({self.computing_seconds:.2g} s of computing, {self.link_seconds:.2g} s of the link)"
        )


@dataclass(frozen=True)
class Evaluated:
    """The outputs and the report of a run, at the data's owner."""

    outputs: dict[str, Any]
    """The result, by name."""

    report: dict[str, Any]
    """The measured and predicted costs."""


class Announced:
    """A function that its holder has announced to this party. No data have been sent so far.

    The holder waits up to the session's time limit, so call `run` or `decline` soon.
    """

    def __init__(self, native: _native.AnnouncedFunction) -> None:
        self._native = native
        self.interface: dict[str, Any] = json.loads(native.interface)

    def run(self, data: Mapping[str, Any]) -> Evaluated:
        """Evaluates the function on data, by name. Data that do not fit are not sent, and end the run."""
        return self.run_text(text_of(data))

    def run_text(self, data: str) -> Evaluated:
        """As `run`, for a JSON object."""
        outputs, report = self._native.run(data)
        return Evaluated(json.loads(outputs), json.loads(report))

    def decline(self) -> None:
        """Declines to give data to the function, and tells its holder."""
        self._native.decline()


def meet(
    session: File,
    party: str,
    key: File | None = None,
    *,
    interface: Mapping[str, Any] | None = None,
    max_gates: int = MAX_GATES,
    store: File | None = None,
    net: str | None = None,
) -> Announced:
    """Connects to the holder of a function as the data's owner, and receives the function's interface.

    `party` is this party's name, or a role that it speaks for; `key` is the file of its secret key:
    `NAME.key` by default, beside the session file. The function is refused, before anything is allocated for
    it, if its interface differs from `interface`, or if it has more than `max_gates` gates and inputs.
    `store` is the folder of runs that `prepare_for` kept; one is used. The holder gives its own folder
    to `hold`.
    """
    file, name, secret = _owns(session, party, key)
    native = _native.AnnouncedFunction.meet(
        file, name, secret, max_gates, interface=_given(interface), store=_path(store), net=net
    )
    return Announced(native)


def prepare_for(
    session: File,
    party: str,
    key: File | None = None,
    *,
    store: File,
    count: int,
    interface: Mapping[str, Any] | None = None,
    max_gates: int = MAX_GATES,
    net: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Prepares `count` runs as the data's owner, while the holder calls `prepare`; else as for `meet`.

    Returns the function's interface, and the report with predicted and measured costs.
    """
    file, name, secret = _owns(session, party, key)
    announced, report = _native.private_prepare(
        file, name, secret, max_gates, str(store), _positive(count), interface=_given(interface), net=net
    )
    return json.loads(announced), json.loads(report)


def hold(
    program: Runnable,
    session: File,
    party: str,
    key: File | None = None,
    *,
    owner: str | None = None,
    gates: int | None = None,
    protocol: str | None = None,
    inputs: Mapping[str, Mapping[str, Any]] | None = None,
    store: File | None = None,
    net: str | None = None,
    **static: Any,
) -> dict[str, Any]:
    """Takes part as the holder of a function; returns the report with predicted and measured costs.

    `owner` is the role of the data's owner; it may be omitted if the session file determines it. `inputs` are
    the values of the other roles, which stay secret like the function. `gates` is the announced number.
    `protocol` is one of `PROTOCOLS`, the first of which is the default, or `auto`: the first of `plan` for
    the link `net`. `store` is the folder of runs that `prepare` kept; one of them is used.
    """
    source, form = _source(program, static), Form(gates, protocol, net or DEFAULT_LINK)
    ahead = None if store is None else Ahead(store)
    given = source.encode_values(inputs or {})
    return hold_source(source, session, party, key, owner, form, given, net, ahead)


def prepare(
    program: Runnable,
    session: File,
    party: str,
    key: File | None = None,
    *,
    store: File,
    count: int,
    owner: str | None = None,
    gates: int | None = None,
    net: str | None = None,
    **static: Any,
) -> dict[str, Any]:
    """Prepares `count` runs of a function as its holder, while the data's owner calls `prepare_for`.

    Returns the report with predicted and measured costs. The protocol is `half-elgamal`; other arguments
    are as for `hold`. Entries are bound to the function: `hold` with another one uses none, even with the
    same interface.
    """
    source = _source(program, static)
    ahead = Ahead(store, _positive(count))
    return hold_source(source, session, party, key, owner, Form(gates), {}, net, ahead)


@dataclass(frozen=True)
class Ahead:
    """A store of prepared runs, and its use."""

    store: File
    """The folder of the store."""

    count: int | None = None
    """The number of runs to prepare; None uses one prepared run."""


def hold_source(
    source: Source,
    session: File,
    party: str,
    key: File | None,
    owner: str | None,
    form: Form,
    inputs: Mapping[str, str],
    net: str | None = None,
    ahead: Ahead | None = None,
) -> dict[str, Any]:
    """As `hold` and `prepare`, for a loaded program and inputs in JSON."""
    file, program = Session.load(str(session)), source.program
    name = party_of(party, file, program.roles, file.party_of)
    owner = owner or _owner(file, program.roles, name)
    _check_speakers(file, program.roles, name, owner)
    secret = _key(session, name, key)
    # Of the protocols with a setup to prepare, half-ElGamal sends least and computes least.
    chosen = replace(form, protocol=None) if ahead is not None and form.protocol == AUTO else form
    form = chosen.settled(source, owner)
    store, count = (None, None) if ahead is None else (str(ahead.store), ahead.count)
    _, report = _native.private_hold(
        program,
        owner,
        file,
        name,
        secret,
        inputs,
        gates=form.gates,
        protocol=form.protocol,
        store=store,
        prepare=count,
        net=net,
    )
    value: dict[str, Any] = json.loads(report)
    return value


def interface(
    program: Runnable,
    owner: str | None = None,
    gates: int | None = None,
    protocol: str | None = None,
    **static: Any,
) -> dict[str, Any]:
    """The public interface of a private function on the data of `owner`, which the holder may publish."""
    return interface_of(_source(program, static), owner, Form(gates, protocol))


def interface_of(source: Source, owner: str | None, form: Form) -> dict[str, Any]:
    """As `interface`, for a loaded program."""
    owner = only_owner(source.program.roles, owner)
    form = form.settled(source, owner)
    text = _native.private_interface(source.program, owner, form.gates, form.protocol)
    value: dict[str, Any] = json.loads(text)
    return value


def plan(
    program: Runnable,
    owner: str | None = None,
    *,
    gates: int | None = None,
    link: str | None = DEFAULT_LINK,
    **static: Any,
) -> list[Plan]:
    """The predictions for a run by each protocol, the fastest first.

    `link` is as for `net`; with None both parties run on this machine. Bytes are exact. Seconds follow from
    measuring this machine for a tenth of a second, and assume that the peer's is as fast. They depend only on
    public sizes, so the choice of a protocol reveals nothing more.
    """
    source = _source(program, static)
    return plan_of(source, only_owner(source.program.roles, owner), gates, link)


def plan_of(source: Source, owner: str, gates: int | None, link: str | None) -> list[Plan]:
    """As `plan`, for a loaded program."""
    return [Plan(**each) for each in json.loads(_native.private_plan(source.program, owner, gates, link))]


def predicted_seconds(report: Mapping[str, Any], link: str = DEFAULT_LINK) -> dict[str, float]:
    """The predicted seconds of `setup` and `online` of a run on a link, from its report; as by `plan`.

    This machine is measured for a tenth of a second. The report's `phases` have the measured seconds.
    """
    size = [report[name] for name in ("gates", "holder_bits", "owner_bits", "output_bits")]
    setup, online = _native.private_seconds(report["protocol"], size, link)
    return {"setup": setup, "online": online}


def check(interface: Mapping[str, Any], data: Mapping[str, Any]) -> None:
    """Checks that an interface is valid and that the data fit it."""
    _native.check_private_inputs(json.dumps(interface), text_of(data))


def local(
    program: Runnable,
    owner: str | None = None,
    *,
    gates: int | None = None,
    protocol: str | None = None,
    inputs: Mapping[str, Mapping[str, Any]],
    **static: Any,
) -> dict[str, Any]:
    """Runs both parties in this process, with the real protocol's messages; returns the owner's outputs."""
    source = _source(program, static)
    owner = only_owner(source.program.roles, owner)
    protocol = Form(gates, protocol, None).settled(source, owner).protocol
    given = source.encode_values({role: {} for role in source.program.roles} | dict(inputs))
    text, _ = _native.private_local(source.program, owner, given, gates, protocol)
    return source.decode_by_role({owner: text})[owner]


def only_owner(roles: list[str], owner: str | None) -> str:
    """The role of the data's owner, which may be omitted if there is only one role."""
    if owner is None and len(roles) > 1:
        raise UsageError(f"--owner is missing: name the role that has the data, one of {', '.join(roles)}")
    return owner or roles[0]


def text_of(data: Mapping[str, Any]) -> str:
    """Python values as a JSON object."""
    from tacit.language.floats import named
    from tacit.measure.cases import plain

    try:
        return json.dumps(named(plain(data)))
    except TypeError as error:
        raise InputError(f"an input is neither a number nor an array: {error}") from None


def _source(program: Runnable, static: Mapping[str, Any]) -> Source:
    from tacit.programs import source_of

    return source_of(program, static)


def _key(session: File, party: str, key: File | None) -> SecretKey:
    return SecretKey.load(str(key or Path(session).parent / f"{party}.key"))


def _owns(session: File, party: str, key: File | None) -> tuple[Session, str, SecretKey]:
    """The session, name and key of the data's owner."""
    file = Session.load(str(session))
    name = party if party in file.parties else file.party_of(party)
    return file, name, _key(session, name, key)


def _given(interface: Mapping[str, Any] | None) -> str | None:
    return None if interface is None else json.dumps(interface)


def _path(store: File | None) -> str | None:
    return None if store is None else str(store)


def _positive(count: int) -> int:
    if count < 1:
        raise UsageError(f"count={count}: prepare at least one run")
    return count


def _owner(session: Session, roles: list[str], party: str) -> str:
    """The only role that another party speaks for, or the only role."""
    others = [role for role in roles if _speaker(session, role) not in (None, party)]
    return others[0] if len(others) == 1 else only_owner(roles, None)


def _check_speakers(session: Session, roles: list[str], party: str, owner: str) -> None:
    """Refuses to hold a function if another party speaks for one of the holder's roles."""
    for role in roles:
        speaker = _speaker(session, role)
        if role == owner and speaker == party:
            raise UsageError(
                f"{party} speaks for {owner}, the data's owner; the holder of the function is another party"
            )
        if role != owner and speaker not in (None, party):
            raise UsageError(
                f"{speaker} speaks for {role}, whose inputs are a part of the function; its holder is {party}"
            )


def _speaker(session: Session, role: str) -> str | None:
    try:
        return session.party_of(role)
    except UsageError:
        return None
