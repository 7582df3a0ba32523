"""What is known where a condition of a script holds, and which conditions cannot hold together."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 8
_EQUAL = frozenset({"==", "==="})
_UNEQUAL = frozenset({"!=", "!=="})
_NEGATED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is known of an expression: how it relates to a literal, or whether it is truthy."""

    subject: str
    """The expression, spelled the same way wherever it stands."""
    relation: str
    """`truthy`, `falsy`, `is`, `is not`, `<`, `<=`, `>` or `>=`."""
    value: str | float = ""


Facts = frozenset[Fact]
NOTHING: Facts = frozenset()


def facts_when(test: Any, holds: bool, value_of: Callable[[Any], Any], depth: int = 0) -> Facts:
    """What is known where a test holds, or where it does not.

    Args:
        test: the condition, as a node of the syntax tree.
        holds: whether it holds.
        value_of: gives the expression that a name stands for, or None.
        depth: how many expressions lie around this one.
    """
    if depth > MAX_DEPTH:
        return NOTHING
    known = {Fact(_spelled(test), "truthy" if holds else "falsy")}
    if test.type == "UnaryExpression" and test.operator == "!":
        return facts_when(test.argument, not holds, value_of, depth + 1)
    if test.type == "LogicalExpression" and test.operator == ("&&" if holds else "||"):
        known |= facts_when(test.left, holds, value_of, depth + 1) | facts_when(test.right, holds, value_of, depth + 1)
    elif test.type == "BinaryExpression":
        known |= _comparison(test, holds)
    elif test.type == "Identifier" and (value := value_of(test)) is not None:
        known |= facts_when(value, holds, value_of, depth + 1)
    return frozenset(known)


def are_compatible(facts: Iterable[Fact]) -> bool:
    """Whether all of this can be so at once; False only where it certainly cannot."""
    by_subject: dict[str, list[Fact]] = {}
    for fact in facts:
        by_subject.setdefault(fact.subject, []).append(fact)
    return all(_holds_together(about) for about in by_subject.values())


def _comparison(test: Any, holds: bool) -> set[Fact]:
    """What a comparison with a literal says of the other side."""
    for subject, other, is_mirrored in ((test.left, test.right, False), (test.right, test.left, True)):
        if other.type != "Literal" or isinstance(other.value, bool) or not isinstance(other.value, str | int | float):
            continue
        operator = _MIRRORED.get(test.operator, test.operator) if is_mirrored else test.operator
        if operator in _EQUAL | _UNEQUAL:
            return {Fact(_spelled(subject), "is" if (operator in _EQUAL) == holds else "is not", other.value)}
        if operator in _NEGATED and not isinstance(other.value, str):
            return {Fact(_spelled(subject), operator if holds else _NEGATED[operator], other.value)}
    return set()


def _holds_together(facts: list[Fact]) -> bool:
    relations = {fact.relation for fact in facts}
    equal = {fact.value for fact in facts if fact.relation == "is"}
    if {"truthy", "falsy"} <= relations or len(equal) > 1:
        return False
    if equal & {fact.value for fact in facts if fact.relation == "is not"}:
        return False
    exact = [value for value in equal if not isinstance(value, str)]
    low = [(fact.value, fact.relation == ">") for fact in facts if fact.relation in (">", ">=")]
    high = [(fact.value, fact.relation == "<") for fact in facts if fact.relation in ("<", "<=")]
    low += [(value, False) for value in exact]
    high += [(value, False) for value in exact]
    return not any(_excludes(least, most) for least in low for most in high)


def _excludes(least: tuple[Any, bool], most: tuple[Any, bool]) -> bool:
    return bool(least[0] > most[0] or (least[0] == most[0] and (least[1] or most[1])))


def _spelled(node: Any, depth: int = 0) -> str:
    """An expression as text, without blanks and places; unlike any other where it is nested too deeply to follow."""
    if depth > MAX_DEPTH:
        return f"#{id(node)}"
    if isinstance(node, list):
        return ",".join(_spelled(each, depth + 1) for each in node)
    if not isinstance(getattr(node, "type", None), str):
        return str(node)
    parts = (_spelled(value, depth + 1) for name, value in vars(node).items() if name[0] != "_" and value is not None)
    return f"({' '.join(parts)})"
