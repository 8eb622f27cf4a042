"""Drivers: what runs a protocol again and again, with parameters and inputs, and sees its outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class Driver:
    """The base of drivers.

    `next_data_in` yields once for each run, after it has set `params`, `client_inputs` and `server_inputs`;
    `next_data_out` then sees the outputs of both parties, and returns False if they are wrong.
    """

    def __init__(self) -> None:
        self.params: Mapping[str, Any] = {}
        self.client_inputs: Mapping[str, Any] = {}
        self.server_inputs: Mapping[str, Any] = {}

    def next_data_in(self) -> Iterator[None]:
        """Sets parameters and inputs, and yields, once for each run."""
        raise NotImplementedError(f"{type(self).__name__} lacks next_data_in")

    def next_data_out(self, outputs: Mapping[str, Mapping[str, Any]]) -> bool | None:
        """Sees the outputs of a run by party and name; attributes are as they were when it was yielded."""
        del outputs
        return None
