"""Judges a part by its mesh: body, channels that run through, openings in faces, ends of a tree."""

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from bench.small_model.outcome import Fact, Outcome, was_told
from bench.small_model.solid import Hole, Solid

NEAR = 0.01
"""Sizes of bodies may be off by so much of themselves."""
WIDE = 0.12
"""Diameters too: a circle is drawn as a polygon of few sides, and a drill may begin with a chamfer."""
FACES = {"top": (2, 1), "bottom": (2, -1)}
SIDES = ((0, -1), (0, 1), (1, -1), (1, 1))
AXES = {"x": 0, "y": 1, "z": 2}


def judge(case: dict[str, Any], outcome: Outcome) -> list[Fact]:
    """A fact for each thing that the request names; all fail where there is no solid."""
    expect, words = case["expect"], " ".join(case["messages"])
    mesh = outcome.extra.get("mesh")
    if mesh is None:
        return [Fact(words, False, str(outcome.extra.get("no_mesh", "there is no solid")))]
    try:
        solid = Solid.read(Path(mesh))
    except (ValueError, OSError) as error:
        return [Fact(words, False, str(error))]
    facts = [_body(expect["body"], solid, words)]
    facts += [_through(each, solid, words) for each in expect.get("through", [])]
    facts += _openings(expect.get("openings", []), solid, words)
    if "tips" in expect:
        facts.append(_tips(expect["tips"], solid, words))
    if expect.get("joined"):
        parts = solid.void_parts(float(min(solid.extents)) / 80)
        facts.append(Fact(words, parts == 1, f"the hollow has {parts} separate parts"))
    facts += [_missing(each, outcome) for each in expect.get("missing", [])]
    return facts


def _body(body: dict[str, Any], solid: Solid, words: str) -> Fact:
    found = tuple(round(float(each), 3) for each in solid.extents)
    if body["shape"] == "cylinder":
        wide, tall = body["diameter_mm"], body["height_mm"]
        sizes, volume = [wide, wide, tall], np.pi * wide**2 / 4 * tall
    else:
        sizes = body["size_mm"]
        volume = float(np.prod([found[at] if size is None else size for at, size in enumerate(sizes)]))
    fits = any(
        all(want is None or abs(have - want) <= NEAR * want for have, want in zip(found, order, strict=True))
        for order in permutations(sizes)
    )
    # An unknown side: whatever was taken, the body must still be a full box of its extents.
    volume = float(np.prod(found)) if None in sizes else volume
    full = abs(solid.hull_volume - volume) <= 3 * NEAR * volume
    return Fact(words, fits and full, f"the body is {found} mm, its hull {solid.hull_volume:.0f} of {volume:.0f} mm³")


def _through(channel: dict[str, Any], solid: Solid, words: str) -> Fact:
    """As many holes of that width in cuts at both ends and in the middle."""
    axis = _axis(channel["axis"], solid)
    wanted, diameter = channel["count"], channel["diameter_mm"]
    for share in (0.002, 0.25, 0.5, 0.75, 0.998):
        holes = solid.holes(axis, share)
        wide = [round(hole.diameter, 2) for hole in holes]
        if len(holes) != wanted or any(abs(each - diameter) > WIDE * diameter for each in wide):
            return Fact(words, False, f"at {share:.0%} of the {'xyz'[axis]} axis there are holes of {wide} mm")
        if "apart_mm" in channel and abs(_apart(holes) - channel["apart_mm"]) > 0.05 * channel["apart_mm"]:
            return Fact(words, False, f"the holes are {_apart(holes):.2f} mm apart")
    return Fact(words, True, "")


def _axis(name: str, solid: Solid) -> int:
    if name in AXES:
        return AXES[name]
    return int(np.argmax(solid.extents) if name == "longest" else np.argmin(solid.extents))


def _apart(holes: list[Hole]) -> float:
    return float(np.hypot(*(np.subtract(holes[0].centre, holes[1].centre))))


def _openings(wanted: list[dict[str, Any]], solid: Solid, words: str) -> list[Fact]:
    """Left and right may be any two opposite sides; top and bottom are those of z. No other face is open."""
    if not wanted:
        return []
    last: list[Fact] = []
    for left in SIDES:
        faces = FACES | {"left": left, "right": (left[0], -left[1])}
        last = [_face(each, faces[each["face"]], solid, words) for each in wanted]
        named = {faces[each["face"]] for each in wanted}
        others = sum(
            len(solid.openings(axis, side)) for axis in range(3) for side in (-1, 1) if (axis, side) not in named
        )
        last.append(Fact(words, others == 0, f"{others} openings in other faces"))
        if all(fact.holds for fact in last):
            return last
    return last


def _face(wanted: dict[str, Any], face: tuple[int, int], solid: Solid, words: str) -> Fact:
    wide = [round(hole.diameter, 2) for hole in solid.openings(*face)]
    fits = len(wide) == wanted["count"] and all(
        abs(each - wanted["diameter_mm"]) <= WIDE * wanted["diameter_mm"] for each in wide
    )
    return Fact(words, fits, f"{wanted['face']}: openings of {wide} mm")


def _tips(wanted: int, solid: Solid, words: str) -> Fact:
    found = solid.ends(float(max(solid.extents)) / 120, 2.0)
    return Fact(words, found == wanted, f"the hollow has {found} ends")


def _missing(what: str, outcome: Outcome) -> Fact:
    """What the request leaves open was asked for, or is named as taken."""
    named = any(what in question.lower() for question in outcome.questions) or was_told(what, outcome)
    said = [str(entry.get("text", "")) + str(entry.get("reason", "")) for entry in outcome.account.get("assumed", [])]
    tall = any(word in text.lower() for text in said for word in (what, "tall", "high"))
    return Fact(what, named or tall, "neither asked for nor named as assumed")
