"""“Grow a tree with 64 tips”, “a space colonization network”, “six levels”: a network from the ports there are."""

import math
import re
from dataclasses import dataclass
from typing import Any

from loopwright.agents.designspec.offline.draft import (
    NETWORK,
    Draft,
    DraftQuestion,
    Pointer,
    build_of,
    colony_policies,
    component_for,
    new_component,
    policy_place,
    tree_policies,
)
from loopwright.agents.designspec.offline.intents.intent import Phase
from loopwright.agents.designspec.offline.intents.places import Where
from loopwright.agents.designspec.offline.intents.ports import NewPorts
from loopwright.agents.designspec.offline.text import has

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
