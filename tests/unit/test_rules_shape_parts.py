"""Size rules of lists, indexing, padding and factories, held against the operators at many sizes."""

from __future__ import annotations

import inspect
import random
from typing import Any

import pytest
import torch

from guardgen.rules.concrete import torch_op
from guardgen.rules.shape import shape_rules
from tests.unit.shape_rule_oracle import Call, check_concrete, check_symbolic, queries_for

MINE = {
    *("copies", "expanding", "factories", "gathering", "histograms", "indexing", "joining", "masking", "padding"),
    *("ranges", "rearranging", "reshape", "slicing", "splitting", "views"),
}


def data(*sizes: int) -> torch.Tensor:
    return torch.randn(sizes)


def index(*sizes: int) -> torch.Tensor:
    return torch.zeros(sizes, dtype=torch.int64)


def mask(*sizes: int) -> torch.Tensor:
    return torch.arange(torch.Size(sizes).numel()).reshape(sizes) % 2 == 0


FAMILIES: dict[str, list[tuple[Any, ...]]] = {
    "splitting": [
        ("unbind.int", data(3, 2)),
        *(("split.Tensor", data(7, 2), size) for size in (1, 3, 9)),
        *(("chunk.default", data(5, 2), count) for count in (1, 2, 3, 4, 5, 9)),
        ("split_with_sizes.default", data(5, 2), [2, 3]),
        *(("tensor_split.sections", data(5, 2), count) for count in (1, 3, 8)),
        *(("tensor_split.indices", data(5, 2), at) for at in ([1, 3], [3, 1], [-2], [0, 9])),
        *(("tensor_split.tensor_indices_or_sections", data(5, 2), each) for each in (index(2), torch.tensor(3))),
        ("hsplit.int", data(2, 4), 2),
        ("dsplit.array", data(2, 3, 4), [1, 2]),
    ],
    "joining": [
        *(("cat.default", [data(2, 3), data(4, 3)], dim) for dim in (0, -2)),
        ("cat.default", [data(0), data(4, 3)], 1),
        ("cat.default", [data(3), data(0)]),
        ("stack.default", [data(2, 3), data(2, 3)], -1),
        *((f"{name}.default", [data(2), data(2)]) for name in ("hstack", "vstack", "dstack", "column_stack")),
        ("block_diag.default", [data(2, 3), data(4), data()]),
        ("cartesian_prod.default", [data(2), data(3)]),
        *(("combinations.default", data(4), count, again) for count in (0, 1, 3) for again in (False, True)),
        *(("_chunk_cat.default", [data(2, 5), data(2, 3)], dim, 2) for dim in (0, 1, -1)),
        ("meshgrid.indexing", [data(2), data(3)], "xy"),
    ],
    "rearranging": [
        ("repeat.default", data(2, 3), [2, 1, 3]),
        ("tile.default", data(2, 3), [2]),
        ("repeat_interleave.self_int", data(2, 3), 2, 1),
        ("repeat_interleave.self_Tensor", data(3, 2), index(3), 0),
        ("roll.default", data(2, 3), [1], [0]),
        ("flip.default", data(2, 3), [0, 1]),
        ("tril.default", data(2, 3)),
        *(("diag.default", each, 1) for each in (data(3), data(3, 4))),
        ("diag_embed.default", data(2, 3), -1),
        ("rot90.default", data(2, 3), 1),
    ],
    "indexing": [
        *(
            ("index.Tensor", data(3, 4, 5), each)
            for each in (
                [index(2)],
                [None, index(2, 1), index(4)],
                [index(2), None, index(1)],
                [mask(3)],
                [mask(3, 4)],
                [None, mask(4)],
                [index()],
            )
        ),
        *(("index_put_.default", data(3, 4), [index(2)], values) for values in (data(), data(4), data(2, 4))),
        ("index_put_.default", data(3, 4), [mask(3, 4)], data()),
        ("_unsafe_masked_index.default", data(3, 4), mask(2, 5), [index(2, 1), index(5)], 0.0),
        (
            "_unsafe_masked_index_put_accumulate.default",
            *(data(3, 4), mask(2, 5), [index(2, 1), index(5)], data(2, 5)),
        ),
        ("index_select.default", data(3, 4), 1, index(2)),
        ("index_add.default", data(3, 4), 0, index(2), data(2, 4)),
        ("index_copy.default", data(3, 4), 0, index(2), data(2, 4)),
        ("index_fill.int_Scalar", data(3, 4), 0, index(2), 1.0),
    ],
    "gathering": [
        ("gather.default", data(3, 4), 1, index(2, 6)),
        ("scatter.src", data(3, 4), 1, index(2, 6), data(2, 7)),
        ("scatter_add_.default", data(3, 4), 0, index(6, 2), data(6, 2)),
        ("scatter.value", data(3, 4), 0, index(6, 2), 1.0),
        ("take.default", data(3, 4), index(2, 2)),
        ("put_.default", data(3, 4), index(2, 2), data(4)),
        ("take_along_dim.default", data(3, 4), index(1, 2), 1),
        ("searchsorted.Tensor", data(2, 5), data(2, 3)),
        ("bucketize.Tensor", data(2, 3), data(5)),
    ],
    "masking": [
        ("masked_fill.Scalar", data(3, 4), mask(4), 0.0),
        ("masked_fill_.Scalar", data(3, 4), mask(1), 0.0),
        ("masked_select.default", data(3, 4), mask(3, 1)),
        ("where.self", mask(4), data(3, 1), data(1, 4)),
        *((f"{name}.default", data(3, 4)) for name in ("nonzero", "nonzero_numpy", "where")),
        ("_unique2.default", data(3, 4), True, True, True),
        ("unique_dim.default", data(3, 4), 0),
        ("one_hot.default", index(3), 4),
    ],
    "histograms": [
        ("histc.default", data(5), 3),
        ("histogram.bin_ct", data(2, 3), 4),
        ("histogram.bins_tensor", data(5), torch.arange(4.0)),
        ("histogramdd.default", data(4, 3), [2, 3, 4]),
        ("histogramdd.int_bins", data(2, 4, 3), 2),
        ("histogramdd.TensorList_bins", data(4, 2), [torch.arange(3.0), torch.arange(4.0)]),
    ],
    "padding": [
        *(("pad.default", data(2, 3, 4), pad) for pad in ([1, 2], [-1, 0], [-2, 1, 0, -1])),
        *(("pad.default", data(2, 3, 4), [1, 2], mode) for mode in ("reflect", "replicate", "circular")),
        *(("pad.default", data(3, 4, 5), [1, 0, 2, -1], mode) for mode in ("reflect", "replicate", "circular")),
    ],
    "factories": [
        ("zeros.default", [2, 3]),
        ("new_full.default", data(2), [2, 3], 1.0),
        ("full_like.default", data(2, 3).t(), 1.0),
        ("arange.default", 5),
        ("arange.start", -2, 5),
        *(("arange.start_step", *each) for each in ((0, 7, 2), (7, 0, -3), (0, 1, 0.3))),
        ("eye.m", 3, 4),
        ("linspace.default", 0, 1, 5),
        ("tril_indices.default", 3, 4, 1),
        ("empty_permuted.default", [2, 3, 4], [2, 0, 1]),
    ],
    "copies": [
        ("to.dtype", data(3, 4).t(), torch.float64),
        ("clone.default", data(3, 8)[:, ::2]),
        ("copy_.default", data(3, 4), data(4)),
        ("resize_.default", data(3, 4), [5, 2]),
        ("expand_as.default", data(3, 1), data(2, 3, 4)),
        ("broadcast_tensors.default", [data(2, 1), data(3)]),
    ],
}


@pytest.mark.parametrize("family", FAMILIES)
def test_rules_agree_with_eager_on_numbers_and_at_sizes_they_were_not_traced_at(family: str) -> None:
    pick = random.Random(family)
    faults = []
    for name, *args in FAMILIES[family]:
        call = Call(f"aten.{name}", args, {"indexing": args.pop()} if name == "meshgrid.indexing" else {})
        for ints in (False, True):
            queries = queries_for(call, pick, 4, ints, layout=family == "copies")
            faults += [fault for query in (call, *queries) if (fault := check_concrete(query))]
            faults += check_symbolic(call, queries, "symbols", ints)
    assert not faults, "\n".join(faults)


def test_rules_have_the_parameters_of_their_operators() -> None:
    """By position: the same names and the same defaults, but that `self` is `x`."""
    faults = []
    for op, rule in shape_rules.rules.items():
        if rule.__module__.rsplit(".", 1)[-1] not in MINE:
            continue
        expected = torch_op(op)._schema.arguments
        given = inspect.signature(inspect.unwrap(rule)).parameters
        names = [each.name for each in given.values() if each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        rest = any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in given.values())
        positional = [each for each in expected if not each.kwarg_only]
        if len(names) != len(positional) and not rest:
            faults.append(f"{op}: {names}")
        for have, want in zip(names, positional, strict=False):
            if have != want.name and want.name not in ("self", "input"):
                faults.append(f"{op}: {have} instead of {want.name}")
            if want.has_default_value() and given[have].default is inspect.Parameter.empty:
                faults.append(f"{op}: {have} has no default")
    assert not faults, "\n".join(faults)
