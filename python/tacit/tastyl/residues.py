"""Homomorphic values of numbers modulo a prime.

In TASTY a `Modular` value is an integer modulo the cryptosystem's modulus n, which ciphertexts are of
anyway. Here the modulus is a prime P that everybody knows, and ciphertexts are of words, which are not
reduced modulo P. So a value that the holder computes is a sum of what it received, weighted by numbers of
its own:

    x = w_1 a_1 + … + w_t a_t + c  modulo P,  where the holder knows w_i and c and has a_i encrypted.

The holder computes w_i and c by itself, modulo P, when the value is sent. It sends x in parts: with the
limbs w_i = sum_k w_ik 2^(l k), part k is w_1k a_1 + … + w_tk a_t + c_k + P m_k, where the sum of c_k 2^(l
k) is c modulo P.

Security: semi-honest. All but one c_k are uniform modulo P, so parts tell no more modulo P than x does.
The random m_k are longer by 40 bits than what they hide. Whoever has the key sees x and nothing else of
the weights. Cost: as many words as there are parts for each value; a multiplication for each weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from tacit._native import Array, Kind, ProgramError
from tacit.language.operators import concatenate, he
from tacit.language.types import field as field_of
from tacit.tastyl.conversion import Wanted, shaped
from tacit.tastyl.execution import execution
from tacit.tastyl.homomorphic import Homomorphic, HomomorphicVec
from tacit.tastyl.numbers import Numbers, elementwise
from tacit.tastyl.plain import Modular, ModularVec, Plain, Source, Stage, UnsignedVec
from tacit.tastyl.value import Value, meeting

HIDING_BITS = 40
"""Bits by which a mask is longer than what it hides."""

WORD_BITS = 127
"""Bits of the words that are sent, without the carry that the widths of sums leave room for."""


class Received:
    """Numbers as a party received them: encrypted, in parts, of which a number is the weighted sum."""

    def __init__(self, array: Array, modulus: int, party: Any, limb_bits: int = 0) -> None:
        self.array = array
        """The parts of each number: `count` by `parts`; `count` numbers where there is one part of each."""
        self.modulus = modulus
        self.party = party
        self.limb_bits = limb_bits

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return self.array.shape[0]

    @property
    def is_final(self) -> bool:
        """Whether the numbers are for the key's owner, and nothing more is computed with them."""
        return len(self.array.shape) > 1

    @cached_property
    def opened(self) -> Plain:
        """The words, opened to the party, once for all that read them."""
        words = UnsignedVec()
        words._claim(self.party)
        words._fresh = self.array
        return words

    def numbers(self) -> list[int]:
        """The numbers, where they have been opened."""
        words = self.opened.source.numbers()
        if not self.is_final:
            return [word % self.modulus for word in words]
        return [self._put_together(parts) for parts in words]

    def _put_together(self, parts: list[int]) -> int:
        return sum(part << self.limb_bits * place for place, part in enumerate(parts)) % self.modulus


class Node:
    """How a number was computed: `left * weight + right`, of which each may be missing."""

    __slots__ = ("factors", "left", "right", "source", "weight")

    def __init__(
        self,
        left: Node | None = None,
        weight: Callable[[], int] | None = None,
        right: Node | None = None,
        source: tuple[Received, int] | None = None,
        factors: tuple[list[Node], Callable[[], list[int]]] | None = None,
    ) -> None:
        self.left = left
        self.weight = weight
        self.right = right
        self.source = source
        """The number was received; or else, where there is no `left`, it is `weight`."""
        self.factors = factors
        """The number is the inner product of numbers with known ones."""

    def parts(self) -> list[Node]:
        """What the number was computed from."""
        if self.factors is not None:
            return self.factors[0]
        return [part for part in (self.left, self.right) if part is not None]


class ResidueValue(Homomorphic, of_residues=True):
    """A number modulo a prime under additively homomorphic encryption."""

    stands_for = Homomorphic
    modulus: int
    _nodes: Any

    @classmethod
    def of_nodes(cls, nodes: Any, modulus: int, party: Any) -> ResidueValue:
        """The value, or vector, that was computed so."""
        value: ResidueValue = ResidueVector() if isinstance(nodes, list) else ResidueValue()
        value._nodes, value.modulus, value.party = nodes, modulus, party
        return value

    @classmethod
    def of(cls, value: Any) -> Any:
        if isinstance(value, ResidueValue):
            return value
        if isinstance(value, Modular):
            return Homomorphic(val=value) if not value.shape else HomomorphicVec(val=value)
        if isinstance(value, Value):
            raise ProgramError(
                f"{value.where} is {type(value).__name__} and meets a Modular value under encryption; "
                "write Modular in its place"
            )
        raise TypeError(f"{value!r} is not a Modular value")

    def _convert(self, val: Any, wanted: Wanted) -> None:
        del wanted
        if not val.has_value:
            raise ProgramError(f"{val.where} has no value yet, so it cannot be converted")
        shaped(self, val.shape, val.where)
        self.party, self.modulus = val.party, val.modulus
        self._nodes = val._nodes if isinstance(val, ResidueValue) else _known(val)

    # What it is

    @property
    def has_value(self) -> bool:
        return getattr(self, "_nodes", None) is not None

    @property
    def kind(self) -> Kind:
        return field_of(self.modulus)

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self._nodes),) if isinstance(self._nodes, list) else ()

    @property
    def array(self) -> Array:
        raise ProgramError(f"{self.where} is Modular, which is not garbled; write Unsigned in its place")

    def __iter__(self) -> Iterator[Any]:
        raise ProgramError(f"{self.where} is a single number")

    # What is computed with it

    def __add__(self, other: Any) -> Any:
        operand = self._operand(other)
        party = meeting([self, operand])
        _hold(party)
        nodes = _paired(lambda x, y: Node(x, None, y), self._nodes, operand._nodes)
        return self.of_nodes(nodes, self.modulus, party)

    def __sub__(self, other: Any) -> Any:
        return self + -self._operand(other)

    def __rsub__(self, other: Any) -> Any:
        return -self + self._operand(other)

    def __neg__(self) -> Any:
        return self._scaled(_constant(self.modulus - 1))

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int):
            return self._scaled(_constant(other % self.modulus))
        if isinstance(other, ResidueValue):
            raise ProgramError(
                f"{self.where} and {other.where} are both encrypted and Modular; one factor is a Modular value "  # noqa: E501
                "of the party that computes"
            )
        if not isinstance(other, Modular):
            self.of(other)
        weights = _numbers_of(other, meeting([self, other]), self.modulus)
        return self._scaled(weights)

    __rmul__ = __mul__

    def _compared(self, *_: Any) -> Any:
        raise ProgramError(
            f"{self.where} is encrypted and Modular, and such numbers are not compared; give it out first: "
            "client.x = Modular(val=…)"
        )

    def _operand(self, other: Any) -> Any:
        if isinstance(other, int):
            other = Modular(val=other, modulus=self.modulus)
        found = self.of(other)
        if found.modulus != self.modulus:
            raise ProgramError(
                f"{self.where} is modulo {self.modulus}, and {found.where} modulo {found.modulus}"
            )
        return found

    def _scaled(self, weights: Any) -> Any:
        _hold(self.party)
        nodes = _paired(lambda node, weight: Node(node, weight), self._nodes, weights)
        return self.of_nodes(nodes, self.modulus, self.party)

    # Where it goes

    def at(self, party: Any) -> Value:
        nodes = self._nodes if isinstance(self._nodes, list) else [self._nodes]
        if all(node.source is None and not node.parts() for node in nodes):
            received = _encrypted(self, nodes, party)
        else:
            received = _Sum(self, nodes).send(party)
        found = [Node(source=(received, place)) for place in range(received.count)]
        return self.of_nodes(found if isinstance(self._nodes, list) else found[0], self.modulus, party)

    def opened(self) -> Source:
        """The number as its party sees it, which has received it."""
        nodes = self._nodes if isinstance(self._nodes, list) else [self._nodes]
        places = [node.source for node in nodes]
        if any(place is None or place[0].party is not self.party for place in places):
            raise ProgramError(f"{self.where} is at its holder, who cannot read it; send it first")

        def numbers() -> Numbers:
            of = {id(received): received.numbers() for received, _ in places}
            found = [of[id(received)][place] for received, place in places]
            return found if isinstance(self._nodes, list) else found[0]

        for received, _ in places:
            _ = received.opened.source
        return Source(Stage.LATE, execution().kind_of(self.kind, self.shape), numbers, self._not_again)

    def _not_again(self) -> Array:
        raise ProgramError(
            f"what {self.where} opens to is Modular, and computed with no more inside the program"
        )


class ResidueVector(ResidueValue, HomomorphicVec, of_residues=True):
    """Numbers modulo a prime under additively homomorphic encryption."""

    stands_for = HomomorphicVec

    @classmethod
    def of_items(cls, items: list[Any], declared: Value) -> ResidueValue:
        """The vector of elements that were assigned one by one to a declared one."""
        missing = [place for place, item in enumerate(items) if item is None]
        if missing:
            raise ProgramError(f"{declared.where}[{missing[0]}] has no value yet")
        first = next(item for item in items if isinstance(item, ResidueValue))
        operands = [first._operand(item) for item in items]
        value = cls.of_nodes([item._nodes for item in operands], first.modulus, meeting(operands))
        value.label = declared.label
        return value

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, (int, slice)):
            raise ProgramError(f"{self.where}[{place!r}]: an index is a public integer")
        return self.of_nodes(self._nodes[place], self.modulus, self.party)

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __setitem__(self, place: int, part: Any) -> None:
        item = self._operand(part)
        if meeting([self, item]) is not self.party:
            raise ProgramError(f"{self.where}[{place}]: assign the vector to a party first")
        self._nodes[place] = item._nodes

    def dot(self, other: Any) -> Any:
        """The inner product with numbers of the holder."""
        if not isinstance(other, ModularVec) or other.shape != self.shape:
            return (self * other).sum()
        party = meeting([self, other])
        _numbers_of(other, party, self.modulus)
        _hold(party)
        return self.of_nodes(Node(factors=(self._nodes, other.source.numbers)), self.modulus, party)

    def sum(self) -> Any:
        """The sum of all elements."""
        total = self[0]
        for node in self._nodes[1:]:
            total = self.of_nodes(Node(total._nodes, None, node), self.modulus, self.party)
        return total


class _Sum:
    """Values on their way from the holder to the key's owner."""

    def __init__(self, value: ResidueValue, nodes: list[Node]) -> None:
        self.modulus, self.holder, self.nodes = value.modulus, value.party, nodes
        self.orders = [_order(node) for node in nodes]
        self.sources = list(
            {
                id(node.source[0]): node.source[0] for order in self.orders for node in order if node.source
            }.values()
        )
        for source in self.sources:
            if source.is_final:
                raise ProgramError(
                    f"{value.where} was received from its holder; convert it to Modular to read it"
                )
        self.terms = sum(source.count for source in self.sources)
        bits = self.modulus.bit_length()
        self.limb_bits = min(bits, WORD_BITS - HIDING_BITS - bits - self.terms.bit_length())
        if self.limb_bits < 2:
            raise ProgramError(
                f"{value.where}: {self.terms} encrypted numbers modulo {self.modulus} do not fit words of 128 bits; "  # noqa: E501
                "take a smaller modulus"
            )
        self.parts = -(-bits // self.limb_bits)
        self.limb_bits = -(-bits // self.parts)

    def send(self, party: Any) -> Received:
        """The parts of all values, as the other party receives them."""
        run, holder = execution(), self.holder
        run.hold(holder.name)
        owner = lambda: holder.name  # noqa: E731
        count = len(self.nodes)
        field = field_of(self.modulus)
        shares = run.draw(owner, field, (count, self.parts)) if self.parts > 1 else None
        mask_bits = HIDING_BITS + self.limb_bits + self.terms.bit_length()
        # What is hidden is smaller than the range left out, so that sums keep to their words.
        below = (1 << mask_bits) - (1 << mask_bits - HIDING_BITS)
        masks = run.draw(owner, Kind.uint(mask_bits + HIDING_BITS), (count, self.parts))
        found: list[tuple[list[list[int]], list[list[int]]]] = []

        def computed() -> tuple[list[list[int]], list[list[int]]]:
            if not found:
                weights, offsets = [], []
                for place, order in enumerate(self.orders):
                    row, constant = self._weights(order)
                    weights += [[self._limb(weight, part) for weight in row] for part in range(self.parts)]
                    own = shares()[place] if shares is not None else [0]
                    offset = self._offsets(constant, own)
                    offsets.append(
                        [
                            one + self.modulus * (mask % below)
                            for one, mask in zip(offset, masks()[place], strict=True)
                        ]
                    )
                found.append((weights, offsets))
            return found[0]

        offset_bits = self.modulus.bit_length() + mask_bits
        shape = (count * self.parts, self.terms)
        weights = he(
            run.give(holder.name, "weights", Kind.uint(self.limb_bits), shape, lambda: computed()[0])
        )
        offsets = run.give(
            holder.name, "offsets", Kind.uint(offset_bits), (count, self.parts), lambda: computed()[1]
        )
        arrays = [source.array for source in self.sources]
        joined = arrays[0] if len(arrays) == 1 else concatenate(arrays)
        sums = he(weights @ joined).reshape((count, self.parts))
        return Received(he(sums + he(offsets)), self.modulus, party, self.limb_bits)

    def _limb(self, weight: int, part: int) -> int:
        return weight >> part * self.limb_bits & (1 << self.limb_bits) - 1

    def _offsets(self, constant: int, shares: list[int]) -> list[int]:
        """Uniform numbers modulo P whose weighted sum is the constant."""
        others = sum(share << self.limb_bits * (place + 1) for place, share in enumerate(shares[1:]))
        return [(constant - others) % self.modulus, *shares[1:]]

    def _weights(self, order: list[Node]) -> tuple[list[int], int]:
        """The weights of all numbers received, and the constant, of the value that is first in order."""
        place_of, start = {}, 0
        for source in self.sources:
            place_of[id(source)], start = start, start + source.count
        weights, constant, modulus = [0] * self.terms, 0, self.modulus
        pending: dict[int, int] = {id(order[0]): 1}
        for node in order:
            weight = pending.pop(id(node))
            if node.source is not None:
                place = place_of[id(node.source[0])] + node.source[1]
                weights[place] = (weights[place] + weight) % modulus
                continue
            if node.factors is not None:
                for part, factor in zip(node.factors[0], node.factors[1](), strict=True):
                    pending[id(part)] = (pending.get(id(part), 0) + weight * factor) % modulus
                continue
            scaled = weight if node.weight is None else weight * node.weight() % modulus
            if node.left is None:
                constant = (constant + scaled) % modulus
                continue
            pending[id(node.left)] = (pending.get(id(node.left), 0) + scaled) % modulus
            if node.right is not None:
                pending[id(node.right)] = (pending.get(id(node.right), 0) + weight) % modulus
        return weights, constant


def _order(last: Node) -> list[Node]:
    """A node and all that it was computed from, each before what it was computed from."""
    order: list[Node] = []
    seen: set[int] = set()
    stack: list[tuple[Node, bool]] = [(last, False)]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            order.append(node)
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))
        stack.append((node, True))
        stack += [(part, False) for part in node.parts()]
    order.reverse()
    return order


def _encrypted(value: ResidueValue, nodes: list[Node], party: Any) -> Received:
    """Numbers that a party knows, as the other receives them."""
    bits, run = value.modulus.bit_length(), execution()
    run.encrypts = True

    def numbers() -> list[int]:
        return [node.weight() for node in nodes if node.weight is not None]

    given = run.give(value.party.name, value.label, Kind.uint(bits), (len(nodes),), numbers)
    return Received(he(given), value.modulus, party)


def _known(value: Modular) -> Any:
    """How the numbers of a plain value were computed: they are known."""
    weights = _numbers_of(value, value.party, value.modulus)
    return [Node(None, weight) for weight in weights] if isinstance(weights, list) else Node(None, weights)


def _numbers_of(value: Any, party: Any, modulus: int) -> Any:
    """The numbers of a plain Modular value of the party, each as a function."""
    if value.modulus != modulus:
        raise ProgramError(f"{value.where} is modulo {value.modulus}, where numbers are modulo {modulus}")
    if len(value.shape) > 1:
        raise ProgramError(
            f"{value.where} is a matrix; Modular values are encrypted one by one or in a vector"
        )
    source = value.source
    if value.party is None and source.stage is not Stage.PUBLIC:
        value._claim(party)
    if source.stage is Stage.LATE:
        raise ProgramError(f"{value.where} is known only after the program has run, so it is not encrypted")
    if not value.shape:
        return source.numbers
    return [_element(source, place) for place in range(value.shape[0])]


def _element(source: Source, place: int) -> Callable[[], int]:
    return lambda: source.numbers()[place]


def _constant(number: int) -> Callable[[], int]:
    return lambda: number


def _paired(function: Callable[[Any, Any], Node], x: Any, y: Any) -> Any:
    """A function of each pair; a single one meets every element of a list."""
    if isinstance(x, list) and isinstance(y, list) and len(x) != len(y):
        raise ProgramError(f"a vector of {len(x)} numbers meets one of {len(y)}")
    return elementwise(function, x, y)


def _hold(party: Any) -> None:
    """Takes note of the party that computes with what it received."""
    if party is not None:
        execution().hold(party.name)
