"""What is taken for granted of operators, measured on samples: which keep rows, and which return what they were given.

An operator keeps rows if it returns row-major tensors from row-major inputs. One that loops over the elements of its
operands lays its result out as they lie.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
import torch
from torch.utils._pytree import tree_leaves

import guardgen
from benchmarks.exactness.operators import operators
from guardgen.interpret import interpret
from guardgen.ir import Node, Slot, TensorMeta
from guardgen.ops import is_torch_op
from guardgen.rules.aliasing import may_alias
from guardgen.rules.concrete import concrete_step, torch_op
from guardgen.rules.iterating import beside_number, iterated, iterates
from guardgen.rules.laying import KEEP_ROWS
from guardgen.rules.shape import Sizes, shape_rules
from guardgen.rules.shape.context import row_major
from guardgen.rules.shape.pointwise import broadcasting
from guardgen.tracing.entry import enter

SAMPLES = 3
SAY_SO = ("aten.argwhere.default", "aten.nonzero.default")  # their rule has strides
BELIEVED = 300  # operators, at least, that the samples reach
LAYOUTS = 40  # for each operator that loops
LOOPS = 200  # such operators, at least


@pytest.fixture(scope="module")
def traces() -> list[tuple[guardgen.Trace, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # operators warn of deprecated arguments among the samples
        return list(traced())


def traced() -> Iterator[tuple[guardgen.Trace, Any]]:
    for name, operator in operators().items():
        if name.startswith(("linalg", "fft", "masked.", "jiterator", "sparse")):
            continue  # none of KEEP_ROWS, and the slowest
        for sample, _ in zip(operator.sample_inputs("cpu", torch.float32), range(SAMPLES), strict=False):
            args = (sample.input, sample.args, sample.kwargs)
            if all(in_rows(leaf) for leaf in tree_leaves(args)):

                def call(first: Any, rest: Any, kwargs: Any, operator: Any = operator) -> Any:
                    return operator(first, *rest, **kwargs)

                try:
                    yield guardgen.trace(call, args), args
                except (guardgen.TraceError, NotImplementedError, RuntimeError):
                    continue


def in_rows(value: Any) -> bool:
    if not isinstance(value, torch.Tensor):
        return True
    return value.layout is torch.strided and 0 not in value.shape and value.stride() == row_major(value.shape)


def meta_in_rows(meta: TensorMeta) -> bool:
    return meta.stride is not None and tuple(meta.stride) == row_major(meta.shape)


def keeps_rows(node: Node) -> bool:
    rule = shape_rules.find(node.op) if is_torch_op(node.op) and node.op not in SAY_SO else None
    return rule is not None and rule.__module__.rpartition(".")[2] in KEEP_ROWS


def test_operators_that_keep_rows_do(traces: list[tuple[guardgen.Trace, Any]]) -> None:
    found: dict[str, bool] = {}
    for trace, _ in traces:
        metas = trace.tensors
        for node in trace.graph:
            if keeps_rows(node) and all(meta_in_rows(metas[name]) for name in node.inputs if name in metas):
                outputs = [metas[name] for name, kind in zip(node.names, node.kinds, strict=True) if kind == "tensor"]
                kept = all(meta_in_rows(meta) for meta in outputs if 0 not in meta.shape)
                found[node.op] = found.get(node.op, True) and kept
    assert [op for op, kept in found.items() if not kept] == []
    assert len(found) > BELIEVED


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_operators_return_shares_memory_only_as_they_say(traces: list[tuple[guardgen.Trace, Any]]) -> None:
    silent, seen = set(), set()

    def step(node: Node, *values: Any) -> Any:
        result = concrete_step(node, *values)
        if is_torch_op(node.op):
            seen.add(node.op)
            given = {name: storages(value) for name, value in zip(node.inputs, values, strict=True)}
            known = {each for name in may_alias(node) for each in given[name]}
            if storages(result) & (set().union(*given.values()) - known):
                silent.add(node.op)
        return result

    for trace, args in traces:
        try:
            inputs = enter(trace.signature, trace.reads, trace.compares_identity, trace.signature.arguments(args, {}))
            interpret(trace.graph, step, inputs)
        except (RuntimeError, NotImplementedError):
            continue
    assert silent == set()
    assert len(seen) > BELIEVED


# -- what a loop over elements gives a matrix

ARGUMENTS = {"Tensor": None, "number": 2, "int": 1, "float": 0.5, "bool": True, "str": "none"}  # None: the operand


def loops() -> Iterator[str]:
    for schema in torch._C._jit_get_all_schemas():
        op = f"{schema.name.replace('::', '.')}.{schema.overload_name or 'default'}"
        if op.startswith("aten.") and len(schema.returns) == 1 and shape_rules.find(op) is broadcasting:
            yield op


def test_operators_that_loop_lay_matrices_out_so() -> None:
    random = Random(5)
    wrong, seen = set(), set()
    for op in loops():
        parameters = [each for each in torch_op(op)._schema.arguments if not each.has_default_value()]
        template = [ARGUMENTS.get(str(each.type)) for each in parameters]
        node = Node(
            ("y",),
            op,
            (),
            {"args": [Slot(0) if each is None else each for each in template], "kwargs": {}},
            ("tensor",),
        )
        if not iterates(node):
            continue
        for _ in range(LAYOUTS):
            sizes = tuple(random.choice((0, 1, 2, 3)) for _ in range(random.choice((1, 2, 2))))
            strides = tuple(random.choice((0, 1, 2, 3, 4, 7)) for _ in sizes)
            x = Sizes(sizes, strides=strides)
            number = beside_number(node, (x,))
            if (result := first_that_runs(op, template, sizes, strides)) is not None and not (number and 0 in sizes):
                seen.add(op)
                if result.stride() != iterated(x, number):
                    wrong.add((op, sizes, strides, result.stride()))
    assert wrong == set()
    assert len(seen) > LOOPS


def first_that_runs(op: str, template: list[Any], sizes: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    for dtype in (torch.float32, torch.bool, torch.int64):
        x = torch.ones(30, dtype=dtype).as_strided(sizes, strides)
        try:
            return torch_op(op)(*(x if each is None else each for each in template))
        except (RuntimeError, NotImplementedError):
            continue
    return None


def storages(value: Any) -> set[int]:
    tensors = [each for each in tree_leaves(value) if isinstance(each, torch.Tensor)]
    return {each.untyped_storage()._cdata for each in tensors if each.layout is torch.strided}
