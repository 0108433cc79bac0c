"""Stored guards, and the questions that they answer: those of an emitted Python module."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from guardgen.runtime import Guard, GuardError, Violation
from guardgen.stored.asked import Asked


@dataclass(frozen=True)
class Guards:
    """The guards of one trace, read from data.

    `check`, `check_shapes`, `violations` and `require` take the traced function's own arguments and answer as those of
    the emitted Python module do. They raise `TypeError` for a call that the traced function would not take, and nothing
    else but the `GuardError` of `require`.
    """

    document: dict[str, Any] = field(repr=False)
    signature: inspect.Signature
    guards: tuple[Guard, ...]  # all that is checked, facts first

    @property
    def name(self) -> str:
        """What the traced function is called."""
        return str(self.document["name"])

    def check(self, /, *args: Any, **kwargs: Any) -> bool:
        """Whether the trace is valid for these arguments."""
        return not self.violations(*args, **kwargs)

    def check_shapes(self, /, *args: Any, **kwargs: Any) -> bool:
        """Whether the trace is valid for tensors of these sizes, as far as sizes tell; PyTorch is not needed."""
        return bool(self.asked(args, kwargs, Asked.sizes))

    def violations(self, /, *args: Any, **kwargs: Any) -> list[Violation]:
        """Every guard that fails for these arguments; data is looked at if all else holds."""
        found: list[Violation] = self.asked(args, kwargs, Asked.violations)
        return found

    explain = violations  # as a GuardSet calls it

    def require(self, /, *args: Any, **kwargs: Any) -> None:
        """Raise `GuardError`, which lists what `violations` finds, where `check` is False."""
        if found := self.violations(*args, **kwargs):
            raise GuardError(found)

    def asked(self, args: tuple[Any, ...], kwargs: dict[str, Any], question: Callable[[Asked], Any]) -> Any:
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return question(Asked(self.document, self.guards, bound.arguments))

    def to_json(self) -> str:
        """The text from which these guards can be loaded again."""
        return json.dumps(self.document, separators=(",", ":"))
