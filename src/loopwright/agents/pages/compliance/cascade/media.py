"""Conditions of at-rules, answered for the phone that pages are made for.

Media Queries Level 4, for a 430 by 932 CSS pixel colour screen with touch and no reduced motion; how it is held and
which colour scheme its owner prefers are up to the one who asks.
"""

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.pages.compliance.cascade.colours import Scheme
from loopwright.agents.pages.compliance.cascade.tokens import CssToken, split_on, text_of, words

VIEWPORT_WIDTH = 430.0
VIEWPORT_HEIGHT = 932.0

Orientation = Literal["portrait", "landscape"]


@dataclass(frozen=True, slots=True)
class Environment:
    """What may differ from one look at a page to the next."""

    scheme: Scheme = "light"
    """Answers `prefers-color-scheme`."""
    orientation: Orientation = "portrait"
    """Answers `orientation`, and nothing else: the width stays, so that a difference is the orientation's alone."""

    @property
    def keywords(self) -> Mapping[str, str]:
        """The media features that take keywords, with their values."""
        return _KEYWORD_FEATURES | {"prefers-color-scheme": self.scheme, "orientation": self.orientation}


PHONE = Environment()

_KEYWORD_FEATURES = {
    "hover": "none",
    "any-hover": "none",
    "pointer": "coarse",
    "any-pointer": "coarse",
    "prefers-reduced-motion": "no-preference",
    "prefers-contrast": "no-preference",
    "prefers-reduced-transparency": "no-preference",
    "forced-colors": "none",
    "display-mode": "browser",
    "scripting": "enabled",
    "update": "fast",
}
_LENGTH_FEATURES = {"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT}
_PIXELS_PER_UNIT = {"px": 1.0, "em": 16.0, "rem": 16.0, "in": 96.0, "cm": 96 / 2.54}
_COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}
_RANGE = re.compile(r"\s*(<=|>=|<|>|=)\s*")
_LENGTH = re.compile(r"(-?[\d.]+)([a-z]*)")


def media_applies(prelude: tuple[CssToken, ...], environment: Environment = PHONE) -> bool | None:
    """Whether `@media` with this prelude applies; None when it asks for something not known here."""
    answers = [_query(part, environment.keywords) for part in split_on(prelude, ",")]
    if any(answer is True for answer in answers):
        return True
    return None if any(answer is None for answer in answers) else not prelude


def supports_applies(prelude: tuple[CssToken, ...]) -> bool | None:
    """Whether `@supports` applies: a plain condition is taken as supported, anything with `not` is left open."""
    return None if any(token.name == "not" for token in prelude) else True


def _query(tokens: tuple[CssToken, ...], keywords: Mapping[str, str]) -> bool | None:
    parts = words(text_of(tokens))
    negated = bool(parts) and parts[0].name == "not"
    parts = parts[1:] if negated or (parts and parts[0].name == "only") else parts
    answers: list[bool | None] = []
    is_or = False
    for part in parts:
        if part.kind == "ident" and part.name in ("and", "or"):
            is_or = is_or or part.name == "or"
        elif part.kind == "ident":
            answers.append(part.name in ("all", "screen"))
        elif part.kind == "parentheses":
            answers.append(_feature(part, keywords))
        else:
            answers.append(None)
    combined = _any(answers) if is_or else _all(answers)
    return (None if combined is None else not combined) if negated else combined


def _all(answers: list[bool | None]) -> bool | None:
    if False in answers:
        return False
    return None if None in answers else True


def _any(answers: list[bool | None]) -> bool | None:
    if True in answers:
        return True
    return None if None in answers else False


def _feature(block: CssToken, keywords: Mapping[str, str]) -> bool | None:
    if any(token.kind == "parentheses" for token in block.children) or block.children[:1] == ():
        return _query(block.children, keywords) if block.children else None
    text = text_of(block.children).strip().lower()
    if ":" in text:
        name, _, value = (part.strip() for part in text.partition(":"))
        return _plain(name, value, keywords)
    if _RANGE.search(text):
        return _range(text)
    if text in _LENGTH_FEATURES or text in ("color", "color-gamut"):
        return True
    return keywords[text] not in ("none", "no-preference") if text in keywords else None


def _plain(name: str, value: str, keywords: Mapping[str, str]) -> bool | None:
    if name in keywords:
        return keywords[name] == value
    bound, _, feature = name.partition("-")
    if bound not in ("min", "max"):
        bound, feature = "", name
    actual, wanted = _LENGTH_FEATURES.get(feature), _pixels(value)
    if actual is None or wanted is None:
        return None
    return {"min": actual >= wanted, "max": actual <= wanted}.get(bound, actual == wanted)


def _range(text: str) -> bool | None:
    """`width >= 600px`, `400px < width <= 700px`."""
    pieces = _RANGE.split(text)
    values = [_LENGTH_FEATURES.get(piece, _pixels(piece)) for piece in pieces[::2]]
    for position, sign in enumerate(pieces[1::2]):
        left, right = values[position], values[position + 1]
        if left is None or right is None:
            return None
        if not _COMPARISONS[sign](left, right):
            return False
    return True


def _pixels(text: str) -> float | None:
    match = _LENGTH.fullmatch(text.strip())
    if match is None or (not match[2] and float(match[1] or 0) != 0):
        return None
    factor = _PIXELS_PER_UNIT.get(match[2] or "px")
    return None if factor is None else float(match[1]) * factor
