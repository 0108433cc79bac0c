"""Data that is no guard set, whatever is wrong with it: one clear error, and nothing that is run or grows."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
import torch

import guardgen
from guardgen import stored
from guardgen.errors import LoadError
from guardgen.ops import PURE
from guardgen.stored import document, numbers
from guardgen.stored.data import MOST_ELEMENTS, measure
from guardgen.stored.schema import conform, faults, schema
from tests.unit.stored_cases import nested_call, nested_text


@pytest.fixture(scope="module")
def text() -> str:
    return nested_text()


# -- hostile data


def edited(text: str, edit: Callable[[Any], Any]) -> str:
    whole = json.loads(text)
    edit(whole)
    return json.dumps(whole)


FAULTS: dict[str, Callable[[Any], Any]] = {
    "another version": lambda d: d.update(guardgen=2),
    "a version that is nearly right": lambda d: d.update(guardgen=True),
    "no name": lambda d: d.pop("name"),
    "an unknown key": lambda d: d.update(code="import os"),
    "a number of itself": lambda d: d["numbers"].__setitem__(0, {"op": "int_add", "of": [0, 0]}),
    "a number that is not there": lambda d: d["guards"][0].update(number=10**6),
    "a guard that is no bool": lambda d: d["guards"][0].update(number=0),
    "a guard that hides its symbols": lambda d: d["guards"][0].update(symbols=[]),
    "an unknown operation": lambda d: d["numbers"].append({"op": "eval", "of": [0]}),
    "an operation on other kinds": lambda d: d["numbers"].append({"op": "bool_not", "of": [0]}),
    "a negative index": lambda d: d["numbers"].append({"symbol": -1}),
    "a float that is none": lambda d: d["numbers"].append({"const": {"float": "1 + 1"}}),
    "an operator that may not run": lambda d: d["data"][0]["steps"].append(
        {"op": "aten.zero_.default", "args": [{"step": 0}], "kwargs": {}}
    ),
    "a step of a later step": lambda d: d["data"][0]["steps"].insert(
        0, {"op": "aten.neg.default", "args": [{"list": [{"step": 3}]}], "kwargs": {}}
    ),
    "an unknown parameter": lambda d: d["facts"][0].update(at=["elsewhere"]),
    "a private attribute": lambda d: d["facts"][0].update(at=["pair", {"attribute": "__class__"}]),
    "a value in what was not checked": lambda d: d["facts"][-1].update(at=["n", {"key": 0}]),
    "a parameter twice": lambda d: d["parameters"].append(d["parameters"][0]),
    "a keyword": lambda d: d["parameters"][0].update(name="if"),
    "a line break": lambda d: d["parameters"][0].update(name="batch\n"),
    "no identifier": lambda d: d["parameters"][0].update(name="x; import os"),
    "a symbol without data": lambda d: d["symbols"].append({"name": "b", "read": "data", "data": 7}),
    "a rank out of range": lambda d: d["symbols"].append({"name": "b", "read": "size", "at": ["n"], "index": 64}),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_does_not_fit_is_one_error(text: str, name: str) -> None:
    with pytest.raises(LoadError) as caught:
        guardgen.load(edited(text, FAULTS[name]))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("", "no JSON"),
        ("[]", "no guard set of version 1"),
        (b"\xff\xfe", "no JSON"),
        ("[" * 100_000, "nested deeper"),
        ('{"a":' * 50_000, "nested deeper"),
        ('{"guardgen":1,"guardgen":1}', "a key twice"),
        ("9" * 5000, "5000 digits"),
        ("1e999999", "a float is stored"),
        ("NaN", "a float is stored"),
        (b" " * (document.MOST_BYTES + 1), "at most"),
    ],
)
def test_what_is_no_guard_set_is_one_error(source: str | bytes, why: str) -> None:
    with pytest.raises(LoadError, match=why):
        guardgen.load(source)


def test_every_part_of_a_file_that_was_cut_off_is_refused(text: str) -> None:
    for at in range(0, len(text), 37):
        with pytest.raises(LoadError):
            guardgen.load(text[:at])


def test_random_edits_give_guards_or_one_error(text: str) -> None:
    pick = random.Random(0)
    args = nested_call()
    for _ in range(300):
        whole = json.loads(text)
        spoil(whole, pick)
        with contextlib.suppress(LoadError):
            guards = guardgen.load(json.dumps(whole))
            if [*guards.signature.parameters] == ["batch", "many", "pair", "n", "mode", "eps", "dtype"]:
                assert type(guards.check(*args, dtype=torch.float64)) is bool


def spoil(value: Any, pick: random.Random) -> None:
    """Replace one value somewhere inside."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = pick.choice(keys)
    if isinstance(value[key], (dict, list)) and value[key] and pick.random() < 0.9:
        spoil(value[key], pick)
    else:
        value[key] = pick.choice((None, -1, 2**64, 10**9, "", "x", [], {}, {"float": "nan"}, True, [[]], ["x"]))


def test_numbers_that_would_grow_for_ever_make_a_guard_false(text: str) -> None:
    def blow_up(whole: Any) -> None:
        entries = whole["numbers"]
        entries.append({"const": 2**4000})
        for _ in range(60):
            entries.append({"op": "int_mul", "of": [len(entries) - 1] * 2})
        entries.append({"op": "int_ge", "of": [len(entries) - 1, len(entries) - 2]})
        whole["guards"][0].update(number=len(entries) - 1, symbols=[])

    guards = guardgen.load(edited(text, blow_up))
    assert guards.check(*nested_call(), dtype=torch.float64) is False


@pytest.mark.parametrize("op", ["int_pow", "int_lshift", "int_mul"])
def test_no_operation_makes_a_number_too_long(op: str) -> None:
    assert isinstance(numbers.apply(op, [2**40000, 2**40000]), OverflowError)


def test_a_decided_condition_is_not_spoiled_by_what_is_not_looked_at() -> None:
    error = ZeroDivisionError()
    assert numbers.apply("bool_and", [False, error]) is False
    assert numbers.apply("bool_or", [True, error]) is True
    assert numbers.apply("bool_and", [True, error]) is error
    assert numbers.apply("bool_or", [error, True]) is error
    assert numbers.apply("int_ite", [True, 3, error]) == 3


def test_every_operation_on_numbers_can_be_computed() -> None:
    joined = {"bool_and", "bool_or", "int_ite"}
    assert {op for op in PURE if not op.endswith(("_const", "_placeholder"))} == numbers.RULES.keys() | joined


def test_an_operator_is_measured_before_it_is_run() -> None:
    row, column = torch.zeros(1, MOST_ELEMENTS // 2), torch.zeros(4, 1)
    with pytest.raises(OverflowError, match=r"aten.mul.Tensor would make"):
        measure("aten.mul.Tensor", [row, column])
    measure("aten.mul.Tensor", [row, row])


# -- the schema


def test_the_loader_goes_by_the_whole_schema() -> None:
    """No keyword of the schema is one that the loader does not know."""
    known = {"anyOf", "const", "enum", "type", "maxLength", "pattern", "minimum", "maximum", "prefixItems", "items"}
    known |= {"minItems", "maxItems", "properties", "required", "additionalProperties", "$ref", "description"}

    def walk(at: Any) -> None:
        assert at.keys() <= known | {"$schema", "title", "$defs"}
        inner = [*at.get("anyOf", []), *at.get("prefixItems", []), *at.get("properties", {}).values()]
        inner += [at[key] for key in ("items", "additionalProperties") if isinstance(at.get(key), dict)]
        for each in [*inner, *at.get("$defs", {}).values()]:
            walk(each)

    walk(schema())


def test_a_validator_of_json_schema_says_the_same(text: str) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="the loader is held against an independent validator")
    validator = jsonschema.Draft202012Validator(schema())
    validator.check_schema(schema())
    assert validator.is_valid(json.loads(text))
    pick = random.Random(1)
    for _ in range(300):
        whole = copy.deepcopy(json.loads(text))
        spoil(whole, pick)
        assert validator.is_valid(whole) is not any(faults(whole, schema(), "it")), whole


def test_the_place_of_a_fault_is_told(text: str) -> None:
    whole = json.loads(text)
    whole["guards"][0]["kind"] = "wish"
    with pytest.raises(LoadError, match=r"the document.guards\[0\].kind: one of observation, .* got 'wish'"):
        conform(whole)


def test_only_the_public_names_are_public() -> None:
    assert sorted(stored.__all__) == ["GuardError", "Guards", "in_module", "load", "loaded"]
