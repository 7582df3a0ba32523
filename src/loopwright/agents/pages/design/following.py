"""Derived tokens follow the tokens that they come from, by the formula by which they were made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from loopwright.agents.pages.colour.colour import Colour
from loopwright.agents.pages.compliance.cascade.colours import Scheme
from loopwright.agents.pages.design.change import change_tokens
from loopwright.agents.pages.design.derivations import (
    DerivationError,
    Expression,
    read_derivations,
    sources_of,
    value_of,
)
from loopwright.agents.pages.design.tokens import read_design_system


@dataclass(frozen=True, slots=True)
class Followed:
    """A sheet in which the derived tokens have followed, and which ones did, with the token that each came after."""

    css: str
    tokens: Mapping[Scheme, Mapping[str, str]]

    @property
    def names(self) -> frozenset[str]:
        """The tokens that have followed in one scheme or another."""
        return frozenset().union(*self.tokens.values())


def follow(before: str, after: str, changed: Iterable[str], schemes: Iterable[Scheme]) -> Followed:
    """Recompute what the sheet says is derived from changed tokens, directly or around corners.

    A token follows only where it has kept to its formula until now: one that was given a value of its own, by hand or
    by an earlier change, keeps it. A sheet that states no derivations stays as it is.

    Args:
        before: the sheet before the change.
        after: the sheet with the changed tokens in it.
        changed: the changed tokens; they stay as they were asked for.
        schemes: those in which they were changed.

    Raises:
        InvalidInput: the sheet sets a derived token in a way that cannot be changed.
    """
    asked = frozenset(changed)
    css, found = after, {}
    for scheme in schemes:
        values, origins = _recomputed(before, after, asked, scheme)
        found[scheme] = origins
        if values:
            css = change_tokens(css, {name: colour.hex for name, colour in values.items()}, scheme)
    return Followed(css, found)


def _recomputed(
    before: str, after: str, asked: frozenset[str], scheme: Scheme
) -> tuple[dict[str, Colour], dict[str, str]]:
    """The new colours of the tokens that follow, and the changed token that each comes after."""
    stated = read_derivations(before)[scheme]
    old, new = _colours(before, scheme), _colours(after, scheme)
    values: dict[str, Colour] = {}
    origins = dict.fromkeys(asked, "")
    for name in _in_order(stated):
        sources = sources_of(stated[name]) & origins.keys()
        if name in asked or not sources or _worth(stated[name], old) != old.get(name):
            continue
        colour = _worth(stated[name], new)
        if colour is not None and colour != new.get(name):
            values[name] = new[name] = colour
            origin = min(sources)
            origins[name] = origins[origin] or origin
    return values, {name: origins[name] for name in values}


def _in_order(stated: Mapping[str, Expression]) -> list[str]:
    """The stated tokens, each after those that it is derived from; what goes round in a circle is left out."""
    ordered: dict[str, None] = {}
    while True:
        ready = [
            name
            for name, expression in stated.items()
            if name not in ordered and all(each in ordered or each not in stated for each in sources_of(expression))
        ]
        if not ready:
            return list(ordered)
        ordered |= dict.fromkeys(ready)


def _worth(expression: Expression, colours: Mapping[str, Colour]) -> Colour | None:
    """What an expression comes to; None where the sheet lacks what it speaks of, so that nothing can follow."""
    try:
        return value_of(expression, colours)
    except DerivationError:
        return None


def _colours(css: str, scheme: Scheme) -> dict[str, Colour]:
    tokens = read_design_system(css).of_kind("colour")
    return {token.name: colour for token in tokens if (colour := token.colour(scheme)) is not None}
