"""The ways around the operators by which a tensor can be reached: each goes by an operator after all, or is refused."""

from __future__ import annotations

from typing import Any

import torch

from guardgen.tracing.values import refuse


class Outlets:
    """Mixed into `Variable`, before `torch.Tensor`, whose methods these replace."""

    _real: torch.Tensor
    _tracer: Any
    requires_grad: Any
    is_leaf: Any

    @property
    def data(self) -> Any:
        return torch.ops.aten.detach.default(self)

    @data.setter
    def data(self, value: Any) -> None:
        refuse("assigning to .data of a traced tensor")

    @property
    def grad(self) -> Any:
        if not self._tracer.active:
            return self._real.grad
        return refuse(".grad of a traced tensor") if self.requires_grad and self.is_leaf else None

    def __copy__(self) -> Any:
        return torch.ops.aten.alias.default(self)

    def __deepcopy__(self, memo: Any) -> Any:
        if id(self) not in memo:
            memo[id(self)] = self.data.clone()
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return refuse("pickling a traced tensor") if self._tracer.active else self._real.__reduce_ex__(protocol)

    def backward(self, *args: Any, **kwargs: Any) -> Any:
        return refuse("backward() inside a trace") if self._tracer.active else self._real.backward(*args, **kwargs)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        if not self._tracer.active:
            return self._real.requires_grad_(requires_grad)
        return refuse("requires_grad_() on a traced tensor") if requires_grad != self.requires_grad else self

    def data_ptr(self) -> Any:
        return refuse("data_ptr() of a traced tensor") if self._tracer.active else self._real.data_ptr()

    def untyped_storage(self) -> Any:
        return refuse("the storage of a traced tensor") if self._tracer.active else self._real.untyped_storage()

    storage = _typed_storage = untyped_storage

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any:
        return refuse("exporting a traced tensor by dlpack") if self._tracer.active else self._real.__dlpack__()
