"""Fourier transforms. A real input has half a spectrum: n // 2 + 1 of the n frequencies.

Source: aten/src/ATen/native/SpectralOps.cpp (canonicalize_fft_shape_and_dim_args, resize_fft_input, stft, istft).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardgen.rules.shape.context import Sizes, require, shape_rule, wrap_dim
from guardgen.terms import IntLike, eq, floordiv, ge, gt, le, lt, ne

Shape = tuple[IntLike, ...]
Lengths = Sequence[IntLike] | IntLike | None
Dims = Sequence[int] | int | None


def listed(value: Any) -> list[Any] | None:
    return None if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


def transformed(x: Sizes, s: Lengths, dim: Dims, kind: str) -> Shape:
    """The sizes after a transform of `dim`, cut or padded to `s`; `kind` says which side is real: `c2c`, `r2c`, `c2r`.

    Without `dim`, the last dimensions, as many as `s` has, or all.
    """
    lengths, given = listed(s), listed(dim)
    if given is None:
        count = len(x) if lengths is None else len(lengths)
        require(count <= len(x), "at most as many lengths as dimensions")
        dims = list(range(len(x) - count, len(x)))
    else:
        dims = [wrap_dim(d, len(x)) for d in given]
        require(len(set(dims)) == len(dims), "each dimension once")
    if lengths is not None:
        require(len(lengths) == len(dims), "a length for every dimension")
    for d, size in enumerate(x):
        require(not dims or d in dims or ne(size, 0), f"a size that is not 0 at dimension {d}")
    sizes = list(x)
    for i, d in enumerate(dims):
        length = None if lengths is None or lengths[i] == -1 else lengths[i]
        last = i == len(dims) - 1
        if last and kind == "c2r":
            sizes[d] = 2 * (x[d] - 1) if length is None else length
            if length is None:
                require(ge(x[d], 1), "frequencies")
        else:
            sizes[d] = x[d] if length is None else length
        require(ge(sizes[d], 1), "at least one point to transform")
        if last and kind == "r2c":
            sizes[d] = floordiv(sizes[d], 2) + 1
    return tuple(sizes)


def one_dim(kind: str) -> Any:
    def rule(x: Sizes, n: IntLike | None = None, dim: int = -1, norm: str | None = None) -> Shape:
        require(len(x) > 0, "an input of at least 1 dimension")
        return transformed(x, None if n is None else [n], [dim], kind)

    return rule


def two_dims(kind: str) -> Any:
    def rule(x: Sizes, s: Lengths = None, dim: Dims = (-2, -1), norm: str | None = None) -> Shape:
        return transformed(x, s, dim, kind)

    return rule


def all_dims(kind: str) -> Any:
    def rule(x: Sizes, s: Lengths = None, dim: Dims = None, norm: str | None = None) -> Shape:
        return transformed(x, s, dim, kind)

    return rule


for _name, _kind in {
    "fft": "c2c",
    "ifft": "c2c",
    "rfft": "r2c",
    "ihfft": "r2c",
    "irfft": "c2r",
    "hfft": "c2r",
}.items():
    shape_rule(f"aten.fft_{_name}.default")(one_dim(_kind))
    shape_rule(f"aten.fft_{_name}2.default")(two_dims(_kind))
    shape_rule(f"aten.fft_{_name}n.default")(all_dims(_kind))


@shape_rule("aten.fft_fftshift.default", "aten.fft_ifftshift.default")
def shift(x: Sizes, dim: Dims = None) -> Shape:
    for d in listed(dim) or ():
        wrap_dim(d, len(x))
    return tuple(x)


@shape_rule("aten.stft.default")
def stft(
    x: Sizes,
    n_fft: IntLike,
    hop_length: IntLike | None = None,
    win_length: IntLike | None = None,
    window: Sizes | None = None,
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Shape:
    """Frequencies and frames; real and imaginary part are a last dimension unless the result is complex."""
    require(len(x) in (1, 2), "a signal of 1 or 2 dimensions")
    hop = floordiv(n_fft, 4) if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    require(gt(n_fft, 0), "n_fft above 0")
    for size in x[:-1]:
        require(ne(size, 0), "signals")
    require(le(n_fft, x[-1]), "a signal at least as long as a window")
    require(gt(hop, 0), "a hop length above 0")
    require(gt(width, 0), "a window length above 0")
    require(le(width, n_fft), "a window length of at most n_fft")
    if window is not None:
        require(len(window) == 1, "a window of 1 dimension")
        require(eq(window[0], width), "a window of the window length")
    complex_input = x.dtype.is_complex or (window is not None and window.dtype.is_complex)
    half = (not complex_input) if onesided is None else onesided
    frequencies = floordiv(n_fft, 2) + 1 if half else n_fft
    parts = () if return_complex or (return_complex is None and complex_input) else (2,)
    return (*x[:-1], frequencies, floordiv(x[-1] - n_fft, hop) + 1, *parts)


@shape_rule("aten.stft.center")
def stft_center(
    x: Sizes,
    n_fft: IntLike,
    hop_length: IntLike | None = None,
    win_length: IntLike | None = None,
    window: Sizes | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Shape:
    """With a signal that is padded by half a window at both ends."""
    if center:
        half = floordiv(n_fft, 2)
        if pad_mode == "reflect":
            require(lt(half, x[-1]), "a signal longer than half a window")
        x = Sizes((*x[:-1], x[-1] + 2 * half), x.dtype)
    return stft(x, n_fft, hop_length, win_length, window, normalized, onesided, return_complex)
