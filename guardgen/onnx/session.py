"""`Session`: onnxruntime's session behind the guards that a model carries. Nothing here imports PyTorch."""

from __future__ import annotations

import base64
import importlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

from guardgen import stored
from guardgen.errors import LoadError
from guardgen.onnx.arrays import violations
from guardgen.onnx.metadata import DATA, KEY
from guardgen.runtime import GuardError, Violation

SWITCH = "GUARDGEN_CHECK"  # "0" turns the checks of artifacts off, as for those of guardgen.torchscript
UNSEEN = ("run_async", "run_with_iobinding", "run_with_ort_values", "run_with_ortvaluevector")


class Session:
    """`onnxruntime.InferenceSession`, which checks the inputs of each run against the guards in the model's metadata.

    Used like the original, whose other methods and attributes it has; `session` is the original itself. `guards` are
    the model's, and `guard_enabled` turns the check off, as `check=False` and the environment's `GUARDGEN_CHECK=0` do.
    """

    def __init__(
        self, path_or_bytes: str | bytes | os.PathLike[str], *args: Any, check: bool = True, **kwargs: Any
    ) -> None:
        """Further arguments are onnxruntime's own.

        Raises `LoadError` where onnxruntime is not installed, or the model carries no guards that can be read, and
        whatever onnxruntime raises.
        """
        self.session = runtime().InferenceSession(path_or_bytes, *args, **kwargs)
        metadata = self.session.get_modelmeta().custom_metadata_map
        text = metadata.get(KEY)
        if not text:
            raise LoadError("this model carries no guards; guardgen.onnx.export writes models that do")
        self.guards = stored.loaded(text)
        self.data = None  # the session of what the guards read from data
        if DATA in metadata:
            self.data = runtime().InferenceSession(model_of(metadata[DATA]), providers=["CPUExecutionProvider"])
        self.guard_enabled = check and os.environ.get(SWITCH) != "0"

    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], run_options: Any = None
    ) -> list[Any]:
        """The outputs, as numpy arrays. Raises `GuardError`, which says what is not so and why it must be."""
        if self.guard_enabled and (found := self.violations(input_feed)):
            raise GuardError(found)
        outputs: list[Any] = self.session.run(output_names, input_feed, run_options)
        return outputs

    def violations(self, input_feed: Mapping[str, Any]) -> list[Violation]:
        """Every guard that these inputs break; an input that is missing is onnxruntime's to tell."""
        found = violations(self.guards, input_feed)
        if found or self.data is None:
            return found
        numbers = [name for name, each in self.guards.signature.parameters.items() if each.kind is each.KEYWORD_ONLY]
        try:
            read = self.data.run(None, {each.name: input_feed[each.name] for each in self.data.get_inputs()})
            values = [int(each) for each in read]
        except KeyError:  # an input is missing
            return found
        except Exception as error:  # onnxruntime has several of its own
            values = [error] * len(numbers)  # type: ignore[list-item]  # it is reported as what was got
        return violations(self.guards, {**input_feed, **dict(zip(numbers, values, strict=True))})

    def __getattr__(self, name: str) -> Any:
        if name == "session":  # there is none where onnxruntime refused the model
            raise AttributeError(name)
        if name in UNSEEN and self.guard_enabled:
            raise AttributeError(f"{name} would run without the check; ask violations, then use session.{name}")
        return getattr(self.session, name)


def model_of(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise LoadError("the model of the guards on data is no base64") from error


def runtime() -> Any:
    """The package onnxruntime. Raises `LoadError`, which says what to install."""
    try:
        return importlib.import_module("onnxruntime")
    except ImportError as error:
        raise LoadError(
            'ONNX models run in onnxruntime, which is not installed; pip install "guardgen[onnx]"'
        ) from error
