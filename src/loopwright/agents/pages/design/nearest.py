"""Which token of a design system stands nearest to what a page says instead."""

import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Literal

from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, parse_colour
from loopwright.agents.pages.design.tokens import DesignSystem, Token, TokenKind

SAME_COLOUR = 0.02
"""Distance in OKLab up to which two colours count as the same: about one just noticeable difference."""
SAME_LENGTH = 0.5
"""Pixels up to which two lengths count as the same: less than a device pixel of a phone."""
LIKE_ENOUGH = 0.5
"""Likeness of two names, 0 to 1, from which one may stand for the other."""

Role = Literal["text", "ground", "line", "any"]

_ROLE_OF_PROPERTY: tuple[tuple[Role, re.Pattern[str]], ...] = (
    ("ground", re.compile(r"background|scrollbar")),
    ("line", re.compile(r"border|outline|shadow|column-rule")),
    ("text", re.compile(r"^color$|text-fill|caret|text-decoration|text-emphasis")),
)
_ROLE_OF_TOKEN: tuple[tuple[Role, re.Pattern[str]], ...] = (
    ("text", re.compile(r"(?:^|-)(?:on|text|ink|fg|foreground|muted|heading|body)(?:-|$)")),
    ("ground", re.compile(r"(?:^|-)(?:bg|background|surface|canvas|paper|card|base|soft|inverse)(?:-|$)")),
    ("line", re.compile(r"(?:^|-)(?:border|line|divider|outline|stroke|rule)(?:-|$)")),
)
_KINDS_OF_PROPERTY: tuple[tuple[tuple[TokenKind, ...], re.Pattern[str]], ...] = (
    (("radius",), re.compile(r"radius")),
    (("shadow", "colour"), re.compile(r"shadow|filter")),
    (("size",), re.compile(r"^font-size$")),
    (("font",), re.compile(r"^font-family$")),
    (("font", "size"), re.compile(r"^font$")),
    (("duration",), re.compile(r"transition|animation")),
    (("colour",), re.compile(r"color|background|fill|stroke|outline|^border(?:-(?:top|right|bottom|left))?$")),
    (("space",), re.compile(r"padding|margin|gap|inset|^(?:top|right|bottom|left)$")),
)
_SAME_WORDS = {
    "colour": "color", "bg": "background", "fg": "text", "foreground": "text", "ink": "text", "spacing": "space",
    "rounded": "radius", "corner": "radius", "elevation": "shadow", "sm": "s", "small": "s", "md": "m", "medium": "m",
    "base": "m", "lg": "l", "large": "l", "xsmall": "xs", "family": "font", "display": "heading", "subtle": "muted",
    "secondary-text": "muted", "divider": "border", "line": "border", "error": "danger", "canvas": "background",
}  # fmt: skip
_UNHEARD = 0.5
"""What a word says that no token's name holds."""
_EMPTY_WORDS = frozenset({"color", "clr", "the", "token", "value", "default", "main", "size", "ds", "app"})
_WORD = re.compile(r"[a-z]+|\d+")


def role_of(property_name: str) -> Role:
    """What a colour is for in a property."""
    return next((role for role, pattern in _ROLE_OF_PROPERTY if pattern.search(property_name)), "any")


def kinds_for(property_name: str) -> tuple[TokenKind, ...]:
    """The kinds of token that a property takes; none where it may take any."""
    return next((kinds for kinds, pattern in _KINDS_OF_PROPERTY if pattern.search(property_name)), ())


def nearest_colour(
    colour: Colour, role: Role, system: DesignSystem, scheme: Scheme
) -> tuple[Token, float] | tuple[None, None]:
    """The token nearest to a colour among those made for its role, and how far it is (OKLab).

    A token named for another role is passed over: white text on a brand colour is not the white of a surface, which
    is dark in the other scheme. Colours through which the ground shines match only tokens as translucent as they are.
    """
    found: list[tuple[float, int, Token]] = []
    for order, token in enumerate(system.of_kind("colour")):
        value, made_for = token.colour(scheme), role_of_token(token.name)
        if (
            value is None
            or abs(value.alpha - colour.alpha) > 0.01
            or (role not in ("any", made_for) and made_for != "any")
        ):
            continue
        # Between equals, the token named for the role comes first.
        found.append((round(colour.distance(value), 4), order + 1000 * (made_for != role), token))
    if not found:
        return None, None
    distance, _, token = min(found, key=lambda entry: entry[:2])
    return token, distance


def nearest_length(pixels: float, tokens: Iterable[Token], scheme: Scheme) -> tuple[Token, float] | tuple[None, None]:
    """The token nearest to a length, the first of equals, and how far it is in pixels."""
    measured = [(abs(length - pixels), token) for token in tokens if (length := token.pixels(scheme)) is not None]
    if not measured:
        return None, None
    distance, token = min(measured, key=lambda entry: entry[0])
    return token, distance


def nearest_name(
    name: str, property_name: str, system: DesignSystem, own: Iterable[str], fallback: str | None, scheme: Scheme
) -> str | None:
    """The existing variable that an invented one most likely means; None when none is like it.

    Args:
        name: the variable that nobody sets.
        property_name: where it is used, which decides the kinds of token that come into question.
        system: what there is.
        own: variables of the page itself.
        fallback: what the reference says for the case that it is not set; a token of that very value is meant.
        scheme: the one in which the fallback was written.
    """
    kinds = kinds_for(property_name)
    tokens = system.of_kind(*kinds) if kinds else list(system.tokens.values())
    colour = parse_colour(fallback, scheme=scheme) if fallback else None
    if colour is not None:
        token, distance = nearest_colour(colour, role_of(property_name), system, scheme)
        if token is not None and distance is not None and distance <= SAME_COLOUR:
            return token.name
    candidates = [*(token.name for token in tokens), *own]
    weights = _weights(candidates)
    last = [word for word in _words(name) if not word.isdigit()][-1:]
    # Of equals the one that shares the last word, which says most: --text-muted is --muted rather than --text.
    scored = [
        (round(_likeness(name, other, weights), 6), last != [] and last[0] in _words(other), -order, other)
        for order, other in enumerate(candidates)
    ]
    best = max(scored, default=(0.0, False, 0, None))
    return best[3] if best[0] >= LIKE_ENOUGH else None


def _weights(names: Iterable[str]) -> dict[str, float]:
    """What a word says: the more names hold it, the less."""
    counts = Counter(word for name in names for word in set(_words(name)))
    return {word: 1 / count for word, count in counts.items()}


def role_of_token(name: str) -> Role:
    """What a token is for, by its name."""
    bare = name.removeprefix("--").lower()
    return next((role for role, pattern in _ROLE_OF_TOKEN if pattern.search(bare)), "any")


def _likeness(one: str, other: str, weights: dict[str, float]) -> float:
    """How much two names mean the same: the weighted share of words in common, or of letters where no word is."""
    first, second = _words(one), _words(other)
    numbers = [[int(word) for word in words if word.isdigit()] for words in (first, second)]
    plain = [{word for word in words if not word.isdigit()} for words in (first, second)]
    if numbers[0] and numbers[1] and plain[0] == plain[1]:
        # Of a numbered scale the nearest step: --space-10 is --space-8 rather than --space-1.
        return 1 - min(0.4, abs(numbers[0][0] - numbers[1][0]) / 100)
    union = sum(weights.get(word, _UNHEARD) for word in plain[0] | plain[1])
    shared = sum(weights.get(word, _UNHEARD) for word in plain[0] & plain[1])
    letters = SequenceMatcher(None, "".join(sorted(plain[0])), "".join(sorted(plain[1]))).ratio()
    return max(shared / union if union else 0.0, letters * 0.6)


def _words(name: str) -> list[str]:
    words = [_SAME_WORDS.get(word, word) for word in _WORD.findall(name.lower())]
    telling = [word for word in words if word not in _EMPTY_WORDS]
    return telling or words
