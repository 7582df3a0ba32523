"""“A box of 20x60x30 mm”, “a 30 mm disc 5 mm thick”: a body is made, or the one there is takes another shape."""

import re
from dataclasses import dataclass
from typing import Any

from loopwright.agents.designspec.offline.draft import Draft, Question
from loopwright.agents.designspec.offline.labels import labelled
from loopwright.agents.designspec.offline.quantities import Length, dimensions, positive, shown
from loopwright.agents.designspec.offline.text import SHAPES, has
from loopwright.agents.designspec.offline.wishes.carrying import carry_ports
from loopwright.agents.designspec.offline.wishes.solids import SOLIDS, Incomplete, Sizes
from loopwright.agents.designspec.offline.wishes.wish import Phase

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
            wish = "another " * self.another + (missing.wish or f"{self.kind} {{answer}}")
            draft.ask(Question("domain_size", missing.question, missing.why, missing.default, wish))
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
    """The body that a clause wishes for; None when it speaks of something else.

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
