"""Tokens that are derived from others: the formulas, and how a sheet states them.

A sheet says so in a comment for each of its schemes, one token a line:

    /* @derived light
    --color-on-brand: ink(--color-brand);
    --color-muted: readable(toned(--color-brand, 0.5, 0.0192), 4.5, --color-bg, --color-surface);
    */

An argument is a token, a colour (`#RRGGBB`), a number or another formula. The sheet's values are what counts in a
browser; the statements are what keeps them up when a token that they come from is changed.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from loopwright.agents.pages.colour import Colour, contrast, from_oklch, readable_on
from loopwright.agents.pages.compliance.cascade.colours import Scheme

READABLE = 4.5
"""Contrast of normal text to its background (WCAG 2.2, success criterion 1.4.3)."""
SEEN = 3.0
"""Contrast of a graphic to what it stands on (WCAG 2.2, 1.4.11)."""
VANISHING = 1.12
"""A fill with less contrast than this to the page looks like none."""
MAX_STATEMENTS = 100
MAX_LENGTH = 300
MAX_DEPTH = 4
_WHITE, _BLACK = Colour.from_hex("#FFFFFF"), Colour.from_hex("#000000")
_BLOCK = re.compile(r"/\*\s*@derived\s+(?P<scheme>light|dark)\b(?P<body>.*?)\*/", re.DOTALL)
_STATEMENT = re.compile(r"^\s*(?P<token>--[\w-]+)\s*:\s*(?P<text>[^;\n]+);\s*$", re.MULTILINE)
_PIECE = re.compile(
    r"\s*(?:(?P<call>[a-z]+)\(|(?P<token>--[\w-]+)|(?P<hex>#[0-9a-fA-F]{6})\b|(?P<number>-?\d{1,3}(?:\.\d{1,9})?)|(?P<sign>[,)]))"
)


class DerivationError(ValueError):
    """A statement that makes no sense, or that has no value: a token is missing, or statements go round in a circle."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A token named as an argument."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A formula with its arguments."""

    formula: str
    arguments: tuple["Expression", ...]


Expression = Reference | Call | Colour | float
Statements = Mapping[str, Expression]
"""Token → what it is derived by, in the order of the sheet."""


@lru_cache(maxsize=64)
def read_derivations(css: str) -> dict[Scheme, dict[str, Expression]]:
    """What a sheet states, by scheme; lines that make no sense are passed over, as in any sheet."""
    found: dict[Scheme, dict[str, Expression]] = {"light": {}, "dark": {}}
    for block in _BLOCK.finditer(css):
        scheme: Scheme = "dark" if block["scheme"] == "dark" else "light"
        for line in _STATEMENT.finditer(block["body"]):
            if len(found[scheme]) < MAX_STATEMENTS and len(line["text"]) <= MAX_LENGTH:
                try:
                    found[scheme][line["token"]] = parse_expression(line["text"])
                except DerivationError:
                    continue
    return found


def parse_expression(text: str) -> Expression:
    """One expression.

    Raises:
        DerivationError: it is none, is nested too deeply, or names a formula that there is not.
    """
    expression, end = _parse(text, 0, 0)
    if text[end:].strip():
        raise DerivationError(f"{text[end:].strip()!r} follows after the expression")
    return expression


def evaluate(statements: Statements, given: Mapping[str, Colour]) -> dict[str, Colour]:
    """The colours of all stated tokens.

    Args:
        statements: what each is derived by.
        given: colours of tokens that are not stated.

    Raises:
        DerivationError: one has no value.
    """
    made: dict[str, Colour] = {}
    for name in statements:
        _value(name, statements, given, made, ())
    return {name: made[name] for name in statements}


def value_of(expression: Expression, colours: Mapping[str, Colour]) -> Colour:
    """The colour of an expression.

    Raises:
        DerivationError: a token is missing, or the arguments are none for their formula.
    """
    value = _worth(expression, colours)
    if not isinstance(value, Colour):
        raise DerivationError("a number is no colour")
    return value


def sources_of(expression: Expression) -> frozenset[str]:
    """The tokens that an expression names."""
    if isinstance(expression, Reference):
        return frozenset({expression.name})
    if isinstance(expression, Call):
        return frozenset().union(*(sources_of(argument) for argument in expression.arguments))
    return frozenset()


def _parse(text: str, position: int, depth: int) -> tuple[Expression, int]:
    piece = _PIECE.match(text, position)
    if piece is None or piece["sign"] or depth > MAX_DEPTH:
        raise DerivationError(f"{text!r} is no expression")
    position = piece.end()
    if piece["token"]:
        return Reference(piece["token"]), position
    if piece["hex"]:
        return Colour.from_hex(piece["hex"]), position
    if piece["number"]:
        return float(piece["number"]), position
    if piece["call"] not in _FORMULAS:
        raise DerivationError(f"there is no formula {piece['call']}")
    arguments: list[Expression] = []
    while True:
        argument, position = _parse(text, position, depth + 1)
        arguments.append(argument)
        sign = _PIECE.match(text, position)
        if sign is None or not sign["sign"]:
            raise DerivationError(f"{text!r} does not end")
        position = sign.end()
        if sign["sign"] == ")":
            return Call(piece["call"], tuple(arguments)), position


def _value(
    name: str,
    statements: Statements,
    given: Mapping[str, Colour],
    made: dict[str, Colour],
    asked_by: tuple[str, ...],
) -> Colour:
    if name in made:
        return made[name]
    if name not in statements:
        if name in given:
            return given[name]
        raise DerivationError(f"there is no {name}")
    if name in asked_by:
        raise DerivationError(f"{name} is derived from itself")
    for source in sorted(sources_of(statements[name])):
        made.setdefault(source, _value(source, statements, given, made, (*asked_by, name)))
    made[name] = value_of(statements[name], made)
    return made[name]


def _worth(expression: Expression, colours: Mapping[str, Colour]) -> Colour | float:
    if isinstance(expression, Reference):
        if expression.name not in colours:
            raise DerivationError(f"there is no {expression.name}")
        return colours[expression.name]
    if isinstance(expression, Call):
        arguments = [_worth(argument, colours) for argument in expression.arguments]
        try:
            return _FORMULAS[expression.formula](*arguments)
        except (TypeError, AttributeError) as error:
            raise DerivationError(f"{expression.formula} takes other arguments") from error
    return expression


def _toned(colour: Colour, lightness: float, chroma: float) -> Colour:
    """The hue of a colour, at another lightness and chroma: neutral grounds and inks."""
    return from_oklch(lightness, chroma, colour.oklch.hue)


def _soft(colour: Colour, lightness: float, share: float, most: float) -> Colour:
    """A tint of a colour: a share of its chroma, and never more than `most`."""
    return from_oklch(lightness, min(colour.oklch.chroma * share, most), colour.oklch.hue)


def _stepped(colour: Colour, step: float, share: float) -> Colour:
    """A colour so much lighter or darker, with a share of its chroma."""
    source = colour.oklch
    return from_oklch(source.lightness + step, source.chroma * share, source.hue)


def _readable(colour: Colour, ratio: float, ground: Colour, *grounds: Colour) -> Colour:
    """The shade that can be read on all grounds."""
    return readable_on(colour, (ground, *grounds), ratio)


def _ink(fill: Colour) -> Colour:
    """White where it is readable, else a dark tint of the fill; one of them always is (21 = 4.58 squared)."""
    if contrast(fill, _WHITE) >= READABLE:
        return _WHITE
    ink = _soft(fill, 0.2, 1.0, 0.04)
    return ink if contrast(ink, fill) >= READABLE else _BLACK


def _companion(fill: Colour, ink: Colour) -> Colour:
    """A neighbour of a fill for gradients, with the same ink readable on it."""
    source = fill.oklch
    step = 0.06 if ink != _WHITE else -0.08
    return readable_on(from_oklch(source.lightness + step, source.chroma, source.hue - 24), (ink,), READABLE)


def _seen(colour: Colour, ground: Colour, *grounds: Colour) -> Colour:
    """The colour itself, or a shade that is seen where it would vanish in the page: the edge of a white button."""
    under = (ground, *grounds)
    vanishes = min(contrast(colour, each) for each in under) < VANISHING
    return readable_on(colour, under, SEEN) if vanishes else colour


def _opposite(colour: Colour) -> Colour:
    """A colour across from another."""
    source = colour.oklch
    return from_oklch(min(0.72, max(0.5, source.lightness)), max(source.chroma, 0.11), source.hue + 150)


_FORMULAS: dict[str, Callable[..., Colour]] = {
    "toned": _toned,
    "soft": _soft,
    "stepped": _stepped,
    "readable": _readable,
    "ink": _ink,
    "companion": _companion,
    "seen": _seen,
    "opposite": _opposite,
}
