"""Futures that the native half completes, where the event loop ends early."""

from __future__ import annotations

import asyncio
import gc
import logging

import pytest

from tacit.sessions.awaited import Awaited, nothing


def test_an_interrupted_loop_does_not_warn_of_errors_that_nobody_awaits(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def interrupted() -> None:
        awaited = Awaited()
        awaited.begin(lambda _: None, nothing)
        awaited.deliver([(0, None, ValueError("refused"))])
        raise KeyboardInterrupt

    loop = asyncio.new_event_loop()
    with caplog.at_level(logging.ERROR, "asyncio"), pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(interrupted())
    loop.close()
    gc.collect()
    assert caplog.records == []
