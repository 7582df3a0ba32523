"""Accessible names: Accessible Name and Description Computation 1.2, with HTML-AAM 1.0 for what HTML adds.

The letters in the comments are those of the steps in section 4.3.2 of the former.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.accessibility.generated import GeneratedContent
from loopwright.agents.pages.compliance.accessibility.labels import LabelIndex
from loopwright.agents.pages.compliance.accessibility.native import (
    content_owner,
    default_name,
    has_usable_title,
    native_attribute,
    placeholder,
    value_in_label,
)
from loopwright.agents.pages.compliance.accessibility.roles import is_named_from_content, is_naming_prohibited
from loopwright.agents.pages.compliance.page import Page

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
