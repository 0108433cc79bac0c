"""A TorchScript artifact: a module whose `forward` checks its arguments, then runs what was recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import guardgen.dtype_names
import guardgen.exact
from guardgen.checking import uses
from guardgen.emit.artifact_graph import GraphWriter
from guardgen.emit.artifact_refusal import Refusals
from guardgen.emit.artifact_result import Results
from guardgen.emit.header import header
from guardgen.emit.literals import call_lines
from guardgen.emit.model import Function, TorchScriptArtifact
from guardgen.emit.names import Names
from guardgen.emit.templates import fill
from guardgen.emit.torchscript import MODULE_NAMES, TYPING, functions_of, included, lines_of, values
from guardgen.emit.torchscript_guards import GuardFunction
from guardgen.emit.torchscript_types import Types
from guardgen.errors import EmitError
from guardgen.guards import GuardSet
from guardgen.ir import Graph, drop_unused
from guardgen.ops import BAILOUTS, is_torch_op
from guardgen.tracing import Trace

CLASS = "Guarded"
LIBRARY = {name for each in (guardgen.exact, guardgen.dtype_names) for name in vars(each) if not name.startswith("__")}
NAMES = MODULE_NAMES | LIBRARY | {*TYPING, "NamedTuple", CLASS, "self"}


class Artifact:
    """The parts of a module about the arguments of one guard set. Its class has `forward`, and perhaps `run`."""

    def __init__(self, guards: GuardSet) -> None:
        self.guards = guards
        self.names = Names(guards, NAMES)
        self.types = Types(guards.signature, self.names.parameters, "Tensor")
        if any(parameter.name == "self" for parameter in guards.signature.parameters):
            raise EmitError("argument self: the module itself has this name in TorchScript")
        ordered = sorted(guards.guards, key=lambda guard: uses(guard, guards.hoists))  # data is looked at last
        functions = [GuardFunction(f"_guard_{i}", [guard], self.names) for i, guard in enumerate(ordered)]
        self.refusals = Refusals(guards, self.names, self.types, shapes=False)
        for guard, function in zip(ordered, functions, strict=True):
            self.refusals.guard(guard, function)
        self.tests = tuple(test for function in functions for test in function.functions())

    def refused(self) -> Function:
        head = call_lines("def _refused", self.plain(self.types.declarations()), " -> str:")
        return Function(tuple(head), self.refusals.steps.done())

    def plain(self, declarations: list[str]) -> list[str]:
        """Parameters that are all given, by place."""
        return [each.partition(" = ")[0] for each in declarations if each != "*"]

    def forward(self, result: str, body: list[str]) -> Function:
        """The public method, with the traced function's own parameters."""
        own = Types(
            self.guards.signature, {each.name: each.name for each in self.guards.signature.parameters}, "Tensor"
        )
        arguments = [own.names[each.name] for each in own.parameters]
        why = "why" if "why" not in arguments else "why_"
        check = [
            "if self.guard_enabled:",
            *(f"    {line}" for line in call_lines(f"{why} = _refused", arguments, indent=12)),
            f'    if {why} != "":',
            f"        raise ValueError({why})",
        ]
        head = call_lines("def forward", ["self", *own.declarations()], f" -> {result}:", indent=4)
        return Function(tuple(head), body=(*check, *body))

    def module(self, forward: Function, run: Function, classes: list[tuple[str, ...]]) -> str:
        """The source text."""
        # An operator that raises refuses the arguments, as the guard would.
        refused, computed = self.refused(), values(self.guards, self.names, may_raise=True)
        functions = [forward, run, refused, *self.tests, *computed]
        lines = [line for each in functions for line in lines_of(each)]
        text = "\n".join([*lines, *(line for each in classes for line in each)])
        libraries = [*included(text), functions_of(guardgen.dtype_names.__file__)]
        if "exact_" in text:
            libraries.append(functions_of(guardgen.exact.__file__))
        module = TorchScriptArtifact(
            header=header(self.guards),
            typing=("Any", *(name for name in (*TYPING[1:], "NamedTuple") if re.search(rf"\b{name}\b", text))),
            name=CLASS,
            classes=tuple(classes),
            forward=forward,
            run=run,
            refused=refused,
            guards=self.tests,
            values=computed,
            included=tuple(libraries),
        )
        return fill("torchscript/artifact.py.jinja", module)


def emit_artifact(trace: Trace, guards: GuardSet, tensors: Mapping[str, str], inline: frozenset[int]) -> str:
    """The source of the module. `tensors` are the expressions of the trace's constants, `inline` the observations that
    are checked where the program made them, by their index in the graph.

    Raises `EmitError` where TorchScript cannot express an argument, an operator or the result, and says which.
    """
    artifact = Artifact(guards)
    bailouts = {id(trace.graph.nodes[i]) for i in inline}
    nodes = tuple(node for node in trace.graph if node.op not in BAILOUTS or id(node) in bailouts)
    whole = drop_unused(Graph(nodes, trace.graph.result), lambda node: node.op in BAILOUTS or is_torch_op(node.op))
    writer = GraphWriter(whole, trace.signature, artifact.types, tensors)
    results = Results(writer.texts, writer.kinds, set(NAMES))
    result = results.result(trace.graph.result)
    declared = ["self", *artifact.plain(artifact.types.declarations())]
    head = call_lines("def run", declared, f" -> {result.type}:", indent=4)
    run = Function(tuple(head), body=(*writer.lines, f"return {result.text}"))
    arguments = [parameter.name for parameter in artifact.types.parameters]
    forward = artifact.forward(result.type, call_lines("return self.run", arguments, indent=8))
    return artifact.module(forward, run, results.classes)


def emit_wrapper(guards: GuardSet, result: str) -> str:
    """The source of a module that checks, then calls its attribute `module`, whose result is of type `result`."""
    artifact = Artifact(guards)
    arguments = list(refined(artifact))
    body = [line for lines, _ in arguments for line in lines]
    call = call_lines("return self.module", [text for _, text in arguments], indent=8)
    return artifact.module(artifact.forward(result, [*body, *call]), Function(()), [])


def refined(artifact: Artifact) -> Iterator[tuple[list[str], str]]:
    """Each argument as an existing artifact takes it: an int as an int, and what was given as no None."""
    leaves = {leaf.path.root: leaf for leaf in artifact.guards.signature.leaves if not leaf.path.steps}
    for parameter in artifact.types.parameters:
        leaf = leaves.get(parameter.name)
        lines = []
        if parameter.has_default and parameter.default is None and (leaf is None or leaf.kind != "constant"):
            lines.append(f"assert {parameter.name} is not None")
        if leaf is not None and (leaf.kind == "int" or type(leaf.value) in (bool, float)):
            kind = "int" if leaf.kind == "int" else type(leaf.value).__name__
            lines.append(f"assert isinstance({parameter.name}, {kind})")
        yield lines, parameter.name
