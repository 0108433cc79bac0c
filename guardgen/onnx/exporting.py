"""`export`: a traced program as an ONNX model that carries the conditions under which it is right."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from guardgen import files
from guardgen.conditions import Guard
from guardgen.errors import EmitError, GuardgenError
from guardgen.guards import GuardSet
from guardgen.interpret import interpret
from guardgen.ir import refs
from guardgen.onnx import assumptions, inputs, probe
from guardgen.onnx.metadata import KEY
from guardgen.onnx.numbers import derived, fixed, rounded_down
from guardgen.onnx.replay import Replay, computed, is_output, tensor
from guardgen.rules.concrete import concrete_step
from guardgen.rules.text import condition_text
from guardgen.terms import Bool
from guardgen.tracing import Trace
from guardgen.tracing import trace as record

PROBES = 48
LARGE = 3 << 29  # bytes of weights above which they are in a file of their own; a model has at most 2 GiB
NEEDED = ("onnx", "onnxscript", "onnxruntime")


def export(
    fn: Callable[..., Any],
    args: Any = (),
    path: str | os.PathLike[str] = "",
    kwargs: Mapping[str, Any] | None = None,
    *,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamic_shapes: Any = None,
    name: str | None = None,
    probes: int = PROBES,
) -> GuardSet:
    """Write `fn`, a function or module traced with `args` and `kwargs`, to `path` as an ONNX model with its guards.

    Inputs are the tensors among the arguments, named for their parameters; other arguments are constants of the model.
    Sizes are as free as the program, torch.export and the ONNX exporter leave them. The model is run at `probes`
    readings of sizes that the guards accept, and held against the trace. What is returned are the guards that the model
    carries, about its inputs; those of kind `artifact` are not the program's, and say whose they are.

    Raises `TraceError` and `DeriveError` as tracing does, and `EmitError` for guards that the model cannot carry, for
    what ONNX cannot express, for a model that answers otherwise than the program, and where a package is missing.
    """
    need()
    recorded = record(fn, (args,) if isinstance(args, torch.Tensor) else tuple(args), kwargs, name=name,
                      dynamic_shapes=dynamic_shapes)  # fmt: skip
    guards, walk = derived(recorded)
    numbers, extra = fixed(recorded, walk)
    leaves = inputs.tensors(recorded.signature)
    inputs.of_inputs(guards, extra, leaves)  # what cannot be carried is told before anything is made
    numbers |= {leaf.node: leaf.value for leaf in recorded.signature.leaves if leaf.kind == "int"}
    nodes = [leaf.node for leaf in leaves.values()]
    module = Replay(
        fn, computed(recorded, numbers), dict(zip(leaves, nodes, strict=True)), rounded_down(recorded, walk)
    )
    examples = [leaf.value.detach() for leaf in leaves.values()]
    program = exported(module, examples)
    model = converted(program, list(leaves), output_names, opset_version)
    for condition, origin in assumed(program, model, [walk.symbols.values[node] for node in nodes]):
        if isinstance(condition, bool) and not condition:
            raise EmitError(f"the traced call is not what the model is for: {origin}")
        if isinstance(condition, Bool) and walk.facts.decide(condition) is not True:
            extra.append(Guard(condition, "artifact", condition_text(condition), (), "", (origin,)))
    carried = inputs.of_inputs(guards, extra, leaves)
    if probes:
        out = measured(carried, examples, model, replayed(recorded, nodes, numbers), probes)
        carried = inputs.with_guards(carried, out)
    model.model.metadata_props[KEY] = carried.to_json()
    save(model, Path(path))
    return carried


# -- stages


def need() -> None:
    missing = [each for each in NEEDED if not installed(each)]
    if missing:
        raise EmitError(f'export to ONNX needs {" and ".join(missing)}; pip install "guardgen[onnx]"')


def installed(package: str) -> bool:
    try:
        importlib.import_module(package)
    except ImportError:
        return False
    return True


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
        for condition in assumptions.exported(pairs):
            yield condition, assumptions.EXPORT
    dims = [each.shape.dims for each in model.model.graph.inputs]
    pairs = [
        (size, known(dim)) for own, dim in zip(sizes, dims, strict=True) for size, dim in zip(own, dim, strict=True)
    ]
    for condition in assumptions.declared_by_model(pairs):
        yield condition, assumptions.ONNX


def known(dim: Any) -> Any:
    """A dimension of a model's input: a number, a name, or None."""
    return dim if isinstance(dim, int) else dim.value


def replayed(recorded: Trace, nodes: Sequence[str], numbers: Mapping[str, Any]) -> probe.Run:
    """The recorded trace, run on tensors for the model's inputs; an observation that differs raises."""

    def run(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        with torch.no_grad():
            found = interpret(recorded.graph, concrete_step, {**numbers, **dict(zip(nodes, tensors, strict=True))})
        return [tensor(found[name]) for name in refs(recorded.graph.result) if is_output(found[name])]

    return run


def measured(
    carried: GuardSet, examples: Sequence[torch.Tensor], model: Any, program: probe.Run, probes: int
) -> list[Guard]:
    """The guards that keep out sizes at which onnxruntime answers otherwise than the trace."""
    import onnxruntime

    names = [leaf.path.root for leaf in carried.signature.leaves]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what is wrong is said by us
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.onnx"
        save(model, file)
        with told("onnxruntime"):
            session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])

        def run(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
            feed = {name: each.contiguous().numpy() for name, each in zip(names, tensors, strict=True)}
            return [torch.from_numpy(each) for each in session.run(None, feed)]

        return probe.excluded(carried, examples, run, program, probes)


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
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "torch._export")]
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
