"""Parties of two builds: an earlier release, and this one with a single constant of the wire changed.

Whatever two builds do together, and whatever one reads of what another has stored, is refused cleanly or
right, and never wrong.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import EXAMPLES, Finished, Many, Parties, Running

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent.parent
TARGET = ROOT / "target"

EARLIER = os.environ.get("TACIT_EARLIER", "1e7a9e47448986491625d8d697fcda59e5156cb7")
"""The commit that stands for an earlier release."""

BUILD_LIMIT_S = 1800

MILLIONAIRES = EXAMPLES / "millionaires.c"

SPEAKERS = '[role.a]\nparty = "A"\n[role.b]\nparty = "B"\n'

SURVEY = """
import tacit as t

@t.function
def survey(a, b, c):
    t.output("total", a.input("x", t.u16[3]) + b.input("x", t.u16[3]) + c.input("x", t.u16[3]), a, c)
"""

LEDGER = """
import tacit as t

@t.function
def deposit(a, b, *, pinned="B"):
    t.keep("balance", {"A": t.arith, "B": t.bool_, "Y": t.yao}[pinned](a.input("x", t.u32)))

@t.function
def add(a, b, *, pinned="B"):
    pin = {"A": t.arith, "B": t.bool_, "Y": t.yao}[pinned]
    new = t.exact(t.wrapping(pin(t.kept("balance", t.u32))) + pin(b.input("y", t.u32)))
    t.keep("balance", new)
    a.output("balance", new)
"""

OPEN = """
import json, sys
import tacit as t

@t.function
def larger(a, b):
    x, y = a.input("x", t.u32), b.input("y", t.u32)
    for role in (a, b):
        role.output("larger", x > y)
        role.output("product", t.bool_(x) & t.bool_(y))

name = sys.argv[1]
text = open("s.toml").read() + '[role.a]\\nparty = "A"\\n[role.b]\\nparty = "B"\\n'
try:
    session = t.OpenSession.open(t.Session.parse(text, "s.toml"), name, t.SecretKey.load(f"{name}.key"))
    given = {"a": json.dumps({"x": 12})} if name == "A" else {"b": json.dumps({"y": 9})}
    outputs, _ = session.run(larger.trace().program, given)
    session.close()
    print(json.dumps(json.loads(outputs[name.lower()])))
except t.TacitError as error:
    print(f"tacit: {type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(3)
"""

LIVE = """
import asyncio, json, sys
import tacit as t

async def main():
    inputs = {"x": 1000} if sys.argv[1] == "A" else {"y": 37}
    async with t.session("s.toml", role=sys.argv[1], inputs=inputs) as s:
        x, y = s.role("A").input("x", t.u16), s.role("B").input("y", t.u16)
        more = await s.open(x >= y)
        rest = await s.open((x - y).astype(t.u16))
    print(json.dumps({"more": more, "rest": rest}))

try:
    asyncio.run(main())
except t.TacitError as error:
    print(f"tacit: {type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(3)
"""

MANY = """
async def main(rt):
    x = rt.share_by_all(list(range(200)))
    less = await rt.open(x[0] < x[1])
    return [await rt.open(sum(x[0] * x[1])), less[:3]]
"""


@dataclass(frozen=True)
class Build:
    """A build of Tacit that commands can run with."""

    name: str
    package: Path | None
    """The folder that holds the package; none for the one that is installed."""

    @property
    def environment(self) -> Mapping[str, str]:
        """What makes a command use it."""
        return {} if self.package is None else {"PYTHONPATH": str(self.package)}


HERE = Build("this", None)


QUICKLY = {"OPT_LEVEL": "1", "DEBUG": "0", "CODEGEN_UNITS": "64"}
"""Settings of the profile for a build of which only what it does matters."""


def native(source: Path, target: Path, folder: Path, *features: str) -> None:
    """Builds the native module of a tree of sources into a copy of its package.

    Cargo takes crates at the same place within two trees for the same, so each tree has a target of its own.
    """
    more = ["--features", ",".join(features)] if features else []
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--package", "tacit-py", *more]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    if target != TARGET:
        environment |= {f"CARGO_PROFILE_RELEASE_{name}": value for name, value in QUICKLY.items()}
    subprocess.run(command, cwd=source, env=environment, check=True, timeout=BUILD_LIMIT_S)
    package = folder / "tacit"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(
        source / "python" / "tacit", package, ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    shutil.copy(target / "release" / "lib_native.so", package / "_native.abi3.so")


def earlier() -> Build:
    """The release at [`EARLIER`], built once."""
    folder = TARGET / "releases" / EARLIER[:12]
    if not (folder / "package" / "tacit" / "_native.abi3.so").exists():
        archive = subprocess.run(["git", "archive", EARLIER], cwd=ROOT, check=False, capture_output=True)
        if archive.returncode:
            pytest.fail(
                f"commit {EARLIER} is not in this clone; fetch its history: {archive.stderr.decode()}"
            )
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "source").mkdir(parents=True)
        subprocess.run(["tar", "-x", "-C", folder / "source"], input=archive.stdout, check=True)
        native(folder / "source", folder / "target", folder / "package")
    return Build("earlier", folder / "package")


def skewed() -> Build:
    """This tree with one constant of two parties and one of many parties changed."""
    folder = TARGET / "releases" / "skewed"
    native(ROOT, TARGET, folder, "skewed")
    return Build("skewed", folder)


@pytest.fixture(scope="module", params=[earlier, skewed], ids=["earlier", "skewed"])
def other(request: pytest.FixtureRequest) -> Build:
    """The other build."""
    made: Build = request.param()
    text = "import tacit, sys; sys.exit(tacit.__file__.startswith(sys.argv[1]) is False)"
    command = [sys.executable, "-c", text, str(made.package)]
    subprocess.run(command, env={**os.environ, **made.environment}, check=True)
    return made


@pytest.fixture(params=["other listens", "other dials"])
def builds(request: pytest.FixtureRequest, other: Build) -> dict[str, Build]:
    """Which build either of two parties is; A listens."""
    first = request.param == "other listens"
    return {"A": other if first else HERE, "B": HERE if first else other}


def script(made: Parties, name: str, party: str, build: Build) -> Running:
    """Starts a program in Python that connects by itself."""
    process = subprocess.Popen(
        [sys.executable, name, party],
        cwd=made.tacit.folder,
        env={**os.environ, "PYTHONSAFEPATH": "1", **build.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    made.tacit.running.append(Running(process))
    return made.tacit.running[-1]


def run(made: Parties, builds: Mapping[str, Build], *command: object, **own: list[object]) -> list[Finished]:
    """Runs a command of both parties, each of its build, with what it has of its own."""
    running = [
        made.tacit.start(
            *command, "--session", "s.toml", "--as", party, "--key", f"{party}.key", *own.get(party, []),
            environment=builds[party].environment,
        )
        for party in "AB"
    ]  # fmt: skip
    return [one.wait() for one in running]


def refused(finished: Finished, *words: str) -> None:
    """Asserts that a command ended cleanly, with one message that says why."""
    assert finished.code not in (0, 1), finished.stderr
    assert finished.stdout == ""
    assert "Traceback" not in finished.stderr
    assert "panicked" not in finished.stderr
    for word in words:
        assert word in finished.stderr, finished.stderr


def named(other: Build, crate: str = "twoparty") -> str:
    """What the message says that differs."""
    return "protocol version" if other.name == "earlier" else f"layout of {crate}"


def given(**values: object) -> str:
    return "--input=" + json.dumps(values)


def test_single_runs_are_refused(
    parties: Callable[..., Parties], builds: dict[str, Build], other: Build
) -> None:
    made = parties()
    for finished in run(made, builds, "run", MILLIONAIRES, A=[given(mil=12)], B=[given(mil=7)]):
        refused(finished, "the two sides differ in " + named(other))


@pytest.mark.parametrize("name", ["open", "live"])
def test_sessions_are_refused(
    parties: Callable[..., Parties], builds: dict[str, Build], other: Build, name: str
) -> None:
    made = parties()
    program = f"{name}_program.py"
    made.tacit.write(program, {"open": OPEN, "live": LIVE}[name])
    same = [script(made, program, party, builds["A"]) for party in "AB"]
    expected = {"open": {"larger": True, "product": 8}, "live": {"more": True, "rest": 963}}[name]
    for running in same:
        assert running.wait().outputs == expected, "both of one build understand each other"
    for running in [script(made, program, party, builds[party]) for party in "AB"]:
        refused(running.wait(), "the two sides differ in " + named(other))


@pytest.mark.parametrize("odd", "ca")
def test_a_party_that_does_not_compute_is_refused(
    parties: Callable[..., Parties], other: Build, odd: str
) -> None:
    made = parties()
    made.tacit.write("app.py", SURVEY)
    assert made.tacit("keygen", "c").code == 0
    session = made.tacit.folder / "s.toml"
    roles = '[role.a]\nparty = "A"\n[role.b]\nparty = "B"\n'
    guest = f'[party.c]\naddress = "{made.host}:7810"\nkey = "c.pub"\ncomputes = false\n'
    session.write_text(session.read_text() + guest + roles)
    running = [
        made.tacit.start(
            "run", "app.py:survey", "--session", "s.toml", "--as", party, "--key", f"{party}.key",
            f"--input={json.dumps({'x': [1, 2, 3]})}",
            environment=(other if party.lower() == odd else HERE).environment,
        )
        for party in "ABc"
    ]  # fmt: skip
    ended = [one.wait() for one in running]
    for finished in ended:
        refused(finished)
    assert any(named(other) in finished.stderr for finished in ended), ended


@pytest.mark.parametrize("spends", ["this", "other"])
def test_prepared_runs_of_the_other_build_are_refused(
    parties: Callable[..., Parties], other: Build, spends: str
) -> None:
    made_by, spent_by = (other, HERE) if spends == "this" else (HERE, other)
    made = parties()
    stores: dict[str, list[object]] = {party: ["--store", f"store-{party}"] for party in "AB"}
    prepare = ["prepare", MILLIONAIRES, "--count", 2]
    for finished in run(made, dict.fromkeys("AB", made_by), *prepare, **stores):
        assert finished.outputs["prepared"] == 2
    values = {"A": [given(mil=12)], "B": [given(mil=7)]}
    both = {party: [*stores[party], *values[party]] for party in "AB"}
    for finished in run(made, dict.fromkeys("AB", spent_by), "run", MILLIONAIRES, **both):
        refused(finished, "tacit prepare")
        if spent_by is HERE:
            assert "prepared runs of this program were made by" in finished.stderr
    # They are there still for the build that made them.
    for finished in run(made, dict.fromkeys("AB", made_by), "run", MILLIONAIRES, **both):
        assert finished.code == 0, finished.stderr


def deposit(made: Parties, build: Build, pinned: str) -> dict[str, list[object]]:
    """Keeps a balance of 500 by a build; what both parties say in each run."""
    made.tacit.write("ledger.py", LEDGER)
    folders: dict[str, list[object]] = {
        party: ["--shares", f"shares-{party}", "--param", f"pinned={pinned}"] for party in "AB"
    }
    with_x = {"A": [*folders["A"], given(x=500)], "B": folders["B"]}
    first, second = run(made, dict.fromkeys("AB", build), "run", "ledger.py:deposit", **with_x)
    assert first.code == second.code == 0, first.stderr
    return folders


@pytest.mark.parametrize("other", [skewed], ids=["skewed"], indirect=True)
@pytest.mark.parametrize("pinned", "ABY")
def test_kept_shares_of_the_other_build_are_the_value(
    parties: Callable[..., Parties], other: Build, pinned: str
) -> None:
    made = parties(extra=SPEAKERS)
    folders = deposit(made, other, pinned)
    total = 500
    for number, build in enumerate([HERE, other, HERE, HERE]):
        with_y = {"A": folders["A"], "B": [*folders["B"], given(y=number + 1)]}
        total += number + 1
        first, second = run(made, dict.fromkeys("AB", build), "run", "ledger.py:add", **with_y)
        assert first.outputs == {"balance": total}, "shares outlive releases"
        assert second.code == 0
    # Parties of two builds leave the shares as they are.
    for finished in run(made, {"A": HERE, "B": other}, "run", "ledger.py:add", **with_y):
        refused(finished, "the two sides differ in " + named(other))
    first, _ = run(made, dict.fromkeys("AB", HERE), "run", "ledger.py:add", **with_y)
    assert first.outputs == {"balance": total + 4}


@pytest.mark.parametrize("other", [earlier], ids=["earlier"], indirect=True)
@pytest.mark.parametrize("pinned", "ABY")
def test_kept_shares_of_an_earlier_format_are_refused_and_stay(
    parties: Callable[..., Parties], other: Build, pinned: str
) -> None:
    made = parties(extra=SPEAKERS)
    folders = deposit(made, other, pinned)
    with_y = {"A": folders["A"], "B": [*folders["B"], given(y=1)]}
    for finished in run(made, dict.fromkeys("AB", HERE), "run", "ledger.py:add", **with_y):
        refused(finished, "shares.redb", "another version of Tacit")
    first, second = run(made, dict.fromkeys("AB", other), "run", "ledger.py:add", **with_y)
    assert second.code == 0
    assert first.outputs == {"balance": 501}


def all_of(three: Many, builds: Mapping[str, Build], *command: object) -> list[Finished]:
    """Runs a command of all parties."""
    running = [
        three.tacit.start(*command, "--threshold", "1", "--as", party, environment=builds[party].environment)
        for party in three.names
    ]
    return [one.wait() for one in running]


@pytest.mark.parametrize("odd", ["p1", "p2", "p3"])
def test_many_parties_refuse_one_of_another_build(many: Callable[..., Many], other: Build, odd: str) -> None:
    three = many(timeout_s=20)
    three.tacit.write("many.py", MANY)
    command = ["run", "many.py", "--session", "many.toml"]
    ended = all_of(three, {**dict.fromkeys(three.names, HERE), odd: other}, *command)
    for finished in ended:
        refused(finished)
    assert any(named(other, "nparty") in finished.stderr for finished in ended), ended


def says_of_other_material(build: Build) -> str:
    """How a build begins to say that a store's material is not for it."""
    return (
        "what is in this store was made for" if build.name == "earlier" else "this store holds material for"
    )


def test_material_of_many_parties_of_the_other_build_is_refused(
    many: Callable[..., Many], other: Build
) -> None:
    three = many()
    three.tacit.write("many.py", MANY)
    for made_by, spent_by in ((other, HERE), (HERE, other)):
        shutil.rmtree(three.tacit.folder / "stores", ignore_errors=True)

        def command(party: str, build: Build, *words: object) -> Running:
            more = ["--threshold", "1", "--as", party, "--store", f"stores/{party}"]
            return three.tacit.start(*words, *more, environment=build.environment)

        (three.tacit.folder / "stores").mkdir()
        words = ["prepare", "many.toml", "--comparisons", "300"]
        for running in [command(party, made_by, *words) for party in three.names]:
            finished = running.wait()
            assert finished.code == 0, finished.stderr
        words = ["run", "many.py", "--session", "many.toml"]
        for running in [command(party, spent_by, *words) for party in three.names]:
            refused(running.wait(), says_of_other_material(spent_by))
