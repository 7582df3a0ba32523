"""Elements that need a name: buttons, links, headings, fields, picture buttons, frames."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.focus import tab_index
from loopwright.agents.pages.compliance.accessibility.native import IMAGE_BUTTON_DEFAULT
from loopwright.agents.pages.compliance.accessibility.roles import inherits_from, input_type
from loopwright.agents.pages.compliance.act.outcome import Finding
from loopwright.agents.pages.compliance.act.subject import Subject

FIELD_ROLES = frozenset(
    ["checkbox", "combobox", "listbox", "menuitemcheckbox", "menuitemradio", "radio", "searchbox", "slider",
     "spinbutton", "switch", "textbox"]
)  # fmt: skip
"""Roles of form fields: those that inherit from input, menuitem or select and can be filled in."""


def check_button(subject: Subject) -> Iterator[Finding]:
    """97a4e1: elements with the role button, except picture buttons."""
    for node in _exposed(subject):
        if subject.tree.role(node) == "button" and not _is_image_button(node):
            yield _named(subject, node)


def check_link(subject: Subject) -> Iterator[Finding]:
    """c487ae: elements with the role link or one that inherits from it."""
    for node in _exposed(subject):
        if inherits_from(subject.tree.role(node), "link"):
            yield _named(subject, node)


def check_heading(subject: Subject) -> Iterator[Finding]:
    """ffd0e9: elements with the role heading."""
    for node in _exposed(subject):
        if subject.tree.role(node) == "heading":
            yield _named(subject, node)


def check_field(subject: Subject) -> Iterator[Finding]:
    """e086e5: form fields, disabled ones too."""
    for node in _exposed(subject):
        if subject.tree.role(node) in FIELD_ROLES:
            yield _named(subject, node)


def check_image_button(subject: Subject) -> Iterator[Finding]:
    """59796f: picture buttons; the name that browsers make up does not count."""
    for node in subject.page.find("input"):
        if not _is_image_button(node) or not subject.tree.includes(node):
            continue
        name = subject.tree.name(node)
        if name and name != IMAGE_BUTTON_DEFAULT:
            yield Finding("passed", node, f"named '{name}'")
        else:
            yield Finding("failed", node, "the picture button has no name")


def check_frame(subject: Subject) -> Iterator[Finding]:
    """cae760: frames, except those taken out of the tab order and those declared to be decoration."""
    for node in subject.page.find("iframe"):
        index = tab_index(node)
        role = (node.attributes.get("role") or "").strip().lower()
        decorative = role in ("none", "presentation")
        if subject.tree.is_hidden(node) or (index is not None and index < 0) or decorative:
            continue
        yield _named(subject, node)


def _exposed(subject: Subject) -> Iterator[LexborNode]:
    return (node for node in subject.page.find("*") if subject.tree.includes(node))


def _is_image_button(node: LexborNode) -> bool:
    return node.tag == "input" and input_type(node) == "image"


def _named(subject: Subject, node: LexborNode) -> Finding:
    name = subject.tree.name(node)
    if name:
        return Finding("passed", node, f"named '{name[:80]}'")
    if subject.tree.names.is_exhausted:
        return Finding("cantTell", node, "the page refers to too much to work out its names")
    if any(subject.tree.is_hidden(label) for label in subject.tree.names.labels.of(node)):
        return Finding("cantTell", node, "its only label is hidden, which counts by the standard but not in browsers")
    return Finding("failed", node, "has no accessible name")
