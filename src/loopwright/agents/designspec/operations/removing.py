"""What goes by its name: a component, a port (with its partner, where it is a channel's end), or a body."""

import difflib

from loopwright.agents.designspec.offline.draft import CHANNELS, Draft, build_of, every_port


def remove_named(draft: Draft, name: str) -> None:
    """Remove what has this name; an unknown one is refused with the names there are.

    Args:
        draft: what is proposed.
        name: of a component, of a port (also as `component.port`), or of a domain.
    """
    bare = name.rpartition(".")[2]
    for index, component in enumerate(draft.components):
        if component.get("id") == name:
            draft.remove("components", index, guard=(("components", index, "id"), name))
            draft.told.append(f"remove the component `{name}`")
            return
    found = [each for each in every_port(draft, lambda *_: True) if each[3].get("name") == bare]
    if len(found) == 1:
        remove_port(draft, *found[0][:3])
        return
    if name in draft.domains:
        users = [str(each.get("id")) for each in draft.components if each.get("domain_ref") == name]
        if users:
            draft.refused.append(f"The body `{name}` holds {', '.join(users)}; remove those first.")
            return
        draft.remove("domains", name)
        draft.told.append(f"remove the body `{name}`")
        return
    known = [str(each.get("id")) for each in draft.components]
    known += [str(port.get("name")) for *_, port in every_port(draft, lambda *_: True)] + list(draft.domains)
    near = difflib.get_close_matches(bare, known, 3, 0.4) or known[:12]
    draft.refused.append(f"Nothing is named {name!r}. There are: {', '.join(near) or 'no parts yet'}.")


def remove_port(draft: Draft, index: int, role: str, number: int) -> None:
    """Remove a port; a straight channel's inlet and outlet go together, else the others would be joined otherwise."""
    component = draft.components[index]["id"]
    roles = [role]
    other = "outlets" if role == "inlets" else "inlets"
    if build_of(draft, index) == CHANNELS and len(draft.get("components", index, "ports", other) or []) > number:
        roles.append(other)
    left = len(draft.get("components", index, "ports", role) or []) - 1
    if len(roles) == 2 and not left:
        draft.remove("components", index, guard=(("components", index, "id"), component))
        draft.told.append(f"remove the component `{component}` with its only channel")
        return
    for each in roles:
        place = ("components", index, "ports", each, number)
        name = draft.get(*place, "name")
        draft.remove(*place, guard=((*place, "name"), name))
        draft.told.append(f"remove `{name}` of `{component}`")
