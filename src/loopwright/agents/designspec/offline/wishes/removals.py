"""“Remove the second inlet”, “delete the outlets”, “remove the network net_1”, “delete the domain”."""

import re
from dataclasses import dataclass, field

from loopwright.agents.designspec.offline.components import CHANNELS, IMPORT, NETWORK, build_of, mentioned
from loopwright.agents.designspec.offline.draft import Draft
from loopwright.agents.designspec.offline.text import has
from loopwright.agents.designspec.offline.wishes.port_changes import Chosen
from loopwright.agents.designspec.offline.wishes.wish import Phase

_KINDS = {
    r"network|tree|vasculature|serpentine\w*": NETWORK,
    r"channels?|holes?|bores?": CHANNELS,
    r"import\w*|void|mesh": IMPORT,
}


@dataclass(frozen=True)
class RemovePorts:
    """Ports go."""

    chosen: Chosen
    phase: Phase = field(default=Phase.MENDING)

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
    phase: Phase = field(default=Phase.MENDING)

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
    """The removal that a clause wishes for."""
    if re.match(r"(?:please )?(?:start (?:over|again|from scratch)|reset|begin again)", clause, re.I):
        return RemoveComponent("everything")
    if not has(clause, "remove|delete|drop|get rid of|take away|erase") or has(clause, "ridge|rim|lip|why|what|how"):
        return None
    if has(clause, r"inlets?\w*|outlets?\w*|ports?"):
        return RemovePorts(Chosen(clause))
    return RemoveComponent(clause)
