"""From sizes as they were said to the document's domains, kind by kind. All bodies stand about the origin."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from loopwright.agents.designspec.offline.body import labelled
from loopwright.agents.designspec.offline.draft import Draft, DraftQuestion
from loopwright.agents.designspec.offline.intents import Phase
from loopwright.agents.designspec.offline.intents.spots import carry_ports
from loopwright.agents.designspec.offline.text import SHAPES, Length, dimensions, has, positive, shown

Units = Callable[[float], float]
"""From metres to the document's units."""
Solid = tuple[dict[str, Any], str, list[str]]
"""The domain, its sizes in words, and what was assumed."""


class Incomplete(Exception):
    """A size is missing; asks for it, with a default."""

    def __init__(self, question: str, why: str, default: str, intent: str = "") -> None:
        """Keep the question's parts; `intent` is what an answer means where it is not the whole of the sizes."""
        super().__init__(question)
        self.question, self.why, self.default, self.intent = question, why, default, intent


@dataclass(frozen=True)
class Sizes:
    """Sizes of a body: `20x60x30`, with labels, and plain; `semi` when they are half-axes."""

    dimensions: tuple[Length, ...] = ()
    labelled: Mapping[str, Length] = field(default_factory=dict)
    plain: tuple[Length, ...] = ()
    semi: bool = False
    hollow: bool = False

    @property
    def all(self) -> tuple[Length, ...]:
        """Every length that was said."""
        return (*self.dimensions, *self.labelled.values(), *self.plain)

    def named(self, *labels: str) -> float | None:
        """The metres of the first of the labels that was said."""
        return next((self.labelled[label].metres for label in labels if label in self.labelled), None)

    def across(self, suffix: str = "") -> float | None:
        """The radius in metres, said as radius or diameter."""
        radius, diameter = self.named(f"radius{suffix}"), self.named(f"diameter{suffix}")
        return radius if radius is not None else None if diameter is None else diameter / 2

    def across_inner(self) -> float | None:
        """The inner radius in metres, said as radius or diameter."""
        radius, diameter = self.named("inner_radius"), self.named("inner_diameter")
        return radius if radius is not None else None if diameter is None else diameter / 2

    @property
    def unlabelled(self) -> list[float]:
        """The metres of the sizes without a label, in their order."""
        return [length.metres for length in (*self.dimensions, *self.plain)]


def box(sizes: Sizes, units: Units) -> Solid:
    """X y z; a single size makes a cube."""
    rest = sizes.unlabelled
    assumed: list[str] = []
    by_name = [sizes.named("width"), sizes.named("length", "depth"), sizes.named("height")]
    if sizes.named("length") is not None and sizes.named("depth") is not None and by_name[0] is None:
        by_name[0] = sizes.named("depth")
    if len(rest) == 1 and not any(by_name):
        by_name = [rest[0]] * 3
        assumed.append(f"all three sides are {shown(rest[0])}")
        rest = []
    values = [value if value is not None else rest.pop(0) if rest else None for value in by_name]
    if None in values:
        raise _missing("box", "20 x 20 x 10 mm", sizes)
    x, y, z = (float(value or 0) for value in values)
    return _box(x, y, z, units), f"a box of {_by(x, y, z)}", assumed


def cube(sizes: Sizes, units: Units) -> Solid:
    """One size for all three sides."""
    given = sizes.unlabelled or [length.metres for length in sizes.all]
    if not given:
        raise _missing("cube", "20 mm", sizes)
    if len(set(given)) > 1:
        return box(sizes, units)
    return _box(given[0], given[0], given[0], units), f"a cube of {shown(given[0])}", []


def plate(sizes: Sizes, units: Units) -> Solid:
    """A box whose thickness may be missing, but not more."""
    if len(sizes.all) == 1:
        raise _missing("plate", "40 x 20 x 5 mm", sizes)
    return box(sizes, units)


def cylinder(sizes: Sizes, units: Units) -> Solid:
    """Sizes without a label are the diameter, then the height."""
    radius, rest, assumed = _radius(sizes)
    height = sizes.named("height", "length", "depth")
    if height is None and rest:
        height = rest.pop(0)
    if radius is None or height is None:
        raise _missing("cylinder", "20 mm diameter, 10 mm high", sizes)
    return _round("cylinder", radius, height, units, assumed)


def disc(sizes: Sizes, units: Units) -> Solid:
    """A flat cylinder; `across`, `wide` and sizes without a label are its diameter."""
    radius, rest, assumed = _radius(sizes)
    height = sizes.named("height", "depth")
    if height is None and rest:
        height = rest.pop(0)
    if radius is not None and height is None:
        question, why = "How thick is the disc?", "Its diameter is given, its thickness is not."
        raise Incomplete(question, why, shown(radius / 3), f"disc {shown(2 * radius)} diameter, {{answer}} thick")
    if radius is None or height is None:
        raise _missing("disc", "30 mm diameter, 5 mm thick", sizes)
    return _round("disc", radius, height, units, assumed)


def sphere(sizes: Sizes, units: Units) -> Solid:
    """A size without a label is the diameter."""
    radius, _, assumed = _radius(sizes)
    if radius is None:
        raise _missing("sphere", "20 mm diameter", sizes)
    solid = {"type": "sphere", "center": [0.0, 0.0, 0.0], "radius": units(radius)}
    return solid, f"a sphere of {shown(2 * radius)} diameter", assumed


def ellipsoid(sizes: Sizes, units: Units) -> Solid:
    """Whole axes, unless semi-axes are spoken of."""
    values = sizes.unlabelled
    if len(values) != 3:
        raise _missing("ellipsoid", "20 x 20 x 30 mm", sizes)
    half = [value if sizes.semi else value / 2 for value in values]
    solid = {"type": "ellipsoid", "center": [0.0, 0.0, 0.0], "semi_axes": [units(value) for value in half]}
    assumed = [] if sizes.semi else ["the ellipsoid's sizes are whole axes, end to end"]
    return solid, f"an ellipsoid of {_by(*(2 * value for value in half))}", assumed


def capsule(sizes: Sizes, units: Units) -> Solid:
    """Radius and overall length."""
    radius, rest, assumed = _radius(sizes)
    total = sizes.named("length", "height")
    if total is None and rest:
        total = rest.pop(0)
    if radius is None or total is None or total <= 2 * radius:
        raise _missing("capsule", "10 mm diameter, 30 mm long", sizes)
    solid = {
        "type": "capsule",
        "center": [0.0, 0.0, 0.0],
        "radius": units(radius),
        "length": units(total - 2 * radius),
        "axis": "z",
    }
    assumed.append(f"{shown(total)} is the capsule's whole length along z, round ends included")
    return solid, f"a capsule of {shown(2 * radius)} diameter, {shown(total)} long", assumed


def frustum(sizes: Sizes, units: Units) -> Solid:
    """Two radii and a height; a cone's tip is cut where it would be a tenth of its base."""
    rest = sizes.unlabelled
    bottom, top, height = sizes.across("_bottom"), sizes.across("_top"), sizes.named("height", "length")
    if bottom is None:
        bottom = sizes.across()
    if bottom is None and rest:
        bottom = rest.pop(0) / 2
    if top is None and len(rest) > 1:
        top = rest.pop(0) / 2
    if height is None and rest:
        height = rest.pop(0)
    if bottom is None or height is None:
        raise _missing("frustum", "bottom diameter 20 mm, top diameter 12 mm, height 15 mm", sizes)
    assumed = [] if top is not None else [f"the top's diameter is {shown(bottom / 5)}: a tip cannot be printed"]
    top = top if top is not None else bottom / 10
    solid = {
        "type": "frustum",
        "center": [0.0, 0.0, 0.0],
        "radius_top": units(top),
        "radius_bottom": units(bottom),
        "height": units(height),
    }
    return solid, f"a frustum of {shown(2 * bottom)} to {shown(2 * top)} diameter, {shown(height)} high", assumed


def tube(sizes: Sizes, units: Units) -> Solid:
    """A cylinder less a longer, thinner one."""
    radius, rest, assumed = _radius(sizes)
    height = sizes.named("height", "length")
    height = height if height is not None else rest.pop(0) if rest else None
    if radius is None or height is None:
        raise _missing("tube", "20 mm diameter, 2 mm walls, 30 mm long", sizes)
    inner, wall = sizes.across_inner(), sizes.named("wall")
    if inner is None:
        inner = radius - (wall if wall is not None else radius / 5)
        if wall is None:
            assumed.append(f"the tube's walls are {shown(radius / 5)} thick")
    if not 0 < inner < radius:
        raise _missing("tube", "20 mm diameter, 2 mm walls, 30 mm long", sizes)
    children = [
        {"type": "cylinder", "center": [0.0, 0.0, 0.0], "radius": units(r), "height": units(h)}
        for r, h in ((radius, height), (inner, 1.2 * height))
    ]
    solid = {"type": "composite", "operation": "difference", "children": children}
    return (
        solid,
        f"a tube of {shown(2 * radius)} outside and {shown(2 * inner)} inside diameter, {shown(height)} long",
        assumed,
    )


SOLIDS: Mapping[str, Callable[[Sizes, Units], Solid]] = {
    "box": box,
    "cube": cube,
    "plate": plate,
    "cylinder": cylinder,
    "disc": disc,
    "sphere": sphere,
    "ellipsoid": ellipsoid,
    "capsule": capsule,
    "frustum": frustum,
    "cone": frustum,
    "tube": tube,
}


def _radius(sizes: Sizes) -> tuple[float | None, list[float], list[str]]:
    """The radius, the sizes that are left, and what was assumed."""
    rest = sizes.unlabelled
    radius = sizes.across()
    width = sizes.named("width")
    if radius is None and width is not None:
        radius = width / 2
    if radius is None and rest:
        radius = rest.pop(0) / 2
        if rest and rest[0] == 2 * radius and len(rest) == 2:
            rest.pop(0)  # 20x20x30 is as wide as it is deep
        return radius, rest, [f"{shown(2 * radius)} is the diameter"]
    return radius, rest, []


def _round(word: str, radius: float, height: float, units: Units, assumed: list[str]) -> Solid:
    solid = {"type": "cylinder", "center": [0.0, 0.0, 0.0], "radius": units(radius), "height": units(height)}
    return solid, f"a {word} of {shown(2 * radius)} diameter, {shown(height)} high", assumed


def _box(x: float, y: float, z: float, units: Units) -> dict[str, Any]:
    sides: dict[str, Any] = {"type": "box"}
    for axis, side in zip("xyz", (x, y, z), strict=True):
        sides |= {f"{axis}_min": units(-side / 2), f"{axis}_max": units(side / 2)}
    return sides


def _by(*metres: float) -> str:
    parts = [shown(value) for value in metres]
    same = all(part.endswith(" mm") for part in parts)
    return " × ".join([*(part.removesuffix(" mm") for part in parts[:-1]), parts[-1]] if same else parts)


def _missing(kind: str, default: str, sizes: Sizes) -> Incomplete:
    told = ", ".join(length.written for length in sizes.all)
    why = f"A {kind} needs all of its sizes" + (f"; I read only {told}." if told else ".")
    return Incomplete(f"How large is the {kind}? For example: {default}.", why, default)


# “A box of 20x60x30 mm”, “a 30 mm disc 5 mm thick”: a body is made, or the one there is takes another shape.

KINDS = {
    "cube": "cube",
    "plate|slab|chip|sheet": "plate",
    "cylinder|rod": "cylinder",
    "disc|disk|puck|coin|wafer": "disc",
    "sphere|ball": "sphere",
    "ellipsoid": "ellipsoid",
    "capsule|pill": "capsule",
    "frustum": "frustum",
    "cone": "cone",
    "tube|pipe": "tube",
    "box|block|cuboid|brick|body|domain|scaffold|part|insert|construct|substrate": "box",
}
_ABOUT_OTHER_THINGS = r"remove|delete|drop|move|rename|explain|what|why|how|show|rotate|mirror|inlets?|outlets?|ports?"
_OF_ANOTHER_THING = re.compile(r"\bof (?:the|each|all|every) (?:inlet|outlet|port|channel)", re.I)


@dataclass(frozen=True)
class MakeBody:
    """A body of a kind with its sizes as they were said."""

    kind: str
    sizes: Sizes
    another: bool = False
    name: str = ""
    phase: Phase = Phase.BODY

    def plan(self, draft: Draft) -> None:
        """Add the domain, or put it in the place of the one there is; ports on it move to the new faces."""
        try:
            solid, words, assumed = SOLIDS[self.kind](self.sizes, draft.units)
        except Incomplete as missing:
            intent = "another " * self.another + (missing.intent or f"{self.kind} {{answer}}")
            draft.ask(DraftQuestion("domain_size", missing.question, missing.why, missing.default, intent))
            return
        if self.sizes.hollow and self.kind != "tube":
            solid, wall = _hollowed(solid, self.sizes, draft)
            words = f"a hollow body, outside {words}, with walls of {wall}"
        if any(not length.unit_given for length in self.sizes.all):
            draft.assumed.append("numbers without a unit are millimetres")
        draft.assumed += assumed
        name = self._name(draft)
        before = draft.body(name)
        if not draft.set(solid, "domains", name):
            draft.answers.append(f"The domain `{name}` is {words} already.")
            return
        if before is None:
            draft.told.append(f"add the domain `{name}`: {words}, about the origin")
            return
        extents = before.extents
        was = " × ".join(draft.show(each) for each in extents) if extents else "of another shape"
        draft.told.append(f"make the domain `{name}` {words} (it was a {before.kind}, {was})")
        carry_ports(draft, name, before)

    def _name(self, draft: Draft) -> str:
        if self.another or self.name:
            base = self.name or f"{self.kind}_domain"
            taken = draft.domains if self.another else ()
            return next(n for n in [base, *(f"{base}_{k}" for k in range(2, 100))] if n not in taken)
        return draft.main_domain or "main_domain"


def read_shape(clause: str) -> MakeBody | None:
    """The body that a clause asks for; None when it speaks of something else.

    Raises:
        UnusableQuantity: a size cannot be used.
    """
    noun = re.search(rf"\b({SHAPES})s?\b", clause, re.I)
    sizes, rest = dimensions(clause)
    pronoun = re.match(r"(?:make|set|change|resize) (?:it|this|that)\b", clause, re.I) and len(sizes) == 3
    only_sizes = len(sizes) == 3 and re.fullmatch(r"\W*(?:about|approx\w*|it is|make it)?\W*", rest, re.I)
    if not noun and not pronoun and not only_sizes:
        return None
    if has(rest, _ABOUT_OTHER_THINGS) or _OF_ANOTHER_THING.search(clause):
        return None
    told = labelled(rest)
    if (
        noun
        and not sizes
        and not told
        and not has(clause, "create|make|add|want|need|new|use|build|start|give|an?|design|generate")
    ):
        return None
    kind = next((kind for words, kind in KINDS.items() if has(clause, words)), "box")
    named = re.search(r"\b(?:called|named)\s+[\"'`]?([A-Za-z][\w.-]{0,40})", clause, re.I)
    return MakeBody(
        kind=kind,
        sizes=Sizes(
            dimensions=tuple(sizes),
            labelled={label: positive(length) for label, length in told if label},
            plain=tuple(positive(length) for label, length in told if not label),
            semi=has(clause, "semi|semi-axes|semiaxes|half-axes"),
            hollow=has(clause, "hollow"),
        ),
        another=has(clause, "another|2nd|second|extra|additional"),
        name=named[1] if named else "",
    )


def _hollowed(solid: dict[str, Any], sizes: Sizes, draft: Draft) -> tuple[dict[str, Any], str]:
    """The solid less a smaller one of its kind; the wall's thickness in words."""
    lengths = [length.metres for length in sizes.all]
    given = sizes.labelled.get("wall")
    wall: Length | float = given if given else min(lengths) / 10
    thickness = draft.units(wall)
    inner = dict(solid)
    for key, value in solid.items():
        if key.endswith("_min"):
            inner[key] = value + thickness
        elif key.endswith("_max") or key.startswith("radius"):
            inner[key] = value - thickness
        elif key == "height":
            inner[key] = value - 2 * thickness
        elif key == "semi_axes":
            inner[key] = [each - thickness for each in value]
    if not given:
        draft.assumed.append(f"its walls are {draft.show(thickness)} thick")
    words = shown(wall.metres if isinstance(wall, Length) else wall)
    return {"type": "composite", "operation": "difference", "children": [solid, inner]}, words
