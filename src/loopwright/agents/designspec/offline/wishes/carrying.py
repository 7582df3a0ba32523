"""When a body changes, the ports on its faces go along."""

from typing import Any

from loopwright.agents.designspec.offline.body import FACES, Body, Place
from loopwright.agents.designspec.offline.draft import Draft, tidy

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
