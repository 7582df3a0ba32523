"""The far ends of straight channels: opened by an outlet across from each inlet, or closed again."""

from loopwright.agents.designspec.offline.body import OPPOSITE
from loopwright.agents.designspec.offline.components import every_port
from loopwright.agents.designspec.offline.draft import Draft, tidy
from loopwright.agents.designspec.offline.wishes.carrying import face_of


def open_far_ends(draft: Draft, index: int, radius: float | None = None) -> None:
    """Give every inlet that has none an outlet on the face across from it; the pipeline joins them in their order.

    Args:
        draft: what is proposed.
        index: the component.
        radius: the outlets' radius; that of each inlet when it is None.
    """
    body = draft.body(str(draft.get("components", index, "domain_ref")))
    inlets = draft.get("components", index, "ports", "inlets") or []
    outlets = draft.get("components", index, "ports", "outlets") or []
    taken = {port.get("name") for _, _, _, port in every_port(draft, lambda *_: True)}
    for inlet in inlets[len(outlets) :]:
        face, corners = (face_of(inlet, body), body.corners) if body else (None, None)
        outline = body.outline(face) if body and face else None
        if body is None or face is None or corners is None or outline is None:
            draft.refused.append("I cannot open the channels on the far side: where that is, only the pipeline knows.")
            return
        first, second = (inlet["position"][axis] - (corners[0][axis] + corners[1][axis]) / 2 for axis in outline.axes)
        placed = body.place(OPPOSITE[face], first, second)
        if placed is None:
            continue
        name = next(n for k in range(1, len(taken) + 2) if (n := f"outlet_{k}") not in taken)
        taken.add(name)
        port = {
            "name": name,
            "radius": inlet["radius"] if radius is None else radius,
            "vessel_type": "venous",
            "position": [tidy(value) for value in placed[0]],
            "direction": list(placed[1]),
        }
        draft.append(port, "components", index, "ports", "outlets")


def close_far_ends(draft: Draft, index: int) -> None:
    """Take the outlets away, so that the channels end within the body."""
    if draft.get("components", index, "ports", "outlets"):
        draft.set([], "components", index, "ports", "outlets")
