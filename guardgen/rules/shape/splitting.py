"""Operators that cut a tensor into a list of pieces. Source: aten/src/ATen/native/TensorShape.cpp."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from guardgen.rules.shape.context import Pieces, Sizes, data_list, require, shape_rule, wrap_dim
from guardgen.rules.shape.slicing import dropped, replaced, sliced
from guardgen.rules.shape.variants import fresh
from guardgen.terms import IntLike, either, eq, floordiv, ge, gt, ite, minimum, mod
from guardgen.terms.ints import divide

LISTED_CHUNKS = 4  # for so few, the sizes that give fewer pieces are listed


def ceildiv(value: IntLike, by: IntLike) -> IntLike:
    if not isinstance(by, int) and (exact := divide(value, by)) is not None:
        return exact
    return floordiv(value + by - 1, by)


def pieces(x: Sizes, at: int, count: IntLike, size: Callable[[int], IntLike]) -> Pieces:
    """Pieces of `x` along one dimension, the i-th of that size."""
    return Pieces(count, lambda i: replaced(x, at, size(i)))


def copied(cut: Pieces) -> Pieces:
    return Pieces(cut.count, lambda i: fresh(cut.at(i)))


@shape_rule("aten.unbind.int")
def unbind(x: Sizes, dim: int = 0) -> Pieces:
    require(len(x) > 0, "at least 1 dimension")
    at = wrap_dim(dim, len(x))
    return Pieces(x[at], lambda _: dropped(x, at))


@shape_rule("aten.unbind_copy.int")
def unbind_copy(x: Sizes, dim: int = 0) -> Pieces:
    return copied(unbind(x, dim))


@shape_rule("aten.split.Tensor", "aten.unsafe_split.Tensor")
def split(x: Sizes, split_size: IntLike, dim: int = 0) -> Pieces:
    """Pieces of `split_size`, of which the last may be smaller; an empty dimension gives one empty piece."""
    require(len(x) > 0, "at least 1 dimension")
    at = wrap_dim(dim, len(x))
    whole = x[at]
    require(ge(split_size, 0), "a split_size that is not negative")
    require(either(gt(split_size, 0), eq(whole, 0)), "a positive split_size")
    count = ite(eq(whole, 0), 1, ite(eq(split_size, 0), 1, ceildiv(whole, split_size)))
    return pieces(x, at, count, lambda i: minimum(split_size, whole - split_size * i))


@shape_rule("aten.split_copy.Tensor")
def split_copy(x: Sizes, split_size: IntLike, dim: int = 0) -> Pieces:
    return copied(split(x, split_size, dim))


@shape_rule("aten.split_with_sizes.default", "aten.unsafe_split_with_sizes.default")
def split_with_sizes(x: Sizes, split_sizes: Sequence[IntLike], dim: int = 0) -> Pieces:
    require(len(x) > 0, "at least 1 dimension")
    at = wrap_dim(dim, len(x))
    total: IntLike = 0
    for size in split_sizes:
        require(ge(size, 0), "sizes that are not negative")
        total = total + size
    require(eq(total, x[at]), f"sizes that add up to {x[at]}")
    return pieces(x, at, len(split_sizes), lambda i: split_sizes[i])


@shape_rule("aten.split.sizes")
def split_sizes(x: Sizes, split_size: Sequence[IntLike], dim: int = 0) -> Pieces:
    return split_with_sizes(x, split_size, dim)


@shape_rule("aten.split_with_sizes_copy.default")
def split_with_sizes_copy(x: Sizes, split_sizes: Sequence[IntLike], dim: int = 0) -> Pieces:
    return copied(split_with_sizes(x, split_sizes, dim))


@shape_rule("aten.chunk.default", "aten.unsafe_chunk.default")
def chunk(x: Sizes, chunks: int, dim: int = 0) -> Pieces:
    """At most `chunks` pieces of equal size but for the last; an empty dimension gives exactly `chunks`."""
    require(len(x) > 0, "at least 1 dimension")
    require(chunks > 0, "a positive number of chunks")
    at = wrap_dim(dim, len(x))
    whole = x[at]
    size = ceildiv(whole, chunks)
    return pieces(x, at, chunk_count(whole, chunks), lambda i: minimum(size, whole - size * i))


def chunk_count(whole: IntLike, chunks: int) -> IntLike:
    """ceil(n / ceil(n / chunks)), which is `chunks` but for some small n; and `chunks` for n = 0."""
    size = ceildiv(whole, chunks)
    if whole == 0:
        return chunks
    if isinstance(whole, int) or divide(whole, size) is not None or chunks > LISTED_CHUNKS:
        return ite(eq(whole, 0), chunks, ceildiv(whole, size))
    count: IntLike = chunks  # beyond (chunks - 1) ** 2
    for small in range(1, (chunks - 1) ** 2 + 1):
        if (fewer := -(-small // -(-small // chunks))) != chunks:
            count = ite(eq(whole, small), fewer, count)
    return count


@shape_rule("aten.tensor_split.sections")
def tensor_split(x: Sizes, sections: IntLike, dim: int = 0) -> Pieces:
    """Exactly `sections` pieces, the first ones larger by one where they are not equal."""
    require(len(x) > 0, "at least 1 dimension")
    require(gt(sections, 0), "a positive number of sections")
    at = wrap_dim(dim, len(x))
    return pieces(x, at, sections, lambda i: floordiv(x[at] + sections - 1 - i, sections))


@shape_rule("aten.tensor_split.indices")
def tensor_split_indices(x: Sizes, indices: Sequence[IntLike], dim: int = 0) -> Pieces:
    """The slices between the indices."""
    require(len(x) > 0, "at least 1 dimension")
    at = wrap_dim(dim, len(x))
    starts, ends = [0, *indices], [*indices, None]
    return pieces(x, at, len(ends), lambda i: sliced(x[at], starts[i], ends[i]))


@shape_rule("aten.tensor_split.tensor_indices_or_sections")
def tensor_split_by_tensor(x: Sizes, tensor_indices_or_sections: Sizes, dim: int = 0) -> Pieces:
    """The indices are data, and so are the sizes; of a number of sections even the count is."""
    require(len(x) > 0, "at least 1 dimension")
    indices = tensor_indices_or_sections
    require(len(indices) <= 1, "indices of 1 dimension, or a number of sections")
    at = wrap_dim(dim, len(x))
    length, size = data_list()
    return pieces(x, at, indices[0] + 1 if len(indices) else length, lambda i: size(i, at))


def split_evenly(x: Sizes, sections: int, dim: int) -> Pieces:
    require(sections != 0, "a number of sections that is not 0")
    require(eq(mod(x[dim], sections), 0), f"a size divisible by {sections}")
    return tensor_split(x, sections, dim)


def rank_at_least(x: Sizes, rank: int) -> None:
    require(len(x) >= rank, f"at least {rank} dimensions")


@shape_rule("aten.hsplit.int")
def hsplit(x: Sizes, sections: int) -> Pieces:
    rank_at_least(x, 1)
    return split_evenly(x, sections, 0 if len(x) == 1 else 1)


@shape_rule("aten.vsplit.int")
def vsplit(x: Sizes, sections: int) -> Pieces:
    rank_at_least(x, 2)
    return split_evenly(x, sections, 0)


@shape_rule("aten.dsplit.int")
def dsplit(x: Sizes, sections: int) -> Pieces:
    rank_at_least(x, 3)
    return split_evenly(x, sections, 2)


@shape_rule("aten.hsplit.array")
def hsplit_indices(x: Sizes, indices: Sequence[IntLike]) -> Pieces:
    rank_at_least(x, 1)
    return tensor_split_indices(x, indices, 0 if len(x) == 1 else 1)


@shape_rule("aten.vsplit.array")
def vsplit_indices(x: Sizes, indices: Sequence[IntLike]) -> Pieces:
    rank_at_least(x, 2)
    return tensor_split_indices(x, indices, 0)


@shape_rule("aten.dsplit.array")
def dsplit_indices(x: Sizes, indices: Sequence[IntLike]) -> Pieces:
    rank_at_least(x, 3)
    return tensor_split_indices(x, indices, 2)
