"""The project card: the compact summary that stands in every prompt, always below 500 tokens (spec 000, 1b.4)."""

import asyncio
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.compliance.javascript import collect_scripts, facts_of
from loopwright.agents.pages.compliance.javascript.values import stored_keys
from loopwright.agents.pages.compliance.page import collect_links, slug_of
from loopwright.agents.pages.context.relevance import Project, load_page, load_project, page_of
from loopwright.agents.pages.design.tokens import read_design_system, take_inventory
from loopwright.agents.pages.ports import PagesServices, PageVersionRow, SectionRow
from loopwright.agents.pages.promises.keeping import load_promises
from loopwright.agents.pages.promises.promise import Promise
from loopwright.agents.pages.promises.wording import quoted
from loopwright.agents.pages.workspace import Workspace

if TYPE_CHECKING:
    from bpe_openai import Encoding  # type: ignore[import-untyped]


# One line about each page, made of the page itself: it is true after every edit.

MAX_LENGTH = 200
_CONTROLS = (("form", "form"), ("input, select, textarea", "field"), ("button", "button"), ("img, svg", "picture"))


@lru_cache(maxsize=64)
def summarise_page(html: str) -> str:
    """The headings of a page and what it is made of: `Our menu; Coffee; Pastries · 2 fields, 12 buttons`."""
    document = LexborHTMLParser(html)
    parts = ["; ".join(headings_of(document)) or "no headings", controls_of(document)]
    text = " · ".join(part for part in parts if part)
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"


def headings_of(document: LexborHTMLParser) -> tuple[str, ...]:
    """The texts of the main headings, each once."""
    headings = (" ".join(node.text(separator=" ").split()) for node in document.css("h1, h2"))
    return tuple(dict.fromkeys(text for text in headings if text))


def controls_of(document: LexborHTMLParser) -> str:
    """What a page is made of: `1 form, 2 fields, 12 buttons`."""
    counts = [(len(document.css(selector)), name) for selector, name in _CONTROLS]
    return ", ".join(f"{count} {name}{'s' if count > 1 else ''}" for count, name in counts if count)


# What is certainly true of a page or of the design system, in a few lines read from the thing itself.

DESIGN_SYSTEM = "design_system"
"""The name of the facts about the style sheet; those of a page are named as its section is."""

LONGEST = 160
"""Characters of a title, a heading or a purpose."""
MOST_HEADINGS, MOST_LINKS, MOST_KEYS, MOST_PROMISES, MOST_COLOURS = 8, 20, 12, 6, 8

_BRAND = ("brand", "accent", "primary")
"""Colours with such a word in their names are told first."""


def facts_name(slug: str) -> str:
    """The name of a page's facts: that of the section which describes it."""
    return f"pages.{slug}"


@dataclass(frozen=True)
class PageReading:
    """What a page's source says of it."""

    title: str
    description: str
    headings: tuple[str, ...]
    controls: str
    links: tuple[str, ...]
    hosts: tuple[str, ...]
    keys: tuple[str, ...]


@lru_cache(maxsize=128)
def read_page_facts(html: str) -> PageReading:
    """Read a page; total on any text."""
    document = LexborHTMLParser(html)
    title, described = document.css_first("title"), document.css_first('meta[name="description" i]')
    links = collect_links(html)
    scripts = [facts_of(script.text, script.kind) for script in collect_scripts(document)]
    ways = [slug_of(way.address) for facts in scripts for way in facts.navigations]
    return PageReading(
        title=_line(title.text() if title is not None else ""),
        description=_line(described.attributes.get("content") or "" if described is not None else ""),
        headings=tuple(_line(text) for text in headings_of(document)),
        controls=controls_of(document),
        links=_once([*(link.slug for link in links if link.kind == "page"), *ways]),
        hosts=_once(link.href for link in links if link.kind == "external"),
        keys=_once(stored_keys(facts.storage for facts in scripts)),
    )


def page_facts(slug: str, html: str, purpose: str | None, promises: Sequence[Promise]) -> str:
    """The facts of a page as lines of Markdown.

    Args:
        slug: the page.
        html: its source as it is.
        purpose: what it was made for, or empty; None where people or the model have said so themselves.
        promises: those that count and look at this page.
    """
    page = read_page_facts(html)
    lines = [
        ("Title", page.title),
        ("Purpose", "" if purpose is None else _line(purpose) or page.description),
        ("Headings", _listed(page.headings, MOST_HEADINGS, "; ")),
        ("Has", page.controls),
        ("Leads to", _listed([other for other in page.links if other != slug], MOST_LINKS)),
        ("Leads outside", _listed(page.hosts, MOST_LINKS)),
        ("Keeps in localStorage", _listed(page.keys, MOST_KEYS)),
        ("Promised", _listed([f"{quoted(each.request)} ({each.id})" for each in promises], MOST_PROMISES, "; ")),
    ]
    return _as_list(lines)


@lru_cache(maxsize=16)
def design_facts(css: str) -> str:
    """The facts of a style sheet; empty where there is none."""
    if not css.strip():
        return ""
    system = read_design_system(css)
    tokens = sorted(system.of_kind("colour"), key=lambda token: not any(word in token.name for word in _BRAND))
    colours = [_colour(token.name, token.light, token.dark) for token in tokens]
    lines = [
        ("Colours", _listed(colours, MOST_COLOURS)),
        ("Schemes", "light and dark" if system.has_both_schemes else "one"),
        ("Tokens", str(len(system.tokens))),
    ]
    return _as_list(lines)


def _colour(name: str, light: str | None, dark: str | None) -> str:
    return f"{name} {light or dark}" + (f" (dark: {dark})" if light and dark and dark != light else "")


def _as_list(lines: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- {label}: {text}" for label, text in lines if text)


def _listed(items: Sequence[str], most: int, between: str = ", ") -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return between.join(items[:most]) + more


def _once(items: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_line(item) for item in items if item))


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


# Tokens: counted exactly where a limit is promised, estimated where it is only ours.


@cache
def _encoding() -> "Encoding":
    with warnings.catch_warnings():  # the library reads its data in a way that Python 3.11 calls deprecated
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """Tokens of the text in OpenAI's o200k encoding; other models count within some percent of it."""
    return len(_encoding().encode_ordinary(text))


def fits(text: str, max_tokens: int) -> bool:
    """Whether the text has at most this many tokens; a short one is never counted, as a token has a byte at least."""
    return len(text.encode()) <= max_tokens or count_tokens(text) <= max_tokens


def shorten(text: str, max_tokens: int) -> str:
    """The text's beginning within this many tokens (at least one), with an ellipsis where something is missing."""
    if fits(text, max_tokens):
        return text
    low, high = 0, len(text)
    while low < high:  # the longest beginning that fits together with its ellipsis
        middle = (low + high + 1) // 2
        if fits(text[:middle].rstrip() + " …", max_tokens):
            low = middle
        else:
            high = middle - 1
    cut = text[:low].rstrip()
    at_word = cut.rpartition(" ")[0]
    return (at_word if len(at_word) > len(cut) - 40 and at_word else cut) + " …" if cut else "…"


MAX_TOKENS = 499
CONSTRAINTS = "mobile-first 430px, hidden scrollbar, 44px touch targets"

_STYLE = ("style", "brand", "design", "look", "visual", "theme")
_CONSTRAINT = ("constraint", "requirement", "rule", "limit")
_AUDIENCE = ("audience", "user", "customer")
_NOTE_TOKENS = 110


def build_project_card(project: Project, *, with_status: bool = True, with_colors: bool = True) -> str:
    """The card of the project as it is now.

    Without the status it stays the same while the planned pages come into being, and without the style sheet's colours
    while that is written, so that a nested request that is made again after a crash has the same bytes.
    """
    sitemap = project.sitemap()
    names = ", ".join(entry.slug for entry in sitemap[:40]) or "none yet"
    head = [f"Project: {shorten(project.app_name or 'unnamed', 30)}", f"Type: {project.product_type or 'unknown'}"]
    head.append(f"Pages: {len(sitemap)} ({names})")
    style = [f"Style: {text}"] if (text := _style(project, with_colors)) else []
    if with_status:
        style.append(f"Status: {len(project.slugs)}/{max(len(sitemap), len(project.slugs))} pages generated")
    lines = [" | ".join(head), " | ".join(style)]
    if audience := _section_text(project.sections, _AUDIENCE):
        lines.append(f"Audience: {audience}")
    own = _section_text(project.sections, _CONSTRAINT)
    lines.append(f"Constraints: {CONSTRAINTS}" + (f"; {own}" if own else ""))
    if project.sections:
        lines.append("Product doc: " + ", ".join(list(project.sections)[:40]))
    card = "\n".join(line for line in lines if line)
    return shorten(card, MAX_TOKENS)


def _style(project: Project, with_colors: bool) -> str:
    if text := _section_text(project.sections, _STYLE):
        return text
    variables = take_inventory(project.css).variables if project.css and with_colors else {}
    colors = [value for name, value in variables.items() if value.startswith("#")]
    return f"{', '.join(dict.fromkeys(colors[:3]))} (design-system.css)" if colors else ""


def _section_text(sections: Mapping[str, SectionRow], words: tuple[str, ...]) -> str:
    """The content of the first section whose name has one of the words, on one line and not too long."""
    found = (section for name, section in sections.items() if any(word in name for word in words))
    section = next(found, None)
    return "" if section is None else shorten(" ".join(section.content.split()), _NOTE_TOKENS)


# Keeping the facts of the product doc true: after every change they are read again from pages, record and style
# sheet.


async def refresh_facts(
    services: PagesServices,
    session_id: str,
    workspace: Workspace,
    slugs: Collection[str] | None = None,
    *,
    run_id: str | None = None,
) -> Sequence[str]:
    """Write down what has changed; may be repeated, and writes nothing where everything is as it was.

    Args:
        services: the stores.
        session_id: whose product doc it is.
        workspace: its folder.
        slugs: the pages to look at, where others may be changing at this moment; None means everything, also that
            a page is gone.
        run_id: the run in which it happened.

    Returns:
        The names of the facts that changed.

    Raises:
        NotFound: there is no such session.
    """
    known = await services.product_docs.get(session_id)  # before the pages: what is in it has its page stored by now
    project = await load_project(services, session_id, workspace)
    promises = await load_promises(services, session_id)
    described = {page_of(name) for name, section in project.sections.items() if section.content.strip()}
    facts: dict[str, str | None] = {}
    if slugs is None:
        facts = dict.fromkeys(known.facts if known else ())
        facts[DESIGN_SYSTEM] = await asyncio.to_thread(design_facts, project.css) or None
    for slug in project.slugs if slugs is None else [slug for slug in project.slugs if slug in slugs]:
        html = await load_page(services, session_id, workspace, slug)
        if html is None:
            continue
        purpose = None if slug in described else _purpose(await services.pages.versions(session_id, slug))
        about = [promise for promise in promises if slug in promise.slugs]
        # Off the event loop: reading a large page takes a tenth of a second, in which other runs would stand still.
        facts[facts_name(slug)] = await asyncio.to_thread(page_facts, slug, html, purpose, about)
    changed = await services.product_docs.keep_facts(session_id, facts, run_id=run_id)
    if changed and known is None:
        await services.product_docs.set_project_card(session_id, build_project_card(project))
    return changed


def _purpose(versions: Sequence[PageVersionRow]) -> str:
    """What the page was last made for as a whole; edits only say what they changed."""
    made = [version for version in versions if version.source == "generate"]
    return max(made, key=lambda version: version.version).description if made else ""
