"""Finding the scripts of a page: elements, event handler attributes and `javascript:` addresses."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

ScriptKind = Literal["classic", "module", "handler", "json", "import map"]

# HTML standard, section 4.12.1.1 with RFC 9239; `type="text/javascript; charset=utf-8"` is none of them.
_JAVASCRIPT_TYPES = frozenset(
    f"{family}/{name}"
    for family in ("application", "text", "text/x-")
    for name in ("ecmascript", "javascript", "x-ecmascript", "x-javascript")
) | {
    *(f"text/javascript1.{minor}" for minor in range(6)),
    "text/jscript",
    "text/livescript",
}
_ADDRESS_ATTRIBUTES = {"a": "href", "area": "href", "form": "action", "iframe": "src", "button": "formaction"}
_SCHEME = "javascript:"


@dataclass(frozen=True, slots=True)
class Script:
    """A piece of JavaScript or JSON.

    `name` says where it stands: `script`, or the attribute, such as `onclick` or `href`.
    """

    node: LexborNode
    kind: ScriptKind
    name: str
    text: str


def collect_scripts(document: LexborHTMLParser) -> tuple[Script, ...]:
    """All scripts that a browser would compile, in document order, and the JSON that scripts would read.

    What stands in `<template>` or `<noscript>` is no script, and neither is the text of an element with `src`.
    """
    handlers = event_handlers()
    found: list[Script] = []
    for node in document.css("*"):
        if node.tag == "script":
            found.extend(_of_element(node))
            continue
        for name, value in node.attributes.items():
            if value and name in handlers:
                found.append(Script(node, "handler", name, value))
        attribute = _ADDRESS_ATTRIBUTES.get(node.tag or "")
        address = (node.attributes.get(attribute) or "").strip() if attribute else ""
        if attribute and address[: len(_SCHEME)].lower() == _SCHEME:
            found.append(Script(node, "classic", attribute, unquote(address[len(_SCHEME) :])))
    return tuple(found)


def _of_element(node: LexborNode) -> Iterator[Script]:
    kind = kind_of(node.attributes.get("type"), node.attributes.get("language"))
    has_source = any(name in node.attributes for name in ("src", "href", "xlink:href"))
    skipped = kind == "classic" and "nomodule" in node.attributes
    if kind is not None and not has_source and not skipped and not _is_inert(node):
        yield Script(node, kind, "script", node.text(deep=True))


def kind_of(type_attribute: str | None, language: str | None = None) -> ScriptKind | None:
    """What a script element of this type holds; None for a block of data that is no JSON."""
    if type_attribute is None and language:
        type_attribute = f"text/{language}"
    name = (type_attribute or "").strip(" \t\n\f\r").lower()
    if type_attribute == "" or type_attribute is None or name in _JAVASCRIPT_TYPES:
        return "classic"
    if name == "module":
        return "module"
    if name == "importmap":
        return "import map"
    essence = name.partition(";")[0].strip()
    is_json = essence in ("application/json", "text/json", "speculationrules") or essence.endswith("+json")
    return "json" if is_json else None


def _is_inert(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in ("noscript", "template"):
            return True
        parent = parent.parent
    return False


@cache
def event_handlers() -> frozenset[str]:
    """The attributes whose value is a function body: HTML standard, section 8.1.8.2, and what Chromium adds."""
    text = resources.files(__package__ or "").joinpath("event_handlers.json").read_text(encoding="utf-8")
    return frozenset(json.loads(text))
