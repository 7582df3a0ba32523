"""Wanted positions on a face as coordinates from its middle, clear of what is there already."""

import math
import re
from dataclasses import dataclass
from typing import Any

from loopwright.agents.designspec.offline import body as layout
from loopwright.agents.designspec.offline.body import FACES, Amount, Body, Outline, Place, Spot, is_less, read_amount
from loopwright.agents.designspec.offline.draft import Draft, DraftQuestion, tidy
from loopwright.agents.designspec.offline.intents import Phase
from loopwright.agents.designspec.offline.intents.places import Where
from loopwright.agents.designspec.offline.text import SHAPES, has

# When a body changes, the ports on its faces go along.

NEAR = 1e-6
"""How near to a face, as a share of the extent, a port counts as being on it."""
KEPT = 0.45
"""How far from a face's middle, as a share of its width, a port may keep its place when the face shrinks."""


def carry_ports(draft: Draft, domain: str, before: Body) -> None:
    """Move the ports of the domain's components from the old body's faces to the new one's, and say so."""
    after = draft.body(domain)
    moved = []
    for index, component in enumerate(draft.components):
        if component.get("domain_ref") != domain:
            continue
        for role in ("inlets", "outlets"):
            ports = (component.get("ports") or {}).get(role) or []
            for number, port in enumerate(ports):
                place = _carried(port, before, after) if after else None
                if place and [tidy(value) for value in place] != list(port["position"]):
                    draft.set([tidy(value) for value in place], "components", index, "ports", role, number, "position")
                    moved.append(str(port.get("name")))
    if moved:
        names = ", ".join(f"`{name}`" for name in moved[:6]) + (f" and {len(moved) - 6} more" if len(moved) > 6 else "")
        draft.told.append(f"move {names} along with the faces")


def face_of(port: dict[str, Any], body: Body) -> str | None:
    """The face on which a port sits, by its direction, or else by the nearest face; None when that cannot be told."""
    position, direction, corners = port.get("position"), port.get("direction"), body.corners
    if not isinstance(position, list) or len(position) != 3 or not corners:
        return None
    if isinstance(direction, list) and len(direction) == 3 and any(direction):
        axis = max(range(3), key=lambda each: abs(direction[each]))
        return next(
            name for name, (a, side) in FACES.items() if a == axis and side == (-1 if direction[axis] > 0 else 1)
        )

    def gap(face: str) -> float:
        axis, side = FACES[face]
        extent = corners[1][axis] - corners[0][axis]
        return float(abs(position[axis] - corners[side > 0][axis]) / extent)

    return min(FACES, key=gap)


def _carried(port: dict[str, Any], before: Body, after: Body) -> Place | None:
    face, old, new = face_of(port, before), before.corners, after.corners
    if face is None or old is None or new is None:
        return None
    axis = FACES[face][0]
    was, now = before.outline(face), after.outline(face)
    if was is None or now is None:
        return None
    position = port["position"]
    extent = old[1][axis] - old[0][axis]
    middle = [(low + high) / 2 for low, high in zip(*old, strict=True)]
    offsets = [position[each] - middle[each] for each in was.axes]
    on = before.place(face, offsets[0], offsets[1])
    inside = on is None or abs(on[0][axis] - position[axis]) > NEAR * extent
    for k, (old_width, new_width) in enumerate(((was.width, now.width), (was.depth, now.depth))):
        if abs(offsets[k]) > KEPT * new_width:
            offsets[k] *= new_width / old_width
    found = after.place(face, offsets[0], offsets[1])
    if found is None:
        return None
    place = list(found[0])
    if inside:  # a port within the body, or off it: its share of the way between the faces stays
        share = (position[axis] - old[0][axis]) / extent
        place[axis] = new[0][axis] + share * (new[1][axis] - new[0][axis])
    return (place[0], place[1], place[2])


# “Make it 20 % taller”, “twice as wide”, “10 mm longer”, “height 25 mm”, “double the size”.

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
            intent = f"make it {{answer}} {less if self.less else more}"
            draft.ask(DraftQuestion("amount", question, "The intent gives no amount.", "20 %", intent))
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
    """The change of the body's size that a clause asks for.

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
    """The new value; what is not a radius, said of a round body, is its diameter."""
    if member.startswith("radius") and side != "radius":
        return tidy(amount.of(2 * old, metres_per_unit) / 2)
    return tidy(amount.of(old, metres_per_unit))


FULL = 0.98
"""How much of the way between two ports they may take up together."""


def spots_for(draft: Draft, body: Body, face: str, where: Where, count: int, taken: list[Spot]) -> list[Spot]:
    """So many places on a face: where the intent says, or spread evenly and away from those that are taken."""
    outline = body.outline(face)
    if outline is None:
        return []
    if where.points:
        return [_spot(draft, body, outline, point) for point in where.points][:count]
    if where.ring:
        return layout.ring(count, draft.units(where.ring))
    if where.edge:
        return _along_edge(outline, count, draft.units(where.edge))
    if where.apart:
        apart = draft.units(where.apart)
        line = [(k - (count - 1) / 2) * apart for k in range(count)]
        return [(0.0, value) if where.pattern == "column" else (value, 0.0) for value in line]
    if where.pattern == "center" and count == 1:
        return [(0.0, 0.0)]
    pattern = "" if where.pattern == "center" else where.pattern
    if not taken:
        return layout.spread(outline, count, pattern)
    return layout.farthest_from(layout.spread(outline, count + len(taken), pattern), taken, count)


def spots_taken(draft: Draft, domain: str, body: Body, face: str) -> list[Spot]:
    """The places on a face where ports are, from its middle."""
    corners, found = body.corners, []
    if not corners:
        return []
    middle = [(low + high) / 2 for low, high in zip(*corners, strict=True)]
    across = [axis for axis in range(3) if axis != FACES[face][0]]
    for component in draft.components:
        for role in ("inlets", "outlets"):
            for port in (component.get("ports") or {}).get(role) or []:
                if component.get("domain_ref") == domain and face_of(port, body) == face:
                    position = port["position"]
                    found.append((position[across[0]] - middle[across[0]], position[across[1]] - middle[across[1]]))
    return found


def largest_radius(outline: Outline, spots: list[Spot], taken: list[Spot]) -> float:
    """The largest radius that the places allow: half-way to the next one, and within the face's edge."""
    gap = layout.nearest([*spots, *taken]) / 2
    for first, second in spots:
        if outline.round:
            gap = min(gap, outline.width / 2 - math.hypot(first, second))
        else:
            gap = min(gap, outline.width / 2 - abs(first), outline.depth / 2 - abs(second))
    return FULL * gap


def _spot(draft: Draft, body: Body, outline: Outline, point: dict[str, float]) -> Spot:
    corners = body.corners or ((0.0,) * 3, (0.0,) * 3)
    spot = []
    for axis in outline.axes:
        middle = (corners[0][axis] + corners[1][axis]) / 2
        metres = point.get("xyz"[axis])
        spot.append(0.0 if metres is None else draft.units(metres) - middle)
    return spot[0], spot[1]


def _along_edge(outline: Outline, count: int, inset: float) -> list[Spot]:
    if outline.round:
        return layout.ring(count, max(outline.width / 2 - inset, 0.0))
    half_width, half_depth = max(outline.width / 2 - inset, 0.0), max(outline.depth / 2 - inset, 0.0)
    if count <= 2:
        wide = outline.width >= outline.depth
        ends = [(-half_width, 0.0), (half_width, 0.0)] if wide else [(0.0, -half_depth), (0.0, half_depth)]
        return ends[:count]
    if count == 4:
        return [
            (-half_width, -half_depth),
            (half_width, -half_depth),
            (half_width, half_depth),
            (-half_width, half_depth),
        ]
    spots = []
    for k in range(count):
        angle = 2 * math.pi * k / count
        x, y = math.cos(angle), math.sin(angle)
        stretch = min(half_width / abs(x) if x else math.inf, half_depth / abs(y) if y else math.inf)
        spots.append((x * stretch, y * stretch))
    return spots
