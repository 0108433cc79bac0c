"""Entry facts: what each says in words, and whether it holds of a value."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from guardgen.arguments import Container
from guardgen.conditions import ConstantFact, ContainerFact, Fact, IntFact, SameFact, TensorFact
from guardgen.constants import TORCH_CONSTANTS, Told, same_constant
from guardgen.containers import children
from guardgen.runtime import same, shown


def fact_text(fact: Fact) -> str:
    """The fact in words, beginning with the argument: `x: a tensor of rank 2, torch.float32 on cpu`."""
    if isinstance(fact, SameFact):
        return f"{fact.path} {'is' if fact.same else 'is not'} {fact.other}"
    return f"{fact.path}: {expected_text(fact)}"


def expected_text(fact: Fact) -> str:
    if isinstance(fact, TensorFact):
        layout = "" if fact.layout == "torch.strided" else f", {fact.layout}"
        grad = "" if fact.requires_grad is None else f", requires_grad={fact.requires_grad}"
        return f"a tensor of rank {fact.rank}, {fact.dtype} on {fact.device}{layout}{grad}"
    if isinstance(fact, ContainerFact):
        return container_text(fact.container)
    if isinstance(fact, ConstantFact):
        return constant_text(fact.value)
    return "an int"


def container_text(container: Container) -> str:
    name = container.type.__qualname__
    if container.is_dict and not container.keys:
        return f"empty {name}"
    if container.is_dict:
        return f"{name} with the keys {', '.join(map(constant_text, container.keys))}"
    if positions(container):
        return f"{name} of {len(container.keys)}"
    return name


def positions(container: Container) -> bool:
    """Whether the container's keys are just 0, 1, 2 and so on."""
    return container.keys == tuple(range(len(container.keys)))


def constant_text(value: Any) -> str:
    """A constant as text that is the same on every machine."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if isinstance(value, TORCH_CONSTANTS):
        return str(value)
    if isinstance(value, Told):
        return ".".join(value.state[1:]) if value.state[0] == "name" else f"this {value.module}.{value.name}"
    if type(value) is tuple:
        return f"({', '.join(map(constant_text, value))}{',' if len(value) == 1 else ''})"
    if type(value) is frozenset:
        return f"frozenset({{{', '.join(sorted(map(constant_text, value)))}}})" if value else "frozenset()"
    return shown(value)


def attributes(fact: TensorFact) -> dict[str, Any]:
    """What is guarded of a tensor beside its rank, by the name of the attribute."""
    found: dict[str, Any] = {"dtype": fact.dtype, "device": fact.device, "layout": fact.layout}
    if fact.requires_grad is not None:
        found["requires_grad"] = fact.requires_grad
    return found


def holds(fact: Fact, value: Any) -> Callable[[], Any]:
    """The test of a fact about one value that is no tensor."""
    if isinstance(fact, IntFact):
        return lambda: type(value) is int
    if isinstance(fact, ContainerFact):
        return lambda: same_container(fact.container, value)
    assert isinstance(fact, ConstantFact)
    recorded = fact.value
    if type(recorded) in (tuple, frozenset):
        return lambda: value is recorded or same(value, recorded)
    return lambda: same_constant(value, recorded)


def same_container(container: Container, value: Any) -> bool:
    """Whether `value` has the container's exact type and keys, which a dict also has in the same order."""
    if type(value) is not container.type:
        return False
    inside = children(value)
    return inside is not None and same(tuple(step[1] for step, _ in inside), container.keys)
