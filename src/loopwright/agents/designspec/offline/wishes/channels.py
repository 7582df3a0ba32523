"""“9 straight channels through the top, 1 mm diameter, stop 1 mm before the bottom, tapered”."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

from loopwright.agents.designspec.offline.components import CHANNELS, NETWORK, build_of, new_component, policy_place
from loopwright.agents.designspec.offline.draft import Draft, Pointer
from loopwright.agents.designspec.offline.labels import of_one
from loopwright.agents.designspec.offline.quantities import NUMBER, Length, lengths, positive
from loopwright.agents.designspec.offline.text import has
from loopwright.agents.designspec.offline.wishes.far_ends import close_far_ends, open_far_ends
from loopwright.agents.designspec.offline.wishes.places import Where, read_where
from loopwright.agents.designspec.offline.wishes.ports import AddPorts, nice
from loopwright.agents.designspec.offline.wishes.wish import Phase

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
    phase: Phase = field(default=Phase.VOID)

    def plan(self, draft: Draft) -> None:
        """Add the inlets and say how deep the channels go; a component without inlets is turned into channels."""
        index = self._component(draft)
        if index is None:
            return
        name = str(draft.get("components", index, "id"))
        body = draft.body(str(draft.get("components", index, "domain_ref")))
        if not draft.get("components", index, "ports", "inlets") or self.count:
            radius = self.radius or self._default_radius(draft, body.scale if body else None)
            before = len(draft.refused)
            where = self.where if self.where.face else replace(self.where, face="top")
            AddPorts("inlets", self.count or 1, where, radius, clause=name, assumed=self.assumed).plan(draft)
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
    """The straight channels that a clause wishes for.

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
    through = has(
        clause,
        "all the way(?: through)?|through[- ]?holes?|through and through|right through|open at "
        "both ends|through[- ]channels?",
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
    if where.face == "bottom" and (stop or has(clause, "to the bottom|to bottom")):
        where = replace(where, face="top")
    sized = [
        (label, positive(length)) for label, length in of_one(rest) if label in ("radius", "diameter", "width", "")
    ]
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
    return DrillChannels(number, where, radius, stop, deep, through, profile, end, clause, assumed)


def _cut(pattern: re.Pattern[str], text: str) -> tuple[Length | None, str]:
    match = pattern.search(text)
    if not match:
        return None, text
    found = lengths(next(group for group in match.groups() if group))
    return (positive(found[0]) if found else None), f"{text[: match.start()]} end {text[match.end() :]}"
