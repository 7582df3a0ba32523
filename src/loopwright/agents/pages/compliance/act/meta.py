"""Pages that reload by themselves, and pages that cannot be enlarged."""

import math
import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.act.outcome import Finding, Subject
from loopwright.agents.pages.compliance.cascade.computed import element_parent
from loopwright.agents.pages.compliance.cascade.tokens import CssToken, parse_values, split_on, words
from loopwright.agents.pages.compliance.page import Page

# Pages that turn themselves when the phone is turned.

TOLERANCE = 1.0
"""Degrees by which a quarter turn may be missed and still be one."""
_TURNING = frozenset({"rotate", "rotate3d", "rotatez", "matrix", "matrix3d"})
_DEGREES = {"deg": 1.0, "grad": 0.9, "rad": 180 / math.pi, "turn": 360.0}


def check_orientation(subject: Subject) -> Iterator[Finding]:
    """b33eff: no element is turned by 90 degrees from one orientation of the phone to the other.

    Only what media queries about `orientation` decide is looked at.
    """
    if "orientation" not in (subject.html + subject.page.css).lower():
        return
    upright, lying = subject.page, subject.held("landscape")
    for node, other in zip(upright.find("*"), lying.find("*"), strict=True):
        before, after = _turning(upright, node), _turning(lying, other)
        if before == after or not any(_turns(texts) for texts in (before, after)):
            continue
        if subject.visibility.of(node) is not False:
            yield _compare(node, before, after)


def _compare(node: LexborNode, before: tuple[str | None, ...], after: tuple[str | None, ...]) -> Finding:
    first, second = angle(*before), angle(*after)
    if first is None or second is None:
        return Finding("cantTell", node, "how far it is turned is not known")
    turned = abs((second - first) % 360)
    is_quarter = min(abs(turned - 90), abs(turned - 270)) <= TOLERANCE
    return Finding("failed" if is_quarter else "passed", node, f"turned by {min(turned, 360 - turned):.0f}°")


def _turning(page: Page, node: LexborNode) -> tuple[str | None, ...]:
    return page.cascade.value(node, "transform"), page.cascade.value(node, "rotate")


def _turns(texts: tuple[str | None, ...]) -> bool:
    transform, rotate = texts
    functions = {token.name for token in parse_values(transform or "")}
    return transform is None or rotate != "none" or bool(functions & _TURNING)


def angle(transform: str | None, rotate: str | None) -> float | None:
    """By how many degrees an element is turned around the axis that points out of the screen; None when not known."""
    if transform is None or rotate is None:
        return None
    total = _rotate_property(rotate)
    for token in parse_values(transform):
        part = _function(token)
        if total is None or part is None:
            return None
        total += part
    return total


def _rotate_property(text: str) -> float | None:
    """`rotate: 90deg`, `rotate: z 90deg`, `rotate: 0 0 1 90deg`; None for turns around other axes."""
    if text == "none":
        return 0.0
    parts = words(text)
    axis = [part.name or part.text for part in parts[:-1]]
    about = 1.0 if axis in ([], ["z"]) else _about_z([part.number for part in parts[:-1]])
    turned = _degrees(parts[-1]) if parts else None
    return None if about is None or turned is None else about * turned


def _function(token: CssToken) -> float | None:
    if token.kind != "function":
        return 0.0 if token.kind == "space" or token.name == "none" else None
    arguments = [part[0] for part in split_on(token.children, ",") if len(part) == 1]
    if token.name in ("rotate", "rotatez"):
        return _degrees(arguments[0]) if len(arguments) == 1 else None
    numbers = [argument.number for argument in arguments]
    if token.name == "rotate3d":
        turned = _degrees(arguments[3]) if len(arguments) == 4 else None
        about = _about_z(numbers[:3])
        return None if turned is None or about is None else about * turned
    if (token.name, len(numbers)) in (("matrix", 6), ("matrix3d", 16)):
        return math.degrees(math.atan2(numbers[1], numbers[0]))
    return None if token.name in ("matrix", "matrix3d", "rotatex", "rotatey") else 0.0


def _about_z(axis: list[float]) -> float | None:
    """1 or -1 for the axis out of or into the screen, None for any other."""
    if len(axis) != 3 or axis[0] or axis[1] or not axis[2]:
        return None
    return math.copysign(1.0, axis[2])


def _degrees(token: CssToken) -> float | None:
    if token.kind == "dimension" and token.name in _DEGREES:
        return token.number * _DEGREES[token.name]
    return 0.0 if token.kind == "number" and token.number == 0 else None


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
