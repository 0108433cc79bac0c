"""`export`: a traced program as an ONNX model that carries the conditions under which it is right."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from guardgen.conditions import Guard
from guardgen.errors import BailoutError, EmitError
from guardgen.guards import GuardSet
from guardgen.interpret import interpret
from guardgen.ir import Graph, refs
from guardgen.onnx import data, inputs, probe
from guardgen.onnx.makers import assumed, converted, exported, save, told
from guardgen.onnx.metadata import DATA, KEY
from guardgen.onnx.numbers import derived, fixed, rounded_down
from guardgen.onnx.replay import Replay, computed, is_output, tensor
from guardgen.rules.concrete import concrete_step
from guardgen.rules.text import condition_text
from guardgen.terms import Bool
from guardgen.tracing import trace as record

PROBES = 48
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
    numbers |= {leaf.node: leaf.value for leaf in recorded.signature.leaves if leaf.kind == "int"}
    read = data.graphs(guards, numbers)
    inputs.of_inputs(guards, extra, leaves)  # what cannot be carried is told before anything is made
    nodes = {name: leaf.node for name, leaf in leaves.items()}
    examples = [leaf.value.detach() for leaf in leaves.values()]
    models = []
    for graphs, outputs in ((computed(recorded, numbers),), output_names), (read, None):
        if graphs:
            module = Replay(fn, graphs, nodes, rounded_down(recorded, walk))
            program = exported(module, examples)
            models.append(converted(program, list(leaves), outputs, opset_version))
            for condition, origin in assumed(
                program, models[-1], [walk.symbols.values[node] for node in nodes.values()]
            ):
                if isinstance(condition, bool) and not condition:
                    raise EmitError(f"the traced call is not what the model is for: {origin}")
                if isinstance(condition, Bool) and walk.facts.decide(condition) is not True:
                    extra.append(Guard(condition, "artifact", condition_text(condition), (), "", (origin,)))
    carried = inputs.of_inputs(guards, extra, leaves)
    if probes:
        program = replayed(recorded.graph, read, list(nodes.values()), numbers)
        carried = inputs.with_guards(carried, measured(carried, examples, models, program, probes))
    model, *reading = models
    model.model.metadata_props[KEY] = carried.to_json()
    for each in reading:
        model.model.metadata_props[DATA] = data.text(each)
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


def replayed(graph: Graph, read: Sequence[Graph], nodes: Sequence[str], numbers: Mapping[str, Any]) -> probe.Run:
    """The recorded trace, run on tensors for the model's inputs, and then what guards read from their data.

    Where an observation differs, the latter alone.
    """

    def run(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        given = {**numbers, **dict(zip(nodes, tensors, strict=True))}
        outputs: list[Any] = []
        with torch.no_grad():
            kept = [interpret(each, concrete_step, given)[name] for each in read for name in refs(each.result)]
            try:
                found = interpret(graph, concrete_step, given)
                outputs = [found[name] for name in refs(graph.result)]
            except BailoutError:
                if not kept:
                    raise
        return [tensor(each) for each in (*outputs, *kept) if is_output(each)]

    return run


def measured(
    carried: GuardSet, examples: Sequence[torch.Tensor], models: Sequence[Any], program: probe.Run, probes: int
) -> list[Guard]:
    """The guards that keep out sizes at which onnxruntime answers otherwise than the trace."""
    import onnxruntime

    names = [leaf.path.root for leaf in carried.signature.leaves if leaf.kind == "tensor"]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what is wrong is said by us
    with tempfile.TemporaryDirectory() as folder:
        sessions = []
        for i, model in enumerate(models):
            file = Path(folder) / f"{i}.onnx"
            save(model, file)
            with told("onnxruntime"):
                sessions.append(onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"]))

        def run(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
            feed = {name: each.cpu().contiguous().numpy() for name, each in zip(names, tensors, strict=True)}
            return [torch.from_numpy(each) for session in sessions for each in session.run(None, feed)]

        return probe.excluded(carried, examples, run, program, probes)
