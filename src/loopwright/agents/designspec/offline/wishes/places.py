"""Where on a body something is wished: the face, and the pattern or the coordinates on it."""

import re
from dataclasses import dataclass

from loopwright.agents.designspec.offline.body import ALIASES, OPPOSITE
from loopwright.agents.designspec.offline.quantities import NUMBER, Length, lengths, positive
from loopwright.agents.designspec.offline.text import has

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
