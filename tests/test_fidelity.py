"""A sample of the programs of `make bench-fidelity`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.bench import fidelity


@pytest.mark.long
def test_programs_of_others_agree_with_native_runs() -> None:
    rows = {row.name: row.value for row in fidelity.measure(sample=50)}
    for kind in ("torture", "csmith"):
        assert rows[f"{kind} programs that differ"] == 0
        assert rows[f"{kind} programs that agree"] >= 25
    assert rows["torture programs that agree between two parties"] >= 10


# Rounded once, the result is below zero; as C and IEEE 754 have it without contraction, the product is 1.
SUM = """
double a = 1.0 + 1.0 / (1 << 30), b = 1.0 - 1.0 / (1 << 30), c = -1.0;
int main(void) { return a * b + c < 0; }
"""


@pytest.mark.long
def test_a_product_and_a_sum_are_rounded_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fidelity, "FOLDER", tmp_path)
    (tmp_path / "sums").mkdir()
    (tmp_path / "sums/sum.c").write_text(SUM)
    (found,) = fidelity._compare("sums", ["sum.c"], [], [])
    assert found["status"] == "agrees", found
    assert found["secret_inputs"] >= 3
