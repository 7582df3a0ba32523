"""Roles of elements: those given by `role`, and those that HTML brings (WAI-ARIA 1.2, HTML-AAM 1.0, DPUB-ARIA 1.1)."""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.computed import element_parent, from_root_down
from loopwright.agents.pages.compliance.cascade.media import VIEWPORT_WIDTH
from loopwright.agents.pages.compliance.page import Page

# What can be seen of a page, as far as CSS alone tells.

FAR_AWAY = 999.0
"""Pixels to the left or above from where nothing can be scrolled into view; authors write 999 or more for hiding."""
_CLIPPED_AWAY = (
    "rect(0", "rect(1px", "inset(50%", "inset(100%", "circle(0", "polygon(0 0, 0 0", "polygon(0px 0px, 0px",
)  # fmt: skip


class Visibility:
    """Tells visible elements from invisible ones; answers are kept."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._whole: dict[int, bool | None] = {}

    def of(self, node: LexborNode) -> bool | None:
        """Whether the content of an element can be seen; None when that cannot be told."""
        if self.page.cascade.value(node, "visibility") not in ("visible", None):
            return False
        return self._place(node)

    def _place(self, node: LexborNode) -> bool | None:
        """Whether nothing from the root down to the element takes it out of sight."""
        return from_root_down(node, self._whole, True, self._goes_on)

    def _goes_on(self, around: bool | None, node: LexborNode) -> bool | None:
        own = around if around is False else self._shows(node)
        return around if own is True else own

    def _shows(self, node: LexborNode) -> bool | None:
        parent = element_parent(node)
        if parent is not None and parent.tag == "details" and "open" not in parent.attributes and node.tag != "summary":
            return False
        value = self.page.cascade.value
        display, opacity = value(node, "display"), value(node, "opacity")
        if display == "none" or _is_zero(opacity):
            return False
        answers = [
            None if display is None or opacity is None else True,
            self._is_in_reach(node),
            self._has_extent(node),
            self._is_unclipped(node),
        ]
        return False if False in answers else None if None in answers else True

    def _is_in_reach(self, node: LexborNode) -> bool | None:
        """Not moved out to the left or to the top, where nobody can scroll."""
        cascade = self.page.cascade
        names = ["margin-left", "margin-top", "text-indent"]
        if cascade.value(node, "position") in ("absolute", "fixed", "relative"):
            names += ["left", "top"]
        answer: bool | None = True
        for name in names:
            length = cascade.length(node, name, percent_of=VIEWPORT_WIDTH)
            if length is None and cascade.value(node, name) is None:
                answer = None
            elif isinstance(length, float) and length <= -FAR_AWAY:
                return False
            elif isinstance(length, float) and length < 0 and name in ("left", "top"):
                answer = None  # how much of it stays in view depends on its size
        return answer if self._is_moved(node) is not True else None

    def _is_moved(self, node: LexborNode) -> bool:
        value = self.page.cascade.value
        return any(value(node, name) != "none" for name in ("transform", "translate", "scale"))

    def _has_extent(self, node: LexborNode) -> bool | None:
        """Not a box of a pixel or less that cuts off what it holds, and text of a size to be seen."""
        cascade = self.page.cascade
        if cascade.font_size(node) == 0:
            return False
        cuts = cascade.value(node, "overflow-x") in ("hidden", "clip") or node.tag in ("iframe", "img", "canvas")
        if not cuts:
            return True
        sizes = [cascade.length(node, name, percent_of=VIEWPORT_WIDTH) for name in ("width", "height")]
        return not any(isinstance(size, float) and size <= 1 for size in sizes)

    def _is_unclipped(self, node: LexborNode) -> bool | None:
        value = self.page.cascade.value
        clips = [value(node, "clip-path")]
        if value(node, "position") in ("absolute", "fixed"):
            clips.append(value(node, "clip"))
        if any(clip is not None and clip.startswith(_CLIPPED_AWAY) for clip in clips):
            return False
        return True if all(clip in ("none", "auto") for clip in clips) else None


def _is_zero(text: str | None) -> bool:
    try:
        return text is not None and float(text) == 0
    except ValueError:
        return text == "0%"


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


# What can take the keyboard focus, and what is disabled (HTML standard, sections 4.10.19.5 and 6.6.3).

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


# Text alternatives by means of HTML itself (HTML-AAM 1.0, section 4.1).

IMAGE_BUTTON_DEFAULT = "Submit Query"
"""What browsers call a picture button without a name; it describes nothing."""
_DEFAULTS = {"submit": "Submit", "reset": "Reset"}
_BUTTONS = frozenset({"button", "submit", "reset"})
_CAPTIONS = {"fieldset": "legend", "figure": "figcaption", "table": "caption", "svg": "title"}
"""Elements that are named by a child of theirs."""
_WITH_PLACEHOLDER = frozenset({"text", "search", "tel", "url", "email", "password", "number"})


def native_attribute(node: LexborNode) -> str | None:
    """The name in an attribute made for the purpose; None when there is none, and an empty text ends the search."""
    tag, attributes = node.tag, node.attributes
    if tag == "img" and "alt" in attributes:
        return attributes["alt"] or ""
    if tag == "area":
        return (attributes.get("alt") or "").strip() or None
    if tag != "input":
        return None
    kind = input_type(node)
    if kind == "image":
        return (attributes.get("alt") or "").strip() or None
    if kind in _BUTTONS:
        if "value" in attributes:
            return (attributes["value"] or "").strip() or None
        return _DEFAULTS.get(kind)
    return None


def content_owner(node: LexborNode) -> LexborNode | None:
    """The child whose content names an element: a legend, a caption, the title of a drawing."""
    wanted = _CAPTIONS.get(node.tag or "")
    if wanted is None:
        return None
    return next((child for child in node.iter() if child.tag == wanted), None)


def has_usable_title(node: LexborNode) -> bool:
    """Whether the tooltip may name an element; an empty `alt` says that nothing does."""
    return not (node.tag == "img" and "alt" in node.attributes)


def placeholder(node: LexborNode) -> str:
    """The hint inside an empty field."""
    takes_text = node.tag == "textarea" or (node.tag == "input" and input_type(node) in _WITH_PLACEHOLDER)
    native = (node.attributes.get("placeholder") or "").strip() if takes_text else ""
    return native or (node.attributes.get("aria-placeholder") or "").strip()


def default_name(node: LexborNode) -> str:
    """What browsers say when an author gave no name."""
    return IMAGE_BUTTON_DEFAULT if node.tag == "input" and input_type(node) == "image" else ""


def value_in_label(node: LexborNode, role: str) -> str | None:
    """What a field inside the label of something else contributes: its value (accname 1.2, step 2C)."""
    if inherits_from(role, "textbox"):
        return node.text(deep=True) if node.tag != "input" else node.attributes.get("value") or ""
    if role in ("combobox", "listbox"):
        return _selected(node)
    if inherits_from(role, "range") and role not in ("progressbar", "meter", "scrollbar"):
        names = ("aria-valuetext", "aria-valuenow", "value")
        return next((text for name in names if (text := (node.attributes.get(name) or "").strip())), "")
    return None


def _selected(node: LexborNode) -> str:
    if node.tag == "input":
        return node.attributes.get("value") or ""
    options = node.css("option, [role=option]")
    chosen = [
        each for each in options if "selected" in each.attributes or each.attributes.get("aria-selected") == "true"
    ]
    if not chosen and node.tag == "select" and "multiple" not in node.attributes:
        chosen = options[:1]
    return " ".join(each.text(deep=True, strip=True) for each in chosen)
