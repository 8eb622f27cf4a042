"""`tacit plan` and `tacit calibrate`: what a run would take, and by which profile."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import tacit as t
from conftest import Tacit
from tacit import _native
from tacit.plan_dot import plan_dot, quoted
from tacit.plan_page import back_edges, layered

APP = """import tacit as t

@t.function
def nearest(server: t.Role, client: t.Role, *, n: int = 8) -> None:
    points = server.input("points", t.u8[n, 2])
    place = client.input("place", t.u8[2])
    client.output("index", ((points - place) ** 2).sum(axis=1).argmin())
"""
PROGRAM = "app.py:nearest"


def told(tacit: Tacit, *options: object) -> dict[str, Any]:
    return tacit("plan", PROGRAM, "--json", *options).outputs


@pytest.fixture
def app(tacit: Tacit) -> Tacit:
    tacit.write("app.py", APP)
    return tacit


def test_a_plan_says_what_a_run_takes(app: Tacit) -> None:
    plan = told(app, "--link", "lan", "--domain", "yao")
    options = ("--domain", "yao", "--planned-link", "lan", "--report", "report.json")
    inputs = ("--input", 'server={"points": [[1, 2], [3, 4]]}', "--input", 'client={"place": [3, 3]}')
    two = told(app, "--link", "lan", "--domain", "yao", "--param", "n=2")
    outputs = app("run", PROGRAM, "--local", "--param", "n=2", *inputs, *options).outputs
    assert outputs == {"index": 1}
    report = json.loads((app.folder / "report.json").read_text())["client"]
    assert report["plan_hash"] == two["plan_hash"] != plan["plan_hash"]
    for name in ("setup", "online"):
        phase, predicted = two["predicted"][name], report["predicted"][name]
        assert phase["garbler_bytes"] == predicted["garbler_bytes"]
        time = report["predicted"]["time"][name]
        assert phase["seconds"] == pytest.approx(sum(time.values()) / 1e9, abs=1e-8)
        parts = [phase[f"{part}_seconds"] for part in ("computing", "sending", "waiting")]
        assert phase["seconds"] == pytest.approx(sum(parts), abs=1e-8)
    for deviation in report["deviations"]:
        assert deviation["reason"]
        assert abs(deviation["seconds"] - deviation["predicted_seconds"]) > 0.002
    assert report["profile"] == two["profile"]
    assert report["predicted"]["memory"] == two["predicted"]["memory"]
    assert (plan["garbler"], plan["evaluator"]) == ("server", "client")
    assert plan["outputs"] == [{"name": "index", "parties": ["client"]}]
    assert {row["domain"] for row in plan["alternatives"]} == {"auto", "bool", "arith"}


def test_plans_are_the_same_in_every_process(app: Tacit) -> None:
    running = [app.start("plan", PROGRAM, "--json", "--link", "mobile") for _ in range(2)]
    first, second = (one.wait().outputs for one in running)
    assert first == second


def test_the_chosen_plan_is_no_worse_than_any_alternative() -> None:
    @t.function
    def nearest(server: t.Role, client: t.Role) -> None:
        points = server.input("points", t.u8[4, 2])
        client.output("index", ((points - client.input("place", t.u8[2])) ** 2).sum(axis=1).argmin())

    program = nearest.trace().program
    for link in ("wan", "10gbit,0.01ms"):
        for objective, figure in (("total", "times"), ("online", "online_times"), ("bytes", "bytes_times")):
            text = _native.outlook(program, domain="auto", objective=objective, planned_link=link)
            plan = json.loads(text)
            assert plan["objective"] == objective
            assert all(row[figure] >= 1 for row in plan["alternatives"]), (link, objective)


def test_sums_leave_words_where_that_is_better() -> None:
    @t.function
    def network(model: t.Role, client: t.Role) -> None:
        # Sums of numbers with a point come before rounding; here they come after shifts.
        kind = t.int(24)
        picture = client.input("picture", kind[64])
        sums = (picture @ model.input("first", kind[64, 128]) >> 16) + model.input("bias", kind[128])
        inner = t.maximum(sums, 0).astype(kind)
        scores = (inner @ model.input("second", kind[128, 10]) >> 16) + model.input("last", kind[10])
        client.output("digit", scores.argmax())

    program = network.trace().program
    for link in ("20gbit,0.025ms", "lan", "wan", "mobile"):
        plan = json.loads(_native.outlook(program, domain="auto", planned_link=link))
        assert all(row["times"] >= 1 for row in plan["alternatives"]), link
        if link == "wan":
            # Biases are added where sums are compared, which saves the shares a way back.
            assert all(row["times"] > 1.2 for row in plan["alternatives"])


def test_what_is_written_for_people(app: Tacit) -> None:
    text = app("plan", PROGRAM, "--link", "wan").stdout
    for words in (
        "planned for 100 Mbit/s, 50 ms one way",
        "objective total",
        "setup ",
        "alternatives",
        "all yao: ",
        "client learns index",
        "server gives points",
    ):
        assert words in text


def test_a_plan_says_how_far_it_may_be_from_the_best(app: Tacit) -> None:
    for options in ((), ("--objective", "bytes"), ("--objective", "money", "--gigabyte-price", "0.09")):
        bound = told(app, *options)["bound"]
        assert 0 < bound["least"] <= bound["found"]
        assert bound["gap"] == pytest.approx(bound["found"] / bound["least"] - 1)
    assert "by the model, every plan takes at least " in app("plan", PROGRAM).stdout
    memory = app("plan", PROGRAM, "--objective", "memory").stdout
    assert "how far the plan is from the best is not known: the memory of a plan is not a sum" in memory


def test_a_run_may_be_planned_to_be_cheap(app: Tacit) -> None:
    prices = ("--gigabyte-price", "0.09", "--core-hour-price", "0.04")
    plan = told(app, "--objective", "money", *prices)
    predicted = plan["predicted"]
    by_hand = predicted["bytes"] * 0.09e-9 + predicted["processor_seconds"] * 0.04 / 3600
    assert predicted["money"] == pytest.approx(by_hand, rel=1e-6)
    assert plan["objective"] == "money, at 0.09 a gigabyte and 0.04 a core-hour"
    assert all(row["money"] >= predicted["money"] for row in plan["alternatives"] if "money" in row)
    assert "money  " in app("plan", PROGRAM, *prices).stdout
    app("plan", PROGRAM, "--objective", "money").failed(2, "give gigabyte_price, core_hour_price or both")
    app("plan", PROGRAM, "--gigabyte-price", "cheap").failed(2, "--gigabyte-price: expected a price")
    least = told(app, "--objective", "memory")
    assert all(
        row["memory_bytes"]
        >= max(least["predicted"]["memory"][side]["bytes"] for side in ("garbler", "evaluator"))
        for row in least["alternatives"]
        if "memory_bytes" in row
    )


def test_a_plan_is_drawn(app: Tacit) -> None:
    app("plan", PROGRAM, "--html", "plan.html")
    page = (app.folder / "plan.html").read_text()
    for words in ("<svg", "arg_min_u", "points", "index", "Content-Security-Policy", "color-scheme"):
        assert words in page
    assert "<script" not in page
    assert "src=" not in page
    app("plan", PROGRAM, "--html", "nowhere/plan.html").failed(2, "--html nowhere/plan.html: No such file")


def test_a_plan_is_drawn_by_graphviz(app: Tacit) -> None:
    texts = []
    for name in ("first.dot", "second.dot"):
        app("plan", PROGRAM, "--link", "wan", "--dot", name)
        texts.append((app.folder / name).read_text())
    assert texts[0] == texts[1]
    lines = texts[0].splitlines()
    assert (lines[0], lines[-1]) == ("digraph plan {", "}")
    for words in (
        'label="points\\ninput\\nof server"',
        "arg_min_u\\n8 in yao",
        "planned for 100 Mbit/s",
        "yao: ",
    ):
        assert words in texts[0], texts[0]
    nodes = {line.split()[0] for line in lines if " [label=" in line}
    edges = [line.strip(" ;").split(" [")[0].split(" -> ") for line in lines if " -> " in line]
    assert len(nodes) > 3
    assert nodes == {node for edge in edges for node in edge}
    app("plan", PROGRAM, "--dot", "nowhere/plan.dot").failed(2, "--dot nowhere/plan.dot: No such file")


def test_what_is_drawn_means_nothing_to_graphviz() -> None:
    assert quoted(['a"b', "c\\", "&lt;", "\\N", "x\ny\0"]) == '"a\\"b\\nc\\\\\\n&amp;lt;\\n\\\\N\\nx�y�"'
    assert plan_dot({"graph": None}) is None


def test_cycles_are_drawn_with_lines_that_lead_back() -> None:
    edges = [(0, 1), (1, 2), (2, 1), (2, 3), (3, 3)]
    back = back_edges(4, edges)
    assert back == {(2, 1), (3, 3)}
    assert layered(4, [edge for edge in edges if edge not in back]) == [[0], [1], [2], [3]]
    assert layered(0, []) == []


def test_operations_are_explained_by_line_and_by_kind(app: Tacit) -> None:
    for what in ("7", "arg_min_u"):
        text = app("plan", PROGRAM, "--explain", what).stdout
        assert "arg_min_u in " in text
        assert "with comparisons in " in text
    app("plan", PROGRAM, "--explain", "luck").failed(2, "--explain luck", "arg_min_u")


def test_bad_options_are_named(app: Tacit) -> None:
    app("plan", PROGRAM, "--link", "far").failed(2, "expected lan, wan, mobile or a form like")
    app("plan", PROGRAM, "--objective", "luck").failed(2, "luck")
    app("plan", PROGRAM, "--profile", "nowhere.json").failed(2, "--profile: expected", "found nowhere.json: ")
    app.write("cut.json", '{"version": 1')
    app("run", PROGRAM, "--local", "--profile", "cut.json").failed(2, "profile cut.json is damaged: ")


def test_in_python() -> None:
    @t.function
    def total(a: t.Role, b: t.Role) -> None:
        t.output("sum", a.input("x", t.u32) + b.input("y", t.u32), a, b)

    plan = total.trace().plan(domain="auto", objective="bytes", planned_link="mobile")
    assert "20 Mbit/s, 40 ms one way" in plan
    assert "profile    built-in " in plan
    with pytest.raises(t.UsageError, match='objective: expected "total", "online", "bytes", "money" or "m'):
        total.trace().plan(objective="luck")


def test_domains_are_chosen_unless_they_are_given(app: Tacit) -> None:
    auto, usual, pinned = (
        told(app, *options) for options in (("--domain", "auto"), (), ("--domain", "bool"))
    )
    assert usual["plan_hash"] == auto["plan_hash"] != pinned["plan_hash"]

    @t.function
    def products(a: t.Role, b: t.Role) -> None:
        a.output("z", a.input("x", t.u32[2000]) * b.input("y", t.u32[2000]))

    trace = products.trace()
    assert trace.plan() == trace.plan(domain="auto") != trace.plan(domain="yao")
    assert "\nproducts " in trace.plan()


def test_pins_and_kept_values_stay_where_domains_are_chosen() -> None:
    def domains(pin: Callable[[t.Array], t.Array], *, keeps: bool) -> str:
        @t.function
        def products(a: t.Role, b: t.Role) -> None:
            x, y = pin(a.input("x", t.u32[2000])), pin(b.input("y", t.u32[2000]))
            if keeps:
                t.keep("z", t.wrapping(x) * y)
            else:
                a.output("z", t.wrapping(x) * y)

        text = products.trace().plan()
        return next(line for line in text.splitlines() if line.startswith("domain")).split()[1]

    assert domains(t.array, keeps=False).startswith("arith")
    assert not domains(t.array, keeps=True).startswith("arith")
    assert domains(t.yao, keeps=False).startswith("yao")
    assert domains(t.arith, keeps=True).startswith("arith")


def test_runs_beyond_a_limit_are_refused(app: Tacit) -> None:
    beyond = ("the run is predicted to take ", " bytes, ", " more than the limit of 10; ")
    app("plan", PROGRAM, "--most-bytes", "10").failed(2, *beyond, "no plan was found that takes fewer than ")
    inputs = ("--input", 'server={"points": [[1, 2], [3, 4]]}', "--input", 'client={"place": [3, 3]}')
    run = ("run", PROGRAM, "--local", "--param", "n=2", *inputs)
    app(*run, "--most-ms", "1").failed(2, " milliseconds, ", " more than the limit of 1; ")
    assert app(*run, "--most-ms", "10000", "--most-bytes", "100000000").outputs == {"index": 1}
    app("plan", PROGRAM, "--most-ms", "-1").failed(2, "--most-ms")

    @t.function
    def total(a: t.Role, b: t.Role) -> None:
        t.output("sum", a.input("x", t.u32) + b.input("y", t.u32), a, b)

    with pytest.raises(t.UsageError, match=r"bytes of memory for line \d+, \d+ more than the limit of 9"):
        total.using(most_memory=9).run(a={"x": 1}, b={"y": 2})
    with pytest.raises(t.UsageError, match="more than the limit of 0"):
        total.using(most_bytes=0).run(a={"x": 1}, b={"y": 2})


@pytest.mark.long
def test_a_machine_is_measured_and_planned_by(app: Tacit) -> None:
    assert app("calibrate", "-o", "mine.json").stdout == "mine.json\n"
    written = json.loads((app.folder / "mine.json").read_text())
    assert written["name"] == "mine"
    assert all(rate > 0 for rate in written["picoseconds"].values())
    assert told(app, "--profile", "mine.json")["profile"].startswith("mine ")
    app.write("changed.json", json.dumps({**written, "machine": "another"}))
    app("plan", PROGRAM, "--profile", "changed.json").failed(2, "is damaged: its check does not match")
