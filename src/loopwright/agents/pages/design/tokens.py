"""A style sheet as a design system: its tokens with what they are worth in light and dark, its classes."""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, parse_colour
from loopwright.agents.pages.compliance.cascade.lengths import LengthContext, resolve_length
from loopwright.agents.pages.design.inventory import take_inventory
from loopwright.agents.pages.design.schemes import SchemeSwitch, find_switch, is_on_root, root_properties
from loopwright.agents.pages.design.source import SourceDeclaration, read_source
from loopwright.agents.pages.design.values import parts_of

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
