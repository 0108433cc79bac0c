"""`check` and `check_shapes`: the fewest reads that decide, in the order in which they are likeliest to refuse."""

from __future__ import annotations

import re

from guardgen.arguments import Path
from guardgen.checking import uses
from guardgen.constants import Told, same_constant
from guardgen.emit.constants import Test, constant_tests, container_tests
from guardgen.emit.expressions import Expressions, Terms
from guardgen.emit.literals import comment, string
from guardgen.emit.model import Step
from guardgen.emit.names import Names
from guardgen.emit.python_parameters import LEFT_OUT
from guardgen.emit.steps import Steps, line_comments, unpack
from guardgen.errors import EmitError
from guardgen.facts import expected_text
from guardgen.guards import ConstantFact, ContainerFact, Fact, Guard, GuardSet, IntFact, SameFact, TensorFact
from guardgen.rules.python import python_rules
from guardgen.runtime import same
from guardgen.terms import Symbol
from guardgen.terms.ints import symbols

INDENT = 8
SHAPES = ("size", "int")  # the sources of symbols that need no tensor


class Source:
    """One guard set on its way to Python: the locals' names, and the objects of PyTorch that are compared with."""

    def __init__(self, guards: GuardSet, names: Names, unwritten: dict[str, object]) -> None:
        self.guards, self.names, self.unwritten = guards, names, unwritten
        self.objects: dict[str, str] = {}
        self.calls: dict[Symbol, str] = {}  # how the numbers that come from data are computed

    def object(self, text: str) -> str:
        """The global that holds the PyTorch object which prints as `text`."""
        if re.fullmatch(r"torch\.\w+", text):
            name, value = f"_{text[6:]}", text
        else:
            name, value = f"_{re.sub(r'[^A-Za-z0-9]', '_', text)}", f"torch.device({string(text)})"
        self.objects[name] = value
        return name

    def tests(self, fact: Fact, value: str) -> list[Test]:
        """The conditions of a fact about one value that is no tensor."""
        if isinstance(fact, IntFact):
            return [Test(f"type({value}) is int", f"type({value}) is not int")]
        if isinstance(fact, ContainerFact):
            return container_tests(value, fact.container)
        assert isinstance(fact, ConstantFact)
        return self.constant(fact, value)

    def constant(self, fact: ConstantFact, value: str) -> list[Test]:
        """A constant; leaving it out is right where its default is that constant."""
        root, steps = fact.path.root, fact.path.steps
        left_out = root in self.unwritten and not steps and same_as_default(fact.value, self.unwritten[root])
        if not left_out:
            return constant_tests(value, fact.path, fact.value)
        omitted = Test(f"{value} is {LEFT_OUT}", f"{value} is not {LEFT_OUT}")
        try:
            tests = constant_tests(value, fact.path, fact.value)
        except EmitError:
            return [omitted]
        holds, fails = " and ".join(each.holds for each in tests), " or ".join(each.fails for each in tests)
        return [Test(f"({omitted.holds} or {holds})", f"({omitted.fails} and ({fails}))")]


def same_as_default(value: object, default: object) -> bool:
    try:
        return same_constant(default, value) if isinstance(value, Told) else value is default or same(value, default)
    except Exception:
        return False


def check_steps(source: Source) -> tuple[Step, ...]:
    """The steps of `check`, on tensors."""
    guards = source.guards
    tensors = [fact for fact in guards.facts if isinstance(fact, TensorFact)]
    steps = Steps(source.names, INDENT)
    other_facts(source, steps, shapes=False)
    if tensors:
        kind = source.object("torch.Tensor")
        steps.refuse(*(f"not isinstance({steps.path(fact.path)}, {kind})" for fact in tensors))
    on_data = [guard for guard in guards.guards if uses(guard, guards.hoists)]
    on_sizes = [guard for guard in guards.guards if guard not in on_data]
    read_tensors(source, steps, tensors, on_sizes + on_data, shapes=False)
    write_guards(source, steps, on_sizes)
    for fact in tensors:
        steps.comment([comment(f"{fact.path}: {expected_text(fact)}", INDENT)])
        steps.refuse(*attribute_tests(source, fact))
    for symbol in guards.hoists:
        steps.read(f"{source.names.symbol(symbol)} = {source.calls[symbol]}")
    write_guards(source, steps, on_data)
    return steps.done()


def check_shapes_steps(source: Source) -> tuple[Step, ...]:
    """The steps of `check_shapes`, on sequences of ints instead of tensors."""
    guards = source.guards
    steps = Steps(source.names, INDENT)
    other_facts(source, steps, shapes=True)
    optional = {Path(each.name) for each in guards.signature.parameters if each.has_default and each.default is None}
    kept = [guard for guard in guards.guards if all(each.source[0] in SHAPES for each in symbols(guard.condition))]
    tensors = [fact for fact in guards.facts if isinstance(fact, TensorFact)]
    steps.refuse(*(f"{steps.path(fact.path)} is None" for fact in tensors if fact.path in optional))
    read_tensors(source, steps, tensors, kept, shapes=True)
    write_guards(source, steps, kept)
    return steps.done()


def other_facts(source: Source, steps: Steps, *, shapes: bool) -> None:
    for fact in source.guards.facts:
        if isinstance(fact, SameFact):
            if not shapes:
                relation = "is not" if fact.same else "is"
                steps.refuse(f"{steps.path(fact.path)} {relation} {steps.path(fact.other)}")
        elif not isinstance(fact, TensorFact):
            steps.refuse(*(test.fails for test in source.tests(fact, steps.path(fact.path))))


def read_tensors(source: Source, steps: Steps, tensors: list[TensorFact], guards: list[Guard], *, shapes: bool) -> None:
    """Unpack the sizes (and strides, offsets) that the guards use, which also tests the rank."""
    used: dict[Path, dict[tuple[str, int], Symbol]] = {fact.path: {} for fact in tensors}
    offsets: dict[Symbol, Path] = {}
    for symbol in dict.fromkeys(each for guard in guards for each in symbols(guard.condition)):
        how, path, *rest = symbol.source
        if how in ("size", "stride"):
            used[path][how, rest[0]] = symbol
        elif how == "offset":
            offsets[symbol] = path
    shape, strides = ("", ".stride()") if shapes else (".shape", ".stride()")
    for fact in tensors:
        value = steps.path(fact.path)
        for how, attribute in ("size", shape), ("stride", strides):
            found = {dim: symbol for (kind, dim), symbol in used[fact.path].items() if kind == how}
            if found:
                locals_ = [source.names.symbol(found[i]) if i in found else "_" for i in range(fact.rank)]
                steps.read(unpack(locals_, value + attribute))
            elif how == "size":
                rank = f"len({value})" if shapes else f"{value}.ndim"
                steps.refuse(f"{rank} != {fact.rank}")
    for symbol, path in offsets.items():
        steps.read(f"{source.names.symbol(symbol)} = {steps.path(path)}.storage_offset()")


def write_guards(source: Source, steps: Steps, guards: list[Guard]) -> None:
    expressions = Expressions(Terms(guards), python_rules, source.names.symbol, lambda: source.names.new("number"))
    lines: tuple[str, ...] | None = None
    for guard in guards:
        comments = line_comments(guard, INDENT)
        if comments != lines:
            steps.comment(comments)
            lines = comments
        condition = expressions.condition(guard)
        steps.read(*(f"{name} = {text}" for name, text in condition.shared))
        steps.refuse(*condition.fails)


def attribute_tests(source: Source, fact: TensorFact) -> list[str]:
    """Whether the tensor differs in what is guarded beside its sizes."""
    value = source.names.path(fact.path)
    on_cpu = fact.device == "cpu"
    tests = [
        f"{value}.dtype is not {source.object(fact.dtype)}",
        f"not {value}.is_cpu" if on_cpu else f"{value}.device != {source.object(fact.device)}",
        f"{value}.layout is not {source.object(fact.layout)}",
    ]
    if fact.requires_grad is not None:
        tests.append(f"{value}.requires_grad is not {fact.requires_grad}")
    return tests
