"""Arguments taken apart, named and bound."""

from __future__ import annotations

import collections
import dataclasses
import functools
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch.utils import _pytree as pytree

from guardgen.arguments import Path, bind_traced_call, container, replace_leaves, unique, walk
from guardgen.constants import same_constant
from guardgen.containers import Sizes, children, leaves, map_leaves, rebuild
from guardgen.errors import TraceError


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass(frozen=True)
class Item:
    value: Any
    label: str = "a"


class Hidden:
    def __init__(self, value: Any) -> None:
        self.value = value


pytree.register_pytree_node(Hidden, lambda h: ([h.value], None), lambda items, _: Hidden(next(iter(items))))


def test_paths_are_written_as_python_reads_them() -> None:
    nest = {"mask": [Point(1, Item(2))], 3: Hidden(4)}
    paths = {str(path): value for path, value, inside in walk(Path("batch"), nest) if inside is None}
    assert paths == {
        "batch['mask'][0][0]": 1,
        "batch['mask'][0][1].value": 2,
        "batch['mask'][0][1].label": "a",
        "batch[3].children[0]": 4,
    }
    for path, value, _ in walk(Path("batch"), nest):
        found = path.get({"batch": nest})
        assert found is value or found == value


@pytest.mark.parametrize(
    "value",
    [
        [1, 2],
        (1, (2,)),
        {"a": 1},
        collections.OrderedDict(a=1),
        Point(1, 2),
        Item(1),
        torch.Size([1, 2]),
        {},
        [],
        (),
    ],
)
def test_what_is_taken_apart_can_be_rebuilt(value: Any) -> None:
    inside = children(value)
    assert inside is not None
    made = rebuild(value, [item for _, item in inside])
    assert made == value
    assert type(made) is type(value)
    assert list(leaves(map_leaves(value, lambda leaf: leaf))) == list(leaves(value))


def test_a_default_dict_keeps_its_factory() -> None:
    made = rebuild(collections.defaultdict(list, a=1), [2])
    assert made["a"] == 2
    assert made["new"] == []


def test_frozen_dataclasses_are_not_changed_but_copied() -> None:
    item = Item(1)
    made = replace_leaves(Path("x"), item, lambda path, leaf: str(path))
    assert made == Item("x.value", "x.label")
    assert item == Item(1)


@pytest.mark.parametrize("value", [1, "text", None, torch.zeros(2), np.zeros(2), {1}, Item, range(3), object()])
def test_leaves(value: Any) -> None:
    assert children(value) is None


def test_sizes_of_symbols_are_a_torch_size() -> None:
    sizes = rebuild(torch.Size([1, 2]), ["n", 2])
    assert isinstance(sizes, torch.Size)
    assert isinstance(sizes[:1], Sizes)
    assert repr(sizes) == "torch.Size(['n', 2])"


@pytest.mark.parametrize(
    ("value", "recorded", "same"),
    [
        (1.0, 1.0, True),
        (float("nan"), float("nan"), True),
        (0.0, -0.0, False),
        (1, True, False),
        (1, 1.0, False),
        ("a", "a", True),
        ("a", "b", False),
        (None, None, True),
        (torch.float32, torch.float32, True),
        (np.arange(3), np.arange(3), True),
        (np.arange(3), np.arange(4), False),
        (np.arange(3), np.ones(3), False),
        (object(), object(), False),
        (slice(1, 2), slice(1, 2), True),
        (complex(0.0, float("nan")), complex(0.0, float("nan")), True),
    ],
)
def test_constants_are_compared_by_type_and_value(value: Any, recorded: Any, same: bool) -> None:
    assert same_constant(value, recorded) is same


def test_comparing_a_constant_never_raises() -> None:
    class Rude:
        def __eq__(self, other: object) -> bool:
            raise ValueError

        __hash__ = None  # type: ignore[assignment]  # as Python sets it

    assert same_constant(Rude(), Rude()) is False


def test_containers_say_type_and_keys() -> None:
    value = {"b": 1, "a": 2}
    made = container(Path("x"), value, children(value) or [])
    assert (made.type, made.keys, made.is_dict) == (dict, ("b", "a"), True)


def test_names_of_extra_arguments_are_new() -> None:
    def f(args_0: int, *args: int, **kwargs: int) -> int:
        return args_0

    binder, parameters, values = bind_traced_call(f, (1, 2, 3), {"k": 4})
    assert [p.name for p in parameters] == ["args_0", "args_0_", "args_1", "k"]
    assert values == {"args_0": 1, "args_0_": 2, "args_1": 3, "k": 4}
    assert binder.bind((5, 6, 7), {"k": 8}) == {"args_0": 5, "args_0_": 6, "args_1": 7, "k": 8}
    with pytest.raises(TypeError):
        binder.bind((5, 6), {"k": 8})
    with pytest.raises(TypeError):
        binder.bind((5, 6, 7), {"j": 8})


def test_arguments_left_out_have_their_defaults() -> None:
    _, parameters, values = bind_traced_call(lambda x, n=3, *, m=None: x, (1,), {"m": 2})
    assert [(p.name, p.default if p.has_default else "none", p.given) for p in parameters] == [
        ("x", "none", True),
        ("n", 3, False),
        ("m", None, True),
    ]
    assert values == {"x": 1, "n": 3, "m": 2}


def test_partials_builtins_and_modules_are_bound() -> None:
    assert list(bind_traced_call(functools.partial(lambda x, y: x, y=2), (1,), {})[2]) == ["x", "y"]
    assert list(bind_traced_call(torch.add, (1, 2), {})[2]) == ["args_0", "args_1"]
    assert list(bind_traced_call(torch.nn.Linear(2, 2), (1,), {})[2]) == ["input"]


def test_a_keyword_that_is_no_identifier_is_refused() -> None:
    with pytest.raises(TraceError, match="no identifier"):
        bind_traced_call(lambda **kwargs: kwargs, (), {"a b": 1})


def test_unique_names() -> None:
    taken = {"x"}
    assert [unique("x", taken), unique("x", taken), unique("y", taken)] == ["x_", "x__", "y"]
