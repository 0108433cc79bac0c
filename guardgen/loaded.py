"""A package of AOTInductor, loaded, with its guards before it."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree as pytree

from guardgen import stored
from guardgen.assumed import INDUCTOR
from guardgen.runtime import GuardError, Violation

MOST_ACCEPTED = 1000  # calls that are known to be right, each a few hundred bytes


class Model:
    """A package that checks before it runs. `guard_enabled` turns that off; `guards` are those that it carries."""

    def __init__(self, guards: stored.Guards, runner: Any, call: dict[str, Any], check: bool) -> None:
        self.guards, self.runner, self.guard_enabled = guards, runner, check
        self.numbers, self.written, self.tensors = (call.get(key, []) for key in ("numbers", "written", "tensors"))
        spec = pytree.treespec_loads(runner.loader.get_call_spec()[0])
        positional, keyword = spec.children()
        self.accepted: set[Any] = set()
        self.positional, self.keywords = positional.num_children, tuple(keyword.context or ())

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The program's result. Raises `GuardError`, which says what is not so and why it must be."""
        if self.guard_enabled and not self.known(args, kwargs) and (found := self.violations(*args, **kwargs)):
            raise GuardError(found)
        return self.run(*args, **kwargs)

    def known(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether such a call was accepted before; if not, whether it is, where that can be known another time.

        Guards that read no data ask of arguments nothing but what `look` tells.
        """
        if self.written or self.guards.document["data"]:
            return False
        key = look((*args, *kwargs.values())), tuple(kwargs)
        if None in key:
            return False
        if key in self.accepted:
            return True
        if self.violations(*args, **kwargs):
            return False
        if len(self.accepted) >= MOST_ACCEPTED:
            self.accepted.clear()
        self.accepted.add(key)
        return True

    def violations(self, /, *args: Any, **kwargs: Any) -> list[Violation]:
        """Every guard that fails for these arguments: of our trace, and of what the artifact's makers assumed."""
        found = self.guards.violations(*args, **kwargs)
        return found if found or not self.tensors else self.of_memory(*args, **kwargs)

    def of_memory(self, /, *args: Any, **kwargs: Any) -> list[Violation]:
        """What the code takes for granted of memory.

        Numbers are in it as they are read, no views that negate or conjugate them; and a tensor that is written to
        shares none with another.
        """
        passed, named = self.call(*args, **kwargs)
        tensors = [each for each in pytree.tree_leaves((passed, named)) if isinstance(each, torch.Tensor)]
        if len(tensors) != len(self.tensors):
            given = f"{len(tensors)} tensors"
            return [Violation("the tensors of the traced call", "arguments", f"{len(self.tensors)} tensors", given)]
        report = [
            Violation(f"{name} is what is in its memory", name, "no negated or conjugated view", "one", (INDUCTOR,))
            for name, each in zip(self.tensors, tensors, strict=True)
            if turned(each)
        ]
        for i in self.written:
            own = tensors[i].untyped_storage().data_ptr()
            for name, other in zip(self.tensors, tensors, strict=True):
                if name != self.tensors[i] and own and other.untyped_storage().data_ptr() == own:
                    what, condition = self.tensors[i], f"{self.tensors[i]} shares no memory with {name}"
                    report.append(Violation(condition, what, "memory of its own", f"that of {name}", (INDUCTOR,)))
        return report

    def run(self, /, *args: Any, **kwargs: Any) -> Any:
        """The package's own answer, unchecked, to a call as the program takes it."""
        passed, named = self.call(*args, **kwargs)
        result = self.runner(*passed, **named)
        if not self.numbers:
            return result
        flat, spec = pytree.tree_flatten(result)
        flat = [each.item() if i in self.numbers else each for i, each in enumerate(flat)]
        return pytree.tree_unflatten(flat, spec)

    def call(self, /, *args: Any, **kwargs: Any) -> tuple[list[Any], dict[str, Any]]:
        """The arguments as they were passed when the package was made."""
        bound = self.guards.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = dict(bound.arguments)
        named = {name: values.pop(name) for name in self.keywords}
        return list(values.values())[: self.positional], named


def look(values: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """All that guards can ask of tensors and plain constants beside data; None where there are others among them."""
    found: list[Any] = []
    at: dict[int, int] = {}
    for i, each in enumerate(values):
        if type(each) is torch.Tensor and not turned(each):
            facts = each.shape, each.dtype, each.device, each.layout, each.requires_grad, at.setdefault(id(each), i)
            found.append((*facts, *((each.stride(), each.storage_offset()) if each.layout is torch.strided else ())))
        elif each is None or type(each) in (bool, int, str):
            found.append((type(each), each))
        else:
            return None
    return tuple(found)


def turned(tensor: torch.Tensor) -> bool:
    """Whether a tensor is a view of numbers with another sign, or of their conjugates."""
    return tensor.is_neg() or tensor.is_conj()
