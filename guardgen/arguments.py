"""The arguments of a traced function: how they are bound, taken apart into leaves, and named.

Arguments are any nest of lists, tuples, dicts, named tuples, dataclasses and nodes registered with PyTorch's pytree.
A leaf is a tensor, an int, or a constant; every leaf and container has a `Path` in the names of the function's own
parameters, such as `batch['mask']` or `cache[0].keys`.
"""

from __future__ import annotations

import dataclasses
import inspect
import keyword
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import torch

from guardgen.containers import Step, children, rebuild, take
from guardgen.errors import TraceError


@dataclasses.dataclass(frozen=True)
class Path:
    """Where a value is found in the arguments: a parameter, then steps into it."""

    root: str
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return self.root + "".join(map(show_step, self.steps))

    def into(self, step: Step) -> Path:
        return Path(self.root, (*self.steps, step))

    def get(self, arguments: Mapping[str, Any]) -> Any:
        value = arguments[self.root]
        for step in self.steps:
            value = take(value, step)
        return value


def show_step(step: Step) -> str:
    how, key = step
    if how == "index":
        return f"[{key!r}]"
    return f".{key}" if how == "attr" else f".children[{key}]"


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter as emitted modules have it. `given` says whether the traced call passed it.

    `kind` is `positional_only`, `positional_or_keyword` or `keyword_only`; `default` is `inspect.Parameter.empty`
    where there is none.
    """

    name: str
    kind: str
    default: Any = inspect.Parameter.empty
    given: bool = True

    @property
    def has_default(self) -> bool:
        return self.default is not inspect.Parameter.empty


@dataclasses.dataclass(frozen=True)
class Container:
    """A container among the arguments: its exact type, and its keys (dict) or length."""

    path: Path
    type: type
    keys: tuple[Any, ...]
    is_dict: bool


class TensorFacts(NamedTuple):
    """What is guarded of every tensor that is read."""

    rank: int
    dtype: torch.dtype
    device: torch.device
    layout: torch.layout

    @staticmethod
    def of(tensor: torch.Tensor) -> TensorFacts:
        return TensorFacts(tensor.dim(), tensor.dtype, tensor.device, tensor.layout)


@dataclasses.dataclass(frozen=True)
class Leaf:
    """One leaf as the traced call passed it. `kind` is `tensor`, `int` or `constant`; the first two name a node.

    `facts` are those of a tensor that are guarded wherever it is read, as they were when the trace began. `expected`
    is what a constant must be: itself, or an object `Told`.
    """

    path: Path
    kind: str
    value: Any = dataclasses.field(compare=False)
    node: str = ""
    facts: TensorFacts | None = None
    expected: Any = dataclasses.field(default=None, compare=False)


@dataclasses.dataclass(frozen=True)
class Signature:
    """The parameters of a traced function, and the structure that the traced call gave them."""

    parameters: tuple[Parameter, ...]
    containers: tuple[Container, ...]
    leaves: tuple[Leaf, ...]
    binder: Binder

    def arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The values by parameter name; Python's own TypeError where they cannot be bound."""
        return self.binder.bind(args, kwargs)


@dataclasses.dataclass(frozen=True)
class Binder:
    """Binds calls as the traced function does, with `*args` as `args_0, args_1` and `**kwargs` by their own names."""

    signature: inspect.Signature
    extra: tuple[str, ...] = ()  # the names given to the traced call's *args
    keywords: tuple[str, ...] = ()  # those of its **kwargs

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values: dict[str, Any] = {}
        for name, parameter in self.signature.parameters.items():
            value = bound.arguments[name]
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                same_names(name, len(value), len(self.extra))
                values.update(zip(self.extra, value, strict=True))
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                same_names(name, sorted(value), sorted(self.keywords))
                values.update({key: value[key] for key in self.keywords})
            else:
                values[name] = value
        return values


def same_names(name: str, got: Any, expected: Any) -> None:
    if got != expected:
        raise TypeError(f"the traced call passed {expected} as *{name}, this one {got}")


def signature_of(fn: Callable[..., Any]) -> inspect.Signature:
    target = fn.forward if isinstance(fn, torch.nn.Module) else fn
    try:
        return inspect.signature(target)
    except (TypeError, ValueError):
        kinds = inspect.Parameter
        return inspect.Signature([kinds("args", kinds.VAR_POSITIONAL), kinds("kwargs", kinds.VAR_KEYWORD)])


def bind_traced_call(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Binder, tuple[Parameter, ...], dict[str, Any]]:
    """The binder, the parameters and their values, of the call that is traced."""
    signature = signature_of(fn)
    bound = signature.bind(*args, **kwargs)
    given = set(bound.arguments)
    bound.apply_defaults()
    taken = {name for name, p in signature.parameters.items() if p.kind.name not in ("VAR_POSITIONAL", "VAR_KEYWORD")}
    extra: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    parameters = []
    for name, parameter in signature.parameters.items():
        value = bound.arguments[name]
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            extra = tuple(unique(f"{name}_{i}", taken) for i in range(len(value)))
            parameters += [Parameter(each, "positional_only") for each in extra]
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            keywords = tuple(value)
            parameters += [Parameter(key, "keyword_only") for key in keywords]
        else:
            kind = parameter.kind.name.lower()
            parameters.append(Parameter(name, kind, parameter.default, name in given))
    for each in parameters:
        if not each.name.isidentifier() or keyword.iskeyword(each.name):
            raise TraceError(f"the argument name {each.name!r} is no identifier; pass it in a dict instead")
    binder = Binder(signature, extra, keywords)
    return binder, tuple(parameters), binder.bind(args, kwargs)


def unique(name: str, taken: set[str]) -> str:
    """`name`, or `name` with underscores until it is new; it is taken from then on."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


# -- nests of arguments


def walk(path: Path, value: Any) -> Iterator[tuple[Path, Any, list[tuple[Step, Any]] | None]]:
    """Every container and leaf at and below `value`, outside in; the last item is None for leaves."""
    inside = children(value)
    yield path, value, inside
    for step, item in inside or ():
        yield from walk(path.into(step), item)


def replace_leaves(path: Path, value: Any, replace: Callable[[Path, Any], Any]) -> Any:
    """`value` with every leaf replaced."""
    inside = children(value)
    if inside is None:
        return replace(path, value)
    return rebuild(value, [replace_leaves(path.into(step), item, replace) for step, item in inside])


def container(path: Path, value: Any, inside: list[tuple[Step, Any]]) -> Container:
    is_dict = isinstance(value, dict)
    return Container(path, type(value), tuple(step[1] for step, _ in inside), is_dict)
