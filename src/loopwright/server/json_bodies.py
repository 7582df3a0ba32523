"""What a JSON body may be made of, checked before anything else reads it.

Parsers, validators, serialisers and databases break in different ways on deep nesting, on numbers that are none and on
halves of characters. Refusing these once, here, keeps every route and every store from having to.
"""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from loopwright.kernel.errors import InvalidInput

MAX_DEPTH = 64
"""Objects and arrays inside each other; the deepest legitimate body has about ten."""

MAX_VALUES = 1_000_000
"""Commas, colons and opening brackets: a parsed value takes up to a hundred times its text."""

_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")


class UnusableBody(InvalidInput):
    """The body is JSON that nothing here can hold."""

    code = "unusable_body"


def check_json(body: bytes) -> None:
    """Let a body pass that the routes may read. What is no JSON at all passes too: they say so themselves.

    Raises:
        UnusableBody: it is nested too deep, has too many values, or values that no store can hold.
    """
    if sum(body.count(mark) for mark in (b",", b":", b"[", b"{")) > MAX_VALUES:
        raise UnusableBody(f"The body has more than {MAX_VALUES:,} values.")
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH:
        _check_depth(body)
    try:
        parsed = json.loads(body)
    except json.JSONDecodeError:
        return
    except UnicodeDecodeError as error:
        raise UnusableBody("The body is no UTF-8 text.") from error
    except ValueError as error:
        raise UnusableBody("The body has a number with thousands of digits.") from error
    for value in _leaves(parsed):
        _check_leaf(value)


def _check_depth(body: bytes) -> None:
    """Count brackets outside of texts, before a parser that calls itself for each of them sees the body."""
    depth = 0
    for bracket in _BRACKET.finditer(_TEXT.sub(b"", body)):
        depth += 1 if bracket.group() in b"[{" else -1
        if depth > MAX_DEPTH:
            raise UnusableBody(f"The body is nested deeper than {MAX_DEPTH} levels.")


def _leaves(parsed: Any) -> Iterator[Any]:
    """Every text, number and key; the stack is a list, so that no depth overflows it."""
    stack = [parsed]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            yield from value
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
        else:
            yield value


def _check_leaf(value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise UnusableBody("The body has a number that is none: NaN or an infinity.")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise UnusableBody("The body has an integer of more than 64 bits.")
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise UnusableBody("A text in the body has half a surrogate pair.") from error
