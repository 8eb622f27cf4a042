"""A sample of the programs of `make bench-fidelity`."""

from __future__ import annotations

import pytest

from tacit.bench import fidelity


@pytest.mark.long
def test_programs_of_others_agree_with_native_runs() -> None:
    rows = {row.name: row.value for row in fidelity.measure(sample=50)}
    for kind in ("torture", "csmith"):
        assert rows[f"{kind} programs that differ"] == 0
        assert rows[f"{kind} programs that agree"] >= 25
    assert rows["torture programs that agree between two parties"] >= 10
