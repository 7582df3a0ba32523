"""Text that stands out from its ground."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.disabled import DisabledText
from loopwright.agents.pages.compliance.act.outcome import Finding
from loopwright.agents.pages.compliance.act.subject import Subject
from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.contrast.text_contrast import TextContrast
from loopwright.agents.pages.compliance.contrast.texts import Text, is_large, written_texts

MINIMUM = (4.5, 3.0)
"""WCAG 1.4.3: the ratio for text, and for large text."""
ENHANCED = (7.0, 4.5)
"""WCAG 1.4.6."""
ROUNDING = 0.005
"""Ratios are not rounded (WCAG 2.2, "contrast ratio"); this is for the arithmetic alone."""
MAXIMUM_DISTANCE = 10
"""Elements between a sign and the control that it is the icon of."""


def check_contrast(subject: Subject) -> Iterator[Finding]:
    """afw4f7: text has a contrast of 4.5, large text of 3."""
    return _check(subject, MINIMUM)


def check_enhanced_contrast(subject: Subject) -> Iterator[Finding]:
    """09o5cg: text has a contrast of 7, large text of 4.5."""
    return _check(subject, ENHANCED)


def _check(subject: Subject, required: tuple[float, float]) -> Iterator[Finding]:
    disabled = DisabledText(subject.page, subject.tree)
    for text in written_texts(subject.page):
        if text.is_typed or subject.visibility.of(text.node) is False or disabled.holds(text.node):
            continue
        finding = _judge(subject, text, required)
        if finding is not None:
            yield finding


def _judge(subject: Subject, text: Text, required: tuple[float, float]) -> Finding | None:
    node = text.node
    if _is_no_language(subject, text):
        return Finding("passed", node, "the text says nothing in a human language")
    measured, large = subject.meter.measure(node, text.words), is_large(subject.page, node)
    if measured is None or large is None:
        return Finding("cantTell", node, "what lies behind the text is not known")
    if measured.text.hex == measured.ground.hex:
        return None  # invisible, so there is nothing to be told apart
    least = required[large] - ROUNDING
    reason = f"{measured.highest:.2f}:1 of {required[large]:g}:1"
    if measured.certain >= least:
        return Finding("passed", node, reason)
    if measured.highest >= least:
        return Finding("cantTell", node, f"{reason} on a part of the ground that the text may not stand on")
    return _failed(subject, node, reason, measured)


def _failed(subject: Subject, node: LexborNode, reason: str, measured: TextContrast) -> Finding:
    if subject.visibility.of(node) is None:
        return Finding("cantTell", node, f"{reason}, if the text is seen at all")
    if subject.tree.is_hidden(node):
        # The rule takes text that does not count to be hidden from assistive technologies, but not the other way.
        return Finding("cantTell", node, f"{reason}, if the text is more than decoration")
    return Finding("failed", node, f"{reason}: {measured.text.hex} on {measured.ground.hex}")


def _is_no_language(subject: Subject, text: Text) -> bool:
    """Whether a text is a sign: no letters or digits, or a single one used as an icon that has a name of its own."""
    if not any(character.isalnum() for character in text.words):
        return True
    if len(text.words) > 1:
        return False
    current: LexborNode | None = text.node
    for _ in range(MAXIMUM_DISTANCE):
        if current is None or current.tag == "body":
            break
        name = any((current.attributes.get(each) or "").strip() for each in ("aria-label", "aria-labelledby"))
        if name and text.words.lower() not in subject.tree.name(current).lower().split():
            return True
        current = element_parent(current)
    return False
