"""Parties whose clocks differ: no certificate and no time limit depends on the time of day."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from conftest import Many, Tacit
from tacit.compiler import clang_command

CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (!failed && clock == CLOCK_REALTIME) now->tv_sec += SKEW_S;
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
"""A library that is loaded before all others, and sets a process's clock off."""

PROGRAM = """
import time

async def main(rt):
    given = rt.share_by_all(rt.parties.index(rt.party) + 1)
    return [await rt.open(given[0] * given[1] * given[2]), int(time.time())]
"""

DAY_S = 86_400


@pytest.mark.skipif(sys.platform != "linux", reason="sets the clock off as Linux lets do")
@pytest.mark.parametrize("days", [-4000, 3, 20_000])
def test_a_party_whose_clock_is_off_takes_part(many: Callable[..., Many], tacit: Tacit, days: int) -> None:
    three, program = many(), tacit.write("clock.py", PROGRAM)
    source, library = tacit.write("clock.c", CLOCK), tacit.folder / "clock.so"
    command = [clang_command(None)[0], "cc", "-shared", "-fPIC", "-O1", f"-DSKEW_S={days * DAY_S}L"]
    subprocess.run([*command, "-o", library, source], check=True, timeout=100)
    running = {
        party: three.start(
            party, program, environment={"LD_PRELOAD": str(library)} if party == "p2" else None
        )
        for party in three.names
    }
    found = {party: one.wait().outputs[party] for party, one in running.items()}
    assert {product for product, _ in found.values()} == {6}
    off = found["p2"][1] - found["p1"][1]
    assert abs(off - days * DAY_S) < 1000, "its clock was off"
