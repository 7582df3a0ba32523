"""Text alternatives by means of HTML itself (HTML-AAM 1.0, section 4.1)."""

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.roles import inherits_from, input_type

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
