"""Pages that reload by themselves, and pages that cannot be enlarged."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.act.outcome import Finding
from loopwright.agents.pages.compliance.act.subject import Subject
from loopwright.agents.pages.compliance.cascade.computed import element_parent

TWENTY_HOURS = 72_000
"""Seconds; a page that lasts longer has no time limit in the sense of WCAG 2.2.1."""
LEAST_ZOOM = 2.0
"""WCAG 1.4.4 asks for text at twice its size."""

_WHITE_SPACE = " \t\n\f\r"
_SEPARATORS = re.compile(r"[\s,;]")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def refresh_delay(content: str) -> int | None:
    """The seconds after which a page reloads, by the shared declarative refresh steps of the HTML standard.

    None when the text is not valid and nothing happens.
    """
    position = len(content) - len(content.lstrip(_WHITE_SPACE))
    digits = re.compile(r"[0-9]*").match(content, position)
    number = digits[0] if digits else ""
    position += len(number)
    if not number and content[position : position + 1] != ".":
        return None
    while content[position : position + 1] in tuple(".0123456789"):
        position += 1
    rest = content[position:]
    if rest and rest[0] not in f";,{_WHITE_SPACE}":
        return None
    return int(number[:12] or "0")


def viewport_properties(content: str) -> dict[str, str]:
    """The properties in the content of a viewport meta, names in lower case, the last of each in force."""
    found: dict[str, str] = {}
    # `name = value` may have white space around the sign, which would otherwise part one property from the next.
    for part in _SEPARATORS.split(re.sub(r"\s*=\s*", "=", content)):
        name, sign, value = part.partition("=")
        if sign:
            found[name.strip().lower()] = value.partition("=")[0].strip().lower()
    return found


def allows_zoom(properties: dict[str, str]) -> bool:
    """Whether a viewport lets people enlarge the page to twice its size.

    Values are read as CSS Device Adaptation 1, section 9, translates them: what is no number counts as 0 for
    `user-scalable` and as 0.1 for `maximum-scale`, and `yes` as 1.
    """
    scalable = properties.get("user-scalable")
    if scalable is not None and scalable not in ("yes", "device-width", "device-height"):
        number = _leading_number(scalable)
        if number is None or -1 < number < 1:
            return False
    scale = properties.get("maximum-scale")
    if scale is None or scale in ("device-width", "device-height"):
        return True
    number = 1.0 if scale == "yes" else _leading_number(scale)
    if number is None:
        number = 0.1
    return number < 0 or number >= LEAST_ZOOM


def check_refresh(subject: Subject) -> Iterator[Finding]:
    """bc659a: the page reloads at once, or not within twenty hours."""
    for node, delay in _first_refresh(subject):
        good = delay == 0 or delay > TWENTY_HOURS
        yield Finding("passed" if good else "failed", node, f"reloads after {delay} s")


def check_refresh_strictly(subject: Subject) -> Iterator[Finding]:
    """bisz58: the page reloads at once or never."""
    for node, delay in _first_refresh(subject):
        yield Finding("passed" if delay == 0 else "failed", node, f"reloads after {delay} s")


def check_zoom(subject: Subject) -> Iterator[Finding]:
    """b4f0c3: the viewport does not stop people from enlarging the page."""
    for node in subject.page.find("meta[name][content]"):
        if (node.attributes["name"] or "").lower() != "viewport":
            continue
        properties = viewport_properties(node.attributes["content"] or "")
        if "user-scalable" in properties or "maximum-scale" in properties:
            yield Finding("passed" if allows_zoom(properties) else "failed", node, "limits how far people can zoom")


def _first_refresh(subject: Subject) -> Iterator[tuple[LexborNode, int]]:
    for node in subject.page.find("meta[http-equiv][content]"):
        if (node.attributes["http-equiv"] or "").lower() != "refresh" or _is_without_scripts(node):
            continue
        delay = refresh_delay(node.attributes["content"] or "")
        if delay is not None:
            yield node, delay
            return


def _is_without_scripts(node: LexborNode) -> bool:
    """Whether an element is only there for browsers that run no scripts."""
    parent = element_parent(node)
    while parent is not None:
        if parent.tag == "noscript":
            return True
        parent = element_parent(parent)
    return False


def _leading_number(text: str) -> float | None:
    match = _NUMBER.match(text)
    return float(match[0]) if match else None
