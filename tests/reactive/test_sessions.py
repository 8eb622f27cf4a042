"""Reactive programs between two parties in one process."""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import tacit as t
from conftest import EXAMPLES

TIME_LIMIT_S = 60

Program = Callable[[t.LiveSession], Awaitable[Any]]


def together(*programs: Program, timeout_s: float | None = None, **inputs: Any) -> dict[str, Any]:
    """Runs both parties' programs, within a time limit."""

    async def run() -> dict[str, Any]:
        work = t.session.together(*programs, timeout_s=timeout_s, **inputs)
        return await asyncio.wait_for(work, TIME_LIMIT_S)

    return asyncio.run(run())


def both(*programs: Program, timeout_s: float | None = None, **inputs: Any) -> list[BaseException | Any]:
    """What came of each of two programs, errors too."""

    async def one(session: t.LiveSession, program: Program) -> Any:
        async with session:
            return await program(session)

    async def run() -> list[BaseException | Any]:
        sessions = t.session.pair(timeout_s=timeout_s, **inputs)
        runs = [one(session, program) for session, program in zip(sessions, programs * 2, strict=False)]
        return await asyncio.wait_for(asyncio.gather(*runs, return_exceptions=True), TIME_LIMIT_S)

    return asyncio.run(run())


def test_decisions_on_what_is_opened() -> None:
    async def program(s: t.LiveSession) -> tuple[bool, int]:
        x = s.role("a").input("x", t.u32)
        y = s.role("b").input("y", t.u32)
        bigger = await s.open(x > y)
        z = x * 3 + y if bigger else x + y * 3
        return bigger, await s.open(z)

    for x, y in ((5, 3), (3, 5), (2**32 - 1, 2**32 - 1)):
        outputs = together(program, a={"x": x}, b={"y": y})
        assert outputs["a"] == outputs["b"] == (x > y, 3 * x + y if x > y else x + 3 * y)


def test_own_inputs_where_they_are_written() -> None:
    async def first(s: t.LiveSession) -> int:
        x = s.input("x", t.i16, -7)
        y = s.role("b").input("y", t.i16)
        return int(await s.open(x * y))

    async def second(s: t.LiveSession) -> int:
        x = s.role("a").input("x", t.i16)
        y = s.input("y", t.i16, 9)
        return int(await s.open(x * y))

    assert together(first, second) == {"a": -63, "b": -63}


def test_values_for_one_party() -> None:
    async def program(s: t.LiveSession) -> list[Any]:
        x = s.role("a").input("x", t.u8)
        opened = [s.open(x, to="a"), s.open(x, to=s.role("b")), s.open(x, to=["a", "b"])]
        return [await future for future in opened]

    assert together(program, a={"x": 9}) == {"a": [9, None, 9], "b": [None, 9, 9]}


def test_many_values_are_outstanding_together() -> None:
    async def program(s: t.LiveSession) -> list[int]:
        x = s.role("a").input("x", t.u16[50])
        y = s.role("b").input("y", t.u16[50])
        opened = [s.open(x[place] * y[place] + place) for place in range(50)]
        return list(await asyncio.gather(*opened))

    draw = random.Random(1)
    xs, ys = ([draw.randrange(1 << 16) for _ in range(50)] for _ in range(2))
    outputs = together(program, a={"x": xs}, b={"y": ys})
    assert outputs["a"] == outputs["b"] == [x * y + k for k, (x, y) in enumerate(zip(xs, ys, strict=True))]


def test_the_language_within_a_session() -> None:
    @t.function
    def largest(a: t.Role, b: t.Role) -> None:
        x, y = a.input("x", t.i32[8]), b.input("y", t.i32[8])
        t.output("largest", t.maximum(x.max(), y.max()), a, b)
        b.output("order", t.argsort(x))

    async def program(s: t.LiveSession) -> list[Any]:
        a, b = s.role("a"), s.role("b")
        largest(a, b)
        x, y = a.input("u", t.i32[8]), b.input("v", t.i32[8])
        kept = t.sort(t.where(x > y, x, y))
        at = t.lookup(kept, t.where(x[0] > 0, t.constant(1), t.constant(2)))
        total = t.fori(8, lambda i, total: total + t.wrapping(x) * i, t.wrapping(x))
        # Kept values, stand-ins and loops over what other segments made.
        sums, _ = t.scan(lambda state, part: (t.wrapping(state) + part, None), t.wrapping(kept[0]), kept)
        opened = [s.open(value) for value in (kept, at, total, sums, kept.reshape(2, 4).T, -x // 3)]
        return [await s.results(), *[await future for future in opened]]

    xs, ys = [3, -4, 5, 0, 9, -9, 2, 7], [1, 1, 6, -2, 8, 0, -5, 7]
    outputs = together(program, a={"x": xs, "u": xs}, b={"y": ys, "v": ys})
    kept = sorted(map(max, xs, ys))
    expected = [
        kept,
        kept[1],
        [x + sum(x * i for i in range(8)) for x in xs],
        sum(kept) + kept[0],
        [list(pair) for pair in zip(kept[:4], kept[4:], strict=True)],
        [-x // 3 for x in xs],
    ]
    assert outputs["a"][1:] == outputs["b"][1:] == expected
    assert outputs["a"][0] == {"a": {"largest": 9}}
    assert outputs["b"][0] == {"b": {"largest": 9, "order": sorted(range(8), key=xs.__getitem__)}}


def test_tasks_compute_side_by_side() -> None:
    async def climb(s: t.LiveSession, x: t.Array, jitter: random.Random) -> int:
        total = x
        for _ in range(3):
            await asyncio.sleep(jitter.random() / 200)
            total = total * total if await s.open(total < 1000) else total + x
        return int(await s.open(total))

    async def program(s: t.LiveSession) -> list[int]:
        jitter = random.Random()
        x = s.role("a").input("x", t.u16[6])
        return list(await asyncio.gather(*(climb(s, x[place], jitter) for place in range(6))))

    def expected(x: int) -> int:
        total = x
        for _ in range(3):
            total = total * total if total < 1000 else total + x
        return total

    xs = [2, 3, 30, 40, 999, 65535]
    outputs = together(program, a={"x": xs})
    assert outputs["a"] == outputs["b"] == [expected(x) for x in xs]


def test_values_pass_between_tasks_by_queues() -> None:
    async def produce(x: t.Array, queue: asyncio.Queue[t.Array]) -> None:
        for factor in range(5):
            await queue.put(x * factor)
            await asyncio.sleep(0)

    async def program(s: t.LiveSession) -> list[int]:
        x = s.role("b").input("x", t.u8)
        queue: asyncio.Queue[t.Array] = asyncio.Queue()
        producer = asyncio.create_task(produce(x, queue))
        found = [int(await s.open(await queue.get() + 1)) for _ in range(5)]
        await producer
        return found

    assert together(program, b={"x": 10})["a"] == [1, 11, 21, 31, 41]


def test_a_difference_is_named_at_both_parties() -> None:
    async def first(s: t.LiveSession) -> None:
        x = s.role("a").input("x", t.u8)
        await s.open(x + 1)

    async def second(s: t.LiveSession) -> None:
        x = s.role("a").input("x", t.u8)
        await s.open(x * x)

    for error in both(first, second, timeout_s=10, a={"x": 1}):
        assert isinstance(error, t.PeerError)
        assert "differ in what their programs do" in str(error)
        assert "task main, step" in str(error)
        for line in (first, second):
            assert f"test_sessions.py:{line.__code__.co_firstlineno + 2}" in str(error)


def test_a_difference_within_a_task_is_named() -> None:
    def program(limit: int) -> Program:
        async def part(s: t.LiveSession, x: t.Array, number: int) -> None:
            await s.open(x + number % limit)

        async def whole(s: t.LiveSession) -> None:
            x = s.role("a").input("x", t.u8)
            await asyncio.gather(*(part(s, x, number) for number in range(3)))

        return whole

    for error in both(program(3), program(2), timeout_s=10, a={"x": 1}):
        assert isinstance(error, t.PeerError)
        assert "part[2], step" in str(error)


def test_other_inputs_are_a_difference() -> None:
    def program(name: str, kind: t.Kind) -> Program:
        async def run(s: t.LiveSession) -> None:
            await s.open(s.role("a").input(name, kind))

        return run

    for other in (program("y", t.u8), program("x", t.i8)):
        for error in both(program("x", t.u8), other, timeout_s=10, a={"x": 1}):
            assert isinstance(error, t.PeerError)
            assert "`input` at test_sessions.py" in str(error)


def test_a_program_that_ends_early() -> None:
    async def short(s: t.LiveSession) -> None:
        await s.open(s.role("a").input("x", t.u8))

    async def long(s: t.LiveSession) -> None:
        x = s.role("a").input("x", t.u8)
        await s.open(x)
        await s.open(x + 1)

    for programs in ((short, long), (long, short)):
        errors = both(*programs, timeout_s=3, a={"x": 1})
        assert all(isinstance(error, t.PeerError) for error in errors), errors


def test_an_exception_ends_both() -> None:
    async def fails(s: t.LiveSession) -> None:
        await s.open(s.role("a").input("x", t.u8))
        raise ValueError("enough")

    async def waits(s: t.LiveSession) -> None:
        x = s.role("a").input("x", t.u8)
        await s.open(x)
        await s.open(x + 1)

    failed, waited = both(fails, waits, a={"x": 1})
    assert isinstance(failed, ValueError)
    assert isinstance(waited, (t.PeerError, t.AbortError))
    assert waited.__traceback__ is not None


def test_a_peer_that_stalls() -> None:
    async def stalls(s: t.LiveSession) -> None:
        s.role("a").input("x", t.u8)
        await asyncio.sleep(TIME_LIMIT_S)

    async def waits(s: t.LiveSession) -> None:
        await s.open(s.role("a").input("x", t.u8))

    async def run() -> list[Any]:
        sessions = t.session.pair(timeout_s=0.5, a={"x": 1})

        async def one(session: t.LiveSession, program: Program) -> Any:
            async with session:
                return await program(session)

        slow = asyncio.create_task(one(sessions[0], stalls))
        result = (await asyncio.gather(one(sessions[1], waits), return_exceptions=True))[0]
        slow.cancel()
        return [result, *await asyncio.gather(slow, return_exceptions=True)]

    error, cancelled = asyncio.run(asyncio.wait_for(run(), TIME_LIMIT_S))
    assert isinstance(error, t.PeerError)
    assert "no progress within 0.5 s while opening a value at test_sessions.py" in str(error)
    assert isinstance(cancelled, asyncio.CancelledError)


def test_cancelling_what_is_awaited() -> None:
    async def program(s: t.LiveSession) -> int:
        x = s.role("a").input("x", t.u8)
        opened = s.open(x)
        opened.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opened
        return int(await s.open(x + 1))

    assert together(program, a={"x": 1}) == {"a": 2, "b": 2}


def test_cancelling_a_party() -> None:
    async def run() -> list[Any]:
        sessions = t.session.pair(a={"x": 1})
        entered = asyncio.Event()

        async def one(session: t.LiveSession, more: bool) -> None:
            async with session as s:
                x = s.role("a").input("x", t.u8)
                await s.open(x)
                entered.set()
                if more:
                    await s.open(x + 1)
                else:
                    await asyncio.sleep(TIME_LIMIT_S)

        tasks = [
            asyncio.create_task(one(session, more))
            for session, more in zip(sessions, (False, True), strict=True)
        ]
        await entered.wait()
        tasks[0].cancel()
        return list(await asyncio.gather(*tasks, return_exceptions=True))

    cancelled, told = asyncio.run(asyncio.wait_for(run(), TIME_LIMIT_S))
    assert isinstance(cancelled, asyncio.CancelledError)
    assert isinstance(told, (t.PeerError, t.AbortError))


def test_what_nobody_holds_is_freed() -> None:
    async def program(s: t.LiveSession) -> int:
        x = s.role("a").input("x", t.u32[1000])
        total = x.sum()
        for _ in range(30):
            x = t.wrapping(x) + 1
            total = t.wrapping(total) + x.sum()
            await s.open(total)
        del x, total
        gc.collect()
        return int(s.executor.live.pending)  # type: ignore[attr-defined]

    assert together(program, a={"x": list(range(1000))}) == {"a": 0, "b": 0}


def test_reports() -> None:
    sessions: list[t.LiveSession] = []

    async def program(s: t.LiveSession) -> None:
        sessions.append(s)
        x, y = s.role("a").input("x", t.u32), s.role("b").input("y", t.u32)
        await s.open(x > y)

    together(program, a={"x": 1}, b={"y": 2})
    first, second = (session.report for session in sessions)
    assert first["work"]["and_count"] == second["work"]["and_count"] == 32
    assert first["work"]["output_bits"] == 1
    assert [phase["phase"] for phase in first["phases"]] == ["analysis", "setup", "online"]
    assert first["phases"][2]["payload_sent"] == second["phases"][2]["payload_received"]
    assert {first["party"], second["party"]} == {"a", "b"}


@pytest.mark.parametrize(
    ("error", "words", "wrong"),
    [
        (t.UsageError, "does not speak for b", lambda s: s.role("b").input("y", t.u8, 1)),
        (t.UsageError, "no role c", lambda s: s.role("c")),
        (t.UsageError, "no role c", lambda s: s.open(s.input("x", t.u8, 1), to="c")),
        (t.ProgramError, "nobody", lambda s: s.open(s.input("x", t.u8, 1), to=[])),
        (t.InputError, "a.x is missing", lambda s: s.input("x", t.u8)),
        (t.InputError, "does not fit", lambda s: s.input("x", t.u8, 256)),
        (t.InputError, "nan", lambda s: s.input("x", t.fixed(8, 8), float("nan"))),
        (t.ProgramError, r"t\.u32", lambda s: s.input("x", int, 1)),
        (t.SecretError, "where", lambda s: bool(s.input("x", t.u8, 1) > 2)),
        (t.ShapeError, "3.*2", lambda s: s.input("x", t.u8[3], [1, 2, 3]) + s.input("y", t.u8[2], [1, 2])),
    ],
)
def test_wrong_uses(error: type[Exception], words: str, wrong: Callable[[t.LiveSession], Any]) -> None:
    async def errs(s: t.LiveSession) -> None:
        with pytest.raises(error, match=words):
            wrong(s)
        raise StopAsyncIteration

    async def waits(s: t.LiveSession) -> None:
        await s.open(s.role("a").input("x", t.u8))

    failed, _ = both(errs, waits, timeout_s=10)
    assert isinstance(failed, StopAsyncIteration), failed


def test_use_outside_of_a_session() -> None:
    session, _ = t.session.pair()
    with pytest.raises(t.ProgramError, match="not open"):
        session.input("x", t.u8, 1)
    kept: list[t.Array] = []

    async def program(s: t.LiveSession) -> None:
        x = s.role("a").input("x", t.u8)
        kept.append(x)
        await s.open(x)

    together(program, a={"x": 1})
    with pytest.raises(t.ProgramError):
        kept[0] + 1


def test_the_loop_gets_its_task_factory_back() -> None:
    async def program(s: t.LiveSession) -> None:
        await s.open(s.role("a").input("x", t.u8))

    async def run() -> None:
        loop = asyncio.get_running_loop()
        await t.session.together(program, a={"x": 1})
        assert loop.get_task_factory() is None

    asyncio.run(asyncio.wait_for(run(), TIME_LIMIT_S))


def test_the_auction() -> None:
    spec = importlib.util.spec_from_file_location("auction", EXAMPLES / "auction.py")
    assert spec is not None
    assert spec.loader is not None
    auction = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(auction)
    prices = asyncio.run(asyncio.wait_for(auction.both_parties(), TIME_LIMIT_S))
    met = [
        (reserve + bid) // 2 if bid >= reserve else None
        for reserve, bid in zip(auction.RESERVES, auction.BIDS, strict=True)
    ]
    assert prices == met


def test_floats_go_through_c(tmp_path: Path) -> None:
    source = tmp_path / "tripled.c"
    body = "OUTPUT_y[1] = INPUT_A_x[0] * 3; OUTPUT_y[0] = INPUT_A_x[1];"
    source.write_text(f"double INPUT_A_x[2], OUTPUT_y[2];\nvoid f(void) {{ {body} }}\n")
    tripled = t.c_function(source)

    async def program(s: t.LiveSession) -> Any:
        return await s.open(tripled(x=s.role("a").input("x", t.float64[2])))

    outputs = together(program, a={"x": [0.1, float("-inf")]}, b={})
    assert outputs["a"] == outputs["b"] == [float("-inf"), 0.1 * 3]
