"""What can take the keyboard focus, and what is disabled (HTML standard, sections 4.10.19.5 and 6.6.3)."""

import re

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.roles import input_type
from loopwright.agents.pages.compliance.cascade.computed import element_parent

FORM_CONTROLS = frozenset({"button", "input", "select", "textarea"})
_CAN_BE_DISABLED = FORM_CONTROLS | {"fieldset", "optgroup", "option"}
_INTEGER = re.compile(r"[ \t\n\f\r]*([-+]?[0-9]+)")


def tab_index(node: LexborNode) -> int | None:
    """The value of `tabindex`; None when there is none that is a number (rules for parsing integers)."""
    match = _INTEGER.match(node.attributes.get("tabindex") or "")
    return int(match[1][:9]) if match else None


def is_disabled(node: LexborNode) -> bool:
    """Whether a control is disabled by itself or by a fieldset around it."""
    if node.tag not in _CAN_BE_DISABLED:
        return False
    if "disabled" in node.attributes:
        return True
    return node.tag in FORM_CONTROLS | {"fieldset"} and _is_in_disabled_fieldset(node)


def is_disabled_for_all(node: LexborNode) -> bool:
    """Whether an element is disabled for everybody: a disabled control, or inside `aria-disabled=true`."""
    if is_disabled(node):
        return True
    current: LexborNode | None = node
    while current is not None:
        if (current.attributes.get("aria-disabled") or "").strip().lower() == "true":
            return True
        current = element_parent(current)
    return False


def takes_focus(node: LexborNode) -> bool:
    """Whether an element can be focused, as long as it is rendered and not inert."""
    if is_disabled(node):
        return False
    return tab_index(node) is not None or _takes_focus_by_itself(node)


def is_in_tab_order(node: LexborNode) -> bool:
    """Whether an element is reached with the Tab key, as long as it is rendered and not inert."""
    if is_disabled(node):
        return False
    index = tab_index(node)
    return _takes_focus_by_itself(node) if index is None else index >= 0


def _takes_focus_by_itself(node: LexborNode) -> bool:
    tag, attributes = node.tag, node.attributes
    if tag in ("a", "area"):
        return "href" in attributes
    if tag in FORM_CONTROLS:
        return tag != "input" or input_type(node) != "hidden"
    if tag == "summary":
        parent = element_parent(node)
        return parent is not None and parent.tag == "details" and _is_first_summary(parent, node)
    if tag in ("audio", "video"):
        return "controls" in attributes
    if "contenteditable" in attributes:
        return (attributes["contenteditable"] or "").strip().lower() in ("", "true", "plaintext-only")
    return tag in ("iframe", "embed") or (tag == "details" and not any(child.tag == "summary" for child in node.iter()))


def _is_first_summary(details: LexborNode, node: LexborNode) -> bool:
    first = next((child for child in details.iter() if child.tag == "summary"), None)
    return first is not None and first.mem_id == node.mem_id


def _is_in_disabled_fieldset(node: LexborNode) -> bool:
    child, parent = node, element_parent(node)
    while parent is not None:
        if parent.tag == "fieldset" and "disabled" in parent.attributes and not _is_first_legend(parent, child):
            return True
        child, parent = parent, element_parent(parent)
    return False


def _is_first_legend(fieldset: LexborNode, child: LexborNode) -> bool:
    """Whether a child is the fieldset's own legend, whose controls stay enabled."""
    first = next((each for each in fieldset.iter() if each.tag == "legend"), None)
    return first is not None and first.mem_id == child.mem_id
