"""`Variable`: the tensor that program code meets while it is traced.

It knows its real tensor and the name of its node. What Python can ask of a tensor without calling an operator is
answered here, and recorded; what cannot be recorded raises `TraceError` with the user's line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils import _pytree as pytree

from guardgen.tracing.indexing import selected
from guardgen.tracing.outlets import Outlets
from guardgen.tracing.values import dimension, indexed_rank, is_basic, observe_values, refuse

MOST_LISTED = 64  # a list of more values is observed as a whole, instead of being a list of guarded numbers


class Variable(Outlets, torch.Tensor):  # type: ignore[override]  # PyTorch declares properties as attributes
    """A tensor of the traced run. Once its trace is over it is its real tensor, and records nothing."""

    _real: torch.Tensor
    _name: str
    _tracer: Any
    _sizes: Any
    _strides: Any

    @staticmethod
    def __new__(cls, real: torch.Tensor, name: str, tracer: Any) -> Variable:
        self = torch.Tensor._make_wrapper_subclass(
            cls,
            real.size(),
            strides=real.stride() if real.layout == torch.strided else None,
            dtype=real.dtype,
            layout=torch.strided,  # to the dispatcher; the property `layout` says what it is
            device=real.device,
            requires_grad=False,
            dispatch_sizes_strides_policy="sizes",
        )
        self._real, self._name, self._tracer, self._sizes, self._strides = real, name, tracer, None, None
        return self

    def __init__(self, *args: Any) -> None:
        pass

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]  # which PyTorch declares without `func`
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Reached only where the trace's mode is not active: after the trace, or on another thread."""

        def real(value: Any) -> Any:
            if isinstance(value, Variable) and value._tracer.active:
                refuse(f"{func} on a thread other than the traced one")
            return value._real if isinstance(value, Variable) else value

        args, kwargs = pytree.tree_map(real, (args, kwargs or {}))
        return func(*args, **kwargs)

    def _rename(self, name: str) -> None:
        """An operator wrote to it: it is another value now, and may have other sizes."""
        self._name, self._sizes, self._strides = name, None, None

    # -- sizes and strides

    @property
    def shape(self) -> Any:  # type: ignore[override]  # PyTorch declares properties as attributes
        if not self._tracer.active:
            return self._real.shape
        if self._sizes is None:
            self._sizes = self._tracer.sizes(self._name, self._read())
        return self._sizes

    def size(self, dim: Any = None) -> Any:
        return self.shape if dim is None else self.shape[dimension(dim, len(self.shape))]

    def stride(self, dim: Any = None) -> Any:
        if not self._tracer.active:
            return self._real.stride() if dim is None else self._real.stride(dim)
        if self._strides is None:
            self._strides = self._tracer.strides(self._name, self._read())
        return self._strides if dim is None else self._strides[dimension(dim, len(self._strides))]

    def numel(self) -> Any:
        return self.shape.numel()

    nelement = numel

    def __len__(self) -> int:
        if not self.dim():
            raise TypeError("len() of a 0-d tensor")
        return int(self.shape[0])

    def storage_offset(self) -> Any:
        return self._tracer.property("var_storage_offset", self._name, self._read().storage_offset())

    def is_contiguous(self, memory_format: torch.memory_format = torch.contiguous_format) -> bool:
        value = self._read().is_contiguous(memory_format=memory_format)
        asked = self._tracer.property("var_is_contiguous", self._name, value, memory_format=memory_format)
        return bool(self._tracer.observe(asked))

    def contiguous(self, memory_format: torch.memory_format = torch.contiguous_format) -> Any:
        """The operator itself; PyTorch's own method asks about the layout first."""
        return torch.ops.aten.contiguous.default(self, memory_format=memory_format)

    @property
    def nbytes(self) -> Any:  # type: ignore[override]
        return self.numel() * self._real.element_size()

    # -- facts; rank, dtype, device and layout are guarded of every input that is read

    def _read(self) -> torch.Tensor:
        if self._tracer.active:
            self._tracer.read(self._name, self._real)
        return self._real

    def dim(self) -> int:
        return self._read().dim()

    ndimension = dim
    ndim = property(dim)
    requires_grad = property(
        lambda self: self._read_grad().requires_grad,
        lambda self, value: self.requires_grad_(value),
    )
    grad_fn = property(lambda self: self._read_grad().grad_fn)
    is_leaf = property(lambda self: self._read_grad().is_leaf)
    _is_param = property(lambda self: isinstance(self._real, torch.nn.Parameter))  # what isinstance asks

    def _read_grad(self) -> torch.Tensor:
        if self._tracer.active:
            self._tracer.read_grad(self._name)
        return self._read()

    def __getattr__(self, name: str) -> Any:
        """What the user's code has hung on the tensor."""
        if name != "_real" and name in self._real.__dict__:
            return self._real.__dict__[name]
        raise AttributeError(f"'Tensor' object has no attribute {name!r}")

    def type(self, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        return self._read().type() if dtype is None else super().type(dtype, *args, **kwargs)

    # -- values

    def item(self) -> Any:
        if not self._tracer.active:
            return self._real.item()
        return self._tracer.item(self._name, self._real)

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        if self._read().is_floating_point() or self._real.is_complex():
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def tolist(self) -> Any:
        if not self._tracer.active:
            return self._real.tolist()
        if self._real.numel() > MOST_LISTED:
            return observe_values(self._tracer, self._name, self._read(), torch.Tensor.tolist)
        return [row.tolist() for row in self.unbind(0)] if self.dim() else self.item()

    def __iter__(self) -> Iterator[Any]:
        if not self.dim():
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, item: Any) -> bool:
        return bool((self == item).any())

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]  # undeclared there
        if not self._tracer.active:
            return repr(self._real)
        return str(observe_values(self._tracer, self._name, self._read_grad(), repr))

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self) if self.dim() else format(self.item(), spec)

    def numpy(self, *, force: bool = False) -> Any:
        """A NumPy array of the values. It is read-only, because what is written there would not reach the trace."""
        if not self._tracer.active:
            return self._real.numpy(force=force)
        array = observe_values(self._tracer, self._name, self._read_grad(), lambda real: real.numpy(force=force).copy())
        array.flags.writeable = False
        return array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __getitem__(self, index: Any) -> Any:
        found = selected(self, index) if self._tracer.active else None
        if found is None:
            return super().__getitem__(index)
        return found[0][found[1]] if found[1] else found[0]

    def __setitem__(self, index: Any, value: Any) -> None:
        """As PyTorch's, which strips leading ones from a value's shape and so asks about sizes, where it need not."""
        found = selected(self, index) if self._tracer.active else None
        if found is not None:
            found[0][found[1] or ...] = value
        elif not self._tracer.active or not isinstance(value, torch.Tensor):
            super().__setitem__(index, value)
        elif is_basic(index) and value.dim() <= (place := self[index]).dim():
            place.copy_(value)
        elif isinstance(index, torch.Tensor) and value.dim() <= indexed_rank(self, index):
            self.index_put_((index,), value.to(self.dtype))
        else:
            super().__setitem__(index, value)


# Facts that follow from rank, dtype, device and layout, which are guarded of every input that is read.
FACTS = ("dtype", "device", "layout", "itemsize", "is_sparse", "is_sparse_csr", "is_cpu", "is_cuda", "is_meta",
         "is_quantized")  # fmt: skip
FACT_METHODS = ("is_floating_point", "is_complex", "is_signed", "is_conj", "is_neg", "is_inference", "is_pinned",
                "element_size", "get_device", "sparse_dim", "dense_dim", "qscheme")  # fmt: skip


def fact(name: str) -> Callable[[Variable], Any]:
    return lambda self: getattr(self._read(), name)


def fact_method(name: str) -> Callable[[Variable], Any]:
    return lambda self: getattr(self._read(), name)()


for _name in FACTS:
    setattr(Variable, _name, property(fact(_name)))
for _name in FACT_METHODS:
    setattr(Variable, _name, fact_method(_name))
