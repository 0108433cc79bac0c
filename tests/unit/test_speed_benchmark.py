"""The speed benchmark, on times that are given: nothing here is measured."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import torch

import guardgen
from benchmarks.speed import __main__ as speed
from benchmarks.speed import charts, check, limits, pairs, tables
from benchmarks.speed.check import Checked
from benchmarks.speed.derive import Derived
from benchmarks.speed.growth import Grown
from benchmarks.speed.page import PageError, with_sections
from benchmarks.speed.pairs import Spread
from benchmarks.speed.programs import programs

TIMES = {"check": [3e-7, 3e-7], "check_shapes": [5e-8, 5e-8], "Dynamo": [1e-6, 2e-6], "floor": [1e-7, 1e-7]}
CHECKED = [Checked("add", 2, 4, TIMES), Checked("branch", 2, 6, {**TIMES, "native": [1e-7, 1e-7]})]
DERIVED = [Derived("Bert", 32, {"guardgen": [0.02, 0.03], "torch.export": [0.5, 0.5]}, {"jit.trace": "no: bools"})]
GROWN = Grown(
    {8: 80, 512: 5120}, {8: [0.08, 0.08], 512: [5.12, 5.12]}, {8: 1 << 20}, {8: 1 << 21}, {"make_fx": {8: 2.0}}
)


def test_a_spread_is_a_median_and_its_quartiles() -> None:
    assert Spread.of([4.0, 1.0, 3.0, 2.0, 5.0]) == Spread(2.0, 3.0, 4.0)
    assert Spread.of([7.0]) == Spread(7.0, 7.0, 7.0)


def test_ratios_are_those_of_the_same_round() -> None:
    assert pairs.ratio({"one": [1.0, 4.0, 9.0], "other": [1.0, 2.0, 3.0]}, "one", "other").middle == 2.0


def test_every_call_is_timed_in_every_round() -> None:
    calls: list[str] = []
    times = pairs.in_turns({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 3)
    assert [len(each) for each in times.values()] == [3, 3]
    assert set(calls) == {"a", "b"}


def test_a_limit_is_exceeded_only_beyond_the_noise() -> None:
    assert not limits.Held("ratio", Spread(0.9, 1.1, 1.2), 1.0).exceeded
    assert limits.Held("ratio", Spread(1.05, 1.1, 1.2), 1.0).exceeded


def test_the_limits_are_of_the_median_program() -> None:
    held = {each.what.partition(",")[0]: each for each in limits.of_checks(CHECKED)}
    assert set(held) == set(limits.CHECK)
    assert held["check / floor"].found.middle == pytest.approx(3.0)
    assert held["native / Dynamo"].found.middle == pytest.approx(0.075)
    assert next(limits.of_growth(GROWN)).found.middle == pytest.approx(1.0)
    assert next(limits.of_derivation(DERIVED)).found.middle == pytest.approx(0.05)


def test_what_is_exceeded_is_named_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = limits.Held("one", Spread(1, 1, 1), 2), limits.Held("other", Spread(3, 3, 3), 2)
    assert speed.verdict([good]) == 0
    assert speed.verdict([good, bad]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "other: 3 (3 to 3), exceeds 2"


def test_tables_have_what_was_measured_and_say_what_fails() -> None:
    text = tables.checks(CHECKED)
    assert "| add | 2 | 4 | 300 | 50 |  | 1,500 | 100 |" in text
    assert "| branch | 2 | 6 | 300 | 50 | 100 | 1,500 | 100 |" in text
    text = tables.derivations(DERIVED)
    assert "| Bert | 32 | 0.025 | 0.500 | fails | fails |" in text
    assert text.endswith("\n`jit.trace` of Bert: no: bools")
    assert "| 512 | 5,120 | 5.120 | 10.00 | 1000 |  |  |  |" in tables.growth(GROWN)
    for each in (tables.checks(CHECKED), tables.growth(GROWN)):
        assert {line.count("|") for line in each.split("\n\n")[0].splitlines()} == {each.splitlines()[0].count("|")}


def test_only_the_sections_of_a_page_change() -> None:
    page = "# Page\n<!-- measured: a -->\nold\n<!-- end -->\nprose\n<!-- measured: b -->\n<!-- end -->\nend"
    new = with_sections(page, {"b": r"n\1ew", "a": "table"})
    assert new == page.replace("old", "table").replace("b -->\n", "b -->\nn\\1ew\n")
    with pytest.raises(PageError, match="no section between <!-- measured: c -->"):
        with_sections(page, {"c": ""})


@pytest.mark.parametrize("chart", [charts.checks(CHECKED), charts.lengths(GROWN)], ids=["check", "growth"])
def test_charts_are_svg_with_every_mark_inside(chart: str) -> None:
    root = ElementTree.fromstring(chart)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    marks = [each.attrib for each in root.iter() if each.tag.endswith(("rect", "circle", "text", "line"))]
    for each in marks:
        x, y = float(each.get("x", each.get("cx", "0"))), float(each.get("y", each.get("cy", "0")))
        assert 0 <= x <= width
        assert 0 <= y <= height
    assert len(marks) > 12


def test_the_page_in_docs_has_all_sections_and_charts(tmp_path: Path) -> None:
    results = speed.Results()
    results.sections = dict.fromkeys(("check", "derive", "growth"), "measured")
    results.charts = {"performance-check.svg": "<svg/>", "performance-growth.svg": "<svg/>"}
    text = with_sections(
        (speed.DOCS / speed.PAGE).read_text(encoding="utf-8"), {**results.sections, "machine": "", "limits": ""}
    )
    assert text.count("\nmeasured\n") == 3
    assert all(name in text for name in results.charts)


def test_all_forms_that_are_timed_accept_the_traced_call() -> None:
    for program in programs():
        if program.name == "roberta":
            continue  # as slow as the others together
        guards = guardgen.derive(guardgen.trace(program.fn, program.args))
        module = check.loaded(guardgen.emit(guards, "python"), program.name)
        assert module.check(*program.args) is True
        assert check.floor(program.args)() is True


def test_the_floor_reads_every_tensor() -> None:
    assert list(check.tensors("a", {"x": torch.zeros(1), "n": 1, "y": [torch.zeros(1)]})) == ["a['x']", "a['y'][0]"]
