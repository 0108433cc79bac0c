"""PyTorch's own samples of its operators: each is traced, then asked about its siblings and about other sizes."""

from __future__ import annotations

import json
import os
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import Any

import torch
from torch.utils import _pytree as pytree

from benchmarks.exactness.arguments import SEED, fresh
from benchmarks.exactness.forms import Guardgen
from benchmarks.exactness.judge import Count
from benchmarks.exactness.outcomes import run, same

SAMPLES = 3  # of one operator with arguments of one kind
RESHAPED = 3  # changes of each sample's sizes
CORRUPTING = re.compile(r"batch_norm|^lu_|sparse")  # operators that read or write past malformed inputs
UNINITIALISED = re.compile(r"^(new_)?empty|resize_")

SAMPLE_OF_OPERATORS = [
    "add",
    "addmm",
    "amax",
    "argmax",
    "broadcast_to",
    "cat",
    "chunk",
    "cumsum",
    "diagonal",
    "einsum",
    "expand",
    "flatten",
    "gather",
    "index_select",
    "masked_fill",
    "matmul",
    "mean",
    "narrow",
    "nn.functional.conv2d",
    "nn.functional.embedding",
    "nn.functional.interpolate.nearest",
    "nn.functional.layer_norm",
    "nn.functional.pad.constant",
    "nn.functional.scaled_dot_product_attention",
    "permute",
    "repeat",
    "reshape",
    "roll",
    "softmax",
    "split",
    "squeeze",
    "stack",
    "tensor_split",
    "unbind",
    "unfold",
    "view",
    "where",
]


def operators() -> dict[str, Any]:
    """PyTorch's operator samples by name, those that take 32-bit floats on the CPU."""
    from torch.testing._internal.common_methods_invocations import op_db

    named = {f"{op.name}.{op.variant_test_name}".rstrip("."): op for op in op_db}
    return {name: op for name, op in named.items() if torch.float32 in op.supported_dtypes("cpu")}


def measure(names: Iterable[str] | None = None, *, samples: int = SAMPLES, script: bool = True) -> Count:
    """Every operator, or those named, each in a process of its own."""
    torch.set_num_threads(1)
    found = operators()
    total = Count()
    for name in found if names is None else names:
        total += apart(name, lambda name=name: measure_one(name, found[name], samples, script))  # type: ignore[misc]
    return total


def apart(name: str, ask: Callable[[], Count]) -> Count:
    """The count of `ask` in a child process, since some operators corrupt memory on malformed inputs."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.close(reader)
        try:
            with os.fdopen(writer, "w") as answer:
                json.dump(asdict(ask()), answer)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return Count(**json.loads(text)) if text else Count(faults=[f"crash {name}: the operator brought the process down"])


def measure_one(name: str, op: Any, samples: int, script: bool) -> Count:
    count, pick = Count(), random.Random(name)

    def program(*args: Any, **kwargs: Any) -> Any:
        return op(*args, **kwargs)

    for members in siblings(op, samples):
        for i, (args, kwargs) in enumerate(members):
            where = f"{name} #{i}"
            try:
                system = Guardgen(program, args, kwargs, script=script)
            except Exception as error:  # what cannot be traced is counted
                count.untraceable(where, error)
                break
            asked = [(f"{where} asked #{j}", call) for j, call in enumerate(members)]
            if not CORRUPTING.search(name):
                asked += [(f"{where} asked {sizes(call)}", call) for call in reshapes(args, kwargs, pick)]
            for question, call in asked:
                count.ask(system, program, *call, where=question, exact=repeats(name, program, call))
    return count


def siblings(op: Any, samples: int) -> Iterator[list[tuple[list[Any], dict[str, Any]]]]:
    """Samples whose arguments are of one kind: the same structure, ranks, dtypes and other arguments."""
    torch.manual_seed(SEED)
    groups: dict[str, list[tuple[list[Any], dict[str, Any]]]] = {}
    for sample in op.sample_inputs("cpu", torch.float32, requires_grad=False):
        call = [sample.input, *sample.args], dict(sample.kwargs)
        leaves, structure = pytree.tree_flatten(call)
        kind = [(x.dim(), x.dtype, x.layout) if isinstance(x, torch.Tensor) else repr(x)[:80] for x in leaves]
        groups.setdefault(f"{structure} {kind}", []).append(call)
    for group in groups.values():
        yield group[:samples]


def reshapes(args: list[Any], kwargs: dict[str, Any], pick: random.Random) -> Iterator[tuple[Any, Any]]:
    """The call with one size of one tensor changed, its values repeated or cut to fit."""
    leaves, structure = pytree.tree_flatten((args, kwargs))
    places = [
        (i, d)
        for i, x in enumerate(leaves)
        if isinstance(x, torch.Tensor) and x.layout == torch.strided and not x.is_quantized
        for d in range(x.dim())
    ]
    for _ in range(RESHAPED if places else 0):
        i, d = pick.choice(places)
        old = leaves[i].detach()
        changed = list(old.shape)
        changed[d] = pick.choice([n for n in (0, 1, old.shape[d] + 1, 2 * old.shape[d] + 1) if n != old.shape[d]])
        values = old.flatten() if old.numel() else old.new_zeros(1)
        count = torch.Size(changed).numel()
        new = values.repeat(count // values.numel() + 1)[:count].view(changed)
        yield pytree.tree_unflatten([*leaves[:i], new, *leaves[i + 1 :]], structure)


def sizes(call: Any) -> str:
    return str([tuple(x.shape) for x in pytree.tree_leaves(call) if isinstance(x, torch.Tensor)])


def repeats(name: str, program: Callable[..., Any], call: tuple[Any, Any]) -> bool:
    """Whether the program is a function of its inputs."""
    if UNINITIALISED.search(name):
        return False
    first, second = run(program, *fresh(call)), run(program, *fresh(call))
    return first.ran and same(first.result, second.result)
