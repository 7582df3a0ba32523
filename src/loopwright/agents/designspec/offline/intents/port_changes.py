"""Ports that are there: renamed, moved, made wider or narrower."""

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from loopwright.agents.designspec.offline.body import Amount, read_amount
from loopwright.agents.designspec.offline.draft import (
    CHANNELS,
    IMPORT,
    NETWORK,
    Draft,
    DraftQuestion,
    Pointer,
    build_of,
    every_port,
    mentioned,
    tidy,
)
from loopwright.agents.designspec.offline.intents import Phase
from loopwright.agents.designspec.offline.intents.places import Where, read_where
from loopwright.agents.designspec.offline.intents.spots import face_of, largest_radius, spots_for, spots_taken
from loopwright.agents.designspec.offline.text import NUMBER, UnusableQuantity, has, lengths

_NUMBERED = re.compile(
    r"\b(inlet|outlet|port)s?[ _#-]*(?:no\.? ?|number )?(\d{1,4})\b(?!\s*(?:mm|cm|um|µm|m\b|%))", re.I
)
_ORDINALS = {"1st": 0, "first": 0, "2nd": 1, "second": 1, "3rd": 2, "third": 2, "4th": 3, "fourth": 3, "last": -1}
_SHIFT = re.compile(
    rf"(?:by )?([-+]?{NUMBER}\s?[a-zµ]*)\s*(?:in|along|towards?|to the|on)?\s*(?:the "
    rf")?([+-]?[xyz]\b|left|right|front|back|up|down)",
    re.I,
)
_RENAME = re.compile(
    r"\brename\s+(?:the )?(.+?)\s+(?:to|as|into)\s+[\"'`]?([A-Za-z0-9][\w.-]{0,63})|"
    r"\bcall\s+(?:the )?(.+?)\s+[\"'`]?([A-Za-z0-9][\w.-]{0,63})[\"'`]?$",
    re.I,
)
_DIRECTIONS = {"left": "-x", "right": "+x", "front": "-y", "back": "+y", "up": "+z", "down": "-z"}
_SIZE = (
    r"radius|radii|diameters?|wide[nr]?|wider|narrow(?:er)?|thick(?:er)?|thin(?:ner)?|"
    r"big(?:ger)?|larger?|small(?:er)?|size|double|halve|half|twice|width"
)


@dataclass(frozen=True)
class Chosen:
    """Which ports: of a role, by number, by name, or all."""

    clause: str

    def ports(self, draft: Draft) -> list[tuple[Pointer, str, dict[str, Any]]]:
        """The ports as pointer, role and value, in the document's order."""
        names = {word.strip("`'\".,:;()?!").lower() for word in self.clause.split()}
        named = [found for found in self._all(draft, "") if str(found[2].get("name", "")).lower() in names]
        if named:
            return named
        role = (
            "inlets"
            if has(self.clause, "inlets?|inflows?")
            else "outlets"
            if has(self.clause, "outlets?|outflows?")
            else ""
        )
        if has(self.clause, "inlets?") and has(self.clause, "outlets?"):
            role = ""
        every = self._all(draft, role)
        number = _NUMBERED.search(self.clause)
        if number:
            return every[int(number[2]) - 1 : int(number[2])] if int(number[2]) else []
        ordinal = next((k for word, k in _ORDINALS.items() if has(self.clause, word)), None)
        if ordinal is not None:
            return every[-1:] if ordinal < 0 else every[ordinal : ordinal + 1]
        return every

    @staticmethod
    def _all(draft: Draft, role: str) -> list[tuple[Pointer, str, dict[str, Any]]]:
        found = every_port(draft, lambda which, _: role in ("", which))
        return [(("components", index, "ports", which, number), which, port) for index, which, number, port in found]


@dataclass(frozen=True)
class ChangePorts:
    """What happens to the ports that are chosen."""

    kind: Literal["rename", "move", "radius"]
    chosen: Chosen
    amount: Amount | None = None
    diameter: bool = False
    shift: tuple[float, float, float] | None = None
    where: Where | None = None
    name: str = ""
    phase: Phase = field(default=Phase.SETTING)

    def plan(self, draft: Draft) -> None:
        """Change them; says so when there are none."""
        component = mentioned(draft, self.chosen.clause) if self.kind == "rename" else None
        if component is not None:
            self._rename_component(draft, component)
            return
        ports = self.chosen.ports(draft)
        if not ports:
            known = ", ".join(f"`{port.get('name')}`" for _, _, port in Chosen("").ports(draft)) or "none"
            draft.refused.append(f"I do not find that port. The ports are: {known}.")
            return
        if self.kind == "rename":
            self._rename(draft, ports)
        elif self.kind == "radius":
            self._resize(draft, ports)
        else:
            self._move(draft, ports)

    def _rename(self, draft: Draft, ports: list[tuple[Pointer, str, dict[str, Any]]]) -> None:
        if len(ports) > 1:
            names = ", ".join(f"`{port['name']}`" for _, _, port in ports)
            draft.refused.append(f"A new name fits one port only; which of {names} do you mean?")
            return
        place, _, port = ports[0]
        if any(other.get("name") == self.name for _, _, other in Chosen("").ports(draft)):
            draft.refused.append(f"There is a port named `{self.name}` already.")
            return
        old = port["name"]
        draft.expect(old, *place, "name")
        draft.set(self.name, *place, "name")
        draft.told.append(f"rename `{old}` to `{self.name}`")

    def _rename_component(self, draft: Draft, index: int) -> None:
        old = draft.get("components", index, "id")
        if any(each.get("id") == self.name for each in draft.components):
            draft.refused.append(f"There is a component named `{self.name}` already.")
            return
        draft.expect(old, "components", index, "id")
        draft.set(self.name, "components", index, "id")
        draft.told.append(f"rename the component `{old}` to `{self.name}`")

    def _resize(self, draft: Draft, ports: list[tuple[Pointer, str, dict[str, Any]]]) -> None:
        if self.amount is None:
            question = "How wide shall they be? For example: 1 mm in diameter."
            default = "1 mm"
            names = " ".join(str(port["name"]) for _, _, port in ports)
            intent = f"set the ports {names} to {{answer}} diameter"
            draft.ask(DraftQuestion("port_size", question, "The intent gives no size.", default, intent))
            return
        for place, _, port in ports:
            old = float(port["radius"])
            new = (
                self.amount.of(2 * old, draft.metres_per_unit) / 2
                if self.diameter
                else self.amount.of(old, draft.metres_per_unit)
            )
            most = self._largest_radius(draft, place, port)
            if most is not None and new > most:
                draft.refused.append(f"`{port['name']}` cannot be that wide: at most {draft.show(2 * most)} fit there.")
                continue
            if draft.set(tidy(new), *place, "radius"):
                draft.told.append(
                    f"make `{port['name']}` {draft.show(2 * new)} in diameter (it was {draft.show(2 * old)})"
                )
        if not self.amount.unit_given:
            draft.assumed.append("numbers without a unit are millimetres")

    @staticmethod
    def _largest_radius(draft: Draft, place: Pointer, port: dict[str, Any]) -> float | None:
        """The largest radius that fits where the port is; None when that cannot be told."""
        body = draft.body(str(draft.get(*place[:2], "domain_ref")))
        face = face_of(port, body) if body else None
        outline = body.outline(face) if body and face else None
        if body is None or face is None or outline is None:
            return None
        corners = body.corners or ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        own = [port["position"][axis] - (corners[0][axis] + corners[1][axis]) / 2 for axis in outline.axes]
        return largest_radius(outline, [(own[0], own[1])], [])

    def _move(self, draft: Draft, ports: list[tuple[Pointer, str, dict[str, Any]]]) -> None:
        if self.shift is None and self.where is None:
            names = " ".join(str(port["name"]) for _, _, port in ports[:1])
            question = "Where to? For example: by 2 mm in x, or to the centre of the top."
            intent = f"move the port {names} {{answer}}"
            draft.ask(DraftQuestion("move", question, "The intent says no place.", "by 2 mm in x", intent))
            return
        for number, (place, _, port) in enumerate(ports):
            old = port.get("position")
            new = self._shifted(draft, old) if self.shift else self._placed(draft, place, port, number, len(ports))
            if new is None:
                draft.refused.append(f"`{port.get('name')}` has no position that I could change.")
                continue
            most = self._largest_radius(
                draft, place, port | {"position": new[0]} | ({"direction": new[1]} if new[1] else {})
            )
            if most is not None and most < float(port["radius"]):
                draft.refused.append(f"There `{port['name']}` would reach over the edge of the body.")
                continue
            if draft.set(new[0], *place, "position"):
                x, y, z = (draft.show(value) for value in new[0])
                draft.told.append(f"move `{port['name']}` to x {x}, y {y}, z {z}")
            if new[1]:
                draft.set(new[1], *place, "direction")

    def _shifted(self, draft: Draft, old: Any) -> tuple[list[float], list[float] | None] | None:
        if not isinstance(old, list) or len(old) != 3 or self.shift is None:
            return None
        return [tidy(value + draft.units(by)) for value, by in zip(old, self.shift, strict=True)], None

    def _placed(
        self, draft: Draft, place: Pointer, port: dict[str, Any], number: int, count: int
    ) -> tuple[list[float], list[float] | None] | None:
        domain = str(draft.get(*place[:2], "domain_ref"))
        body = draft.body(domain)
        if body is None or self.where is None:
            return None
        face = self.where.face or face_of(port, body) or "top"
        taken = [] if self.where != Where(face=face) or count > 1 else spots_taken(draft, domain, body, face)
        spots = spots_for(draft, body, face, self.where, count, taken)
        found = body.place(face, *spots[min(number, len(spots) - 1)]) if spots else None
        if found is None:
            return None
        return [tidy(value) for value in found[0]], list(found[1])


def read_port_change(clause: str) -> ChangePorts | None:
    """The change of ports that a clause asks for.

    Raises:
        UnusableQuantity: a number cannot be used.
    """
    if has(clause, "remove|delete|add|create|why|what|explain|how|where"):
        return None
    rename = _RENAME.search(clause)
    if rename and (has(rename[1] or rename[3], "inlet\\w*|outlet\\w*|port\\w*") or rename[1]):
        return ChangePorts("rename", Chosen(rename[1] or rename[3]), name=rename[2] or rename[4])
    if re.search(r"\b(?:an?|another|new) (?:[\w.]+ ){0,3}(?:inlet|outlet|port)s?\b", clause, re.I):
        return None
    about = re.search(r"\b(?:inlet|outlet|port)(?:s|\b|_|\d)", clause, re.I) or re.match(
        r"(?:half|halve|double|twice) the (?:radius|diameter)", clause, re.I
    )
    if not about:
        return None
    if has(clause, "move|shift|put|place|push|slide|bring") and not re.search(
        r"\b\d+ (?:inlets|outlets|ports)\b", clause, re.I
    ):
        return _read_move(clause)
    if re.search(rf"\b(?:{_SIZE})\b", clause, re.I) or re.search(r"\b(?:make|set)\b", clause, re.I):
        counted = re.search(r"(?<![\w.])\d+ (?:[a-z]+ )?(?:inlet|outlet|port)s?\b", clause, re.I)
        if counted and not has(clause, "make|set|change|increase|decrease|reduce|double|halve"):
            return None
        bare = _NUMBERED.sub(lambda found: found[1], clause)
        bare = re.sub(r"\b(inlet|outlet|port)_\w+", r"\1", bare, flags=re.I)
        amount = read_amount(re.sub(r"\b(?:1st|2nd|3rd|4th)\b", "", bare))
        return ChangePorts(
            "radius", Chosen(clause), amount=amount, diameter=not has(clause, "radius|radii|r") and amount is not None
        )
    return None


def _read_move(clause: str) -> ChangePorts:
    numberless = _NUMBERED.sub(lambda found: found[1], clause)
    shift = _SHIFT.search(numberless)
    by = [0.0, 0.0, 0.0]
    for found in _SHIFT.finditer(numberless):
        axis = _DIRECTIONS.get(found[2].lower(), found[2].lower())
        metres = lengths(found[1])[0].metres
        by["xyz".index(axis[-1])] += -metres if axis.startswith("-") else metres
    if shift and not re.search(rf"\bto [xyz]?\s*=?\s*{NUMBER}", numberless, re.I):
        return ChangePorts("move", Chosen(clause), shift=(by[0], by[1], by[2]))
    where, _ = read_where(re.sub(r"\b(?:inlet|outlet|port)[s_]?\w*", " ", numberless, flags=re.I))
    if where == Where():
        return ChangePorts("move", Chosen(clause))
    if any(abs(value) > 10 for point in where.points for value in point.values()):
        raise UnusableQuantity("That place is too far away.")
    return ChangePorts("move", Chosen(clause), where=where)


# “Remove the second inlet”, “delete the outlets”, “remove the network net_1”, “delete the domain”.

_KINDS = {
    r"network|tree|vasculature|serpentine\w*": NETWORK,
    r"channels?|holes?|bores?": CHANNELS,
    r"import\w*|void|mesh": IMPORT,
}


@dataclass(frozen=True)
class RemovePorts:
    """Ports go."""

    chosen: Chosen
    phase: Phase = field(default=Phase.REPAIRING)

    def plan(self, draft: Draft) -> None:
        """Remove them from the last to the first, so that no index shifts under the next."""
        ports = self.chosen.ports(draft)
        if not ports:
            draft.refused.append("I do not find that port.")
            return
        for place, _, port in reversed(ports):
            draft.remove(*place, guard=((*place, "name"), port.get("name")))
        names = ", ".join(f"`{port.get('name')}`" for _, _, port in ports)
        draft.told.append(f"remove {names}")


@dataclass(frozen=True)
class RemoveComponent:
    """A component goes, or a body that no component needs, or everything."""

    clause: str
    phase: Phase = field(default=Phase.REPAIRING)

    def plan(self, draft: Draft) -> None:
        """Remove what is meant; a body with components in it is kept."""
        if has(self.clause, "everything|all of it|from scratch|over|all"):
            self._everything(draft)
            return
        index = mentioned(draft, self.clause)
        if index is None:
            kind = next((kind for words, kind in _KINDS.items() if has(self.clause, words)), None)
            every = has(self.clause, "component")
            found = [k for k in range(len(draft.components)) if every or (kind and build_of(draft, k) == kind)]
            if len(found) > 1:
                names = ", ".join(f"`{draft.get('components', k, 'id')}`" for k in found)
                draft.refused.append(f"Which one shall go: {names}? Name it, please.")
                return
            index = found[0] if found else None
        if index is not None:
            name = draft.get("components", index, "id")
            draft.remove("components", index, guard=(("components", index, "id"), name))
            draft.told.append(f"remove the component `{name}`")
            return
        self._domain(draft)

    @staticmethod
    def _everything(draft: Draft) -> None:
        for index in reversed(range(len(draft.components))):
            draft.remove("components", index, guard=(("components", index, "id"), draft.get("components", index, "id")))
        for name in list(draft.domains):
            draft.remove("domains", name)
        if draft.operations:
            draft.told.append("remove every component and every domain; the policies stay")

    def _domain(self, draft: Draft) -> None:
        words = {word.strip("`'\".,") for word in self.clause.split()}
        name = next((each for each in draft.domains if each in words), None)
        if name is None and has(self.clause, "domain|body|box|cylinder|disc|cube|sphere") and len(draft.domains) == 1:
            name = next(iter(draft.domains))
        if name is None:
            draft.refused.append("I do not find what shall be removed.")
            return
        users = [str(each.get("id")) for each in draft.components if each.get("domain_ref") == name]
        if users:
            draft.refused.append(f"The body `{name}` is needed by {', '.join(users)}; remove those first.")
            return
        draft.remove("domains", name)
        draft.told.append(f"remove the domain `{name}`")


def read_removal(clause: str) -> RemovePorts | RemoveComponent | None:
    """The removal that a clause asks for."""
    if re.match(r"(?:please )?(?:start (?:over|again|from scratch)|reset|begin again)", clause, re.I):
        return RemoveComponent("everything")
    if not has(clause, "remove|delete|drop|get rid of|take away|erase") or has(clause, "ridge|rim|lip|why|what|how"):
        return None
    if has(clause, r"inlets?\w*|outlets?\w*|ports?"):
        return RemovePorts(Chosen(clause))
    return RemoveComponent(clause)
