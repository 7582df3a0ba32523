"""Rules that ask whether words describe something: only their clear cases are decided.

Whether a title, a heading, a label or an alternative text says what it should takes somebody who
understands both.  Where such a rule does not apply that can be told; everything else is `cantTell`.
"""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.labels import LabelIndex
from loopwright.agents.pages.compliance.act.names import FIELD_ROLES
from loopwright.agents.pages.compliance.act.outcome import Finding
from loopwright.agents.pages.compliance.act.subject import Subject
from loopwright.agents.pages.compliance.cascade.computed import element_parent

_ASKS = "whether the words fit is a matter of judgement"
_IMAGES = "img, canvas, svg"


def check_title_describes(subject: Subject) -> Iterator[Finding]:
    """c4a8a4: pages that have a title; an empty one is another rule's."""
    root = subject.page.document.root
    title = next((node for node in subject.page.find("title") if not _is_drawing(node)), None)
    if subject.is_html and root is not None and title is not None and title.text().strip():
        yield Finding("cantTell", title, _ASKS)


def check_heading_describes(subject: Subject) -> Iterator[Finding]:
    """b49b2e: headings that are exposed and have a name."""
    for node in subject.page.find("*"):
        if subject.tree.role(node) == "heading" and subject.tree.includes(node) and subject.tree.name(node):
            yield Finding("cantTell", node, _ASKS)


def check_label_describes(subject: Subject) -> Iterator[Finding]:
    """cc0f0a: labels that are seen, of fields that are seen."""
    labels = subject.page.once(LabelIndex)
    for node in subject.page.find("*"):
        if subject.tree.role(node) not in FIELD_ROLES or subject.visibility.of(node) is False:
            continue
        named = [subject.page.by_id.get(word) for word in (node.attributes.get("aria-labelledby") or "").split()]
        for label in (*labels.of(node), *named):
            if label is not None and subject.visibility.of(label) is not False and label.text(deep=True).strip():
                yield Finding("cantTell", label, _ASKS)


def check_image_name_describes(subject: Subject) -> Iterator[Finding]:
    """qt1vmo: pictures that are seen and have a name of their own."""
    for node in subject.page.find(_IMAGES):
        if subject.tree.is_hidden(node) or subject.visibility.of(node) is False or _is_named_by_owner(subject, node):
            continue
        if subject.tree.name(node):
            yield Finding("cantTell", node, _ASKS)


def _is_drawing(node: LexborNode) -> bool:
    parent = element_parent(node)
    return parent is not None and parent.tag not in ("head", "body", "html", "div", "main", "section", "p")


def _is_named_by_owner(subject: Subject, node: LexborNode) -> bool:
    """Whether something around a picture is named by its author, so that the picture's own name is not heard."""
    parent = element_parent(node)
    while parent is not None:
        if any((parent.attributes.get(name) or "").strip() for name in ("aria-label", "aria-labelledby")):
            return True
        parent = element_parent(parent)
    return False
