"""“Make it 20 % taller”, “twice as wide”, “10 mm longer”, “height 25 mm”, “double the size”."""

import re
from dataclasses import dataclass
from typing import Any

from loopwright.agents.designspec.offline.amounts import Amount, is_less, read_amount
from loopwright.agents.designspec.offline.draft import Draft, Question, tidy
from loopwright.agents.designspec.offline.text import SHAPES, has
from loopwright.agents.designspec.offline.wishes.carrying import carry_ports
from loopwright.agents.designspec.offline.wishes.wish import Phase

SIDES = {
    "radius": r"radius",
    "diameter": r"diameter",
    "height": r"tall(?:er)?|height|high(?:er)?|lower|thick(?:er|ness)?|thinner|flatter|(?:in|along) z|z",
    "width": r"wid(?:e|er|th)|narrower|broad(?:er)?|(?:in|along) x|x|widen",
    "length": r"long(?:er)?|length|short(?:er)?|deep(?:er)?|depth|(?:in|along) y|y|lengthen|shorten",
    "all": r"big(?:ger)?|larg(?:e|er)|small(?:er)?|size|scale|everything|dimensions?|enlarge|shrink|resize|all",
}
_CHANGE = (
    r"\b(?:make|set|change|increase|decrease|reduce|raise|lower|double|triple|halve|scale|"
    r"stretch|enlarge|shrink|resize|"
    r"extend|widen|lengthen|shorten|twice|half|thicken|grow)\b|\b(?:tall|high|wid|broad|long|"
    r"short|deep|thick|thinn|bigg|"
    r"larg|small|narrow|flatt)er\b|^(?:the )?(?:height|width|length|depth|thickness|radius|diameter)\b"
)
_OTHER_THINGS = (
    r"inlets?|outlets?|ports?|openings?|channels?|holes?|tips?|terminals?|branch(?:es)?|ridge|rim|clearance|segments?|"
    r"network|tree|seed|min(?:imum)?|max(?:imum)?|void|hook|steps?|pitch|taper|units?"
)
_NEW_BODY = re.compile(
    rf"^(?:make|create|add|build)\s+(?:me\s+)?(?:an?|another|new)\b|\b(?:to|into|by) an? (?:[\w.]+ )*?(?:{SHAPES})\b",
    re.I,
)


@dataclass(frozen=True)
class Resize:
    """A side of the body changes; without an amount it is asked for."""

    side: str
    amount: Amount | None
    less: bool = False
    phase: Phase = Phase.RESIZING

    def plan(self, draft: Draft) -> None:
        """Change the domain's sides about its middle; ports on its faces go along."""
        name = draft.main_domain
        before = draft.body(name) if name else None
        if name is None or before is None:
            draft.refused.append("There is no body yet whose size could change.")
            return
        if self.amount is None:
            question = "By how much? For example: 20 %, 5 mm, or twice as much."
            more = {"height": "taller", "width": "wider", "length": "longer"}.get(self.side, "bigger")
            less = {"height": "lower", "width": "narrower", "length": "shorter"}.get(self.side, "smaller")
            wish = f"make it {{answer}} {less if self.less else more}"
            draft.ask(Question("amount", question, "The wish gives no amount.", "20 %", wish))
            return
        changes = _changes(before.domain, self.side, self.amount, draft.metres_per_unit)
        if not changes:
            draft.refused.append(f"I cannot resize a domain of the type {before.kind} by rules; give me its new sizes.")
            return
        if not self.amount.unit_given:
            draft.assumed.append("numbers without a unit are millimetres")
        old = before.extents
        for key, value in changes.items():
            draft.set(value, "domains", name, key)
        after = draft.body(name)
        new = after.extents if after else None
        for axis, was, now in zip("xyz", old or (), new or (), strict=False):
            if tidy(was) != tidy(now):
                draft.told.append(f"change `{name}` along {axis} from {draft.show(was)} to {draft.show(now)}")
        carry_ports(draft, name, before)


def read_resize(clause: str) -> Resize | None:
    """The change of the body's size that a clause wishes for.

    Raises:
        UnusableQuantity: a number cannot be used.
    """
    if _NEW_BODY.search(clause) or not re.search(_CHANGE, clause, re.I) or has(clause, _OTHER_THINGS):
        return None
    side = next((name for name, words in SIDES.items() if re.search(rf"\b(?:{words})\b", clause, re.I)), None)
    amount = read_amount(clause)
    if side is None:
        side = "all" if amount and has(clause, "double|halve|triple|scale|twice|half") else None
    return Resize(side, amount, is_less(clause)) if side else None


def _changes(domain: Any, side: str, amount: Amount, metres_per_unit: float) -> dict[str, Any]:
    """The domain's members that change, with their new values."""
    kind = domain.get("type")
    if kind == "box":
        axes = {"height": "z", "width": "x", "length": "y"}.get(side, "xyz" if side == "all" else "")
        changes: dict[str, Any] = {}
        for axis in axes:
            low, high = domain[f"{axis}_min"], domain[f"{axis}_max"]
            half = amount.of(high - low, metres_per_unit) / 2
            changes |= {f"{axis}_min": tidy((low + high) / 2 - half), f"{axis}_max": tidy((low + high) / 2 + half)}
        return changes
    if kind == "ellipsoid":
        semi = list(domain["semi_axes"])
        for number in {"height": (2,), "width": (0,), "length": (1,)}.get(side, (0, 1, 2)):
            semi[number] = tidy(amount.of(2 * semi[number], metres_per_unit) / 2)
        return {"semi_axes": semi}
    if kind == "mesh":
        return {"scale": tidy(domain.get("scale", 1.0) * amount.value)} if amount.kind == "factor" else {}
    along = {"cylinder": ("height",), "frustum": ("height",), "capsule": ("length",)}.get(str(kind), ())
    around = {
        "cylinder": ("radius",),
        "frustum": ("radius_top", "radius_bottom"),
        "capsule": ("radius",),
        "sphere": ("radius",),
    }
    members = list(around.get(str(kind), ()))
    if side == "height" or (side == "length" and kind in ("cylinder", "capsule")):
        members = list(along) or members
    elif side == "all":
        members += along
    return {member: _member(domain[member], member, side, amount, metres_per_unit) for member in members}


def _member(old: float, member: str, side: str, amount: Amount, metres_per_unit: float) -> float:
    """The new value; what is no radius, said of a round body, is its diameter."""
    if member.startswith("radius") and side != "radius":
        return tidy(amount.of(2 * old, metres_per_unit) / 2)
    return tidy(amount.of(old, metres_per_unit))
