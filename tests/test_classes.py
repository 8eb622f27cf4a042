"""Classes of operations in domains of their own: by the option `classes`, and by moves of plans with pins."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

import tacit as t
from conftest import Finished, Parties, Tacit
from tacit import _native
from tacit.bench import drawn
from test_garbler import as_predicted

DOMAINS = ("yao", "bool", "arith")
CLASSES = ("sums", "products", "comparisons", "choices", "bits")


@t.function
def mixed(a: t.Role, b: t.Role) -> None:
    """Every class of operations, each with operands that others computed."""
    x, y = a.input("x", t.u16[5]), b.input("y", t.u16[5])
    products = x * y
    sums = products + y
    larger = t.where(sums > products, sums, t.wrapping(products ^ x))
    t.output("result", larger, a, b)
    a.output("least", larger.min())


@t.function
def squares(a: t.Role, b: t.Role) -> None:
    """Products that are pinned to words, and a search that is not pinned."""
    place, points = t.arith(a.input("place", t.u8[4])), t.arith(b.input("points", t.u8[64, 4]))
    a.output("index", ((points - place) ** 2).sum(axis=1).argmin())


GIVEN: dict[str, Any] = {
    "a": {"x": [1, 2, 65535, 0, 300]},
    "b": {"y": [65535, 0, 65535, 7, 300]},
}


def plan(function: t.Function[Any], **options: Any) -> dict[str, Any]:
    told = _native.outlook(function.trace().program, moves=True, bound=True, **options)
    read: dict[str, Any] = json.loads(told)
    return read


def domains_of(told: dict[str, Any], *kinds: str) -> set[str]:
    return {row["domain"] for row in told["operations"] if row["kind"] in kinds and row["count"]}


@pytest.mark.parametrize("domain", ["auto", *DOMAINS])
@pytest.mark.parametrize("of_class", CLASSES)
def test_the_result_does_not_depend_on_the_domain_of_a_class(of_class: str, domain: str) -> None:
    clear = {role: dict(values) for role, values in mixed(**GIVEN).items()}
    for to in DOMAINS:
        if of_class in ("choices", "bits") and to == "arith":
            continue
        outputs = mixed.using(domain=domain, classes=f"{of_class}={to}").run(**GIVEN)
        assert {role: dict(values) for role, values in outputs.items()} == clear
        for report in outputs.reports.values():
            as_predicted(report)


@pytest.mark.long
@pytest.mark.parametrize("domain", DOMAINS)
def test_the_result_does_not_depend_on_the_domains_of_all_classes(domain: str) -> None:
    clear = {role: dict(values) for role, values in mixed(**GIVEN).items()}
    choices = [DOMAINS, DOMAINS, DOMAINS, DOMAINS[:2], DOMAINS[:2]]
    for chosen in itertools.product(*choices):
        classes = ",".join(f"{name}={to}" for name, to in zip(CLASSES, chosen, strict=True))
        outputs = mixed.using(domain=domain, classes=classes).run(**GIVEN)
        assert {role: dict(values) for role, values in outputs.items()} == clear, classes


def test_operations_are_in_the_domains_of_their_classes() -> None:
    for products, comparisons in itertools.product(DOMAINS, DOMAINS[:2]):
        told = plan(mixed, domain="yao", classes=f"comparisons={comparisons}, products={products}")
        assert domains_of(told, "mul") == {products}
        assert domains_of(told, "lt_u", "arg_min_u") == {comparisons}
        assert told["classes"] == f"products={products},comparisons={comparisons}"


def test_classes_with_a_given_domain_are_not_moved() -> None:
    for link, products in itertools.product(("lan", "wan"), DOMAINS):
        told = plan(mixed, planned_link=link, classes=f"products={products}")
        assert f"products={products}" in told["classes"].split(",")
        assert domains_of(told, "mul") == {products}


def test_one_domain_throughout_is_an_alternative_to_classes() -> None:
    told = plan(mixed, domain="yao", classes="products=arith")
    throughout = {row["domain"]: row["bytes"] for row in told["alternatives"]}
    assert set(throughout) == {"auto", *DOMAINS}
    for domain in DOMAINS:
        assert throughout[domain] == plan(mixed, domain=domain)["predicted"]["bytes"]
    assert told["bound"]["least"] <= plan(mixed)["predicted"]["seconds"]


def test_operations_on_pinned_values_stay_where_they_are_pinned() -> None:
    told = plan(squares, domain="yao", classes="products=yao,sums=bool,comparisons=bool")
    assert domains_of(told, "sub", "mul", "segment_sum") == {"arith"}
    assert domains_of(told, "arg_min_u") == {"bool"}
    assert {move["class"] for move in told["moves"]} == {"comparisons"}


def test_classes_that_no_pin_keeps_in_place_are_moved() -> None:
    """No other domain of the comparisons is predicted to be much better."""
    for link in ("lan", "wan"):
        chosen = plan(squares, planned_link=link)
        for domain, comparisons in itertools.product(DOMAINS, DOMAINS[:2]):
            other = plan(squares, planned_link=link, domain=domain, classes=f"comparisons={comparisons}")
            assert chosen["predicted"]["seconds"] <= other["predicted"]["seconds"] * 1.02
        assert domains_of(chosen, "sub") == {"arith"}
    given: dict[str, Any] = {
        "a": {"place": [3, 1, 4, 1]},
        "b": {"points": [[(7 * row + column) % 251 for column in range(4)] for row in range(64)]},
    }
    assert squares.run(**given)["a"]["index"] == squares(**given)["a"]["index"]


@pytest.mark.parametrize(
    ("seed", "link", "domain", "classes"),
    [
        # Nothing is left of the circuits once they are made smaller, whose drafts differ a lot.
        (13, "wan", "bool", None),
        # Inputs move, too, after all operations have.
        (12, "mobile", "bool", "sums=arith,products=arith,comparisons=bool,choices=bool,bits=bool"),
    ],
)
def test_no_plan_by_hand_is_better(seed: int, link: str, domain: str, classes: str | None) -> None:
    program = drawn.program.trace(seed=seed).program
    chosen, other = (
        json.loads(_native.outlook(program, planned_link=link, domain=domain, classes=classes))
        for domain, classes in (("auto", None), (domain, classes))
    )
    assert chosen["predicted"]["seconds"] <= other["predicted"]["seconds"]


def test_bad_classes_are_refused() -> None:
    for text in (
        "",
        "products",
        "products=he",
        "product=yao",
        "sums=yao,sums=bool",
        "sums=auto",
        "bits=arith",
    ):
        with pytest.raises(t.UsageError, match=r"^classes: expected CLASS=DOMAIN, .*; found "):
            mixed.using(classes=text).run(**GIVEN)


def test_both_parties_need_the_same_classes(parties: Callable[..., Parties]) -> None:
    made = parties(timeout_s=15, extra='[run]\ndomain = "arith"\nclasses = "comparisons=yao"\n')
    made.tacit.write("app.py", APP)

    def run(*of_b: str) -> list[Finished]:
        given = {"A": ('{"point": 3}', ()), "B": ('{"points": [9, 8, 2, 7, 7, 7, 7, 0]}', of_b)}
        running = [
            made.start(name, "app.py:closest", values, *more) for name, (values, more) in given.items()
        ]
        return [one.wait() for one in running]

    assert run()[0].outputs == {"index": 2}
    first, second = run("--classes", "comparisons=bool")
    first.failed(5, "differ in domain: here arith, yao, comparisons=yao, there arith, bool, comparisons=bool")
    second.failed(5, "differ in domain: here arith, bool, comparisons=bool, there arith, yao")


def test_the_command_line_takes_the_classes_that_a_plan_prints(tacit: Tacit) -> None:
    tacit.write("app.py", APP)
    text = tacit("plan", "app.py:closest", "--domain", "arith", "--classes", "comparisons=yao").stdout
    assert "  --classes comparisons=yao\n" in text
    tacit("plan", "app.py:closest", "--classes", "comparisons=he").failed(
        2, "--classes: expected CLASS=DOMAIN"
    )


APP = """
import tacit as t

@t.function
def closest(A, B):
    point, points = A.input("point", t.u8), B.input("points", t.u8[8])
    A.output("index", ((points - point) ** 2).argmin())
"""
