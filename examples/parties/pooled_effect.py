r"""Hospitals pool what each has estimated of a treatment, in floating point, and see the result alone.

Each has an estimate of the effect and its standard error. The pooled effect weighs every estimate by the
inverse of its squared error. All learn it, its standard error, and Cochran's Q, which says how far the
estimates are apart. The numbers are those of IEEE 754 with 64 bits, rounded as in Python.

    tacit run examples/parties/pooled_effect.py:pooled --local --parties 3 --input p1=a.json \
        --input p2=b.json --input p3=c.json

with files such as `{"effect": 0.21, "error": 0.08}`.
"""

from __future__ import annotations

import tacit as t


@t.function
def pooled(p1: t.Role, p2: t.Role, p3: t.Role) -> None:
    """What three hospitals' estimates say together."""
    hospitals = (p1, p2, p3)
    effects = [hospital.input("effect", t.float64) for hospital in hospitals]
    errors = [hospital.input("error", t.float64) for hospital in hospitals]
    weights = [1.0 / (error * error) for error in errors]
    total = weights[0] + weights[1] + weights[2]
    parts = [weight * effect for weight, effect in zip(weights, effects, strict=True)]
    effect = (parts[0] + parts[1] + parts[2]) / total
    apart = [weight * (own - effect) * (own - effect) for weight, own in zip(weights, effects, strict=True)]
    t.output("effect", effect, *hospitals)
    t.output("error", t.sqrt(1.0 / total), *hospitals)
    t.output("q", apart[0] + apart[1] + apart[2], *hospitals)
