"""The accessibility tree of a page at rest: which elements are in it, with which role and name.

WAI-ARIA 1.2, section 7 (inclusion and exclusion), Core-AAM 1.2.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.roles import (
    content_owner,
    default_name,
    find_role,
    has_usable_title,
    inherits_from,
    input_type,
    is_disabled,
    is_in_tab_order,
    is_named_from_content,
    is_naming_prohibited,
    native_attribute,
    placeholder,
    takes_focus,
    value_in_label,
)
from loopwright.agents.pages.compliance.cascade.computed import Cascade, element_parent, from_root_down, rank
from loopwright.agents.pages.compliance.cascade.media import StyleRule
from loopwright.agents.pages.compliance.cascade.tokens import (
    CssToken,
    UnresolvedVariableError,
    parse_values,
    split_on,
    substitute,
)
from loopwright.agents.pages.compliance.page import Page

# Which `label` elements belong to which control (HTML standard, section 4.10.4).

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


# Text that CSS adds before and after the content of elements (CSS Content Level 3).

_EDGES = ("before", "after")


class GeneratedContent:
    """The text of the `::before` and `::after` of every element of a page."""

    def __init__(self, cascade: Cascade) -> None:
        self.cascade = cascade
        self._rules: dict[tuple[int, str], list[StyleRule]] = {}
        for rule, node in cascade.pseudo_elements:
            edge = rule.selector.pseudo_element
            if edge in _EDGES:
                self._rules.setdefault((node.mem_id, edge), []).append(rule)

    def text(self, node: LexborNode, edge: str) -> str:
        """What stands at one edge of an element, `before` or `after`; empty for nothing, and for pictures.

        The alternative text after a slash, `content: "★" / "favourite"`, is what is read aloud.
        """
        rules = self._rules.get((node.mem_id, edge))
        if not rules:
            return ""
        values = self._values(node, rules)
        if values.get("display") == "none" or values.get("visibility") in ("hidden", "collapse"):
            return ""
        return "".join(_text(token, node) for token in _spoken(parse_values(values.get("content", ""))))

    def _values(self, node: LexborNode, rules: list[StyleRule]) -> dict[str, str]:
        """The declared values, the winner of each property last and so in force."""
        declared = [(rank(rule, declaration), declaration) for rule in rules for declaration in rule.declarations]
        values: dict[str, str] = {}
        for _, declaration in sorted(declared, key=lambda entry: entry[0]):
            try:
                values[declaration.name] = substitute(declaration.value, self.cascade.custom_properties(node).get)
            except UnresolvedVariableError:
                values.pop(declaration.name, None)
        return values


def _spoken(tokens: tuple[CssToken, ...]) -> tuple[CssToken, ...]:
    parts = split_on(tokens, "/")
    return parts[-1] if len(parts) > 1 else tokens


def _text(token: CssToken, node: LexborNode) -> str:
    if token.kind == "string":
        return token.name
    if token.kind == "function" and token.name == "attr":
        return node.attributes.get(token.children[0].name if token.children else "") or ""
    return ""


# Accessible names: Accessible Name and Description Computation 1.2, with HTML-AAM 1.0 for what HTML adds.

MAXIMUM_DEPTH = 200
"""Content nested deeper than this is not read; nobody listens that far, and the stack is finite."""
MAXIMUM_STEPS = 50_000
"""Elements visited for all names of one page; a page of references to references ends there."""
_INLINE = ("inline", "contents", None)


@dataclass(frozen=True, slots=True)
class _Walk:
    """Where the computation stands."""

    root: int
    """The element that is being named."""
    referenced: bool = False
    """Inside what `aria-labelledby` points at; further references are not followed."""
    shows_hidden: bool = False
    """Inside a referenced element that is hidden itself, where hidden content counts."""
    in_content: bool = False
    """Inside the content of the element, of a label or of a reference."""
    depth: int = 0
    path: frozenset[int] = field(default_factory=frozenset)
    """The elements on the way here, so that `aria-owns` cannot lead in circles."""


class NameComputation:
    """Names the elements of one page."""

    def __init__(
        self,
        page: Page,
        is_hidden: Callable[[LexborNode], bool],
        role_of: Callable[[LexborNode], str],
        generated: GeneratedContent,
    ) -> None:
        self.page = page
        self.is_hidden = is_hidden
        self.role_of = role_of
        self.generated = generated
        self.labels = page.once(LabelIndex)
        self.is_exhausted = False
        """Whether the page asked for more steps than it is given, and some names are cut short."""
        self._has_owners = bool(page.find("[aria-owns]"))
        self._steps = 0
        self._names: dict[int, str] = {}

    def name(self, node: LexborNode) -> str:
        """The accessible name of an element, white space collapsed; empty when it has none."""
        if node.mem_id not in self._names:
            self._names[node.mem_id] = " ".join(self._compute(node, _Walk(node.mem_id)).split())
        return self._names[node.mem_id]

    def _compute(self, node: LexborNode, walk: _Walk) -> str:
        self._steps += 1
        if self._steps > MAXIMUM_STEPS or walk.depth > MAXIMUM_DEPTH:
            self.is_exhausted = True
            return ""
        # A: hidden content counts only when it is what a reference points at, or part of that.
        if walk.in_content and not walk.shows_hidden and self.is_hidden(node):
            return ""
        role = self.role_of(node)
        # B: the elements that aria-labelledby points at.
        if not walk.referenced and (referenced := self._referenced(node, walk)):
            return referenced
        # C: a field inside the label of another one stands for its value.
        is_embedded = walk.in_content and node.mem_id != walk.root
        if is_embedded and (value := value_in_label(node, role)) is not None:
            return value
        # D: aria-label.
        label = (node.attributes.get("aria-label") or "").strip()
        if label and (walk.in_content or not is_naming_prohibited(role)):
            return label
        # E: what HTML has for the purpose.
        if role != "none" and (native := self._native(node, walk)) is not None:
            return native
        # F to H: the content.
        if walk.in_content or is_named_from_content(role) or node.tag == "summary":
            content = self._content(node, walk)
            if content.strip():
                return content
        # I: the tooltip, and the placeholder after it.
        return self._last_resort(node, role)

    def _referenced(self, node: LexborNode, walk: _Walk) -> str:
        names = []
        for element in self._elements(node, "aria-labelledby"):
            deeper = replace(
                walk,
                referenced=True,
                in_content=True,
                shows_hidden=self.is_hidden(element),
                depth=walk.depth + 1,
                path=frozenset(),
            )
            names.append(self._compute(element, deeper).strip())
        return " ".join(name for name in names if name)

    def _elements(self, node: LexborNode, attribute: str) -> Iterator[LexborNode]:
        """The elements that an attribute names by their ids."""
        for identifier in (node.attributes.get(attribute) or "").split():
            element = self.page.by_id.get(identifier)
            if element is not None:
                yield element

    def _native(self, node: LexborNode, walk: _Walk) -> str | None:
        """The text alternative that HTML itself gives; None to go on with the other steps."""
        # Hidden labels would count by the letter of step A; browsers leave them out, and so do users.
        labels = [] if walk.in_content and node.mem_id == walk.root else self.labels.of(node)
        shown = (label for label in labels if label.mem_id not in walk.path and not self.is_hidden(label))
        spoken = [self._label_text(label, walk) for label in shown]
        if any(spoken):
            return " ".join(text for text in spoken if text)
        attribute = native_attribute(node)
        if attribute is not None:
            return attribute
        owner = content_owner(node)
        if owner is not None:
            text = self._content(owner, replace(walk, in_content=True, depth=walk.depth + 1)).strip()
            return text or None
        return None

    def _label_text(self, label: LexborNode, walk: _Walk) -> str:
        deeper = replace(walk, in_content=True, depth=walk.depth + 1, path=frozenset())
        return self._compute(label, deeper).strip()

    def _content(self, node: LexborNode, walk: _Walk) -> str:
        if node.mem_id in walk.path:
            return ""
        path = walk.path | {node.mem_id} if self._has_owners else walk.path
        inside = replace(walk, in_content=True, depth=walk.depth + 1, path=path)
        pieces = [self.generated.text(node, "before")]
        children = [*node.iter(include_text=True), *self._elements(node, "aria-owns")]
        for child in children:
            if child.is_text_node:
                pieces.append(child.text_content or "")
            elif child.is_element_node and not (child.mem_id == walk.root and walk.in_content):
                pieces.append(self._set_apart(child, self._compute(child, inside)))
        pieces.append(self.generated.text(node, "after"))
        return "".join(pieces)

    def _set_apart(self, child: LexborNode, text: str) -> str:
        """Blocks and line breaks part words; inline elements do not, nor does what is not there."""
        if child.tag == "br":
            return " "
        if not text and self.is_hidden(child):
            return ""
        return text if self.page.cascade.value(child, "display") in _INLINE else f" {text} "

    def _last_resort(self, node: LexborNode, role: str) -> str:
        title = (node.attributes.get("title") or "").strip()
        if title and has_usable_title(node) and not is_naming_prohibited(role):
            return title
        return placeholder(node) or default_name(node)


_NEVER_EXPOSED = frozenset({"script", "style", "template", "head", "noscript", "link", "meta", "title"})


class AccessibilityTree:
    """What assistive technologies are given; answers are kept, so the page must not change."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.is_uncertain = False
        """Whether an answer depended on CSS that could not be judged; what it hides was then taken as shown."""
        self.names = NameComputation(page, self.is_hidden, self.role, GeneratedContent(page.cascade))
        self._removed: dict[int, bool] = {}
        self._live: dict[int, bool] = {}
        self._roles: dict[int, str] = {}

    def includes(self, node: LexborNode) -> bool:
        """Whether an element is exposed: not hidden from anybody, and not declared meaningless by its role."""
        return not self.is_hidden(node) and self.role(node) != "none"

    def is_hidden(self, node: LexborNode) -> bool:
        """Whether an element is hidden from assistive technologies: by CSS, `hidden`, `inert` or `aria-hidden`."""
        if node.tag == "area":
            return self._is_unused_area(node)
        return self._is_removed(node) or self._value(node, "visibility", "visible") != "visible"

    def role(self, node: LexborNode) -> str:
        """The semantic role; empty when HTML gives the element none."""
        if node.mem_id not in self._roles:
            self._roles[node.mem_id] = find_role(node, self.is_focusable)
        return self._roles[node.mem_id]

    def name(self, node: LexborNode) -> str:
        """The accessible name, white space collapsed."""
        return self.names.name(node)

    def is_focusable(self, node: LexborNode) -> bool:
        """Whether an element can take the focus now."""
        return takes_focus(node) and self._is_reachable(node)

    def is_in_tab_order(self, node: LexborNode) -> bool:
        """Whether the Tab key reaches an element now."""
        return is_in_tab_order(node) and self._is_reachable(node)

    def _is_reachable(self, node: LexborNode) -> bool:
        """Rendered and not inert; `aria-hidden` takes nothing out of the tab order."""
        live = from_root_down(node, self._live, True, lambda around, each: around and self._lets_in(each))
        return live and self._value(node, "visibility", "visible") == "visible"

    def _lets_in(self, node: LexborNode) -> bool:
        return "inert" not in node.attributes and self._value(node, "display", "block") != "none"

    def _is_removed(self, node: LexborNode) -> bool:
        """Whether something on the way up takes the element out with all it holds."""
        return from_root_down(node, self._removed, False, lambda around, each: around or self._removes(each))

    def _removes(self, node: LexborNode) -> bool:
        attributes = node.attributes
        if node.tag in _NEVER_EXPOSED and not _is_in_picture(node):
            return True
        if "inert" in attributes or (attributes.get("aria-hidden") or "").strip().lower() == "true":
            return True
        if self._value(node, "display", "block") == "none":
            return True
        parent = element_parent(node)
        if parent is None:
            return False
        if parent.tag == "details" and "open" not in parent.attributes and node.tag != "summary":
            return True
        return self._value(parent, "content-visibility", "visible") == "hidden"

    def _value(self, node: LexborNode, name: str, otherwise: str) -> str:
        value = self.page.cascade.value(node, name)
        if value is None:
            self.is_uncertain = True
        return otherwise if value is None else value

    def _is_unused_area(self, node: LexborNode) -> bool:
        """An area is never rendered itself; it is there when a picture that is there uses its map."""
        owner = element_parent(node)
        while owner is not None and owner.tag != "map":
            owner = element_parent(owner)
        name = "" if owner is None else (owner.attributes.get("name") or "").strip()
        hidden = (node.attributes.get("aria-hidden") or "").strip().lower() == "true"
        return hidden or not any(
            (picture.attributes.get("usemap") or "").strip() == f"#{name}" and not self.is_hidden(picture)
            for picture in (self.page.find("img[usemap]") if name else ())
        )


def _is_in_picture(node: LexborNode) -> bool:
    """Whether an element is part of an SVG drawing, where `title` and `style` are children like others."""
    parent = element_parent(node)
    while parent is not None:
        if parent.tag == "svg":
            return node.tag != "style" and node.tag != "script"
        parent = element_parent(parent)
    return False


# Text of what cannot be used now, which may be faint (WCAG 1.4.3, inactive user interface components).


class DisabledText:
    """Finds the text of disabled widgets and groups, and that of their labels."""

    def __init__(self, page: Page, tree: AccessibilityTree) -> None:
        self.tree = tree
        self._outermost = {node.mem_id for node in page.find("*") if self._is_disabled(node)}
        self._labels: set[int] = set()
        for node in page.find("[aria-disabled], :disabled, input, select, textarea, button"):
            if node.mem_id in self._outermost or self._is_inside(node, self._outermost):
                words = (node.attributes.get("aria-labelledby") or "").split()
                named = [element for word in words if (element := page.by_id.get(word)) is not None]
                self._labels.update(element.mem_id for element in (*named, *tree.names.labels.of(node)))

    def holds(self, node: LexborNode) -> bool:
        """Whether an element is part of something disabled, or of its label."""
        return self._is_inside(node, self._outermost | self._labels)

    def _is_disabled(self, node: LexborNode) -> bool:
        if not (is_disabled(node) or (node.attributes.get("aria-disabled") or "").strip().lower() == "true"):
            return False
        role = self.tree.role(node)
        # Fields without a role of their own, such as one for passwords, are widgets too.
        return not role or inherits_from(role, "widget") or inherits_from(role, "group")

    def _is_inside(self, node: LexborNode, elements: set[int]) -> bool:
        if not elements:
            return False
        current: LexborNode | None = node
        while current is not None:
            if current.mem_id in elements:
                return True
            current = element_parent(current)
        return False
