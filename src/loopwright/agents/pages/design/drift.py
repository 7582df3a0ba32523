"""Drift: where a page goes past the design system, as findings and as one score.

The score is the weighted share of a page's design decisions that bypass the system:

    score = ceil(100 * D / (D + U))

D is the sum of the findings' weights (`WEIGHTS`), U the number of decisions that follow the system: references to its
tokens in the page's own styles, and different classes of it on the page. 0 is a page without a finding, 100 one that
uses nothing of the system. Not counted: drawings (`<svg>`), what scripts write, translucent colours where no token is
translucent, references that bring their own value (`var(--mine, 3px)`), font sizes beyond the scale, spaces and radii
that no token has, and data in `style` attributes (custom properties that are no token, sizes and places in percent).
"""

import math
from collections.abc import Iterator

from loopwright.agents.pages.compliance.cascade.colours import Scheme, parse_colour
from loopwright.agents.pages.design.schemes import WEIGHTS, DriftFinding, DriftReport, DriftRule, default_scheme
from loopwright.agents.pages.design.source import PageDeclaration, PageStyles, read_page_styles
from loopwright.agents.pages.design.tokens import (
    SAME_COLOUR,
    SAME_LENGTH,
    DesignSystem,
    Part,
    Token,
    nearest_colour,
    nearest_length,
    nearest_name,
    parts_of,
    read_design_system,
    role_of,
)

BEYOND_SCALE = 1.1
"""Font sizes this many times beyond the scale's ends are displays or marks of their own: no token stands for them."""
MAX_FINDINGS = 400
_SPACES = ("padding", "margin", "gap", "row-gap", "column-gap")
_DATA = frozenset({"width", "height", "left", "right", "top", "bottom", "flex-basis", "max-width", "aspect-ratio"})
_GENERIC_FONTS = frozenset({"inherit", "monospace", "ui-monospace", "initial", "unset"})


def measure_drift(html: str, css: str) -> DriftReport:
    """What of a page goes past the design system of the sheet; total on any text.

    Args:
        html: the page's source.
        css: the design system; without one there is nothing to drift from.
    """
    if not css.strip():
        return DriftReport(score=0)
    system, styles, scheme = read_design_system(css), read_page_styles(html), default_scheme(css)
    judge = _Judge(system, styles, scheme)
    findings = [finding for each in styles.declarations for finding in judge.declaration(each)]
    findings += judge.attributes()
    findings += judge.classes()
    followed = judge.followed + sum(name in system.classes for name in styles.used_classes)
    drift = sum(WEIGHTS[finding.rule] for finding in findings)
    score = math.ceil(100 * drift / (drift + followed)) if drift else 0
    return DriftReport(score=score, findings=tuple(findings[:MAX_FINDINGS]), followed=followed)


class _Judge:
    def __init__(self, system: DesignSystem, styles: PageStyles, scheme: Scheme) -> None:
        self.system, self.styles, self.scheme = system, styles, scheme
        self.followed = 0
        self.has_translucent = any(
            colour is not None and not colour.is_opaque
            for colour in (token.colour(scheme) for token in system.of_kind("colour"))
        )

    def declaration(self, entry: PageDeclaration) -> Iterator[DriftFinding]:
        """The findings of one declaration."""
        declaration = entry.declaration
        if declaration.name in self.system.tokens:
            yield self._finding("redefined-token", entry, f"{declaration.name}: {declaration.value}")
            return
        if declaration.important:
            yield self._finding("important", entry, f"{declaration.name}: {declaration.value} !important")
        parts = list(parts_of(declaration.value))
        is_data = entry.inline and declaration.name.startswith("--")
        for part in parts:
            if is_data and part.kind != "reference":
                continue
            if part.kind == "reference":
                yield from self._reference(entry, part)
            elif part.kind == "colour":
                yield from self._colour(entry, part)
            elif part.kind == "length":
                yield from self._length(entry, part)
        if declaration.name == "font-family":
            yield from self._font(entry, parts)
        elif declaration.name == "box-shadow":
            yield from self._shadow(entry, parts)

    def attributes(self) -> Iterator[DriftFinding]:
        """Style attributes that hold more than data."""
        seen: set[int] = set()
        for entry in self.styles.declarations:
            if entry.inline and entry.offset not in seen and not self._is_data(entry):
                seen.add(entry.offset)
                name = entry.declaration.name
                yield DriftFinding(rule="inline-style", where=entry.where, property=name, found=entry.declaration.value)

    def classes(self) -> Iterator[DriftFinding]:
        """Classes that neither the system, the page's styles nor its scripts know.

        A name beside a known class has no look and does no harm, unless it poses as a variant: `btn-gold` on a `btn`.
        """
        known = self.system.classes | self.styles.own_classes | self.styles.scripted
        for name, carrier in self.styles.used_classes.items():
            if name in known or carrier.is_shell or name.startswith(("js-", "qa-")):
                continue
            base = next((other for other in carrier.classes if other in self.system.classes), None)
            variant_of = (f"{other}{sign}" for other in carrier.classes if other in known for sign in "-_")
            if name.startswith(tuple(variant_of)) or not any(other in known for other in carrier.classes):
                yield DriftFinding(rule="unknown-class", where=carrier.where, found=f".{name}", token=base)

    def _reference(self, entry: PageDeclaration, part: Part) -> Iterator[DriftFinding]:
        if part.name in self.system.variables:
            self.followed += 1
        elif part.name not in self.styles.own_variables:
            nearest = nearest_name(
                part.name, entry.declaration.name, self.system, self.styles.own_variables, part.fallback, self.scheme
            )
            if nearest is not None or part.fallback is None:
                yield self._finding("unknown-variable", entry, part.text, nearest, part, fixable=nearest is not None)

    def _colour(self, entry: PageDeclaration, part: Part) -> Iterator[DriftFinding]:
        colour = parse_colour(part.text, scheme=self.scheme)
        if colour is None or part.inside == "color-mix" or (not colour.is_opaque and not self.has_translucent):
            return
        if self.system.of_kind("colour"):
            token, distance = nearest_colour(colour, role_of(entry.declaration.name), self.system, self.scheme)
            same = distance is not None and distance <= SAME_COLOUR
            name = None if token is None else token.name
            yield self._finding("raw-colour", entry, part.text, name, part, fixable=same)

    def _length(self, entry: PageDeclaration, part: Part) -> Iterator[DriftFinding]:
        name = entry.declaration.name
        if part.number <= 0 or part.inside not in ("", "max", "min", "clamp"):
            return
        if name == "font-size":
            sizes = self.system.of_kind("size")
            scale = [pixels for token in sizes if (pixels := token.pixels(self.scheme)) is not None]
            if scale and min(scale) / BEYOND_SCALE <= part.number <= max(scale) * BEYOND_SCALE:
                yield from self._measure(entry, part, "raw-size", sizes, math.inf)
        elif name.endswith("-radius"):
            yield from self._measure(entry, part, "raw-radius", self.system.of_kind("radius"), SAME_LENGTH)
        elif name in _SPACES or name.startswith(("padding-", "margin-")):
            yield from self._measure(entry, part, "raw-space", self.system.of_kind("space"), SAME_LENGTH)

    def _measure(
        self, entry: PageDeclaration, part: Part, rule: DriftRule, tokens: list[Token], reach: float
    ) -> Iterator[DriftFinding]:
        token, distance = nearest_length(part.number, tokens, self.scheme)
        if token is not None and distance is not None and distance <= reach:
            yield self._finding(rule, entry, part.text, token.name, part, fixable=distance <= SAME_LENGTH)

    def _font(self, entry: PageDeclaration, parts: list[Part]) -> Iterator[DriftFinding]:
        fonts = self.system.of_kind("font")
        names = {part.name for part in parts}
        if not fonts or not parts or names <= _GENERIC_FONTS or any(part.kind == "reference" for part in parts):
            return
        token = self._same_value(fonts, entry.declaration.value)
        yield self._whole("raw-font", entry, token, fonts)

    def _shadow(self, entry: PageDeclaration, parts: list[Part]) -> Iterator[DriftFinding]:
        shadows = self.system.of_kind("shadow")
        lengths = [part for part in parts if part.kind == "length"]
        # A ring or a hard edge has no blur: it is a line, not an elevation.
        is_elevation = len(lengths) > 2 or (len(lengths) == 2 and " 0 " in f" {entry.declaration.value} ")
        if shadows and is_elevation and not any(part.name in self.system.variables for part in parts):
            token = self._same_value(shadows, entry.declaration.value)
            yield self._whole("raw-shadow", entry, token, shadows)

    def _whole(self, rule: DriftRule, entry: PageDeclaration, token: Token | None, others: list[Token]) -> DriftFinding:
        value = entry.declaration.value
        part = Part("word", value, 0, len(value))
        return self._finding(rule, entry, value, (token or others[0]).name, part, fixable=token is not None)

    def _same_value(self, tokens: list[Token], value: str) -> Token | None:
        wanted = _normal(value)
        return next((token for token in tokens if _normal(token.value(self.scheme) or "") == wanted), None)

    def _is_data(self, entry: PageDeclaration) -> bool:
        name, value = entry.declaration.name, entry.declaration.value
        if name.startswith("--"):
            return name not in self.system.tokens
        return name in _DATA and not any(part.kind in ("length", "colour") for part in parts_of(value))

    def _finding(
        self,
        rule: DriftRule,
        entry: PageDeclaration,
        found: str,
        token: str | None = None,
        part: Part | None = None,
        *,
        fixable: bool = False,
    ) -> DriftFinding:
        start = end = -1
        if part is not None and entry.editable:
            start = entry.offset + entry.declaration.value_start + part.start
            end = start + part.end - part.start
        return DriftFinding(
            rule=rule,
            where=entry.where,
            property=entry.declaration.name,
            found=found,
            token=token,
            auto_fixable=fixable and start >= 0,
            start=start,
            end=end,
        )


def _normal(value: str) -> str:
    return "".join(value.lower().replace('"', "").replace("'", "").split())


__all__ = ["DriftFinding", "DriftReport", "DriftRule", "measure_drift"]
