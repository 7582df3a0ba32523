"""Pages that turn themselves when the phone is turned."""

import math
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.act.outcome import Finding
from loopwright.agents.pages.compliance.act.subject import Subject
from loopwright.agents.pages.compliance.cascade.tokens import CssToken, parse_values, split_on, words
from loopwright.agents.pages.compliance.page import Page

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
