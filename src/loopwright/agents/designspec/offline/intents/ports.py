"""Ports (“add two inlets on top”), and the networks that grow from them (“grow a tree with 64 tips”)."""

import math
import re
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Any

from loopwright.agents.designspec.offline.body import Body, Spot, of_one
from loopwright.agents.designspec.offline.draft import (
    NETWORK,
    Draft,
    DraftQuestion,
    Pointer,
    ask_for_body,
    build_of,
    colony_policies,
    component_for,
    every_port,
    mentioned,
    new_component,
    policy_place,
    tidy,
    tree_policies,
)
from loopwright.agents.designspec.offline.intents import Phase
from loopwright.agents.designspec.offline.intents.places import Where, opposite_of, read_where
from loopwright.agents.designspec.offline.intents.spots import face_of, largest_radius, spots_for, spots_taken
from loopwright.agents.designspec.offline.text import Length, has, positive

MOST = 200
"""Ports in one intent."""
_NOUN = r"(?P<noun>inlets?|outlets?|ports?|openings?|inflows?|outflows?|entr(?:y|ies)|exits?)\b"
_COUNTED = re.compile(
    r"(?<![\w.])(?P<count>\d{1,6})(?!\s*(?:mm|cm|um|µm|m|microns?|inch|%|\.\d)\b)\s+(?:[a-z%/-]+ ){0,4}?" + _NOUN, re.I
)
_PLAIN = re.compile(rf"(?P<count>(?!))?\b{_NOUN}", re.I)
_NAMED = re.compile(r"\b(?:called|named)\s+[\"'`]?([A-Za-z][\w.-]{0,40})")


@dataclass(frozen=True)
class NewPorts:
    """Ports of a role; `radius` is None where nothing was said of it."""

    role: str
    count: int
    where: Where
    radius: Length | None = None
    name: str = ""
    clause: str = ""
    assumed: tuple[str, ...] = ()
    phase: Phase = field(default=Phase.PORTS)

    def plan(self, draft: Draft) -> None:
        """Add the ports to the component that is meant, or to a new one."""
        domain = draft.main_domain or ask_for_body(draft)
        if domain is None:
            return
        if self.where.faces and self.count >= len(self.where.faces):
            shares = [len(range(k, self.count, len(self.where.faces))) for k in range(len(self.where.faces))]
            for face, share in zip(self.where.faces, shares, strict=True):
                replace(self, count=share, where=replace(self.where, face=face, faces=())).plan(draft)
            return
        if self.count > MOST:
            draft.refused.append(f"{self.count} ports in one intent are more than I place ({MOST} at most).")
            return
        index = self._component(draft)
        if index is None:
            return
        name = str(draft.get("components", index, "domain_ref") or domain)
        body = draft.body(name)
        face = self._face(draft, body, name)
        draft.assumed += self.assumed
        if body is None or body.outline(face) is None:
            self._unplaced(draft, index, face)
            return
        taken = spots_taken(draft, name, body, face)
        spots = spots_for(draft, body, face, self.where, self.count, taken)
        radius = self._radius(draft, body, face, spots, taken)
        if radius is None:
            return
        names = self._append(draft, index, body, face, spots, radius)
        if body.kind not in ("box", "cylinder", "frustum") or (body.kind != "box" and face not in ("top", "bottom")):
            draft.set("project_to_boundary", "components", index, "policies", "ports", "projection_mode")
        draft.told.append(
            f"{self._words(names, draft.components[index]['id'])} on the {face}, {draft.show(2 * radius)} in diameter"
        )

    def sharing(self, last: "NewPorts") -> "NewPorts":
        """The intent with what the last port intent of the message says for all: the size of “all …”, and a place.

        A bottom is not taken over: in “an inlet and an outlet at the bottom” only the outlet is meant.
        """
        everyone = has(last.clause, "all|each|both|every")
        radius = last.radius if everyone and self.radius is None else self.radius
        bare = self.where == Where() and last.where.face not in ("", "bottom")
        return replace(self, radius=radius, where=replace(self.where, face=last.where.face) if bare else self.where)

    def _component(self, draft: Draft) -> int | None:
        named = mentioned(draft, self.clause)
        if named is not None:
            return named
        if draft.components:
            return len(draft.components) - 1
        return new_component(draft, "net", {"type": NETWORK, "backend": "scaffold_topdown"})

    def _face(self, draft: Draft, body: Body | None, domain: str) -> str:
        other = "inlets" if self.role == "outlets" else "outlets"
        across = next(
            (
                found
                for k, _, _, port in every_port(draft, lambda role, _: role == other)
                if body and draft.components[k].get("domain_ref") == domain and (found := face_of(port, body))
            ),
            None,
        )
        if self.where.opposite and not self.where.face:
            return opposite_of(across) if across else ("bottom" if self.role == "outlets" else "top")
        if self.where.face:
            return self.where.face
        face = opposite_of(across) if across else ("bottom" if self.role == "outlets" else "top")
        draft.assumed.append(f"the {self.role} are on the {face}")
        return face

    def _radius(self, draft: Draft, body: Body, face: str, spots: list[Spot], taken: list[Spot]) -> float | None:
        outline, scale = body.outline(face), body.scale
        if outline is None or scale is None:
            return None
        most = largest_radius(outline, spots, taken)
        if self.radius is not None:
            radius = draft.units(self.radius)
            if radius > most:
                draft.refused.append(
                    f"{self.count} {self.role} of {draft.show(2 * radius)} diameter do not fit there: at most "
                    f"{draft.show(max(2 * most, 0.0))} would, or other places."
                )
                return None
            if not self.radius.unit_given:
                draft.assumed.append("numbers without a unit are millimetres")
            return radius
        if most <= 0:
            draft.refused.append(f"The {self.role} would lie outside of the {face} face; give me a place on it.")
            return None
        same = [port["radius"] for _, _, _, port in every_port(draft, lambda role, _: role == self.role)]
        radius = nice(min(same[-1] if same else scale / 20, most / 2))
        draft.assumed.append(f"the {self.role} are {draft.show(2 * radius)} in diameter")
        return radius

    def _append(self, draft: Draft, index: int, body: Body, face: str, spots: list[Spot], radius: float) -> list[str]:
        names = []
        taken = {port.get("name") for k, _, _, port in every_port(draft, lambda *_: True)}
        for spot in spots:
            placed = body.place(face, *spot)
            if placed is None:
                continue
            stem = self.name or self.role[:-1]
            options = [stem] if self.name and self.count == 1 else []
            name = next(n for n in chain(options, (f"{stem}_{k}" for k in count(1))) if n not in taken)
            taken.add(name)
            names.append(name)
            port = _port(name, self.role, radius) | {
                "position": [tidy(value) for value in placed[0]],
                "direction": list(placed[1]),
            }
            draft.append(port, "components", index, "ports", self.role)
        return names

    def _unplaced(self, draft: Draft, index: int, face: str) -> None:
        """Ports on a body whose faces only the geometry stage knows: the ports policy places them."""
        radius = draft.units(self.radius) if self.radius else draft.units(5e-4)
        if not self.radius:
            draft.assumed.append(f"the {self.role} are {draft.show(2 * radius)} in diameter")
        taken = {port.get("name") for k, _, _, port in every_port(draft, lambda *_: True)}
        free = (n for k in count(1) if (n := f"{self.role[:-1]}_{k}") not in taken)
        names = [next(free) for _ in range(self.count)]
        for name in names:
            draft.append(_port(name, self.role, radius), "components", index, "ports", self.role)
        draft.set(face, "components", index, "policies", "ports", "face")
        draft.assumed.append("the pipeline places these ports, since the body's faces are known only to it")
        draft.told.append(f"{self._words(names, draft.components[index]['id'])} on the {face}")

    def _words(self, names: list[str], component: str) -> str:
        shown = ", ".join(f"`{name}`" for name in names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        noun = self.role if len(names) != 1 else self.role[:-1]
        return f"add {len(names)} {noun} ({shown}) to `{component}`"


def read_ports(clause: str) -> NewPorts | None:
    """The ports that a clause asks for.

    Raises:
        UnusableQuantity: a number cannot be used.
    """
    if has(
        clause,
        "remove|delete|drop|rename|move|shift|what|why|how|where|make|change|increase|decrease|"
        "reduce|double|halve|half|twice|set|resize",
    ):
        return None
    where, rest = read_where(clause)
    match = _COUNTED.search(rest) or _PLAIN.search(rest)
    if not match or not _is_intent(clause, match):
        return None
    noun = match["noun"].lower()
    role = "outlets" if re.match(r"outlet|outflow|exit", noun) else "inlets"
    plural = noun.endswith("s")
    several = 3 if has(clause, "several|some|a few|few") else 2
    number = (
        int(match["count"])
        if match["count"]
        else len(where.points) or (4 if where.pattern == "corners" else several if plural else 1)
    )
    assumed = [f"{number} {role}"] if plural and not match["count"] and not where.points else []
    if number < 1:
        return None
    told = of_one(rest[: match.start("count")] + rest[match.end("count") :] if match["count"] else rest)
    sized = [(label, length) for label, length in told if label in ("radius", "diameter", "width", "")]
    radius = None
    if sized:
        label, length = next(((la, le) for la, le in sized if la), sized[0])
        positive(length)
        radius = length if label == "radius" else replace(length, metres=length.metres / 2)
        if not label:
            assumed.append(f"{length.written} is the {role}' diameter")
    named = _NAMED.search(clause)
    return NewPorts(role, number, where, radius, named[1] if named else "", clause, tuple(assumed))


def nice(value: float) -> float:
    """A round number not above the value: 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times a power of ten."""
    exponent = float(f"1e{int(f'{value:e}'.split('e')[1])}")
    return tidy(max(step for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8) if step <= tidy(value / exponent)) * exponent)


def _is_intent(clause: str, match: re.Match[str]) -> bool:
    """Whether ports are asked for: a count, an article or a verb; `inlet radius 0.5 mm` is a setting."""
    if re.search(r"\b(?:inlet|outlet|port)s?(?:'s)? (?:radius|radii|diameter)", clause, re.I) and not match["count"]:
        return has(clause, "add|create|put|place|insert")
    return bool(match["count"]) or has(clause, "add|create|put|place|insert|an?|another|with|need|want|give|on|at|in")


def _port(name: str, role: str, radius: float) -> dict[str, Any]:
    return {"name": name, "radius": radius, "vessel_type": "venous" if role == "outlets" else "arterial"}


# “Grow a tree with 64 tips”, “a space colonization network”, “six levels”: a network from the ports there are.

MOST_TIPS = 5_000
DEFAULT_TIPS = 64
_TIPS = r"tips?|terminals?|terminal (?:branches|nodes|ends)|ends?|end ?points|leaves|leafs?|branches|twigs?|capillaries"
_COUNT = re.compile(
    rf"(?<![\w.])(\d{{1,7}})\s*(?:[a-z]+ )?(?:{_TIPS})\b"
    rf"|\b(?:{_TIPS})\s*(?:=|:|to|count|of|is)*\s*(\d{{1,7}})\b(?!\s*(?:mm|cm|um|µm|microns?|inch|\.\d|%))",
    re.I,
)
_LEVELS = re.compile(
    r"(?<![\w.])(\d{1,3})\s*(?:levels?|generations?|layers?)\b|\b(?:levels?|generations?|"
    r"depth)\s*(?:=|:|to|of)?\s*(\d{1,3})\b(?!\s*(?:mm|cm|um))",
    re.I,
)
_SPLITS = re.compile(
    r"\b(\d)[- ]way\b|\bsplit(?:s|ting)?\s*(?:into|in|=|:|to)?\s*(\d)\b|\b(\d) (?:children|splits)\b", re.I
)
_NETWORK = r"trees?|networks?|vasculature|bifurcat\w*|branching|trifurcat\w*|coloni[sz]ation|tips|terminals|vessels?"


@dataclass(frozen=True)
class GrowNetwork:
    """A network of a backend with so many tips (over all inlets together), or so many levels."""

    backend: str
    tips: int | None
    levels: int | None
    splits: int
    clause: str
    phase: Phase = Phase.VOID

    def plan(self, draft: Draft) -> None:
        """Let the component grow, with policies that suit the body; adds an inlet where there is none."""
        if (self.tips or 0) > MOST_TIPS or (self.levels or 0) > 12:
            draft.refused.append(
                f"So large a network is more than I plan by rules: at most {MOST_TIPS:,} tips or 12 levels."
            )
            return
        index = self._component(draft)
        if index is None:
            return
        if not draft.get("components", index, "ports", "inlets"):
            NewPorts("inlets", 1, Where(face="top"), clause=str(draft.get("components", index, "id"))).plan(draft)
        inlets = draft.get("components", index, "ports", "inlets") or []
        body = draft.body(str(draft.get("components", index, "domain_ref")))
        if not inlets:
            return
        backend = self.backend or str(draft.get("components", index, "build", "backend") or "scaffold_topdown")
        tips = self._tips(draft, len(inlets))
        build = {"type": NETWORK, "backend": backend}
        if build_of(draft, index) != NETWORK or draft.get("components", index, "build", "backend") != backend:
            draft.set(build, "components", index, "build")
        name = draft.get("components", index, "id")
        size = (body.scale, body.volume) if body else (None, None)
        scale, volume = size[0] or draft.units(0.02), size[1] or draft.units(0.02) ** 3
        radii = [float(port["radius"]) for port in inlets]
        if backend == "space_colonization":
            outlets = draft.get("components", index, "ports", "outlets") or []
            params, policies = colony_policies(scale, volume, radii, tips, len(outlets))
            kind = "by space colonization"
        else:
            per_inlet = max(1, math.ceil(tips / len(inlets)))
            levels = self.levels or max(1, round(math.log(per_inlet, self.splits)))
            extents = body.reach if body and body.reach else (scale, scale, scale)
            params, policies = tree_policies(
                extents, volume, radii, levels, self.splits, draft.get("components", index, "ports")
            )
            kind = (
                f"as a tree that splits {'in two' if self.splits == 2 else f'in {self.splits}'}, {levels} levels deep"
            )
            tips = len(inlets) * self.splits**levels if not self.tips else tips
        self._set(draft, index, tips, params, policies)
        draft.told.append(
            f"grow `{name}` {kind}, aimed at {tips} tips (the run tells how many there are) "
            f"from {len(inlets)} inlet{'s' * (len(inlets) > 1)}"
        )

    def _component(self, draft: Draft) -> int | None:
        index = component_for(draft, NETWORK, self.clause)
        if index is not None:
            return index
        bare = [k for k in range(len(draft.components)) if not build_of(draft, k)]
        return (
            bare[0]
            if bare
            else new_component(draft, "net", {"type": NETWORK, "backend": self.backend or "scaffold_topdown"})
        )

    def _tips(self, draft: Draft, inlets: int) -> int:
        if self.tips:
            return self.tips
        if self.levels:
            return int(inlets * self.splits**self.levels)
        known = known_tips(draft)
        if known:
            return known
        draft.assumed.append(f"the network has about {DEFAULT_TIPS} tips")
        return DEFAULT_TIPS

    def _set(
        self, draft: Draft, index: int, tips: int, params: dict[str, Any], policies: dict[str, dict[str, Any]]
    ) -> None:
        draft.set(params, "components", index, "build", "backend_params")
        policies["growth"]["target_terminals"] = tips
        for policy, fields in policies.items():
            for name, value in fields.items():
                draft.set(value, *policy_place(draft, index), policy, name)


@dataclass(frozen=True)
class AskTips:
    """More or fewer tips, without saying how many."""

    more: bool
    phase: Phase = Phase.VOID

    def plan(self, draft: Draft) -> None:
        """Ask how many, with twice or half as many as the default."""
        known = known_tips(draft) or DEFAULT_TIPS
        default = str(known * 2 if self.more else max(1, known // 2))
        question = f"How many tips shall the network have? It is meant to have {known} now."
        intent = "grow a network with {answer} tips"
        draft.ask(DraftQuestion("tips", question, "The intent gives no number.", default, intent))


def read_network(clause: str) -> GrowNetwork | AskTips | None:
    """The network that a clause asks for."""
    if not has(clause, _NETWORK) and not _LEVELS.search(clause):
        return None
    if has(clause, "wide|wider|thick|thicker|thin|thinner|apart"):
        return None
    if has(
        clause,
        "remove|delete|drop|rename|what|why|how|explain|radius|diameter|clearance|import|load|straight|show|export|save|only",
    ):
        return None
    count, levels, splits = _COUNT.search(clause), _LEVELS.search(clause), _SPLITS.search(clause)
    if not count and not levels and has(clause, "more|fewer|less") and has(clause, _TIPS):
        return AskTips(more=has(clause, "more"))
    colony = has(clause, r"space[- _]?coloni[sz]ation|coloni[sz]ation|space colonised|organic")
    tree = has(clause, r"trees?|bifurcat\w*|trifurcat\w*|scaffold[- _]topdown|top[- ]?down")
    ways = (
        int(next(value for value in splits.groups() if value)) if splits else 3 if has(clause, r"trifurcat\w*") else 2
    )
    return GrowNetwork(
        backend="space_colonization" if colony else "scaffold_topdown" if tree else "",
        tips=_first(count),
        levels=_first(levels),
        splits=max(2, min(ways, 6)),
        clause=clause,
    )


def known_tips(draft: Draft) -> int | None:
    """How many tips the document wants."""
    places: list[Pointer] = [("policies",), *(("components", k, "policies") for k in range(len(draft.components)))]
    found = [draft.get(*place, "growth", "target_terminals") for place in places]
    return next((tips for tips in found if isinstance(tips, int) and tips > 0), None)


def _first(match: re.Match[str] | None) -> int | None:
    value = int(next(group for group in match.groups() if group)) if match else 0
    return value or None
