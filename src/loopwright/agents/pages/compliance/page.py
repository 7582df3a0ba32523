"""One page, parsed once, as every rule sees it."""

import html as html_entities
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict, computed_field
from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.agents.pages.compliance.cascade.box import BoxModel
from loopwright.agents.pages.compliance.cascade.colours import Scheme
from loopwright.agents.pages.compliance.cascade.computed import Cascade, element_parent, from_root_down
from loopwright.agents.pages.compliance.cascade.media import Orientation
from loopwright.agents.pages.compliance.javascript import Script, collect_scripts
from loopwright.agents.pages.compliance.markup import Attribute, Edit, Skeleton, apply_edits, read_skeleton, scan
from loopwright.agents.pages.runtime import runtime_file, runtime_path

# What a validation says: issues, and the report a model can act on.


class Issue(BaseModel):
    """One thing that is wrong, where it is and what would be right."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: str
    """Identifier of the rule, such as `touch-target`."""
    severity: Literal["error", "warning"]
    message: str
    """What is wrong and what to do about it, in one or two sentences."""
    selector: str | None = None
    """CSS selector of the element at fault; None when the page as a whole is."""
    measured: str | None = None
    """What was found, with its unit."""
    required: str | None = None
    """What the rule asks for, with its unit."""
    auto_fixable: bool = False
    """Whether `fix_page` repairs it without a model."""


class ValidationReport(BaseModel):
    """The outcome of all rules on one page."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: str
    issues: tuple[Issue, ...] = ()
    """Errors first, then warnings, each in the order of the rules."""
    rules_checked: tuple[str, ...] = ()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def valid(self) -> bool:
        """Whether the page has no issue of severity `error`."""
        return not self.errors

    @property
    def errors(self) -> tuple[Issue, ...]:
        """The issues that make the page invalid."""
        return tuple(issue for issue in self.issues if issue.severity == "error")

    @property
    def warnings(self) -> tuple[Issue, ...]:
        """The issues that are worth a look but leave the page valid."""
        return tuple(issue for issue in self.issues if issue.severity == "warning")

    def for_model(self, limit: int = 20) -> str:
        """A compact text for a language model: what is wrong, where, what to do.

        Issues that differ only in their element are one line, so that thirty small buttons do not crowd out the rest.
        At most `limit` lines of issues are given; the number left out is said.
        """
        if not self.issues:
            return f"Page '{self.slug}' is valid: {len(self.rules_checked)} rules found no issue."
        verdict = "valid" if self.valid else "not valid"
        lines = [f"Page '{self.slug}' is {verdict}: {len(self.errors)} errors, {len(self.warnings)} warnings."]
        groups = self._grouped()
        lines += [_describe(group) for group in groups[:limit]]
        if len(groups) > limit:
            lines.append(f"- and {len(groups) - limit} more of these kinds; fix the ones above first.")
        return "\n".join(lines)

    def _grouped(self) -> list[list[Issue]]:
        groups: dict[tuple[str | None, ...], list[Issue]] = {}
        for issue in self.issues:
            key = (issue.rule, issue.severity, issue.message, issue.measured, issue.required)
            groups.setdefault(key, []).append(issue)
        return list(groups.values())


def _describe(group: list[Issue], selectors_shown: int = 3) -> str:
    first = group[0]
    selectors = [issue.selector for issue in group if issue.selector]
    where = ", ".join(selectors[:selectors_shown])
    if len(selectors) > selectors_shown:
        where += f" and {len(selectors) - selectors_shown} more"
    figures = [
        f"{label} {value}" for label, value in (("found", first.measured), ("required", first.required)) if value
    ]
    line = f"- {first.severity} [{first.rule}]" + (f" at {where}" if where else "") + f": {first.message}"
    if figures:
        line += f" ({', '.join(figures)})"
    return line + (" It can be repaired automatically." if first.auto_fixable else "")


# The links of a page: collecting them, and rewriting the internal ones in place.

LinkKind = Literal["page", "fragment", "external", "script", "other"]

_LINK_ATTRIBUTES = {"a": "href", "area": "href", "form": "action"}
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*:")
_SLUG = re.compile(r"[a-z0-9-]{1,40}")


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a page, read from an `a`, `area` or `form` tag."""

    href: str
    """The address as written, decoded and without surrounding blanks."""
    kind: LinkKind
    slug: str | None
    """For a link to another page, the slug it means: `pages/cart.html#total` means `cart`."""
    fragment: str
    """What follows `#`, percent-decoded; empty when there is none."""
    suffix: str
    """The query and fragment as written, kept when the link is rewritten."""
    start: int
    end: int
    """Span of the raw value in the source, without its quotes."""
    quote: str


def collect_links(html: str) -> tuple[Link, ...]:
    """All links of a page in source order; those inside comments, scripts and styles are not links."""
    links = []
    for token in scan(html):
        attribute = token.attribute(_LINK_ATTRIBUTES.get(token.name, "")) if token.kind == "start" else None
        if attribute is not None:
            links.append(_read_link(attribute))
    return tuple(links)


def page_links(slugs: Collection[str]) -> dict[str, str]:
    """The mapping under which pages that lie side by side reach each other: `cart` is at `cart.html`."""
    return {slug: f"{slug}.html" for slug in slugs}


def rewrite_links(html: str, mapping: Mapping[str, str]) -> str:
    """Point every link to a known page at its address.

    Parameters: `mapping` goes from slug to address, such as `page_links` gives.  `/cart`, `cart`, `./cart.html` and
    `pages/cart.html?from=home#total` all mean the slug `cart`; query and fragment are kept.  A link whose slug is not
    in the mapping, and every byte that is not such a link, stays as it is.
    """
    edits = []
    for link in collect_links(html):
        target = mapping.get(link.slug) if link.slug else None
        if target is None or target + link.suffix == link.href:
            continue
        text = html_entities.escape(target + link.suffix, quote=True)
        edits.append(Edit(link.start, link.end, text if link.quote else f'"{text}"'))
    return apply_edits(html, edits)


def slug_of(address: str) -> str | None:
    """The slug of the page that an address means; None for a fragment, another host, or a file that is no page."""
    path, _ = _split_suffix(address.strip(" \t\n\f\r"))
    return _slug(path) if _kind(address.strip(" \t\n\f\r"), path) == "page" else None


def broken_links(pages: Mapping[str, str]) -> dict[str, list[str]]:
    """By page, the slugs of other pages that its links name and that do not exist."""
    broken: dict[str, list[str]] = {}
    for slug, html in pages.items():
        targets = dict.fromkeys(link.slug for link in collect_links(html) if link.kind == "page" and link.slug)
        if missing := [target for target in targets if target not in pages]:
            broken[slug] = missing
    return broken


def _read_link(attribute: Attribute) -> Link:
    href = attribute.value.strip(" \t\n\f\r")
    path, suffix = _split_suffix(href)
    kind = _kind(href, path)
    slug = _slug(path) if kind == "page" else None
    if kind == "page" and slug is None:
        kind = "other"
    fragment = unquote(suffix.partition("#")[2])
    return Link(href, kind, slug, fragment, suffix, attribute.value_start, attribute.value_end, attribute.quote)


def _split_suffix(href: str) -> tuple[str, str]:
    """Part an address into its path and its query and fragment."""
    cut = min((position for position in (href.find("?"), href.find("#")) if position >= 0), default=len(href))
    return href[:cut], href[cut:]


def _kind(href: str, path: str) -> LinkKind:
    scheme = _SCHEME.match(href)
    if href.startswith("//") or (scheme and scheme.group().lower() in ("http:", "https:")):
        return "external"
    if scheme:
        return "script" if scheme.group().lower() == "javascript:" else "other"
    return "page" if path else "fragment"


def _slug(path: str) -> str | None:
    """The slug a path means, or None for what cannot be a page of this app (a picture, a folder further away)."""
    parts = [part for part in unquote(path).split("/") if part not in ("", ".", "..")]
    if len(parts) > 1 and parts[0] == "pages":
        parts = parts[1:]
    if not parts:
        return "index"
    name = parts[-1].lower().removesuffix(".html").removesuffix(".htm")
    return name if len(parts) == 1 and _SLUG.fullmatch(name) else None


MAXIMUM_ELEMENTS = 20_000
"""Elements of a page that is checked, fifty times what a rich phone page has; it takes a few seconds."""
DESIGN_SYSTEM_FILE = "design-system.css"
Reading = TypeVar("Reading")
_PLAIN_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]*")
"""Ids and classes that need no escaping in a selector."""


@dataclass(slots=True)
class Page:
    """A page with its DOM, its outer structure, its links and its computed styles."""

    slug: str
    source: str
    css: str
    """The design system, as far as it was given."""
    document: LexborHTMLParser
    skeleton: Skeleton
    links: tuple[Link, ...]
    cascade: Cascade
    boxes: BoxModel
    known_slugs: frozenset[str] | None
    scripts: tuple[Script, ...]
    css_is_complete: bool
    """False when the page loads a stylesheet whose text was not given; then nothing about sizes is certain."""
    _ids: dict[str, LexborNode] = field(default_factory=dict, init=False)
    _made: dict[object, object] = field(default_factory=dict, init=False)
    _rendered: dict[int, bool] = field(default_factory=dict, init=False)
    _selector_counts: Counter[str] = field(default_factory=Counter, init=False)
    _numbers: dict[int, int] = field(default_factory=dict, init=False)

    @classmethod
    def read(
        cls,
        html: str,
        *,
        css: str = "",
        slug: str = "index",
        known_slugs: Collection[str] | None = None,
        scheme: Scheme = "light",
        orientation: Orientation = "portrait",
        root_attributes: Mapping[str, str] | None = None,
    ) -> "Page":
        """Parse a page; total on any text.

        Args:
            html: the page's source.
            css: the design system, as if linked first.
            slug: what the page is called.
            known_slugs: the pages of the app; None when they are not known.
            scheme: what the owner of the phone prefers.
            orientation: how the phone is held.
            root_attributes: attributes that a script would set on the root element, say `data-mode`.
        """
        document = LexborHTMLParser(html)
        skeleton = read_skeleton(html)
        cascade = _styled(document, css, scheme, orientation, root_attributes or {})
        loaded = [link.value("href") or "" for link in skeleton.stylesheets()]
        shared = {href: text for href in loaded if (text := _shared(href)) is not None}
        unknown = [
            href
            for href in loaded
            if href not in shared and not (css and is_design_system(href)) and not is_font_service(href)
        ]
        slugs = None if known_slugs is None else frozenset(known_slugs)
        return cls(
            slug,
            html,
            css,
            document,
            skeleton,
            collect_links(html),
            cascade,
            BoxModel(cascade),
            slugs,
            collect_scripts(document),
            not unknown,
        )

    def variant(
        self,
        *,
        scheme: Scheme,
        root_attributes: Mapping[str, str],
        change: Callable[[LexborHTMLParser], None] | None = None,
    ) -> "Page":
        """The same page in another colour scheme, or changed by its script; scripts and links are those of this one."""
        document = LexborHTMLParser(self.source)
        if change is not None:
            change(document)
        cascade = _styled(document, self.css, scheme, "portrait", root_attributes)
        return replace(self, document=document, cascade=cascade, boxes=BoxModel(cascade))

    def once(self, reader: Callable[["Page"], Reading]) -> Reading:
        """What a reader makes of this page; it is asked once, however many rules need it."""
        if reader not in self._made:
            self._made[reader] = reader(self)
        made: Reading = self._made[reader]  # type: ignore[assignment]
        return made

    @property
    def by_id(self) -> Mapping[str, LexborNode]:
        """The first element with each id, the one that references and scripts find."""
        if not self._ids:
            for node in self.document.css("[id]"):
                self._ids.setdefault(node.id or "", node)
        return self._ids

    def find(self, selector: str) -> list[LexborNode]:
        """All elements that match, in document order, each once."""
        return list({node.mem_id: node for node in self.document.css(selector)}.values())

    def rendered(self, selector: str) -> Iterator[LexborNode]:
        """The elements that match and are certainly shown when the page has loaded."""
        return (node for node in self.find(selector) if self.is_rendered(node))

    def is_rendered(self, node: LexborNode) -> bool:
        """Whether an element is certainly shown: nothing on the way up hides it or may hide it."""
        shown = from_root_down(node, self._rendered, True, lambda around, each: around and self._shows_itself(each))
        return shown and self.cascade.value(node, "visibility") == "visible"

    def _shows_itself(self, node: LexborNode) -> bool:
        if self.cascade.value(node, "display") in (None, "none"):
            return False
        parent = element_parent(node)
        if parent is None or parent.tag != "details" or "open" in parent.attributes:
            return True
        return node.tag == "summary"

    def selector_of(self, node: LexborNode) -> str:
        """A short CSS selector that leads to exactly this element."""
        steps: list[str] = []
        current: LexborNode | None = node
        while current is not None:
            unique = next((name for name in _simple_selectors(current) if self._counts()[name] == 1), None)
            steps.append(unique or self._numbered_step(current))
            current = None if unique else element_parent(current)
        return " > ".join(reversed(steps))

    def _counts(self) -> Counter[str]:
        """How many elements each simple selector finds."""
        if not self._selector_counts:
            for element in self.find("*"):
                self._selector_counts.update(_simple_selectors(element))
        return self._selector_counts

    def _numbered_step(self, node: LexborNode) -> str:
        """An element among its siblings of the same tag."""
        if node.mem_id not in self._numbers:
            parent = element_parent(node)
            seen: Counter[str | None] = Counter()
            for sibling in [node] if parent is None else parent.iter():
                seen[sibling.tag] += 1
                self._numbers[sibling.mem_id] = seen[sibling.tag]
        return f"{node.tag}:nth-of-type({self._numbers[node.mem_id]})"


def _styled(
    document: LexborHTMLParser, css: str, scheme: Scheme, orientation: Orientation, root_attributes: Mapping[str, str]
) -> Cascade:
    """The computed styles of a page whose root element is given some attributes first."""
    if document.root is not None:
        for name, value in root_attributes.items():
            document.root.attrs[name] = value
    linked = (_shared(node.attributes.get("href") or "") for node in document.css('link[rel~="stylesheet"]'))
    shared = [text for text in linked if text is not None]
    own = [_style_text(node) for node in document.css("style")]
    return Cascade(document, [*shared, *([css] if css else []), *own], scheme, orientation)


def _shared(address: str) -> str | None:
    """The text of a file that all pages of the app share; None for any other address."""
    path = runtime_path(address)
    return None if path is None else runtime_file(path)


def _style_text(node: LexborNode) -> str:
    """The CSS of a `style` element, under the condition of its `media`."""
    if (node.attributes.get("type") or "text/css").strip().lower() != "text/css":
        return ""
    media = (node.attributes.get("media") or "").strip()
    return f"@media {media} {{{node.text()}}}" if media else node.text()


def is_too_large(html: str) -> bool:
    """Whether a page has so many elements that checking it would take too long."""
    # Parsing is quick, but most pages are spared it by counting the signs that begin a tag.
    return html.count("<") > MAXIMUM_ELEMENTS and len(LexborHTMLParser(html).css("*")) > MAXIMUM_ELEMENTS


def is_design_system(href: str) -> bool:
    """Whether an address leads to the design system, wherever it lies."""
    return href.partition("?")[0].partition("#")[0].rpartition("/")[2].lower() == DESIGN_SYSTEM_FILE


def is_font_service(href: str) -> bool:
    """Whether a stylesheet can only bring fonts, which decide no size that a rule looks at."""
    return "//fonts." in href


def _simple_selectors(node: LexborNode) -> list[str]:
    """The selectors that name an element by its id, by its tag and one class, or by its tag, the best first."""
    tag = node.tag or "*"
    classes = dict.fromkeys((node.attributes.get("class") or "").split())
    names = [f"#{node.id}"] if node.id and _PLAIN_NAME.fullmatch(node.id) else []
    return [*names, *(f"{tag}.{name}" for name in classes if _PLAIN_NAME.fullmatch(name)), tag]
