"""Operators without a size rule: PyTorch's own meta kernel, run on terms, once for every way that it can decide.

A kernel that asks whether a size is 1 is run for both answers; where it raises, the operator refuses its inputs. What
comes out is a decision tree, folded into piecewise sizes, the condition under which the operator runs, and the
condition under which the sizes are known (more ways than are worth trying, or another number of dimensions).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._dispatch.python import enable_python_dispatcher

from guardgen.ir import Node, Slot, TensorMeta
from guardgen.rules.concrete import concrete_rules, torch_op
from guardgen.rules.shape.context import Sizes
from guardgen.rules.terms import term_rules
from guardgen.symnode import SYMBOLIC, SymNode
from guardgen.terms import Bool, BoolLike, Float, Int, IntLike, Symbol, both, either, eq, ite, negate
from guardgen.terms.evaluate import evaluate
from guardgen.terms.ints import size

MOST_PATHS = 24
MOST_QUESTIONS = 200  # of one run; kernels that search for a common shape would ask for ever on terms
MOST_TO_READ = 300  # how large the conditions that come out may be
Decide = Callable[[BoolLike], "bool | None"]


class Stuck(Exception):
    """The kernel cannot be run on terms."""


@dataclass
class Path:
    """One run of the kernel: the answers that it is given, and the questions that only these answer."""

    answers: list[bool]
    questions: int = 0  # those with a known answer too
    asked: list[BoolLike] = field(default_factory=list)
    given: list[bool] = field(default_factory=list)
    expected: list[BoolLike] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    """What a kernel makes of its inputs: the sizes of each output, its strides after them if they were asked for, and
    when they are right."""

    sizes: tuple[tuple[IntLike, ...], ...]
    required: BoolLike = True
    assumed: BoolLike = True


class Explorer:
    """The host of the terms that a meta kernel computes with (see `guardgen.symnode`)."""

    def __init__(self, decide: Decide, hints: Mapping[Symbol, Any], lays_out: bool = False) -> None:
        self.known, self.hints, self.lays_out = decide, hints, lays_out
        self.path = Path([])

    def kind(self, value: Any) -> str:
        if isinstance(value, (bool, Bool)):
            return "bool"
        return "int" if isinstance(value, (int, Int)) else "float"

    def apply(self, op: str, *values: Any) -> Any:
        return term_rules[op](*values)

    def hint(self, value: Any) -> Any:
        return evaluate(value, self.hints, concrete_rules)

    def decide(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        self.path.questions += 1
        if self.path.questions > MOST_QUESTIONS or size(value) > MOST_TO_READ:
            raise Stuck(f"the kernel decides too much, {value.op} as question {self.path.questions}")
        decided = self.known(value)
        if decided is None:
            decided = self._decided_before(value)
        if decided is not None:
            return decided
        path = self.path
        answer = path.answers[len(path.given)] if len(path.given) < len(path.answers) else bool(self.hint(value))
        path.asked.append(value)
        path.given.append(answer)
        return answer

    def _decided_before(self, value: Bool) -> bool | None:
        for asked, given in zip(self.path.asked, self.path.given, strict=True):
            if asked == value:
                return given
            if negate(asked) == value:
                return not given
        return None

    def expect(self, value: Any) -> bool:
        if not isinstance(value, bool):
            self.path.expected.append(value)
            return True
        return value

    def guess(self, value: Any, default: bool) -> bool:
        return self.decide(value)

    def number(self, value: Any) -> Any:
        if not isinstance(value, (Int, Float)):
            return value
        hint = self.hint(value)
        if isinstance(value, Int) and self.decide(eq(value, hint)):
            return hint
        raise Stuck(f"the kernel needs the number {value}")


def explore(
    node: Node, values: tuple[Any, ...], metas: Mapping[str, TensorMeta], ranks: tuple[int, ...], decide: Decide,
    hints: Mapping[Symbol, Any], lays_out: bool = False,
) -> Outcome:  # fmt: skip
    """Run the meta kernel of `node` in every way; raises `Stuck` where it cannot be run as it was traced.

    `ranks` are those of all the tensors that it returned, `metas` what its inputs were. With `lays_out` the inputs have
    their strides, and the outcome has those of the outputs too.
    """
    explorer = Explorer(decide, hints, lays_out)
    if lays_out:
        ranks = tuple(2 * rank for rank in ranks)
    runs: dict[tuple[bool, ...], Outcome] = {}
    asked: dict[tuple[bool, ...], BoolLike] = {}
    pending: list[list[bool]] = [[]]
    while pending and len(runs) < MOST_PATHS:
        answers = pending.pop()
        path, outcome = run_once(explorer, node, values, metas, answers, ranks)
        if not runs and outcome.required is False:
            raise Stuck("the kernel refuses the traced run")
        runs[tuple(path.given)] = outcome
        for i in range(len(path.given)):
            asked[tuple(path.given[:i])] = path.asked[i]
            if i >= len(answers):
                pending.append([*path.given[:i], not path.given[i]])
    outcome = fold((), runs, asked, ranks)
    if max(size(outcome.required), size(outcome.assumed)) <= MOST_TO_READ:
        return outcome
    return as_it_went(next(iter(runs.items())), asked)


def as_it_went(first: tuple[tuple[bool, ...], Outcome], asked: Mapping[Any, BoolLike]) -> Outcome:
    """The traced way alone, right where the kernel decides as it did."""
    given, outcome = first
    decisions = (asked[given[:i]] if answer else negate(asked[given[:i]]) for i, answer in enumerate(given))
    return Outcome(outcome.sizes, True, both(*decisions))


def run_once(
    explorer: Explorer, node: Node, values: tuple[Any, ...], metas: Mapping[str, TensorMeta], answers: list[bool],
    ranks: tuple[int, ...],
) -> tuple[Path, Outcome]:  # fmt: skip
    explorer.path = path = Path(answers)
    unknown = tuple((0,) * rank for rank in ranks)
    try:
        args, kwargs = meta_call(explorer, node, values, metas)
        with torch.no_grad(), enable_python_dispatcher():
            output = torch_op(node.op)(*args, **kwargs)
    except Stuck:
        if not answers:
            raise
        return path, Outcome(unknown, True, False)
    except (AttributeError, NotImplementedError, AssertionError) as error:
        if not answers:
            raise Stuck(str(error)) from error
        return path, Outcome(unknown, True, False)
    except Exception:
        return path, Outcome(unknown, False, True)
    sizes = tuple(output_sizes(output, explorer.lays_out))
    if tuple(map(len, sizes)) != ranks:
        return path, Outcome(unknown, True, False)
    return path, Outcome(sizes, both(*path.expected))


def fold(
    so_far: tuple[bool, ...], runs: Mapping[tuple[bool, ...], Outcome], asked: Mapping[Any, BoolLike],
    ranks: tuple[int, ...],
) -> Outcome:  # fmt: skip
    """The subtree under the answers `so_far` as one piecewise outcome."""
    if so_far in runs:
        return runs[so_far]
    if so_far not in asked:
        return Outcome(tuple((0,) * rank for rank in ranks), True, False)
    condition = asked[so_far]
    yes, no = (fold((*so_far, answer), runs, asked, ranks) for answer in (True, False))
    if known_wrong(no):
        sizes = yes.sizes
    elif known_wrong(yes):
        sizes = no.sizes
    else:
        sizes = tuple(
            tuple(ite(condition, a, b) for a, b in zip(left, right, strict=True))
            for left, right in zip(yes.sizes, no.sizes, strict=True)
        )
    return Outcome(sizes, choose(condition, yes.required, no.required), choose(condition, yes.assumed, no.assumed))


def known_wrong(outcome: Outcome) -> bool:
    return outcome.required is False or outcome.assumed is False


def choose(condition: BoolLike, yes: BoolLike, no: BoolLike) -> BoolLike:
    return yes if yes == no else either(both(condition, yes), both(negate(condition), no))


def output_sizes(output: Any, lays_out: bool) -> Any:
    """The sizes of every tensor that a kernel returned, as terms, and its strides after them if it `lays_out`."""
    if isinstance(output, torch.Tensor):
        yield tuple(term_of(number) for number in (*output.shape, *(output.stride() if lays_out else ())))
    elif isinstance(output, (list, tuple)):
        for item in output:
            yield from output_sizes(item, lays_out)


def term_of(value: Any) -> Any:
    return value.node.value if isinstance(value, SYMBOLIC) else value


def meta_call(
    explorer: Explorer, node: Node, values: tuple[Any, ...], metas: Mapping[str, TensorMeta]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of the operator as meta tensors and symbolic numbers."""

    def convert(template: Any) -> Any:
        if isinstance(template, Slot):
            return meta_value(explorer, values[template.index], metas.get(node.inputs[template.index]))
        if isinstance(template, (list, tuple)):
            return type(template)(map(convert, template))
        return torch.device("meta") if isinstance(template, torch.device) else template

    args = [convert(item) for item in node.params["args"]]
    kwargs = {key: convert(item) for key, item in node.params["kwargs"].items()}
    kwargs.pop("generator", None)
    return args, kwargs


def meta_value(explorer: Explorer, value: Any, meta: TensorMeta | None) -> Any:
    if isinstance(value, Sizes):
        dtype = meta.dtype if meta is not None else torch.float32
        sizes = [symbolic(explorer, size) for size in value]
        if explorer.lays_out and value.strides is not None:
            strides = [symbolic(explorer, stride) for stride in value.strides]
            return torch.empty_strided(sizes, strides, dtype=dtype, device="meta")
        return torch.empty(sizes, dtype=dtype, device="meta")
    if isinstance(value, (list, tuple)):
        return [meta_value(explorer, item, None) for item in value]
    return symbolic(explorer, value)


def symbolic(explorer: Explorer, value: Any) -> Any:
    if isinstance(value, Int):
        return torch.SymInt(SymNode(value, explorer))
    if isinstance(value, Float):
        return torch.SymFloat(SymNode(value, explorer))
    if isinstance(value, Bool):
        return explorer.decide(value)
    return value
