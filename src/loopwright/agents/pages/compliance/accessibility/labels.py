"""Which `label` elements belong to which control (HTML standard, section 4.10.4)."""

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.roles import input_type
from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.page import Page

_LABELABLE = frozenset({"button", "input", "meter", "output", "progress", "select", "textarea"})


class LabelIndex:
    """The labels of every control of a page, read once."""

    def __init__(self, page: Page) -> None:
        found = page.find("label")
        places = {label.mem_id: place for place, label in enumerate(found)}
        labels: dict[int, list[LexborNode]] = {}
        for label in found:
            control = page.by_id.get(label.attributes["for"] or "") if "for" in label.attributes else None
            if control is not None and is_labelable(control):
                labels.setdefault(control.mem_id, []).append(label)
        passed: set[int] = set()
        for control in page.find(", ".join(sorted(_LABELABLE))) if found else ():
            if is_labelable(control):
                labels.setdefault(control.mem_id, []).extend(_labels_around(control, passed))
        self._labels = {
            control: sorted(own, key=lambda label: places[label.mem_id]) for control, own in labels.items() if own
        }

    def of(self, control: LexborNode) -> list[LexborNode]:
        """The labels of a control in document order."""
        return self._labels.get(control.mem_id, [])


def is_labelable(node: LexborNode) -> bool:
    """Whether an element can have a `label`."""
    return node.tag in _LABELABLE and not (node.tag == "input" and input_type(node) == "hidden")


def _labels_around(control: LexborNode, passed: set[int]) -> list[LexborNode]:
    """The labels that a control is the first in; `passed` holds the elements that have an earlier control."""
    labels = []
    parent = element_parent(control)
    while parent is not None and parent.mem_id not in passed:
        passed.add(parent.mem_id)
        if parent.tag == "label" and "for" not in parent.attributes:
            labels.append(parent)
        parent = element_parent(parent)
    return labels
