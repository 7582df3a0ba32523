"""Which component a wish is about, and a new one where there is none."""

from collections.abc import Callable, Iterator
from typing import Any

from loopwright.agents.designspec.offline.draft import Draft, Pointer, Question

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
    draft.ask(Question("domain_size", question, why, default, "a body of {answer}"))
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
