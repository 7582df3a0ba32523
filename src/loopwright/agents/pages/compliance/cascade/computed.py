"""Computed values: the cascade answered for one element at a time.

CSS Cascading Level 5 in the order origin and importance, layer, specificity, order of appearance.  A property whose
winning declaration cannot be judged has the value None, "not known", which no rule may report as an error.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Literal, TypeVar

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from loopwright.agents.pages.compliance.cascade.colours import Scheme
from loopwright.agents.pages.compliance.cascade.lengths import INITIAL as INITIAL_SIZE
from loopwright.agents.pages.compliance.cascade.lengths import (
    FontSize,
    Length,
    LengthContext,
    compute_font_size,
    resolve_length,
)
from loopwright.agents.pages.compliance.cascade.media import (
    LAST,
    Environment,
    Layer,
    Orientation,
    StyleRule,
    StyleSheet,
)
from loopwright.agents.pages.compliance.cascade.shorthand import expand, longhands_of
from loopwright.agents.pages.compliance.cascade.tokens import (
    Declaration,
    UnresolvedVariableError,
    parse_declarations,
    resolve_custom_properties,
    substitute,
)

# What it costs to ask a page for a selector, told before it is asked.

MAXIMUM_STEPS = 20_000_000
"""Steps for all selectors of a page together."""
_WALK = 0.2
"""Steps that it takes to look at one element for a simple selector."""
_COUNTING = 0.02
"""Steps that it takes to pass one sibling when siblings are numbered."""
_ATTRIBUTE = re.compile(r"\[[^\]]*\]")
_COMBINATOR = re.compile(r"\s*([>+~])\s*|\s+")
_KEY = re.compile(r"([.#])([\w-]+)|^([a-z][\w-]*)")
_FUNCTION = re.compile(r":[\w-]+$")


class SelectorIndex:
    """How often each id, class and tag occurs on a page, how deep it is and how long its longest list."""

    def __init__(self, document: LexborHTMLParser) -> None:
        self.counts: Counter[str] = Counter()
        self.elements = 0
        self.deepest = self.longest = 1
        depths: dict[int, int] = {}
        children: Counter[int] = Counter()
        for node in document.css("*"):
            self.elements += 1
            attributes = node.attributes
            keys = {f".{name.lower()}" for name in (attributes.get("class") or "").split()}
            keys |= {f"#{(attributes.get('id') or '').lower()}", (node.tag or "").lower()}
            self.counts.update(keys)
            parent = node.parent
            around = 0 if parent is None else parent.mem_id
            depths[node.mem_id] = depths.get(around, 0) + 1
            children[around] += 1
        if self.elements:
            self.deepest, self.longest = max(depths.values()), max(children.values())

    def steps(self, selector: str) -> float:
        """An upper bound of the steps that a complex selector takes; 0 when no element can match it."""
        plain = selector.lower()
        if "\\" in plain or "|" in plain or '"' in plain or "'" in plain:
            plain, known = (
                _ATTRIBUTE.sub("", plain),
                False,
            )  # names may be written in other ways than they are looked up
        else:
            plain, known = _ATTRIBUTE.sub("", plain), True
        outer, inner = _take_out_functions(plain)
        compounds = _COMBINATOR.split(outer.strip())[::2]
        candidates = [self._candidates(each) if known else self.elements for each in compounds if each is not None]
        if 0 in candidates:
            return 0
        return self.elements * _WALK + (candidates[-1] if candidates else self.elements) * self._ways(outer, inner)

    def _ways(self, outer: str, inner: list[tuple[str, str]]) -> float:
        """In how many ways the engine can go through a page from one element that may match."""
        signs = [match[1] or " " for match in _COMBINATOR.finditer(outer.strip())]
        ways = float(math.comb(self.deepest, min(signs.count(" "), self.deepest)))
        ways *= math.comb(self.longest, min(signs.count("~"), self.longest))
        return ways * (1 + sum(self._function(name, content) for name, content in inner))

    def _function(self, name: str, content: str) -> float:
        if name.startswith(":nth"):
            return self.longest * _COUNTING
        below = self.deepest if name == ":has" else 1  # what all elements hold together is this many times the page
        return below * sum(self._ways(*_take_out_functions(part)) for part in content.split(","))

    def _candidates(self, compound: str) -> int:
        """How many elements have the rarest of the names that a compound selector asks for."""
        names = [f"{match[1] or ''}{match[2] or match[3]}" for match in _KEY.finditer(compound.partition(":")[0])]
        return min((self.counts[name] for name in names), default=self.elements)


def _take_out_functions(selector: str) -> tuple[str, list[tuple[str, str]]]:
    """A selector without the arguments of its functions, and those, each with the function's name."""
    outer: list[str] = []
    inner: list[tuple[str, str]] = []
    depth, start = 0, 0
    for position, character in enumerate(selector):
        if character == "(":
            if depth == 0:
                start = position + 1
            depth += 1
        elif character == ")" and depth:
            depth -= 1
            if depth == 0:
                name = _FUNCTION.search("".join(outer[-30:]))
                inner.append((name[0] if name else "", selector[start:position]))
        elif depth == 0:
            outer.append(character)
    return "".join(outer), inner


INHERITED = frozenset(
    {"font-size", "font-family", "line-height", "visibility", "white-space", "text-transform", "letter-spacing",
     "color", "color-scheme", "direction", "font-weight", "fill", "text-align", "text-indent", "text-shadow",
     "-webkit-text-fill-color"}
)  # fmt: skip
INITIAL = {
    "display": "inline", "position": "static", "visibility": "visible", "box-sizing": "content-box", "width": "auto",
    "height": "auto", "min-width": "auto", "min-height": "auto", "max-width": "none", "max-height": "none",
    "font-size": "medium", "font-family": "serif", "line-height": "normal", "white-space": "normal",
    "overflow-x": "visible",
    "overflow-y": "visible", "flex-direction": "row", "flex-grow": "0", "flex-wrap": "nowrap", "align-items": "normal",
    "align-self": "auto", "row-gap": "normal", "column-gap": "normal", "top": "auto", "right": "auto",
    "bottom": "auto", "left": "auto", "float": "none", "transform": "none", "aspect-ratio": "auto",
    "grid-template-columns": "none", "grid-template-rows": "none", "grid-auto-rows": "auto", "scrollbar-width": "auto",
    "clip": "auto", "clip-path": "none", "letter-spacing": "normal", "zoom": "1", "flex-basis": "auto",
    "color": "canvastext", "background-color": "transparent", "background-image": "none", "opacity": "1",
    "font-weight": "400", "fill": "#000", "text-shadow": "none", "rotate": "none", "scale": "none",
    "translate": "none", "filter": "none", "backdrop-filter": "none", "mix-blend-mode": "normal",
    "background-clip": "border-box", "mask-image": "none", "text-indent": "0", "text-align": "start",
    "content-visibility": "visible", "color-scheme": "normal", "direction": "ltr",
    "-webkit-text-fill-color": "currentcolor",
} | {
    f"{box}-{side}": "0" for box in ("margin", "padding") for side in ("top", "right", "bottom", "left")
} | {f"border-{side}-width": "medium" for side in ("top", "right", "bottom", "left")} | {
    f"border-{side}-style": "none" for side in ("top", "right", "bottom", "left")
}  # fmt: skip
MAXIMUM_DEPTH = 512
"""Elements inside each other; Chromium nests no deeper either."""
MAXIMUM_DECLARATIONS = 1_000_000
"""Declarations that apply to elements, counted for each; a rich page of the largest size has half as many."""
_Rank = tuple[int, Layer, tuple[int, int, int, int], int]
_Applied = tuple[_Rank, Declaration, bool]
_INLINE_SPECIFICITY = (1, 0, 0, 0)


class Cascade:
    """The computed values of one parsed page under its stylesheets."""

    def __init__(
        self,
        document: LexborHTMLParser,
        author_css: list[str],
        scheme: Scheme = "light",
        orientation: Orientation = "portrait",
    ) -> None:
        """Parse and apply the CSS.

        Args:
            document: the parsed page.
            author_css: the text of the page's stylesheets in the order in which they apply.
            scheme: what the owner of the phone prefers.
            orientation: how the phone is held.
        """
        self.scheme = scheme
        environment = Environment(scheme, orientation)
        self.sheet = StyleSheet(rules=list(user_agent_rules()), environment=environment)
        for css in author_css:
            self.sheet.add(css)
        self.document = document
        self.pseudo_elements: list[tuple[StyleRule, LexborNode]] = []
        """Rules for pseudo-elements, each with an element it applies to."""
        self._applied: dict[int, list[_Applied]] = {}
        self._specified: dict[int, dict[str, str | None]] = {}
        self._custom: dict[int, dict[str, str]] = {}
        self._font_sizes: dict[int, FontSize] = {}
        self._values: dict[tuple[int, str], str | None] = {}
        self.exhausted_by = self._apply_rules()
        """What asks for so much work that the styles were not worked out; then no value is known."""
        for node in (
            () if self.exhausted_by else document.css("*")
        ):  # parents first, so that no later look-up has to climb far
            self.font_size(node)

    def value(self, node: LexborNode, name: str) -> str | None:
        """The value of a property in lower case, inherited and initial values included; None when not known.

        Percentages, relative lengths and the like are given as written: see `length`.
        """
        if self.exhausted_by:
            return None
        key = (node.mem_id, name)
        if key in self._values:
            return self._values[key]
        climbed: list[int] = []
        element: LexborNode | None = node
        found: str | None = INITIAL.get(name, "")
        while element is not None:
            if (element.mem_id, name) in self._values:
                found = self._values[element.mem_id, name]
                break
            specified = self._specified_values(element).get(name, "")
            inherits = specified == "inherit" or (name in INHERITED and specified in ("", "unset", "revert"))
            if not inherits:
                climbed.append(element.mem_id)
                is_initial = specified in ("", "initial", "unset", "revert", "revert-layer")
                found = INITIAL.get(name, "") if is_initial else specified
                break
            climbed.append(element.mem_id)
            element = element_parent(element)
        # What a deep element inherits is noted on the whole way, or deep pages would take quadratic time.
        for identifier in climbed:
            self._values[identifier, name] = found
        return found

    def specified(self, node: LexborNode) -> Mapping[str, str | None]:
        """The longhands that an element's own rules set, references replaced; None for what is not known."""
        return self._specified_values(node)

    def font_size(self, node: LexborNode) -> float | None:
        """The font size in pixels, or None when not known."""
        return self._font_size(node).pixels

    def length(self, node: LexborNode, name: str, percent_of: float | None = None) -> Length:
        """A property in pixels; `percent_of` is what percentages refer to, in pixels."""
        value = self.value(node, name)
        return None if value is None else resolve_length(value, self.length_context(node, percent_of))

    def length_context(self, node: LexborNode, percent_of: float | None = None) -> LengthContext:
        """What relative units on an element refer to."""
        root = self.document.root
        return LengthContext(self.font_size(node), self.font_size(root) if root else None, percent_of)

    def line_height(self, node: LexborNode, normal: float) -> float | None:
        """The line height in pixels; `normal` is what the keyword `normal` is worth, as a multiple of the font size."""
        font_size = self.font_size(node)
        value = self.value(node, "line-height")
        if value is None or font_size is None:
            return None
        if value == "normal":
            return font_size * normal
        if _is_factor(value):
            return float(value) * font_size
        # Percentages and relative lengths are worked out where they are declared, and inherited in pixels.
        owner: LexborNode | None = node
        while owner is not None and self._specified_values(owner).get("line-height", "") != value:
            owner = element_parent(owner)
        owner = node if owner is None else owner
        length = resolve_length(value, self.length_context(owner, percent_of=self.font_size(owner)))
        return length if isinstance(length, float) else None

    def _font_size(self, node: LexborNode) -> FontSize:
        if node.mem_id not in self._font_sizes:
            parent, root = element_parent(node), self.document.root
            value = self._specified_values(node).get("font-size", "inherit")
            is_monospace = self.value(node, "font-family") == "monospace"
            inherited = INITIAL_SIZE if parent is None else self._font_size(parent)
            root_pixels = INITIAL_SIZE.pixels if parent is None or root is None else self.font_size(root)
            self._font_sizes[node.mem_id] = compute_font_size(value, inherited, is_monospace, root_pixels)
        return self._font_sizes[node.mem_id]

    def _apply_rules(self) -> Literal["nesting", "styles"] | None:
        """Give every element the declarations that apply to it, until the page has taken more than it is given."""
        index = SelectorIndex(self.document)
        if index.deepest > MAXIMUM_DEPTH:
            return "nesting"
        steps, declared = 0.0, sum((node.attributes["style"] or "").count(";") for node in self.document.css("[style]"))
        for rule in self.sheet.rules:
            cost = 0 if rule.selector.reach == "never" else index.steps(rule.selector.text)
            if not cost:
                continue
            steps += cost
            if steps > MAXIMUM_STEPS or declared > MAXIMUM_DECLARATIONS:
                return "styles"
            nodes, certain = self._matching(rule)
            if rule.selector.pseudo_element:
                self.pseudo_elements += [(rule, node) for node in nodes]
                continue
            declared += len(nodes) * len(rule.declarations)
            entries = [(rank(rule, declaration), declaration, certain) for declaration in rule.declarations]
            if declared <= MAXIMUM_DECLARATIONS:
                for node in nodes:
                    self._applied.setdefault(node.mem_id, []).extend(entries)
        return "styles" if declared > MAXIMUM_DECLARATIONS else None

    def _matching(self, rule: StyleRule) -> tuple[list[LexborNode], bool]:
        try:
            return self.document.css(rule.selector.text), rule.certain
        except SelectolaxError:
            # The selector engine does not know it, so whether it applies is open for every element.
            return self.document.css("*"), False

    def _specified_values(self, node: LexborNode) -> Mapping[str, str | None]:
        key = node.mem_id
        if key not in self._specified:
            self._specified[key] = self._specify(node)
        return self._specified[key]

    def _specify(self, node: LexborNode) -> dict[str, str | None]:
        applied = sorted((*self._applied.get(node.mem_id, ()), *_inline(node)), key=lambda entry: entry[0])
        custom = self.custom_properties(node)
        values: dict[str, str | None] = dict(_presentational_hints(node))
        for _, declaration, certain in applied:
            if declaration.name.startswith("--"):
                continue
            try:
                longhands = expand(declaration.name, substitute(declaration.value, custom.get).strip())
            except UnresolvedVariableError:
                longhands, certain = dict.fromkeys(longhands_of(declaration.name), ""), False
            for name, value in longhands.items():
                values[name] = value.strip().lower() if certain else None
        return values

    def custom_properties(self, node: LexborNode) -> dict[str, str]:
        """The custom properties of an element, references among them replaced."""
        key = node.mem_id
        if key not in self._custom:
            parent = element_parent(node)
            inherited = {} if parent is None else self.custom_properties(parent)
            own: dict[str, str] = {}
            entries = sorted((*self._applied.get(key, ()), *_inline(node)), key=lambda entry: entry[0])
            for _, declaration, certain in entries:
                if declaration.name.startswith("--") and certain:
                    own[declaration.name] = declaration.value
                elif declaration.name.startswith("--"):
                    own.pop(declaration.name, None)
                    inherited = {name: text for name, text in inherited.items() if name != declaration.name}
            self._custom[key] = resolve_custom_properties(own, inherited) if own else inherited
        return self._custom[key]


def element_parent(node: LexborNode) -> LexborNode | None:
    """The parent element; None for the root element."""
    parent = node.parent
    return parent if parent is not None and parent.is_element_node else None


def elements_around(node: LexborNode | None) -> Iterator[LexborNode]:
    """The elements in which an element stands, from the inside out; none around nothing."""
    while node is not None and (node := element_parent(node)) is not None:
        yield node


@lru_cache(maxsize=1)
def user_agent_rules() -> tuple[StyleRule, ...]:
    """The rules of the stylesheet that browsers bring with them."""
    sheet = StyleSheet()
    sheet.add(files(__package__).joinpath("user_agent.css").read_text(encoding="utf-8"), "user-agent")
    return tuple(sheet.rules)


def rank(rule: StyleRule, declaration: Declaration) -> _Rank:
    """The place of a declaration in the cascade; the highest wins."""
    levels = {"user-agent": (0, 3), "author": (1, 2)}  # normal, important
    level = levels[rule.origin][declaration.important]
    layer = tuple(-number for number in rule.layer) if declaration.important else rule.layer
    return level, layer, (0, *rule.selector.specificity), rule.order


def _inline(node: LexborNode) -> list[_Applied]:
    style = node.attributes.get("style") or ""
    return [
        ((2 if declaration.important else 1, (LAST + 1,), _INLINE_SPECIFICITY, position), declaration, True)
        for position, declaration in enumerate(parse_declarations(style) if style else ())
    ]


def _presentational_hints(node: LexborNode) -> dict[str, str]:
    """Sizes given by the `width` and `height` attributes of embedded content (HTML standard, section 15.4.3)."""
    if node.tag not in ("img", "svg", "canvas", "video", "iframe", "embed", "object"):
        return {}
    given = ((name, (node.attributes.get(name) or "").strip().removesuffix("px")) for name in ("width", "height"))
    return {name: f"{text}px" for name, text in given if text.replace(".", "", 1).isdigit()}


def _is_factor(value: str) -> bool:
    return value.replace(".", "", 1).isdigit()


# Answers about an element that depend on everything around it.

Answer = TypeVar("Answer")


def from_root_down(
    node: LexborNode, known: dict[int, Answer], outermost: Answer, step: Callable[[Answer, LexborNode], Answer]
) -> Answer:
    """What an answer has become on the way from the root to an element.

    Each element's answer is kept in `known`, or deep pages would take quadratic time.

    Args:
        node: the element that is asked about.
        known: the answers so far, by `mem_id`; those on the way are added.
        outermost: what holds around the root.
        step: makes an element's answer out of its parent's.
    """
    chain: list[LexborNode] = []
    current: LexborNode | None = node
    while current is not None and current.mem_id not in known:
        chain.append(current)
        current = element_parent(current)
    answer = outermost if current is None else known[current.mem_id]
    for element in reversed(chain):
        answer = known[element.mem_id] = step(answer, element)
    return answer
