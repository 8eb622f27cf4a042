"""Parties whose clocks differ: no certificate and no time limit depends on the time of day."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Many, Tacit
from tacit.compiler import clang_command

CLOCK = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (!failed && clock == CLOCK_REALTIME) now->tv_sec += atol(getenv("SKEW_S"));
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    struct timespec exact;
    int failed = clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return failed;
}

time_t time(time_t *now)
{
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (now) *now = exact.tv_sec;
    return exact.tv_sec;
}
"""
"""A library that is loaded before all others, and sets a process's clock off by $SKEW_S."""

PROGRAM = """
import time

async def main(rt):
    given = rt.share_by_all(rt.parties.index(rt.party) + 1)
    return [await rt.open(given[0] * given[1] * given[2]), int(time.time())]
"""

DAY_S = 86_400


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, compiled."""
    folder = tmp_path_factory.mktemp("clock")
    source, library = folder / "clock.c", folder / "clock.so"
    source.write_text(CLOCK)
    command = [clang_command(None)[0], "cc", "-shared", "-fPIC", "-O1"]
    subprocess.run([*command, "-o", library, source], check=True, timeout=100)
    return library


@pytest.mark.skipif(sys.platform != "linux", reason="sets the clock off as Linux lets do")
@pytest.mark.parametrize("days", [-4000, 3, 20_000])
def test_a_party_whose_clock_is_off_takes_part(
    many: Callable[..., Many], tacit: Tacit, clock: Path, days: int
) -> None:
    three, program = many(), tacit.write("clock.py", PROGRAM)
    off_clock = {"LD_PRELOAD": str(clock), "SKEW_S": str(days * DAY_S)}
    running = {
        party: three.start(party, program, environment=off_clock if party == "p2" else None)
        for party in three.names
    }
    found = {party: one.wait().outputs[party] for party, one in running.items()}
    assert {product for product, _ in found.values()} == {6}
    off = found["p2"][1] - found["p1"][1]
    assert abs(off - days * DAY_S) < 1000, "its clock was off"
