"""“9 straight channels through the top, 1 mm diameter, stop 1 mm before the bottom, tapered”."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

from loopwright.agents.designspec.offline.body import OPPOSITE, Body, of_one
from loopwright.agents.designspec.offline.draft import (
    CHANNELS,
    NETWORK,
    Draft,
    Pointer,
    ask_for_body,
    build_of,
    every_port,
    new_component,
    policy_place,
    tidy,
)
from loopwright.agents.designspec.offline.intents import Phase
from loopwright.agents.designspec.offline.intents.places import Where, read_where
from loopwright.agents.designspec.offline.intents.ports import NewPorts, nice
from loopwright.agents.designspec.offline.intents.spots import face_of
from loopwright.agents.designspec.offline.text import NUMBER, Length, has, lengths, positive

# “A serpentine channel”: one channel that runs to and fro through the body, from an inlet to an outlet.

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
    """The serpentine that a clause asks for.

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


# The far ends of straight channels: opened by an outlet across from each inlet, or closed again.


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


_COUNT = re.compile(
    r"(?<![\w.])(\d{1,6})(?!\s*(?:mm|cm|um|µm|m|microns?|inch|%|\.\d))\s*(?:[\w.%µ/-]+ "
    r"){0,4}?(?:channels?|holes?|bores?)\b",
    re.I,
)
_ARRAY = re.compile(r"(?<![\w.])(\d{1,2})\s*(?:x|by)\s*(\d{1,2})\s+((?:[a-z]+ ){0,3}(?:channels|holes|bores))\b", re.I)
_STOP = re.compile(
    rf"({NUMBER}\s?[a-zµ]*)\s*(?:before|short of|above|from|off)\s*(?:reaching |touching "
    rf")?(?:the |its )?(?:bottom|end|far|other|opposite|base|floor|boundary|back)"
    rf"|stop(?:s|ping)?(?: them)?(?: at)?\s*({NUMBER}\s?[a-zµ]*)",
    re.I,
)
_DEEP = re.compile(rf"({NUMBER}\s?[a-zµ]*)\s*(?:deep|long)|(?:depth|length)\s*(?:of|=|:)?\s*({NUMBER}\s?[a-zµ]*)", re.I)
_TAPER = re.compile(
    rf"taper\w*\s*(?:down )?(?:to|end(?:s|ing)? (?:at|in|with))\s*(?:a )?(radius|"
    rf"diameter)?\s*(?:of )?({NUMBER}\s?[a-zµ]+)\s*(radius|diameter)?",
    re.I,
)
SIDES = ("long", "short", "width", "height")
_WIDTHS = ("radius", "diameter", "width", "inner_diameter", "")
_NAMED_SIDES = {"long": "length", "short": "thickness|depth", "width": "width", "height": "height"}
_OF_A_SIDE = "|".join(f"(?P<{side}>{words})" for side, words in _NAMED_SIDES.items())
_ALONG_SIDE = re.compile(
    rf"\b(?:along|through|across)(?: (?:the|its|their|whole|entire|full))* (?:{_OF_A_SIDE})\b(?: direction)?"
    rf"|\b(?P<lengthwise>lengthwise|lengthways)\b",
    re.I,
)
"""“Along its length”, “through the thickness”: the longest side, the shortest one; height is z."""


@dataclass(frozen=True)
class DrillChannels:
    """Straight channels from inlets: so many new ones, or from the inlets that are there."""

    count: int | None
    where: Where
    radius: Length | None
    stop: Length | None = None
    deep: Length | None = None
    through: bool = False
    profile: str = ""
    end_radius: Length | None = None
    clause: str = ""
    assumed: tuple[str, ...] = ()
    side: str = ""
    """One of `SIDES`, when the channels run along that side of the body."""
    phase: Phase = field(default=Phase.VOID)

    def plan(self, draft: Draft) -> None:
        """Add the inlets and say how deep the channels go; a component without inlets is turned into channels."""
        if self.side:
            face = face_along(draft, self.side)
            if face:
                replace(self, side="", where=replace(self.where, face=face)).plan(draft)
            return
        index = self._component(draft)
        if index is None:
            return
        name = str(draft.get("components", index, "id"))
        body = draft.body(str(draft.get("components", index, "domain_ref")))
        if not draft.get("components", index, "ports", "inlets") or self.count:
            radius = self.radius or self._default_radius(draft, body.scale if body else None)
            before = len(draft.refused)
            where = self.where if self.where.face else replace(self.where, face="top")
            NewPorts("inlets", self.count or 1, where, radius, clause=name, assumed=self.assumed).plan(draft)
            if len(draft.refused) > before:
                return
        if build_of(draft, index) != CHANNELS:
            draft.set({"type": CHANNELS}, "components", index, "build")
        self._policies(draft, index, body.scale if body else None)

    def _default_radius(self, draft: Draft, scale: float | None) -> Length:
        metres = nice((scale or draft.units(0.01)) / 10) * draft.metres_per_unit
        draft.assumed.append(f"the channels are {draft.show(2 * draft.units(metres))} in diameter")
        return Length(metres, "")

    def _component(self, draft: Draft) -> int | None:
        for index in reversed(range(len(draft.components))):
            kind, ports = build_of(draft, index), draft.get("components", index, "ports", "inlets") or []
            if (
                kind == CHANNELS
                or (kind == NETWORK and not ports)
                or (
                    kind == NETWORK and not self.count and not draft.get("components", index, "build", "backend_params")
                )
            ):
                return index
        if self.count is None and self.clause and not has(self.clause, "channels?|holes?|bores?"):
            draft.refused.append("There are no straight channels yet; say how many, such as “9 straight channels”.")
            return None
        return new_component(draft, "channels", {"type": CHANNELS})

    def _policies(self, draft: Draft, index: int, scale: float | None) -> None:
        name, place = draft.get("components", index, "id"), (*policy_place(draft, index), "channels")
        wanted: dict[str, Any] = {"profile": self.profile or draft.get(*place, "profile") or "cylinder"}
        inlets = draft.get("components", index, "ports", "inlets") or []
        ends = [float(port["radius"]) for port in inlets]
        taper = ""
        if self.profile == "taper":
            end = draft.units(self.end_radius) if self.end_radius else nice(0.5 * min(ends, default=draft.units(5e-4)))
            wanted["radius_end"] = end
            ends.append(end)
            taper = f", tapered to {draft.show(2 * end)} in diameter"
        depth, words = self._depth(draft, index, place, scale)
        for key, value in (wanted | depth).items():
            draft.set(value, *place, key)
        if self.through:
            open_far_ends(draft, index, wanted.get("radius_end"))
        known = draft.get(*place[:-1], "resolution", "min_channel_diameter") or draft.units(2e-4)
        if 0 < 2 * min(ends, default=0.0) < known:
            draft.set(nice(1.8 * min(ends)), *place[:-1], "resolution", "min_channel_diameter")
        draft.told.append(f"drill `{name}` as straight channels{words}{taper}")

    def _depth(self, draft: Draft, index: int, place: Pointer, scale: float | None) -> tuple[dict[str, Any], str]:
        """How deep the channels go, as fields of the policy and in words; nothing where that is settled already."""
        if self.deep:
            length = draft.units(self.deep)
            return {"length_mode": "explicit", "length": length}, f", {draft.show(length)} deep"
        if self.through:
            return {}, ", all the way through"
        if self.stop:
            close_far_ends(draft, index)
        elif draft.get(*place, "length_mode") or draft.get("components", index, "ports", "outlets"):
            return {}, ""
        stop = draft.units(self.stop) if self.stop else nice((scale or draft.units(5e-3)) / 5)
        if not self.stop:
            draft.assumed.append(
                f"the channels end {draft.show(stop)} before the far side; say “all the way through” to open them"
            )
        return (
            {"length_mode": "to_depth", "stop_before_boundary": stop},
            f", ending {draft.show(stop)} before the far side",
        )


def read_channels(clause: str) -> DrillChannels | None:
    """The straight channels that a clause asks for.

    Raises:
        UnusableQuantity: a length cannot be used.
    """
    if has(
        clause,
        "remove|delete|rename|why|what|explain|serpentine|meander\\w*|network|tree|diameter of|"
        "radius of|min|minimum|clearance|spacing|between",
    ):
        return None
    named = has(clause, "channels?|holes?|bores?|drill|tapered|taper|fang")
    if not named and not (has(clause, "stop|through|all the way") and has(clause, "before|all the way|them")):
        return None
    across = _along(clause)
    clause = _ALONG_SIDE.sub(" ", clause)
    through = bool(across) or has(
        clause,
        "all the way(?: through)?|through[- ]?holes?|through and through|(?:right|straight) through|open at "
        "both ends|through[- ]channels?|through (?:it|the (?:whole )?(?:body|part|cube|box|block|plate|cent(?:er|re)|"
        "middle))",
    )
    stop, rest = _cut(_STOP, clause)
    taper = _TAPER.search(rest)
    end = lengths(taper[2])[0] if taper else None
    if taper and end:
        end = end if taper[1] == "radius" or taper[3] == "radius" else replace(end, metres=end.metres / 2)
        rest = rest[: taper.start()] + " " + rest[taper.end() :]
    deep, rest = _cut(_DEEP, rest)
    rest = _ARRAY.sub(lambda found: f"{int(found[1]) * int(found[2])} grid {found[3]}", rest)
    count = _COUNT.search(rest)
    if count:
        rest = rest[: count.start(1)] + rest[count.end(1) :]
    where, rest = read_where(rest)
    if across and not (stop or deep):
        where = replace(where, face="" if across in SIDES else across, faces=(), opposite=False)
    if where.face == "bottom" and (stop or has(clause, "to the bottom|to bottom")):
        where = replace(where, face="top")
    sized = [(label, positive(length)) for label, length in of_one(rest) if label in _WIDTHS]
    label, size = next(((la, le) for la, le in sized if la), sized[0] if sized else ("", None))
    radius = None if size is None else size if label == "radius" else replace(size, metres=size.metres / 2)
    assumed = (f"{size.written} is the channels' diameter",) if size and not label else ()
    if has(clause, "holes?|bores?") and not (through or stop or deep or has(clause, "blind|taper\\w*")):
        through, assumed = True, (*assumed, "holes go all the way through")
    number = int(count[1]) if count else 1 if has(clause, "an? (?:[\\w.]+ ){0,4}(?:channel|hole|bore)") else None
    profile = (
        "fang_hook"
        if has(clause, "fang\\w*|hook\\w*")
        else "taper"
        if has(clause, "taper\\w*")
        else "cylinder"
        if has(clause, "straight|cylindric\\w*")
        else ""
    )
    side = across if across in SIDES else ""
    return DrillChannels(number, where, radius, stop, deep, through, profile, end, clause, assumed, side)


def _along(clause: str) -> str:
    """The face that channels start from when they run across or along an axis; one of `SIDES` for a side."""
    named = _ALONG_SIDE.search(clause)
    if named:
        return "long" if named["lengthwise"] else next(side for side in SIDES if named[side])
    side = re.search(r"\balong (?:the |its )?(long|short)(?:est|er)? (?:side|edge|axis|direction)\b", clause, re.I)
    if side:
        return side[1].lower()
    axis = re.search(r"\balong (?:the )?([xyz])\b", clause, re.I)
    if axis:
        return {"x": "left", "y": "front", "z": "top"}[axis[1].lower()]
    face = r"(top|bottom|left|right|front|back)(?: (?:face|side|end))?"
    pair = re.search(rf"\b(?:from )?(?:the )?{face} (?:\w+ ){{0,3}}?to (?:the )?{face}\b", clause, re.I)
    return pair[1].lower() if pair and OPPOSITE[pair[1].lower()] == pair[2].lower() else ""


def face_along(draft: Draft, side: str) -> str:
    """The face from which channels run along the body's longest or shortest side; says so where there is none."""
    body = draft.body(draft.main_domain or "")
    extents = [tidy(each) for each in body.extents] if body is not None and body.extents else []
    if side == "height" or (side in ("long", "short") and body is not None and body.kind == "cylinder"):
        return "top"
    if side == "width":
        chosen = min(extents[:2], default=0.0)
        extents = extents if max(extents, default=0.0) in extents[:2] else []
    else:
        chosen = (max if side == "long" else min)(extents, default=0.0)
    if extents[: 2 if side == "width" else 3].count(chosen) != 1:
        draft.refused.append(f"The body has no single {side} side; say along x, y or z.")
        return ""
    return ("left", "front", "top")[extents.index(chosen)]


def _cut(pattern: re.Pattern[str], text: str) -> tuple[Length | None, str]:
    match = pattern.search(text)
    if not match:
        return None, text
    found = lengths(next(group for group in match.groups() if group))
    return (positive(found[0]) if found else None), f"{text[: match.start()]} end {text[match.end() :]}"
