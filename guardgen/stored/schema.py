"""The form of a document: `schema.json`, and the part of JSON Schema that it uses, checked.

The schema is what the loader goes by, so that the published form and the accepted one cannot differ.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from guardgen.errors import LoadError

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
Schema = dict[str, Any]


@functools.cache
def schema() -> Schema:
    """The published schema."""
    text = Path(__file__).with_name("schema.json").read_text(encoding="utf-8")
    found: Schema = json.loads(text)
    return found


def conform(document: Any) -> None:
    """Raise `LoadError`, which names the place, where the document is not of the form that the schema describes."""
    whole = schema()
    version = document.get("guardgen") if isinstance(document, dict) else None
    supported = whole["properties"]["guardgen"]["const"]
    if version != supported or type(version) is not int:
        raise LoadError(f"this is no guard set of version {supported}: its key 'guardgen' is {shown(version)}")
    for fault in faults(document, whole, "the document"):
        raise LoadError(fault)


def faults(value: Any, at: Schema, place: str) -> Iterator[str]:
    """What is wrong with a value, each with its place."""
    if "$ref" in at:
        at = schema()["$defs"][at["$ref"].rpartition("/")[2]]
    if "anyOf" in at:
        if all(any(faults(value, each, place)) for each in at["anyOf"]):
            yield f"{place}: {at['description']} is expected, got {shown(value)}"
        return
    if "const" in at and not (value == at["const"] and type(value) is type(at["const"])):
        yield f"{place}: {at['const']!r} is expected, got {shown(value)}"
    elif "enum" in at and value not in at["enum"]:
        yield f"{place}: one of {', '.join(at['enum'])} is expected, got {shown(value)}"
    elif "type" in at and not has_type(value, at["type"]):
        yield f"{place}: {at['type']} is expected, got {shown(value)}"
    elif isinstance(value, str):
        if len(value) > at.get("maxLength", len(value)) or not re.search(at.get("pattern", ""), value):
            yield f"{place}: {shown(value)} is too long, or not of the form {at.get('pattern', 'of a text')}"
    elif isinstance(value, int) and not isinstance(value, bool):
        if not at.get("minimum", value) <= value <= at.get("maximum", value):
            yield f"{place}: {shown(value)} is out of range"
    elif isinstance(value, list):
        yield from faults_of_items(value, at, place)
    elif isinstance(value, dict):
        yield from faults_of_object(value, at, place)


def faults_of_items(value: list[Any], at: Schema, place: str) -> Iterator[str]:
    first = at.get("prefixItems", [])
    if not at.get("minItems", 0) <= len(value) <= at.get("maxItems", len(value)):
        yield f"{place}: {len(value)} items are too few or too many"
        return
    for i, item in enumerate(value):
        inside = first[i] if i < len(first) else at.get("items", {})
        yield from faults(item, inside, f"{place}[{i}]")


def faults_of_object(value: dict[str, Any], at: Schema, place: str) -> Iterator[str]:
    properties = at.get("properties", {})
    for key in at.get("required", ()):
        if key not in value:
            yield f"{place}: the key {key!r} is missing"
    for key, item in value.items():
        if key in properties:
            yield from faults(item, properties[key], f"{place}.{key}")
        elif at.get("additionalProperties", True) is False:
            yield f"{place}: the key {shown(key)} is unknown"
        elif isinstance(at.get("additionalProperties"), dict):
            yield from faults(item, at["additionalProperties"], f"{place}.{shown(key)}")


def has_type(value: Any, name: str) -> bool:
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def shown(value: Any) -> str:
    """A value in a message, cut where it is long."""
    if isinstance(value, (dict, list)):
        return f"an {'object' if isinstance(value, dict) else 'array'} of {len(value)}"
    text = ascii(value) if not isinstance(value, int) or value.bit_length() < 200 else "a long number"
    return text if len(text) <= 80 else f"{text[:77]}..."
