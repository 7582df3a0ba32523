"""“Add a 0.5 mm ridge around the top”, “remove the rim”."""

import re
from dataclasses import dataclass, field

from loopwright.agents.designspec.offline.draft import Draft
from loopwright.agents.designspec.offline.labels import labelled
from loopwright.agents.designspec.offline.quantities import Length, positive
from loopwright.agents.designspec.offline.text import has
from loopwright.agents.designspec.offline.wishes.places import read_where
from loopwright.agents.designspec.offline.wishes.wish import Phase


@dataclass(frozen=True)
class Ridge:
    """A rim on a face, or none."""

    face: str
    sizes: dict[str, Length]
    off: bool = False
    clause: str = ""
    phase: Phase = field(default=Phase.SETTING)

    def plan(self, draft: Draft) -> None:
        """Set the ridge policy; a height alone is the thickness too, and the other way round."""
        if self.off:
            gone = bool(draft.get("policies", "ridge", "enabled")) and draft.set(False, "policies", "ridge", "enabled")
            (draft.told if gone else draft.answers).append("take the ridge away" if gone else "There is no ridge.")
            return
        name = draft.main_domain
        body = draft.body(name) if name else None
        scale = body.scale if body and body.scale else draft.units(0.01)
        given = {key: draft.units(length) for key, length in self.sizes.items()}
        fallback = (
            given.get("height") or given.get("thickness") or draft.get("policies", "ridge", "height") or scale / 20
        )
        height, thickness = given.get("height", fallback), given.get("thickness", fallback)
        if not given:
            draft.assumed.append(f"the ridge is {draft.show(fallback)} high and wide")
        elif len(given) == 1:
            draft.assumed.append("the ridge is as wide as it is high")
        values = {
            "enabled": True,
            "face": self.face or draft.get("policies", "ridge", "face") or "top",
            "height": height,
            "thickness": thickness,
            "overlap": draft.units(min(height, scale / 20) / 2 * draft.metres_per_unit),
        }
        changed = [draft.set(value, "policies", "ridge", key) for key, value in values.items()]
        words = f"a ridge around the {values['face']}, {draft.show(height)} high and {draft.show(thickness)} wide"
        if any(changed):
            draft.told.append(f"add {words}")
        else:
            draft.answers.append(f"There is {words} already.")


def read_ridge(clause: str) -> Ridge | None:
    """The ridge that a clause wishes for.

    Raises:
        UnusableQuantity: a length cannot be used.
    """
    if not re.search(r"\b(?:ridges?|rims?|lips?|border wall)\b", clause, re.I) or has(
        clause, "why|what|explain|from the"
    ):
        return None
    where, rest = read_where(clause)
    names = {"height": "height", "width": "thickness", "wall": "thickness"}
    sizes = {}
    for label, length in labelled(re.sub(r"\bthick(?:ness)?\b", "wide", rest, flags=re.I)):
        sizes[names.get(label, "height" if "height" not in sizes else "thickness")] = positive(length)
    return Ridge(where.face, sizes, off=has(clause, "remove|delete|drop|no|without|off|disable"), clause=clause)
