"""The stages that are PyTorch's: torch.export, and its ONNX exporter. What they assumed is read from what they made."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from guardgen import files
from guardgen.errors import EmitError, GuardgenError
from guardgen.exported import assumptions
from guardgen.onnx.assumptions import ONNX, declared_by_model
from guardgen.onnx.replay import Replay

LARGE = 3 << 29  # bytes of weights above which they are in a file of their own; a model has at most 2 GiB


def exported(module: Replay, examples: Sequence[torch.Tensor]) -> Any:
    """The program of torch.export, in which every size is free that can be.

    First as if 0 and 1 were sizes like others; where PyTorch then cannot tell what fits what, without them.
    """
    try:
        return attempted(module, examples, oblivious=True)
    except Exception:  # of many kinds; the second attempt tells what is wrong
        with told("torch.export"):
            return attempted(module, examples, oblivious=False)


def attempted(module: Replay, examples: Sequence[torch.Tensor], oblivious: bool) -> Any:
    shapes = tuple(dict.fromkeys(range(each.dim()), torch.export.Dim.AUTO) for each in examples)
    with quiet(), torch.fx.experimental._config.patch(backed_size_oblivious=oblivious):  # type: ignore[attr-defined]
        return torch.export.export(module, tuple(examples), dynamic_shapes=(shapes,), strict=False)


def converted(program: Any, names: list[str], output_names: Sequence[str] | None, opset_version: int | None) -> Any:
    """The model of the ONNX exporter."""
    with quiet(), told("the ONNX exporter"):
        model = torch.onnx.export(program, (), dynamo=True, verbose=False, input_names=names,
                                  output_names=output_names, opset_version=opset_version)  # fmt: skip
    assert model is not None
    assert model.exported_program is not None
    written = model.exported_program.graph_signature
    called = dict(zip(written.user_inputs, names, strict=True))
    for target in (*written.buffers_to_mutate.values(), *written.user_inputs_to_mutate.values()):
        raise EmitError(f"the program writes to {called.get(target, target)}, which an ONNX model would not")
    if [each.name for each in model.model.graph.inputs] != names:
        raise EmitError(f"the ONNX exporter gave the model other inputs than {', '.join(names)}")
    return model


def assumed(program: Any, model: Any, sizes: Sequence[Any]) -> Iterator[tuple[Any, str]]:
    """What torch.export and the ONNX exporter assumed, and who did. `sizes` are ours of each input."""
    for each in (program, model.exported_program):
        values = {node.name: node.meta.get("val") for node in each.graph.nodes if node.op == "placeholder"}
        user = [spec.arg.name for spec in each.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
        pairs = [
            pair for name, own in zip(user, sizes, strict=True) for pair in zip(own, values[name].shape, strict=True)
        ]
        yield from assumptions(pairs, asserts=False)
    dims = [each.shape.dims for each in model.model.graph.inputs]
    pairs = [
        (size, known(dim)) for own, dim in zip(sizes, dims, strict=True) for size, dim in zip(own, dim, strict=True)
    ]
    for condition in declared_by_model(pairs):
        yield condition, ONNX


def known(dim: Any) -> Any:
    """A dimension of a model's input: a number, a name, or None."""
    return dim if isinstance(dim, int) else dim.value


def save(model: Any, path: Path) -> None:
    """In one file where it may be one: onnx has its limit at 2 GiB."""
    size = sum(each.const_value.nbytes for each in model.model.graph.initializers.values() if each.const_value)
    if size > LARGE:
        model.save(path, external_data=True)
    else:
        files.replace(path, lambda temporary: model.save(temporary, external_data=False))


@contextlib.contextmanager
def told(who: str) -> Iterator[None]:
    """What a stage that is not ours raises, as an error of ours."""
    try:
        yield
    except GuardgenError:
        raise
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise EmitError(f"{who} cannot express it: {' '.join(lines[:3])[:300]}") from error


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Neither the exporters' progress nor their advice about packages and parts of their own."""
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "torch._export", "onnx_ir", "onnxscript")]
    levels = [each.level for each in loggers]
    for each in loggers:
        each.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for each, level in zip(loggers, levels, strict=True):
            each.setLevel(level)
