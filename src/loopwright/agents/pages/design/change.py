"""Tokens given other values in the sheet's source: one scheme or both, and every other byte as it was."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from loopwright.agents.pages.colour import Colour
from loopwright.agents.pages.compliance.cascade.colours import Scheme, parse_colour
from loopwright.agents.pages.compliance.cascade.tokens import CssToken, parse_values, walk
from loopwright.agents.pages.compliance.markup import Edit, apply_edits
from loopwright.agents.pages.design.derivations import (
    DerivationError,
    Expression,
    read_derivations,
    sources_of,
    value_of,
)
from loopwright.agents.pages.design.schemes import (
    SCHEMES,
    SchemeSwitch,
    default_scheme,
    find_switch,
    is_on_root,
    root_properties,
    schemes_of,
)
from loopwright.agents.pages.design.source import Block, SourceDeclaration, read_source
from loopwright.agents.pages.design.tokens import DesignSystem, Token, read_design_system
from loopwright.kernel.errors import InvalidInput

SchemeChoice = Literal["light", "dark", "both"]

MAX_CHANGES = 40
MAX_VALUE = 300
_NAME = re.compile(r"--[a-zA-Z_][\w-]*\Z")
_LENGTH_KINDS = frozenset({"space", "radius", "size"})
_FORBIDDEN_CALLS = frozenset({"url", "src", "image", "image-set", "expression", "attr", "element"})


def change_tokens(css: str, changes: Mapping[str, str], scheme: SchemeChoice = "both") -> str:
    """The sheet with other values for some tokens.

    A value of one scheme is spliced in where that scheme sets it; where only one value serves both, the other scheme
    is given the old one. The result is read again: what was asked for is what it says, and no other token has changed
    except those that refer to the changed ones.

    Args:
        css: the sheet.
        changes: token name (with or without its hyphens) to new value.
        scheme: which scheme is changed.

    Raises:
        InvalidInput: there is no such token, a value is none of its kind, or the sheet sets the token in a way that
            cannot be changed alone.
    """
    system = read_design_system(css)
    wanted = check_changes(changes, system)
    if scheme == "both":
        result = apply_edits(css, [_set(each, wanted[name]) for name in wanted for each in _on_root(css, name)])
    else:
        result = _changed_in(css, wanted, scheme)
    _prove(css, result, wanted, SCHEMES if scheme == "both" else (scheme,))
    return result


def check_changes(changes: Mapping[str, str], system: DesignSystem) -> dict[str, str]:
    """The changes under the tokens' full names.

    Raises:
        InvalidInput: as `change_tokens`.
    """
    if not 0 < len(changes) <= MAX_CHANGES:
        raise InvalidInput(f"Change 1 to {MAX_CHANGES} tokens at once.")
    found: dict[str, str] = {}
    for given, value in changes.items():
        name = given if given.startswith("--") else f"--{given}"
        token = system.tokens.get(name)
        if token is None or not _NAME.match(name):
            like = get_close_matches(name, system.tokens, n=6, cutoff=0.4) or list(system.tokens)[:12]
            raise InvalidInput(f"The design system has no token {name}.", hint=f"There are: {', '.join(like)}.")
        _check_value(token, value)
        found[name] = value.strip()
    return found


def _check_value(token: Token, value: str) -> None:
    parts = parse_values(value) if len(value) <= MAX_VALUE else ()
    is_plain = "/*" not in value and "\\" not in value and value.isprintable()
    if not is_plain or not value.strip() or not parts or any(_is_hostile(part) for part in walk(parts)):
        raise InvalidInput(f"{value[:60]!r} is no value for {token.name}.", hint=f"Now it is {token.light}.")
    if any(part.name == "var" for part in walk(parts) if part.kind == "function"):
        return  # what a reference is worth is seen when the sheet is read again
    if token.kind == "colour" and parse_colour(value) is None:
        raise InvalidInput(
            f"{value!r} is no colour, which {token.name} is.", hint="Say it as #0a7d5c, rgb() or a name."
        )
    if token.kind in _LENGTH_KINDS and Token(token.name, token.kind, value, value).pixels() is None:
        raise InvalidInput(f"{value!r} is no length, which {token.name} is.", hint=f"Now it is {token.light}.")


def _is_hostile(part: CssToken) -> bool:
    if part.kind == "other" or part.kind == "url" or (part.kind == "function" and part.name in _FORBIDDEN_CALLS):
        return True
    return part.kind == "literal" and part.name in ";{}!<>:@\\"


def _on_root(css: str, name: str) -> list[SourceDeclaration]:
    return [each for each in read_source(css).declarations if each.name == name and is_on_root(each)]


def _set(declaration: SourceDeclaration, value: str) -> Edit:
    return Edit(declaration.value_start, declaration.value_end, value)


def _changed_in(css: str, wanted: Mapping[str, str], scheme: Scheme) -> str:
    """The sheet with tokens changed in one scheme alone."""
    together: list[Edit] = []
    alone: list[str] = []
    for name, value in wanted.items():
        edits = _edits_in(css, name, value, scheme)
        if all(edit.start < edit.end for edit in edits):
            together += edits
        else:
            alone.append(name)  # what is added may share a block, which the one before it has made
    css = apply_edits(css, together)
    for name in alone:
        css = apply_edits(css, _edits_in(css, name, wanted[name], scheme))
    return css


def _edits_in(css: str, name: str, value: str, scheme: Scheme) -> list[Edit]:
    """The edits that change a token in one scheme alone."""
    other: Scheme = "light" if scheme == "dark" else "dark"
    declarations = _on_root(css, name)
    shared = [each for each in declarations if schemes_of(each) == frozenset(SCHEMES)]
    own = [each for each in declarations if schemes_of(each) == {scheme}]
    others = [each for each in declarations if schemes_of(each) == {other}]
    halves = [each for each in shared if each.value.lower().startswith("light-dark(")]
    if halves:
        old = {side: root_properties(css, side).get(name, "") for side in SCHEMES}
        pair = {**{side: _half(text, side) for side, text in old.items()}, scheme: value}
        return [_set(each, f"light-dark({pair['light']}, {pair['dark']})") for each in halves]
    edits = [_set(each, value) for each in own]
    if scheme == default_scheme(css) or not shared:
        if shared and not others:
            # The base serves both: before it changes, the other scheme is given what it had.
            edits += _added(css, name, shared[-1].value, other)
        edits += [_set(each, value) for each in shared]
    elif not own:
        edits += _added(css, name, value, scheme)
    return edits


def _half(text: str, scheme: Scheme) -> str:
    colour = parse_colour(text, scheme=scheme)
    return text if colour is None else colour.css


def _added(css: str, name: str, value: str, scheme: Scheme) -> list[Edit]:
    """The edit that sets a token in the block of a scheme, or in a new one at the end of the sheet."""
    switch = find_switch(css)
    if not switch.exists:
        raise InvalidInput(
            f"The style sheet has one scheme only, so {name} cannot be changed in the {scheme} one alone.",
            hint="Change it for both.",
        )
    block = _block_of(css, scheme)
    if block is not None:
        end = block.content_start + len(css[block.content_start : block.content_end].rstrip())
        sign = "" if css[end - 1] in ";{}" else ";"
        return [Edit(end, end, f"{sign}\n  {name}: {value};")]
    gap = "" if css.endswith("\n") else "\n"
    return [Edit(len(css), len(css), f"{gap}{new_block(switch, scheme, f'  {name}: {value};')}\n")]


def _block_of(css: str, scheme: Scheme) -> Block | None:
    """The block in which the sheet sets the most custom properties for one scheme."""
    counts: dict[Block, int] = {}
    for each in read_source(css).declarations:
        if each.name.startswith("--") and is_on_root(each) and schemes_of(each) == {scheme}:
            counts[each.blocks[-1]] = counts.get(each.blocks[-1], 0) + 1
    return max(counts, key=lambda block: counts[block], default=None)


def new_block(switch: SchemeSwitch, scheme: Scheme, declarations: str) -> str:
    """A rule that sets declarations in a scheme, by the sheet's own switch."""
    mark = switch.mark(scheme)
    if mark is not None:
        selector = f".{mark.value}" if mark.attribute == "class" else f'[{mark.attribute}="{mark.value}"]'
        return f":root{selector} {{\n{declarations}\n}}"
    return f"@media (prefers-color-scheme: {scheme}) {{\n:root {{\n{declarations}\n}}\n}}"


def _prove(before: str, after: str, wanted: Mapping[str, str], schemes: tuple[Scheme, ...]) -> None:
    """Read both sheets and compare every token.

    Raises:
        InvalidInput: something else has changed, or what was asked for has not.
    """
    may_follow = referring(before, frozenset(wanted))
    for scheme in SCHEMES:
        old, new = root_properties(before, scheme), root_properties(after, scheme)
        for name in old.keys() | new.keys():
            asked = scheme in schemes and name in wanted
            if asked and not _same(new.get(name), wanted[name], new, scheme):
                raise InvalidInput(f"{name} is set in a way that cannot be changed: it stays {new.get(name)}.")
            if name not in wanted and name not in may_follow and old.get(name) != new.get(name):
                raise InvalidInput(f"{name} would change as well, which is not asked for.")
            if name in wanted and not asked and not _same(new.get(name), old.get(name) or "", new, scheme):
                raise InvalidInput(f"{name} would change in the {scheme} scheme as well.", hint="Change it for both.")


def referring(css: str, names: frozenset[str]) -> frozenset[str]:
    """Some custom properties, and those that refer to them, directly or around corners."""
    found = set(names)
    custom = [each for each in read_source(css).declarations if each.name.startswith("--")]
    while True:
        more = {
            each.name for each in custom if any(f"{name})" in each.value or f"{name}," in each.value for name in found)
        }
        if more <= found:
            return frozenset(found)
        found |= more


def _same(one: str | None, other: str, properties: Mapping[str, str], scheme: Scheme) -> bool:
    """Whether two values come to the same, references replaced."""
    if one is None:
        return not other
    if "var(" in other:
        return True  # worth what the sheet now says, which `properties` was read from
    first, second = parse_colour(one, scheme=scheme), parse_colour(other, scheme=scheme)
    if first is not None and second is not None:
        return first == second
    return "".join(one.split()) == "".join(other.split())


# Derived tokens follow the tokens that they come from, by the formula by which they were made.


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
