"""A style sheet as a design system: its tokens with what they are worth in light and dark, its classes."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, is_colour_token, parse_colour
from loopwright.agents.pages.compliance.cascade.lengths import LengthContext, resolve_length
from loopwright.agents.pages.compliance.cascade.tokens import (
    Declaration,
    Item,
    StyleBlock,
    parse_stylesheet,
    parse_values,
    text_of,
)
from loopwright.agents.pages.design.schemes import SchemeSwitch, find_switch, is_on_root, root_properties
from loopwright.agents.pages.design.source import SourceDeclaration, read_source

# The parts of a declaration's value with their places: references, colours, lengths.

PartKind = Literal["reference", "colour", "length", "duration", "word", "string"]
_PART = re.compile(
    r"/\*.*?(?:\*/|\Z)"
    r"|(?P<string>\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?)"
    r"|(?P<hash>#[\w-]+)"
    r"|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?P<unit>%|[a-z]+)?)"
    r"|(?P<name>-?-?[a-z_\u0080-\uffff][\w\u0080-\uffff-]*)(?P<call>\()?"
    r"|(?P<open>\()|(?P<close>\))|(?P<comma>,)|(?P<slash>/)",
    re.DOTALL | re.IGNORECASE,
)
_LENGTH_UNITS = {"px": 1.0, "rem": 16.0}
_OPAQUE = frozenset({"url", "src", "image-set", "attr", "env"})
"""Functions whose arguments are no design decisions."""
_REFERENCE = re.compile(r"var\(\s*(?P<name>--[^\s,()]+)\s*(?:,(?P<fallback>.*))?\)\Z", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a value: `text` stands at `start` to `end` of it."""

    kind: PartKind
    text: str
    start: int
    end: int
    inside: str = ""
    """The function that holds it, the innermost one; empty at the top level."""
    number: float = 0.0
    """Pixels of a length (a rem is 16), milliseconds of a duration."""

    @property
    def name(self) -> str:
        """The variable that a reference names, or the word in lower case."""
        match = _REFERENCE.match(self.text) if self.kind == "reference" else None
        return match["name"] if match else self.text.lower()

    @property
    def fallback(self) -> str | None:
        """What a reference says for the case that its variable is not set."""
        match = _REFERENCE.match(self.text) if self.kind == "reference" else None
        return None if match is None or match["fallback"] is None else match["fallback"].strip()


def parts_of(value: str) -> Iterator[Part]:
    """The parts of a value in order; total on any text. Fallbacks of references are part of the reference."""
    functions: list[str] = []
    position = 0
    while match := _PART.search(value, position):
        position = match.end()
        inside = functions[-1] if functions else ""
        start = match.start()
        if match["call"]:
            name = match["name"].lower()
            whole = _end_of_call(value, match.end())
            text = value[start:whole]
            # A colour made of tokens is no colour of its own: its references are what counts.
            if name == "var" or ("var(" not in text.lower() and _is_colour(text)):
                yield Part("reference" if name == "var" else "colour", text, start, whole, inside)
                position = whole
            elif name in _OPAQUE:
                position = whole
            else:
                functions.append(name)
        elif match["open"]:
            functions.append("(")
        elif match["close"]:
            if functions:
                functions.pop()
        elif match["string"]:
            yield Part("string", match[0], start, match.end(), inside)
        elif match["hash"] or match["name"]:
            kind: PartKind = "colour" if _is_colour(match[0]) else "word"
            yield Part(kind, match[0], start, match.end(), inside)
        elif match["number"]:
            yield from _measure(match, inside)


def _measure(match: re.Match[str], inside: str) -> Iterator[Part]:
    unit = (match["unit"] or "").lower()
    number = float(match["number"][: len(match["number"]) - len(unit)])
    if unit in _LENGTH_UNITS:
        yield Part("length", match[0], match.start(), match.end(), inside, number * _LENGTH_UNITS[unit])
    elif unit in ("ms", "s"):
        yield Part("duration", match[0], match.start(), match.end(), inside, number * (1000 if unit == "s" else 1))


def _end_of_call(value: str, position: int) -> int:
    """The place after the bracket that closes a call; the end of the value where none does."""
    depth = 1
    for match in _PART.finditer(value, position):
        if match["call"] or match["open"]:
            depth += 1
        elif match["close"]:
            depth -= 1
            if depth == 0:
                return match.end()
    return len(value)


def _is_colour(text: str) -> bool:
    tokens = parse_values(text)
    return len(tokens) == 1 and is_colour_token(tokens[0])


# What a style sheet offers to pages: its variables and classes, in far fewer words than the sheet itself.

_CLASS = re.compile(r"\.(-?[_a-zA-Z][\w-]*)")


@dataclass(frozen=True)
class Inventory:
    """Variables with their values (the first one given counts), and class names, each in the order of the sheet."""

    variables: dict[str, str]
    classes: tuple[str, ...]

    def as_text(self, max_variables: int = 60, max_classes: int = 150) -> str:
        """Two lines for a prompt, or nothing for an empty sheet; what is left out is counted."""
        if not self.variables and not self.classes:
            return ""
        variables = [f"{name}: {value}" for name, value in self.variables.items()]
        shown = "; ".join(variables[:max_variables]) + _more(len(variables) - max_variables)
        names = " ".join(f".{name}" for name in self.classes[:max_classes]) + _more(len(self.classes) - max_classes)
        return f"Variables (use with var()): {shown}\nClasses: {names}"


@lru_cache(maxsize=16)
def take_inventory(css: str) -> Inventory:
    """Read a style sheet; what cannot be parsed is passed over."""
    variables: dict[str, str] = {}
    classes: dict[str, None] = {}
    _collect(parse_stylesheet(css), variables, classes)
    return Inventory(variables, tuple(classes))


def _collect(items: Iterable[Item], variables: dict[str, str], classes: dict[str, None]) -> None:
    for item in items:
        if isinstance(item, Declaration):
            if item.name.startswith("--"):
                variables.setdefault(item.name, item.value.strip())
            continue
        if isinstance(item, StyleBlock):
            classes.update(dict.fromkeys(_CLASS.findall(text_of(item.prelude))))
        _collect(item.content or (), variables, classes)


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


TokenKind = Literal["colour", "space", "radius", "font", "size", "shadow", "duration", "other"]

MAX_UTILITY_DECLARATIONS = 3
"""A class that stands alone in its selectors and sets no more than this is a utility, any other a component."""
_ROOT_SIZE = 16.0
_NAMES: tuple[tuple[TokenKind, re.Pattern[str]], ...] = (
    ("radius", re.compile(r"radius|radii|round|corner")),
    ("shadow", re.compile(r"shadow|elevation")),
    ("duration", re.compile(r"duration|transition|speed|delay")),
    ("size", re.compile(r"^(?:text|fs|type)-|font-size|text-size|^text$|heading-size")),
    ("font", re.compile(r"font(?!-(?:size|weight))|family|typeface")),
    ("space", re.compile(r"spac|gap|gutter|pad|margin|inset")),
)
_USES: dict[str, TokenKind] = {
    "border-radius": "radius",
    "box-shadow": "shadow",
    "text-shadow": "shadow",
    "filter": "shadow",
    "font-size": "size",
    "font-family": "font",
    "padding": "space",
    "margin": "space",
    "gap": "space",
    "row-gap": "space",
    "column-gap": "space",
    "transition": "duration",
    "transition-duration": "duration",
    "animation-duration": "duration",
}
_CLASS_ALONE = re.compile(r"\.(-?[_a-zA-Z][\w-]*)(?:::?[\w-]+(?:\([^()]*\))?|\[[^\]]*\])*")
_LENGTH_KINDS = frozenset({"space", "radius", "size"})


@dataclass(frozen=True, slots=True)
class Token:
    """A custom property of the root."""

    name: str
    kind: TokenKind
    light: str | None
    """Its value in light, references replaced; None where it has none."""
    dark: str | None

    def value(self, scheme: Scheme) -> str | None:
        """Its value in a scheme."""
        return self.dark if scheme == "dark" else self.light

    def colour(self, scheme: Scheme) -> Colour | None:
        """Its colour in a scheme; None for what is no colour or cannot be told."""
        value = self.value(scheme)
        return None if value is None else parse_colour(value, scheme=scheme)

    def pixels(self, scheme: Scheme = "light") -> float | None:
        """Its length in CSS pixels, where it has a definite one; a rem is 16."""
        value = self.value(scheme)
        length = None if value is None else resolve_length(value, LengthContext(_ROOT_SIZE, _ROOT_SIZE))
        return length if isinstance(length, float) else None


@dataclass(frozen=True, slots=True)
class DesignSystem:
    """What a style sheet offers."""

    tokens: dict[str, Token]
    """By name, in the order of the sheet."""
    components: tuple[str, ...]
    utilities: tuple[str, ...]
    variables: frozenset[str]
    """Every custom property that is set anywhere in the sheet; those of components are no tokens."""
    switch: SchemeSwitch

    def of_kind(self, *kinds: TokenKind) -> list[Token]:
        """The tokens of these kinds."""
        return [token for token in self.tokens.values() if token.kind in kinds]

    @property
    def classes(self) -> frozenset[str]:
        """All classes."""
        return frozenset((*self.components, *self.utilities))

    @property
    def has_both_schemes(self) -> bool:
        """Whether light and dark differ in at least one colour."""
        return any(
            token.light != token.dark or token.colour("light") != token.colour("dark")
            for token in self.of_kind("colour", "shadow")
        )


@lru_cache(maxsize=32)
def read_design_system(css: str) -> DesignSystem:
    """Read a style sheet; what makes no sense in it is passed over."""
    declarations = read_source(css).declarations
    custom = [each for each in declarations if each.name.startswith("--")]
    names = dict.fromkeys(each.name for each in custom if is_on_root(each))
    light, dark = root_properties(css, "light"), root_properties(css, "dark")
    uses = _uses(declarations)
    tokens = {
        name: Token(
            name, _kind(name, light.get(name) or dark.get(name) or "", uses[name]), light.get(name), dark.get(name)
        )
        for name in names
        if name in light or name in dark
    }
    utilities = _utilities(declarations)
    components = tuple(name for name in take_inventory(css).classes if name not in utilities)
    return DesignSystem(tokens, components, utilities, frozenset(each.name for each in custom), find_switch(css))


def _uses(declarations: tuple[SourceDeclaration, ...]) -> dict[str, set[str]]:
    """Which properties refer to which variable, directly."""
    found: dict[str, set[str]] = defaultdict(set)
    for declaration in declarations:
        if "var(" in declaration.value:
            for part in parts_of(declaration.value):
                if part.kind == "reference":
                    found[part.name].add(declaration.name)
    return found


def _kind(name: str, value: str, uses: set[str]) -> TokenKind:
    """What a token is for: its value decides first, then its name, then where it is used."""
    if parse_colour(value) is not None:
        return "colour"
    bare = name.removeprefix("--").lower()
    is_length = isinstance(resolve_length(value, LengthContext(_ROOT_SIZE, _ROOT_SIZE)), float)
    named = next((kind for kind, pattern in _NAMES if pattern.search(bare)), None)
    used = next((_USES[each] for each in sorted(uses) if each in _USES), None)
    for kind in (named, used):
        if kind is not None and (kind in _LENGTH_KINDS) == is_length and _fits(kind, value):
            return kind
    return "other"


def _fits(kind: TokenKind, value: str) -> bool:
    kinds = {part.kind for part in parts_of(value)}
    if kind == "duration":
        return "duration" in kinds
    if kind == "font":
        return bool(kinds & {"word", "string"}) and "length" not in kinds
    return kind != "shadow" or value.strip() == "none" or "length" in kinds


def _utilities(declarations: tuple[SourceDeclaration, ...]) -> tuple[str, ...]:
    """Classes that only ever stand alone and set little."""
    sizes: dict[str, int] = defaultdict(int)
    compounds: set[str] = set()
    for declaration in declarations:
        for selector in declaration.selectors.split(","):
            match = _CLASS_ALONE.fullmatch(selector.strip())
            if match:
                sizes[match[1]] += 1
            else:
                compounds.update(re.findall(r"\.(-?[_a-zA-Z][\w-]*)", selector))
    return tuple(name for name, size in sizes.items() if size <= MAX_UTILITY_DECLARATIONS and name not in compounds)


# Which token of a design system stands nearest to what a page says instead.

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
