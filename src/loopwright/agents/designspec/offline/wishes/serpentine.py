"""“A serpentine channel”: one channel that runs to and fro through the body, from an inlet to an outlet."""

import re
from dataclasses import dataclass, field, replace

from loopwright.agents.designspec.offline.body import Body
from loopwright.agents.designspec.offline.components import NETWORK, ask_for_body, new_component, policy_place
from loopwright.agents.designspec.offline.draft import Draft, tidy
from loopwright.agents.designspec.offline.labels import of_one
from loopwright.agents.designspec.offline.quantities import Length, positive
from loopwright.agents.designspec.offline.text import has
from loopwright.agents.designspec.offline.wishes.ports import nice
from loopwright.agents.designspec.offline.wishes.wish import Phase

_TURNS = re.compile(r"(?<![\w.])(\d{1,3})\s*(?:turns?|bends?|loops?|passes|legs?|windings?|meanders?)\b", re.I)
MOST_LEGS = 60


@dataclass(frozen=True)
class Meander:
    """A serpentine with so many legs; its radius and their number follow from the body where they are not said."""

    radius: Length | None
    legs: int | None
    phase: Phase = field(default=Phase.VOID)

    def plan(self, draft: Draft) -> None:
        """Add a component with an inlet on the left, an outlet on the right, and one route between them."""
        name = draft.main_domain or ask_for_body(draft)
        body = draft.body(name) if name else None
        if body is None:
            return
        extents, plain = body.extents, body.plain
        if extents is None or plain is None or plain.kind not in ("box", "cylinder"):
            draft.refused.append("I lay a serpentine only into boxes and cylinders.")
            return
        thickness = min(extents)
        radius = draft.units(self.radius) if self.radius else nice(thickness / 10)
        if not self.radius:
            draft.assumed.append(f"the channel is {draft.show(2 * radius)} in diameter")
        shrink = 0.66 if plain.kind == "cylinder" else 1.0
        length, width = extents[0] * shrink, extents[1] * shrink
        margin = max(0.1 * min(length, width), 3 * radius)
        most = int((length - 2 * margin) / (4 * radius)) + 1
        legs = self.legs or max(2, min(8, most))
        if legs > min(most, MOST_LEGS) or 3 * radius > thickness / 2 or width <= 3 * margin:
            draft.refused.append(
                f"A serpentine of {legs} legs, {draft.show(2 * radius)} in diameter, does not fit into this body."
            )
            return
        self._add(draft, body, radius, legs, (length / 2 - margin, width / 2 - margin))

    def _add(self, draft: Draft, body: Body, radius: float, legs: int, half: tuple[float, float]) -> None:
        corners = body.corners
        index = new_component(draft, "serpentine", {"type": NETWORK, "backend": "programmatic"})
        if index is None or corners is None:
            return
        middle = [(low + high) / 2 for low, high in zip(*corners, strict=True)]
        via = []
        for leg in range(legs):
            x = middle[0] - half[0] + 2 * half[0] * leg / max(legs - 1, 1)
            side = -1 if leg % 2 == 0 else 1
            via += [[tidy(x), tidy(middle[1] + s * half[1]), tidy(middle[2])] for s in (side, -side)]
        ends = {"left": ("inlets", via[0][1] - middle[1]), "right": ("outlets", via[-1][1] - middle[1])}
        for face, (role, second) in ends.items():
            placed = body.place(face, second, 0.0)
            if placed is None:
                continue
            port = {
                "name": f"{role[:-1]}_{draft.get('components', index, 'id')}",
                "position": [tidy(v) for v in placed[0]],
                "direction": list(placed[1]),
                "radius": radius,
                "vessel_type": "arterial" if face == "left" else "venous",
            }
            draft.append(port, "components", index, "ports", role)
        ports = draft.get("components", index, "ports")
        step = {
            "op": "connect_to_outlet",
            "from": ports["inlets"][0]["name"],
            "outlet": ports["outlets"][0]["name"],
            "via": via,
            "algorithm": "straight",
            "radius": radius,
        }
        draft.set({"steps": [step]}, "components", index, "build", "backend_params")
        if body.kind != "box":
            draft.set("project_to_boundary", "components", index, "policies", "ports", "projection_mode")
        place = policy_place(draft, index)
        draft.set("programmatic", *place, "growth", "backend")
        draft.set("constant", *place, "radius", "mode")
        known = draft.get(*place, "resolution", "min_channel_diameter") or draft.units(2e-4)
        if 2 * radius < known:
            draft.set(nice(1.8 * radius), *place, "resolution", "min_channel_diameter")
        draft.told.append(
            f"lay `{draft.get('components', index, 'id')}`: one channel of {draft.show(2 * radius)} "
            f"diameter in {legs} legs, "
            "from an inlet on the left to an outlet on the right"
        )


def read_serpentine(clause: str) -> Meander | None:
    """The serpentine that a clause wishes for.

    Raises:
        UnusableQuantity: a length cannot be used.
    """
    if not re.search(r"\b(?:serpentine|meander|zig[- ]?zag|snak)", clause, re.I) or has(
        clause, "remove|delete|rename|why|what"
    ):
        return None
    turns = _TURNS.search(clause)
    rest = _TURNS.sub(" ", clause)
    sized = [
        (label, positive(length)) for label, length in of_one(rest) if label in ("radius", "diameter", "width", "")
    ]
    label, size = sized[0] if sized else ("", None)
    radius = None if size is None else size if label == "radius" else replace(size, metres=size.metres / 2)
    legs = int(turns[1]) if turns else None
    if turns and legs and re.search(r"turn|bend", turns[0], re.I):
        legs += 1
    return Meander(radius, legs)
