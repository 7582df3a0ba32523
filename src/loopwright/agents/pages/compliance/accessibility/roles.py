"""Roles of elements: those given by `role`, and those that HTML brings (WAI-ARIA 1.2, HTML-AAM 1.0, DPUB-ARIA 1.1)."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.computed import element_parent

GLOBAL_ATTRIBUTES = tuple(
    f"aria-{name}"
    for name in (
        "atomic", "busy", "controls", "current", "describedby", "description", "details", "dropeffect", "flowto",
        "grabbed", "hidden", "keyshortcuts", "label", "labelledby", "live", "owns", "relevant", "roledescription",
    )
)  # fmt: skip
"""States and properties that every role has; one of them on an element undoes `role=none` (WAI-ARIA 1.2, 5.3.3)."""

_PLAIN: Mapping[str, str] = {
    "address": "group", "article": "article", "aside": "complementary", "blockquote": "blockquote",
    "button": "button", "caption": "caption", "code": "code", "datalist": "listbox", "dd": "definition",
    "del": "deletion", "details": "group", "dfn": "term", "dialog": "dialog", "dt": "term", "em": "emphasis",
    "fieldset": "group", "figure": "figure", "h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading",
    "h5": "heading", "h6": "heading", "hr": "separator", "html": "document", "ins": "insertion", "li": "listitem",
    "main": "main", "mark": "mark", "math": "math", "menu": "list", "meter": "meter", "nav": "navigation",
    "ol": "list", "optgroup": "group", "option": "option", "output": "status", "p": "paragraph",
    "progress": "progressbar", "s": "deletion", "search": "search", "strong": "strong", "sub": "subscript",
    "sup": "superscript", "svg": "graphics-document", "table": "table", "tbody": "rowgroup", "td": "cell",
    "textarea": "textbox", "tfoot": "rowgroup", "thead": "rowgroup", "time": "time", "tr": "row", "ul": "list",
}  # fmt: skip
_INPUTS: Mapping[str, str] = {
    "button": "button", "submit": "button", "reset": "button", "image": "button", "checkbox": "checkbox",
    "radio": "radio", "range": "slider", "number": "spinbutton", "search": "searchbox", "text": "textbox",
    "email": "textbox", "tel": "textbox", "url": "textbox",
}  # fmt: skip
_WITHOUT_ROLE = frozenset({"color", "date", "datetime-local", "file", "hidden", "month", "password", "time", "week"})
"""Types of `input` that have no corresponding role."""
_SUGGESTING = frozenset({"text", "search", "tel", "url", "email"})
_SECTIONING = frozenset({"article", "aside", "main", "nav", "section"})


def input_type(node: LexborNode) -> str:
    """The state of an input's `type`; unknown values are `text`, as in the HTML standard."""
    kind = (node.attributes.get("type") or "text").strip().lower()
    return kind if kind in _INPUTS or kind in _WITHOUT_ROLE else "text"


def inherits_from(role: str, ancestor: str) -> bool:
    """Whether a role is `ancestor` or one of the roles below it."""
    if role == ancestor:
        return True
    return any(inherits_from(parent, ancestor) for parent in _taxonomy()["parents"].get(role, ()))


def is_named_from_content(role: str) -> bool:
    """Whether the content of an element with this role may be its name."""
    return role in _taxonomy()["named_from_content"]


def is_naming_prohibited(role: str) -> bool:
    """Whether authors may not name an element with this role."""
    return role in _taxonomy()["not_named"]


def find_role(node: LexborNode, is_focusable: Callable[[LexborNode], bool]) -> str:
    """The semantic role of an element; empty when it corresponds to none.

    Args:
        node: the element.
        is_focusable: tells whether it can take the focus, in which case `role=none` does not count.
    """
    for word in (node.attributes.get("role") or "").lower().split():
        if word not in _taxonomy()["parents"] or word in _taxonomy()["abstract"]:
            continue
        if word not in ("none", "presentation"):
            return word
        if not has_global_attribute(node) and not is_focusable(node):
            return "none"
        break
    return implicit_role(node)


def has_global_attribute(node: LexborNode) -> bool:
    """Whether an element carries a state or property that keeps it in the accessibility tree."""
    # `aria-hidden=false` says nothing; naming with an empty value does not either.
    return any((node.attributes.get(name) or "").strip() not in ("", "false") for name in GLOBAL_ATTRIBUTES)


def implicit_role(node: LexborNode) -> str:
    """The role that HTML gives an element without a `role` (HTML-AAM 1.0, section 3.5)."""
    tag = node.tag or ""
    if tag in _PLAIN:
        return _PLAIN[tag]
    special = _SPECIAL.get(tag)
    return special(node) if special else "generic"


def _link(node: LexborNode) -> str:
    return "link" if "href" in node.attributes else "generic"


def _field(node: LexborNode) -> str:
    kind = input_type(node)
    if kind in _SUGGESTING and "list" in node.attributes:
        return "combobox"
    return _INPUTS.get(kind, "")


def _select(node: LexborNode) -> str:
    size = (node.attributes.get("size") or "").strip()
    several = "multiple" in node.attributes or (size.isdigit() and int(size[:6]) > 1)
    return "listbox" if several else "combobox"


def _picture(node: LexborNode) -> str:
    empty = "alt" in node.attributes and not (node.attributes["alt"] or "")
    # A picture whose alt is empty is decoration, unless something else names it.
    return "none" if empty and not has_global_attribute(node) else "img"


def _header_cell(node: LexborNode) -> str:
    return "rowheader" if (node.attributes.get("scope") or "").strip().lower().startswith("row") else "columnheader"


def _landmark(role: str) -> Callable[[LexborNode], str]:
    """A header or footer of the whole page is a landmark; inside a section it is not."""

    def find(node: LexborNode) -> str:
        parent = element_parent(node)
        while parent is not None:
            if parent.tag in _SECTIONING:
                return "generic"
            parent = element_parent(parent)
        return role

    return find


def _if_named(role: str) -> Callable[[LexborNode], str]:
    """Sections and forms are landmarks only when they have a name."""

    def find(node: LexborNode) -> str:
        named = any((node.attributes.get(name) or "").strip() for name in ("aria-label", "aria-labelledby", "title"))
        return role if named else "generic"

    return find


_SPECIAL: Mapping[str, Callable[[LexborNode], str]] = {
    "a": _link,
    "area": _link,
    "input": _field,
    "select": _select,
    "img": _picture,
    "th": _header_cell,
    "header": _landmark("banner"),
    "footer": _landmark("contentinfo"),
    "section": _if_named("region"),
    "form": _if_named("form"),
    **dict.fromkeys(("iframe", "audio", "video", "canvas", "embed", "object", "summary"), lambda _: ""),
}


@cache
def _taxonomy() -> dict[str, Any]:
    """The roles with those they inherit from, and how they are named."""
    data: dict[str, Any] = json.loads(files(__package__).joinpath("roles.json").read_text(encoding="utf-8"))
    return data | {key: frozenset(data[key]) for key in ("abstract", "named_from_content", "not_named")}
