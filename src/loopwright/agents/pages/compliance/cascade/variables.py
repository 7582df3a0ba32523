"""Custom properties: `var(--name, fallback)` replaced by what it stands for.

CSS Custom Properties Level 1.  Three outcomes matter to a checker: a value, a reference that is certainly invalid
(its property is then as if unset), and one that cannot be told because part of the CSS is not known.
"""

from collections.abc import Callable, Mapping

from loopwright.agents.pages.compliance.cascade.tokens import CssToken, parse_values, split_on, text_of

MAXIMUM_LENGTH = 4_000
"""Longer results are given up, so that variables doubling each other cannot exhaust memory."""

Lookup = Callable[[str], str | None]


class UnresolvedVariableError(ValueError):
    """A reference to a custom property that is not set and has no fallback, that is circular or that grows too long."""


def substitute(value: str, lookup: Lookup) -> str:
    """Replace every `var()` in a value.

    Raises UnresolvedVariableError when one of them has neither a value nor a fallback.
    """
    if "var(" not in value.lower():
        return value
    result = "".join(_replace(token, lookup) for token in parse_values(value))
    if len(result) > MAXIMUM_LENGTH:
        raise UnresolvedVariableError("the value grows too long")
    return result


def _replace(token: CssToken, lookup: Lookup) -> str:
    if token.kind == "function" and token.name == "var":
        return _reference(token, lookup)
    if token.kind in ("function", "parentheses"):
        inner = "".join(_replace(child, lookup) for child in token.children)
        return f"{token.text.partition('(')[0]}({inner})"
    return token.text


def _reference(token: CssToken, lookup: Lookup) -> str:
    name, *fallback = split_on(token.children, ",")
    found = lookup(text_of(name))
    if found is not None:
        return found
    if not fallback:
        raise UnresolvedVariableError(f"{text_of(name)} is not set")
    return substitute(", ".join(text_of(part) for part in fallback), lookup)


def resolve_custom_properties(own: Mapping[str, str], inherited: Mapping[str, str]) -> dict[str, str]:
    """The custom properties of an element: its own, with their references replaced, over those it inherits.

    One that refers to itself, directly or around a corner, is as if it had not been set.
    """
    resolved = {name: value for name, value in inherited.items() if name not in own}
    in_progress: set[str] = set()

    def lookup(name: str) -> str | None:
        if name in resolved or name not in own:
            return resolved.get(name)
        if name in in_progress:
            raise UnresolvedVariableError(f"{name} refers to itself")
        in_progress.add(name)
        try:
            resolved[name] = substitute(own[name], lookup)
        except UnresolvedVariableError:
            return None
        finally:
            in_progress.discard(name)
        return resolved[name]

    for name in own:
        lookup(name)
    return resolved
