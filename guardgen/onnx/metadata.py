"""The guards in a model's metadata, read from the file itself: neither onnx, onnxruntime nor PyTorch is needed.

An ONNX model is a message of protocol buffers; metadata are its fields `metadata_props`, each a key and a value.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

from guardgen.errors import LoadError
from guardgen.stored.document import MOST_BYTES

KEY = "guardgen"  # of the guards as data
DATA = "guardgen.data"  # of the model, in base64, that computes what they read from the inputs' data
MOST_DATA = 4 << 20
METADATA, NAME, VALUE = 14, 1, 2  # numbers of fields, as onnx.proto has them
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # how a field is written
MOST_FIELDS = 1 << 20


def embedded(path: str | os.PathLike[str]) -> str:
    """The guards as data that a model carries. Raises `LoadError` where it carries none, or is no ONNX model."""
    try:
        with open(path, "rb") as file:
            for name, value in entries(file, os.fstat(file.fileno()).st_size):
                if name == KEY.encode():
                    return value.decode()
    except (OSError, ValueError) as error:
        raise LoadError(f"this is no ONNX model: {error}") from error
    raise LoadError("this model carries no guards as data")


def entries(file: BinaryIO, end: int) -> Iterator[tuple[bytes, bytes]]:
    """The metadata's keys and values. Raises `ValueError` where the file is no message."""
    for number, length in fields(file, end):
        after = file.tell() + length
        if number == METADATA:
            found = {NAME: b"", VALUE: b""}
            for inner, size in fields(file, after):
                here = file.tell()
                if inner in found and size <= MOST_BYTES:
                    found[inner] = file.read(size)
                file.seek(here + size)
            yield found[NAME], found[VALUE]
        file.seek(after)


def fields(file: BinaryIO, end: int) -> Iterator[tuple[int, int]]:
    """The number of each field up to `end`, and how many bytes follow; the file stands before these."""
    for _ in range(MOST_FIELDS):
        if file.tell() >= end:
            return
        number, kind = divmod(varint(file), 8)
        if kind == VARINT:
            varint(file)
        length = {VARINT: 0, FIXED64: 8, FIXED32: 4}.get(kind)
        if kind == BYTES:
            length = varint(file)
        if length is None or not number or file.tell() + length > end:
            raise ValueError("a field of it is cut off, or of no known kind")
        here = file.tell()
        yield number, length
        file.seek(here + length)
    raise ValueError("it has too many fields")


def varint(file: BinaryIO) -> int:
    value = 0
    for shift in range(0, 70, 7):
        byte = file.read(1)
        if not byte:
            raise ValueError("it is cut off")
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return value
    raise ValueError("a number of it is too long")
