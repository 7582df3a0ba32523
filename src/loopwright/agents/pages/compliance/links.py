"""The links of a page: collecting them, and rewriting the internal ones in place."""

import html as html_entities
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from loopwright.agents.pages.compliance.markup import Attribute, Edit, apply_edits, scan

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
