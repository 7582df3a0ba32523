"""A directive in the making: a working copy of the document, and what is done to it, intent by intent."""

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from loopwright.agents.designspec.offline.body import Body
from loopwright.agents.designspec.offline.text import UNITS, Length, shown
from loopwright.kits.dialogue import read_state

# The context pack: what a request's state tells about the design, as the rules read it.

OPENING, CLOSING = "<context_pack>", "</context_pack>"


@dataclass(frozen=True)
class Pack:
    """The pack, with everything that may be absent made empty. `spec` is None when it was not sent."""

    spec: Mapping[str, Any] | None = None
    issues: tuple[Mapping[str, Any], ...] = ()
    last_run: Mapping[str, Any] | None = None
    history: tuple[Mapping[str, Any], ...] = ()
    expanded: bool = False
    """Whether this is the second hop: what was asked for has come, and no more will."""

    @classmethod
    def read(cls, state: str, *, expanded: bool = False) -> "Pack":
        """The pack out of a request's state: the object between the last pair of marker lines.

        Raises:
            UnreadableRequest: there is no such block, or it holds no JSON object.
        """
        lines = state.split("\n")
        ends = [index for index, line in enumerate(lines) if line.strip() == CLOSING]
        starts = [index for index, line in enumerate(lines) if line.strip() == OPENING and ends and index < ends[-1]]
        block = "\n".join(lines[starts[-1] + 1 : ends[-1]]) if starts else None
        return cls.of(read_state(block, "context pack"), expanded=expanded)

    @classmethod
    def of(cls, told: Mapping[str, Any], *, expanded: bool = False) -> "Pack":
        """The pack out of its JSON object; parts of a wrong type count as absent."""
        return cls(
            spec=_mapping(told.get("spec")),
            issues=_mappings(told.get("issues")),
            last_run=_mapping(told.get("last_run")),
            history=_mappings(told.get("history")),
            expanded=expanded,
        )

    @property
    def failed_checks(self) -> tuple[Mapping[str, Any], ...]:
        """The checks that the last run did not pass."""
        return _mappings((self.last_run or {}).get("failed_checks"))


def _mapping(value: Any) -> Mapping[str, Any] | None:
    return value if isinstance(value, dict) else None


def _mappings(value: Any) -> tuple[Mapping[str, Any], ...]:
    return tuple(each for each in value if isinstance(each, dict)) if isinstance(value, list | tuple) else ()


Pointer = tuple[str | int, ...]
"""A place in the document: member names and indices."""


class Plannable(Protocol):
    """What an answer is understood as."""

    def plan(self, draft: "Draft") -> None:
        """Add to the draft what fulfils it."""
        ...


Understanding = Callable[[str], Sequence[Plannable]]


@dataclass(frozen=True)
class DraftQuestion:
    """A question to the user; `intent` is what the user means by the answer, which stands for `{answer}` in it."""

    id: str
    question: str
    why_needed: str
    default: str = ""
    intent: str = "{answer}"


@dataclass
class Draft:
    """What the rules propose. `told` are the changes in words, `assumed` what was taken where the user said nothing."""

    pack: Pack
    document: dict[str, Any]
    operations: list[dict[str, Any]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    questions: list[DraftQuestion] = field(default_factory=list)
    run_request: dict[str, Any] | None = None
    context_requests: dict[str, Any] | None = None
    given: dict[str, str] = field(default_factory=dict)
    """The user's answers by question."""
    understand: Understanding | None = None

    @classmethod
    def of(cls, pack: Pack, given: Mapping[str, str] | None = None, understand: Understanding | None = None) -> "Draft":
        """A draft that proposes nothing yet; `understand` turns answers into intents."""
        return cls(pack, copy.deepcopy(dict(pack.spec or {})), given=dict(given or {}), understand=understand)

    def ask(self, question: DraftQuestion) -> bool:
        """Ask, unless the user has answered already: then plan what the answer means, and tell so by True.

        An answer serves once, so that one which does not help leads to no endless asking.
        """
        answer = self.given.pop(question.question, None)
        if answer is None or self.understand is None:
            if all(other.id != question.id for other in self.questions):
                self.questions.append(question)
            return False
        for intent in self.understand(question.intent.replace("{answer}", answer)):
            intent.plan(self)
        return True

    @property
    def metres_per_unit(self) -> float:
        """How many metres one unit of the document is; an unknown unit counts as metres."""
        meta = self.document.get("meta")
        return UNITS.get(str(meta.get("input_units", "m")) if isinstance(meta, dict) else "m", 1.0)

    def units(self, length: Length | float) -> float:
        """A length (metres) as the document has it, without the noise of binary fractions."""
        metres = length.metres if isinstance(length, Length) else length
        return tidy(metres / self.metres_per_unit)

    def show(self, value: float) -> str:
        """A length of the document in words."""
        return shown(value * self.metres_per_unit)

    def get(self, *pointer: str | int) -> Any:
        """The value at a place; None where there is none."""
        here: Any = self.document
        for token in pointer:
            try:
                here = here[token]
            except (KeyError, IndexError, TypeError):
                return None
        return here

    def set(self, value: Any, *pointer: str | int) -> bool:
        """Put a value at a place, with as few operations as can be; False when it was there already.

        Objects that are missing on the way are made. What this draft has added itself is completed in its operation,
        so that the patch stays one per thing.
        """
        if self.get(*pointer) == value and type(self.get(*pointer)) is type(value):
            return False
        depth = len(pointer) - 1
        while depth and not isinstance(self.get(*pointer[:depth]), dict | list):
            depth -= 1
        for token in reversed(pointer[depth + 1 :]):
            value = {token: value}
        parent, last = self.get(*pointer[:depth]), pointer[depth]
        if isinstance(parent, list):
            parent[int(last)] = value
        else:
            parent[str(last)] = value
        if not self._complete(pointer[: depth + 1], value):
            kind = "replace" if isinstance(parent, list) else "add"
            self._record({"op": kind, "path": path_of(pointer[: depth + 1]), "value": copy.deepcopy(value)})
        return True

    def append(self, value: Any, *pointer: str | int) -> int:
        """Put a value at the end of a list (made where it is missing), and answer its index."""
        found = self.get(*pointer)
        if not isinstance(found, list):
            self.set([value], *pointer)
            return 0
        found.append(value)
        place = (*pointer, len(found) - 1)
        if not self._complete(place, value):
            self._record({"op": "add", "path": path_of((*pointer, "-")), "value": copy.deepcopy(value), "_at": place})
        return len(found) - 1

    def remove(self, *pointer: str | int, guard: tuple[Pointer, Any] | None = None) -> None:
        """Take away what is at a place; `guard` is a place and the value it must have for this to be right."""
        if guard:
            self.expect(guard[1], *guard[0])
        parent = self.get(*pointer[:-1])
        del parent[pointer[-1]]
        self._record({"op": "remove", "path": path_of(pointer)})

    def expect(self, value: Any, *pointer: str | int) -> None:
        """Guard what follows: the patch is refused when the document says something else by then."""
        operation = {"op": "test", "path": path_of(pointer), "value": value}
        if operation not in self.operations and not self._own(pointer):
            self._record(operation)

    @property
    def patch(self) -> list[dict[str, Any]]:
        """The operations as they are sent."""
        return [{key: value for key, value in each.items() if key != "_at"} for each in self.operations]

    def _record(self, operation: dict[str, Any]) -> None:
        self.operations.append(operation)

    def _own(self, pointer: Pointer) -> dict[str, Any] | None:
        """The operation of this draft that has put there what holds the place."""
        for operation in reversed(self.operations):
            if operation["op"] not in ("add", "replace", "test"):
                return None  # it may have shifted indices
            if operation["op"] in ("add", "replace"):
                place = operation.get("_at") or tuple(pointer[: operation["path"].count("/")])
                path = path_of(operation["_at"]) if "_at" in operation else operation["path"]
                if tuple(pointer[: len(place)]) == tuple(place) and path_of(place) == path:
                    found: dict[str, Any] = operation
                    return found
        return None

    def _complete(self, pointer: Pointer, value: Any) -> bool:
        operation = self._own(pointer)
        if operation is None:
            return False
        depth = len(operation["_at"]) if "_at" in operation else operation["path"].count("/")
        if depth == len(pointer):
            operation["value"] = copy.deepcopy(value)
            return True
        here = operation["value"]
        for token in pointer[depth:-1]:
            here = here[token]
        last = pointer[-1]
        if isinstance(here, list) and last == len(here):
            here.append(copy.deepcopy(value))
        else:
            here[last] = copy.deepcopy(value)
        return True

    # What the intents ask about the document

    @property
    def domains(self) -> Mapping[str, Any]:
        """The domains by name."""
        found = self.document.get("domains")
        return found if isinstance(found, dict) else {}

    @property
    def components(self) -> list[dict[str, Any]]:
        """The components that can be read as such."""
        found = self.document.get("components")
        return found if isinstance(found, list) else []

    def body(self, name: str) -> Body | None:
        """The domain of this name as it is now; later changes of the draft leave it alone."""
        found = self.domains.get(name)
        return Body(copy.deepcopy(found), copy.deepcopy(dict(self.domains))) if isinstance(found, dict) else None

    @property
    def main_domain(self) -> str | None:
        """The domain that is meant when none is named: the embedding's, the first component's, or the first."""
        named = [self.get("embedding", "domain_ref"), self.get("components", 0, "domain_ref")]
        return next((name for name in [*named, *self.domains] if isinstance(name, str) and name in self.domains), None)


def path_of(pointer: Pointer) -> str:
    """The JSON Pointer (RFC 6901) of a place."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in pointer)


def tidy(value: float) -> float:
    """The number without the noise of binary fractions, to ten digits."""
    return float(f"{value:.10g}") + 0.0


# Policies that suit a body's size and its ports: what is fixed by hand elsewhere follows here from a few lengths.

Policies = dict[str, dict[str, Any]]


def tree_policies(
    extents: Sequence[float], volume: float, radii: Sequence[float], levels: int, splits: int, ports: Mapping[str, Any]
) -> tuple[dict[str, Any], Policies]:
    """Parameters and policies of `scaffold_topdown`: its levels share the way through the body among them.

    Steps shrink by `step_decay` a level, so the first one is the depth over the sum of that series; the spread of the
    first level is a fifth of the body's width.
    """
    direction = next(
        (port.get("direction") for port in ports.get("inlets") or [] if port.get("direction")), [0.0, 0.0, -1.0]
    )
    axis = max(range(3), key=lambda each: abs(direction[each]))
    depth = extents[axis]
    width = min(extent for k, extent in enumerate(extents) if k != axis) / max(1, round(math.sqrt(len(radii))))
    decay, spread_decay = 0.9, 0.75
    series = sum(decay**level for level in range(levels + 1))
    scale = min(extents)
    terminal = min(radii) / float(splits**levels) ** (1 / 3)
    params = {
        "primary_axis": [float(value) for value in direction],
        "splits": splits,
        "levels": levels,
        "ratio": tidy(round(splits ** (-1 / 3), 4)),
        "step_length": tidy(0.7 * depth / series),
        "step_decay": decay,
        "spread": tidy(0.25 * width),
        "spread_decay": spread_decay,
        "wall_margin_m": tidy(max(scale / 40, 2 * terminal)),
    }
    return params, _common(scale, terminal, max(radii)) | {"growth": _growth(scale, terminal)}


def colony_policies(
    scale: float, volume: float, radii: Sequence[float], tips: int, outlets: int
) -> tuple[dict[str, Any], Policies]:
    """Parameters and policies of `space_colonization`: points of tissue so dense that about so many tips remain."""
    spacing = (volume / max(tips, 1)) ** (1 / 3)
    terminal = min(radii) / float(max(1, math.ceil(tips / len(radii)))) ** (1 / 3)
    params: dict[str, Any] = {
        "num_attraction_points": int(min(20_000, max(400, 12 * tips))),
        "influence_radius": tidy(1.6 * spacing),
        "kill_radius": tidy(0.45 * spacing),
        "step_size": tidy(0.2 * spacing),
        "encourage_bifurcation": True,
        "max_children_per_node": 2,
    }
    if outlets:
        params["multi_inlet_mode"] = "forest_with_merge"
    growth = _growth(scale, terminal) | {"step_size": tidy(0.2 * spacing)}
    return params, _common(scale, terminal, max(radii)) | {"growth": growth}


def _growth(scale: float, terminal: float) -> dict[str, Any]:
    return {
        "min_segment_length": tidy(scale / 50),
        "max_segment_length": tidy(scale / 10),
        "min_radius": tidy(round_down(0.9 * terminal)),
        "terminal_tolerance": 0.25,
    }


def _common(scale: float, terminal: float, largest: float) -> Policies:
    clearance = min(scale / 30, 1.8 * terminal)
    return {
        "radius": {"mode": "murray", "murray_exponent": 3.0, "min_radius": tidy(round_down(0.9 * terminal))},
        "collision": {"collision_clearance": tidy(round_down(clearance))},
        "unified_collision": {"min_clearance": tidy(round_down(clearance))},
        "resolution": {"min_channel_diameter": tidy(round_down(1.6 * terminal))},
    }


def round_down(value: float) -> float:
    """Two significant digits, never more than the value."""
    exponent = math.floor(math.log10(value)) - 1
    return math.floor(tidy(value / 10.0**exponent)) * 10.0**exponent


# Which component an intent is about, and a new one where there is none.

NETWORK, CHANNELS, IMPORT = "backend_network", "primitive_channels", "import_void_mesh"


def mentioned(draft: Draft, clause: str) -> int | None:
    """The component whose id stands in the clause."""
    words = {word.strip("`'\".,:;()").lower() for word in clause.split()}
    return next((k for k, each in enumerate(draft.components) if str(each.get("id", "")).lower() in words), None)


def component_for(draft: Draft, build_type: str, clause: str = "") -> int | None:
    """The component that is named, else the newest one that is built this way."""
    named = mentioned(draft, clause)
    if named is not None:
        return named
    return next((k for k in reversed(range(len(draft.components))) if build_of(draft, k) == build_type), None)


def build_of(draft: Draft, index: int) -> str:
    """How a component is built."""
    return str(draft.get("components", index, "build", "type") or "")


def new_component(draft: Draft, stem: str, build: dict[str, Any]) -> int | None:
    """Add a component without ports to the main domain; asks for a body when there is none."""
    domain = draft.main_domain or ask_for_body(draft)
    if domain is None:
        return None
    taken = {each.get("id") for each in draft.components}
    name = next(f"{stem}_{k}" for k in range(1, 10_000) if f"{stem}_{k}" not in taken)
    value = {
        "id": name,
        "domain_ref": domain,
        "ports": {"inlets": [], "outlets": []},
        "build": build,
        "save_artifacts": {"network": f"artifacts/{name}_network.json", "void_mesh": f"artifacts/{name}_void.stl"},
    }
    index = draft.append(value, "components")
    if build["type"] == NETWORK and not draft.get("policies", "growth"):
        draft.set(build["backend"], "policies", "growth", "backend")
    return index


def policy_place(draft: Draft, index: int) -> Pointer:
    """Where policies for a component belong: in the document while it is the only one, else in the component."""
    return ("policies",) if len(draft.components) == 1 else ("components", index, "policies")


def ask_for_body(draft: Draft) -> str | None:
    """The domain's name once the user has said how large the body is; None while that is asked."""
    default = "20 x 20 x 20 mm"
    why = "There is no body yet in which channels could run."
    question = f"How large is the body? For example: a box of {default}."
    draft.ask(DraftQuestion("domain_size", question, why, default, "a body of {answer}"))
    return draft.main_domain


def every_port(
    draft: Draft, matches: Callable[[str, dict[str, Any]], bool]
) -> Iterator[tuple[int, str, int, dict[str, Any]]]:
    """The ports that match, as component index, `inlets` or `outlets`, index and port."""
    for index, component in enumerate(draft.components):
        for role in ("inlets", "outlets"):
            for number, port in enumerate((component.get("ports") or {}).get(role) or []):
                if isinstance(port, dict) and matches(role, port):
                    yield index, role, number, port
