"""A document of the right form -> guards: whether its parts fit together."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from guardgen.errors import LoadError
from guardgen.ops import PURE
from guardgen.runtime import Guard
from guardgen.stored.constants import is_plain, plain
from guardgen.stored.data import can_run
from guardgen.stored.facts import LEFT_OUT
from guardgen.stored.guards import Guards

Document = dict[str, Any]


def read(document: Document) -> Guards:
    """The guards. Raises `LoadError` where one part of the document does not fit another."""
    signature = read_signature(document["parameters"])
    check_facts(document["facts"], signature)
    for path in (symbol["at"] for symbol in document["symbols"] if "at" in symbol):
        check_path(path, signature, "symbols")
    for i, symbol in enumerate(document["symbols"]):
        within(symbol.get("data", 0), len(document["data"]) or "data" not in symbol, f"symbols[{i}].data")
    for i, entry in enumerate(document["data"]):
        check_steps(entry["steps"], signature, f"data[{i}].steps")
    kinds = check_numbers(document)
    for i, guard in enumerate(document["guards"]):
        within(guard["number"], len(kinds), f"guards[{i}].number")
        for symbol in guard["symbols"]:
            within(symbol, len(document["symbols"]), f"guards[{i}].symbols")
        if kinds[guard["number"]] != "bool":
            raise LoadError(f"guards[{i}].number: a bool is expected, got {kinds[guard['number']]}")
        if set(guard["symbols"]) != reads_of(document["numbers"], guard["number"]):
            raise LoadError(f"guards[{i}].symbols: these are not the symbols that its number is made of")
    facts = [Guard(entry_text(fact), "fact") for fact in document["facts"]]
    guards = [Guard(guard["condition"], guard["kind"], tuple(guard["lines"])) for guard in document["guards"]]
    return Guards(document, signature, (*facts, *guards))


def entry_text(fact: Mapping[str, Any]) -> str:
    return str(fact["text"] if fact["fact"] == "same" else f"{fact['name']}: {fact['text']}")


def read_signature(stored: Sequence[Mapping[str, Any]]) -> inspect.Signature:
    """The parameters. `LEFT_OUT` stands for a default that has no literal."""
    try:
        return inspect.Signature([read_parameter(each) for each in stored])
    except ValueError as error:
        raise LoadError(f"parameters: {error}") from error


def read_parameter(stored: Mapping[str, Any]) -> inspect.Parameter:
    default: Any = inspect.Parameter.empty
    if "default_without_literal" in stored:
        default = LEFT_OUT
    elif "default" in stored:
        default = plain(stored["default"])
    kind = getattr(inspect.Parameter, stored["kind"].upper())
    return inspect.Parameter(stored["name"], kind, default=default)


def check_facts(facts: Sequence[Mapping[str, Any]], signature: inspect.Signature) -> None:
    """Every value lies in containers that were checked before it is looked at."""
    containers: list[Any] = []
    for i, fact in enumerate(facts):
        for path in [fact["at"], *([fact["other"]] if "other" in fact else [])]:
            check_path(path, signature, f"facts[{i}]")
            if len(path) > 1 and path[:-1] not in containers:
                raise LoadError(f"facts[{i}]: nothing says what is around {fact['name']}")
        if fact["fact"] == "container":
            containers.append(fact["at"])
            if not all(map(is_plain, fact.get("keys", ()))):
                raise LoadError(f"facts[{i}].keys: a key must be a plain constant")


def check_path(path: Sequence[Any], signature: inspect.Signature, place: str) -> None:
    if path[0] not in signature.parameters:
        raise LoadError(f"{place}: there is no parameter {path[0]!r}")
    if not all(is_plain(step["key"]) for step in path[1:] if "key" in step):
        raise LoadError(f"{place}: a key must be a plain constant")


def check_numbers(document: Document) -> list[str]:
    """The kind of every number: each is made of earlier ones, of the kinds that its operation takes."""
    kinds: list[str] = []
    for i, number in enumerate(document["numbers"]):
        place = f"numbers[{i}]"
        if "symbol" in number:
            within(number["symbol"], len(document["symbols"]), place)
            kinds.append(kind_of(document, document["symbols"][number["symbol"]]))
        elif "const" in number:
            kinds.append(kind_of_constant(number["const"]))
        else:
            for each in number["of"]:
                within(each, i, place)
            op, got = PURE[number["op"]], tuple(kinds[each] for each in number["of"])
            if got != op.inputs:
                raise LoadError(f"{place}: {op.name} takes ({', '.join(op.inputs)}), got ({', '.join(got)})")
            kinds.append(str(op.output))
    return kinds


def kind_of(document: Document, symbol: Mapping[str, Any]) -> str:
    return str(document["data"][symbol["data"]]["kind"]) if symbol["read"] == "data" else "int"


def kind_of_constant(value: Any) -> str:
    if isinstance(value, dict):
        plain(value)  # raises where it is none
        return "float"
    return "bool" if isinstance(value, bool) else "int"


def reads_of(numbers: Sequence[Mapping[str, Any]], at: int) -> set[int]:
    """The symbols that a number is made of."""
    found, pending, seen = set(), [at], {at}
    while pending:
        number = numbers[pending.pop()]
        if "symbol" in number:
            found.add(number["symbol"])
        new = set(number.get("of", ())) - seen
        seen |= new
        pending += new
    return found


def check_steps(steps: Sequence[Mapping[str, Any]], signature: inspect.Signature, place: str) -> None:
    for i, step in enumerate(steps):
        if "argument" in step:
            check_path(step["argument"], signature, f"{place}[{i}]")
        elif "op" in step:
            if not can_run(step["op"]):
                raise LoadError(f"{place}[{i}]: {step['op']} is no operator that stored guards may run")
            for each in [*step["args"], *step["kwargs"].values()]:
                check_operand(each, i, f"{place}[{i}]")


def check_operand(stored: Any, step: int, place: str) -> None:
    if isinstance(stored, dict) and "step" in stored:
        within(stored["step"], step, place)
    for each in stored["list"] if isinstance(stored, dict) and "list" in stored else ():
        check_operand(each, step, place)


def within(index: int, count: int, place: str) -> None:
    if not 0 <= index < count:
        raise LoadError(f"{place}: there is no {index} among {int(count)}")
