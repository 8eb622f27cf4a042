"""Firms plan together what to make, by a linear program that none of them sees.

Each firm has one resource. It tells nobody how much there is, how much of it each product takes, or what a
piece of each product is worth to it. All learn the plan that is worth most to all together, and that worth:
maximise g·x where A·x <= b and x >= 0. They also learn how many steps the search took.

    tacit run examples/parties/simplex.py --local --parties 5 --threshold 2 --modulus PRIME

with 170141183460469231731687303715884105727, which is 2^127 - 1, as PRIME: the usual modulus has no room for
products of such numbers. Figures are made up, unless given, as
`--input p1='{"uses": [1, 4, 2], "capacity": 900, "gains": [5, 0, 3]}'`.

Source: the simplex method with a condensed tableau of integers over a common denominator, after Toft,
“Solving linear programs using multiparty computation” (Financial Cryptography 2009). Differs: Bland's rule,
by which it always ends.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import tacit as t

PRODUCTS = 3

USE, CAPACITY, GAIN = t.uint(6), t.uint(10), t.uint(6)
"""What figures may be."""


class Tableau:
    """The equations of basic and other variables, with entries that are integers over one denominator.

    Entries are minors of the first tableau, so `bits` bits hold all of them, whatever the steps.
    """

    def __init__(self, rt: t.Runtime, uses: t.Array, capacities: t.Array, gains: t.Array) -> None:
        self.rt, self.field = rt, t.field(rt.modulus)
        self.rows, self.columns = uses.shape
        order = min(self.rows, self.columns) + 1
        largest = math.factorial(order) * 2 ** (USE.bits * (order - 2) + CAPACITY.bits + gains.kind.bits)
        self.bits = largest.bit_length() + 1
        constraints = rt.concatenate([uses, capacities[:, None]], axis=1)
        objective = rt.concatenate([-gains, rt.constant([0], t.u8)])
        entries = rt.concatenate([constraints, objective[None, :]])
        self.entries = entries.astype(t.int(self.bits))
        self.denominator = rt.constant(1, self.field)
        count = self.rows + self.columns
        self.label = t.uint(count.bit_length())
        self.beyond = count
        """A label that no variable has. Products come first, then what is left of each resource."""
        self.others = rt.constant(list(range(self.columns)), self.label)
        self.basic = rt.constant(list(range(self.columns, count)), self.label)

    def entering(self) -> tuple[t.Array, t.Array]:
        """Where the objective grows, and the label of the first variable there."""
        grows = self.entries[-1, :-1] < 0
        labels = t.where(grows, self.others, self.beyond)
        return grows.any(), labels.min()

    def leaving(self, column: t.Array) -> tuple[t.Array, t.Array]:
        """Whether the column bounds its variable, and the label of the variable that bounds it first."""
        bounds = column > 0
        # What bounds nothing bounds at one over zero.
        left = t.where(bounds, self.entries[:-1, -1], 1)
        rates, labels = t.where(bounds, column, 0), self.basic
        while len(labels) > 1:
            half = len(labels) // 2
            left, rates, labels = self._sooner(half, left, rates, labels)
        return bounds.any(), labels[0]

    def _sooner(self, half: int, left: t.Array, rates: t.Array, labels: t.Array) -> tuple[t.Array, ...]:
        """Of each of the first half and its partner what bounds first; of equal ones the first variable."""
        this, other = left[:half] * rates[half : 2 * half], left[half : 2 * half] * rates[:half]
        earlier = labels[half : 2 * half] < labels[:half]
        better = (other < this) | ((other == this) & earlier)
        kept = [t.where(better, x[half : 2 * half], x[:half]) for x in (left, rates, labels)]
        if len(labels) % 2 == 1:
            lasts = (left[-1:], rates[-1:], labels[-1:])
            kept = [t.concatenate([x, last]) for x, last in zip(kept, lasts, strict=True)]
        return tuple(kept)

    def column(self, entering: t.Array) -> tuple[t.Array, t.Array]:
        """Which column a variable has, and its entries in the rows of the constraints."""
        chosen = self.others == entering
        return chosen, (self.entries[:-1, :-1] @ chosen).within(self.bits)

    def exchange(self, chosen: t.Array, entering: t.Array, leaving: t.Array) -> None:
        """Makes one variable basic in place of another."""
        row = self.basic == leaving
        none = self.rt.constant([0], self.field)
        u = t.concatenate([row.astype(t.u8).astype(self.field), none])
        v = t.concatenate([chosen.astype(t.u8).astype(self.field), none])
        entries = self.entries.astype(self.field)
        across, down = u @ entries, entries @ v
        pivot = across @ v
        others = (pivot * entries - down[:, None] * across[None, :]) * self.denominator.inverse()
        entries = others + u[:, None] * (across + self.denominator * v)[None, :] - down[:, None] * v[None, :]
        self.entries, self.denominator = entries.within(self.bits), pivot
        self.basic = t.where(row, entering, self.basic)
        self.others = t.where(chosen, leaving, self.others)

    def solution(self) -> t.Array:
        """Numerators of how much is made of each product and of the worth, and their denominator."""
        products = self.rt.constant(list(range(self.columns)), self.label)
        made = (self.basic[None, :] == products[:, None]) @ self.entries[:-1, -1]
        numerators = t.concatenate([made.astype(self.field), self.entries[-1, -1:].astype(self.field)])
        return t.concatenate([numerators, self.denominator.reshape(1)])


async def plan(
    rt: t.Runtime, uses: list[int], capacity: int, gains: list[int]
) -> tuple[list[Fraction], Fraction, int]:
    """How much to make of each product, what that is worth, and the steps it took; of this firm's figures."""
    count = len(uses)
    worth = rt.stack(rt.share_by_all(gains, shape=count, kind=GAIN)).sum(axis=0)
    takes = rt.stack(rt.share_by_all(uses, shape=count, kind=USE))
    tableau = Tableau(rt, takes, rt.stack(rt.share_by_all(capacity, kind=CAPACITY)), worth)
    steps = 0
    while True:
        grows, entering = tableau.entering()
        if not await rt.open(grows):
            break
        chosen, column = tableau.column(entering)
        bounded, leaving = tableau.leaving(column)
        if not await rt.open(bounded):
            raise t.InputError(
                "there is no best plan: a product that is worth something takes nothing of any resource"
            )
        tableau.exchange(chosen, entering, leaving)
        steps += 1
    *numerators, denominator = await rt.open(tableau.solution())
    *made, total = (Fraction(numerator, denominator) for numerator in numerators)
    return made, total, steps


async def main(rt: t.Runtime) -> dict[str, object]:
    """One firm."""
    chance = random.Random(rt.party)
    uses = [chance.randrange(1, 40) for _ in range(PRODUCTS)]
    capacity = chance.randrange(300, 1000)
    gains = [chance.randrange(30) for _ in range(PRODUCTS)]
    given = (rt.inputs.get("uses", uses), rt.inputs.get("capacity", capacity), rt.inputs.get("gains", gains))
    made, worth, steps = await plan(rt, *given)
    return {"made": [str(amount) for amount in made], "worth": str(worth), "steps": steps}
