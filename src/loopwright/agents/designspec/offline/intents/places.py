"""Where on a body something is wanted: the face, and the pattern or the coordinates on it."""

import re
from dataclasses import dataclass, field

from loopwright.agents.designspec.offline.body import ALIASES, OPPOSITE, labelled
from loopwright.agents.designspec.offline.draft import Draft
from loopwright.agents.designspec.offline.intents import Phase
from loopwright.agents.designspec.offline.text import NUMBER, Length, has, lengths, positive

_FACES = {
    "top": r"top|upper|above|ceiling",
    "bottom": r"bottom|lower (?:face|side|end)|below|underside|underneath|base|floor",
    "left": r"left",
    "right": r"right",
    "front": r"front",
    "back": r"back|rear|behind",
}
_AXIS_FACE = re.compile(r"(?<![\w])([+-][xyz])\b", re.I)
_RING = re.compile(
    rf"\b(?:in|on|around|along)?\s*(?:a |an |the )?(?:circle|ring|circular pattern)\s*(?:of|with|at)?\s*(?:a )?"
    rf"(?:(radius|diameter|r|d)\s*(?:of|=|:)?\s*({NUMBER}\s?[a-zµ]*)|({NUMBER}\s?[a-zµ]+)\s*(radius|diameter))?",
    re.I,
)
_EDGE = re.compile(
    rf"({NUMBER}\s?[a-zµ]*)\s*(?:away |in |inset )?from (?:the |its |each )?(?:edge|rim|border|wall|side)s?", re.I
)
_APART = re.compile(
    rf"(?:({NUMBER}\s?[a-zµ]+)\s*apart|spac(?:ed|ing)\s*(?:of|by|=|:)?\s*({NUMBER}\s?[a-zµ]*)(?: apart)?)", re.I
)
_AXES = re.compile(rf"\b([xyz])\s*(?:=|:|at)\s*([-+]?{NUMBER}\s?(?:mm|cm|um|µm|m|inch)?)(?![\w])", re.I)
_TUPLE = re.compile(
    rf"[(\[]\s*([-+]?{NUMBER})\s*[,;]\s*([-+]?{NUMBER})(?:\s*[,;]\s*([-+]?{NUMBER}))?\s*[)\]]\s*(mm|cm|um|µm|m\b|inch)?",
    re.I,
)
_PATTERNS = {
    "corners": r"(?:in|at|near|to)? ?(?:the |each |all )?corners?",
    "grid": r"grid|array|matrix|lattice|rows",
    "row": r"row|line|in a line|side by side",
    "column": r"column",
    "center": r"(?:in|at|on|through)? ?(?:the |its )?(?:cent(?:er|re)|middle)(?: of)?|central(?:ly)?",
}


@dataclass(frozen=True)
class Where:
    """Where things go.

    `faces` are all that are named, where that is more than one; `points` are coordinates by axis, in metres, one
    mapping per place.
    """

    face: str = ""
    faces: tuple[str, ...] = ()
    opposite: bool = False
    pattern: str = ""
    ring: Length | None = None
    edge: Length | None = None
    apart: Length | None = None
    points: tuple[dict[str, float], ...] = ()
    unit_given: bool = True


def read_where(clause: str) -> tuple[Where, str]:
    """The place that a clause speaks of, and the clause without the lengths that belong to it.

    Raises:
        UnusableQuantity: a length cannot be used.
    """
    rest = clause
    points, rest, given = _points(rest)
    ring, rest = _ring(rest)
    edge, rest = _taken(_EDGE, rest)
    apart, rest = _taken(_APART, rest)
    pattern = "circle" if ring or has(clause, "circle|ring|circular") else ""
    pattern = pattern or next(
        (name for name, words in _PATTERNS.items() if re.search(rf"\b(?:{words})\b", rest, re.I)), ""
    )
    if apart and not pattern:
        pattern = "row"
    axis = _AXIS_FACE.search(rest)
    named = tuple(name for name, words in _FACES.items() if has(rest, words))
    if not named and has(clause, "(?:both|opposite|each|two) (?:sides|ends)|(?:each|either) (?:side|end)"):
        named = ("left", "right")
    face = ALIASES[axis[1].lower()] if axis else next(iter(named), "right" if has(rest, "sides?") else "")
    used = [length for length in (ring, edge, apart) if length]
    return (
        Where(
            face=face,
            faces=named if len(named) > 1 and not axis else (),
            opposite=has(rest, "opposite(?! (?:sides|ends))|other side|other end|far side|facing"),
            pattern=pattern,
            ring=ring,
            edge=edge,
            apart=apart,
            points=points,
            unit_given=given and all(length.unit_given for length in used),
        ),
        rest,
    )


def opposite_of(face: str) -> str:
    """The face across the body."""
    return OPPOSITE[face]


def _points(text: str) -> tuple[tuple[dict[str, float], ...], str, bool]:
    points: list[dict[str, float]] = []
    given = True
    for found in list(_TUPLE.finditer(text)):
        ones = [lengths(f"{value} {found[4] or ''}".strip())[0] for value in found.groups()[:3] if value]
        points.append(dict(zip("xyz", (one.metres for one in ones), strict=False)))
        given = given and bool(found[4])
    text = _TUPLE.sub(" ", text)
    axes: dict[str, float] = {}
    pairs = [(found[1].lower(), lengths(found[2])[0]) for found in _AXES.finditer(text)]
    unit = next((one.metres / _bare(one) for _, one in reversed(pairs) if one.unit_given and one.metres), None)
    for axis, one in pairs:
        axes[axis] = one.metres if one.unit_given or unit is None else one.metres * 1e3 * unit
        given = given and (one.unit_given or unit is not None)
    if axes:
        points.append(axes)
    return tuple(points), _AXES.sub(" ", text), given


def _bare(length: Length) -> float:
    """The number as it was written, without its unit."""
    return float(length.written.split()[0].replace(",", "."))


def _ring(text: str) -> tuple[Length | None, str]:
    match = _RING.search(text)
    if not match or not (match[2] or match[3]):
        return None, text
    one = positive(lengths(match[2] or match[3])[0])
    word = (match[1] or match[4]).lower()
    radius = Length(one.metres / (2 if word in ("diameter", "d") else 1), one.written, unit_given=one.unit_given)
    return radius, f"{text[: match.start()]} circle {text[match.end() :]}"


def _taken(pattern: re.Pattern[str], text: str) -> tuple[Length | None, str]:
    match = pattern.search(text)
    if not match:
        return None, text
    found = lengths(next(group for group in match.groups() if group))
    return (positive(found[0]) if found else None), f"{text[: match.start()]} {text[match.end() :]}"


# “Add a 0.5 mm ridge around the top”, “remove the rim”.


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
    """The ridge that a clause asks for.

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
