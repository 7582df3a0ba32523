"""What is certainly true of a page or of the design system, in a few lines read from the thing itself."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser

from loopwright.agents.pages.compliance.javascript import collect_scripts, facts_of
from loopwright.agents.pages.compliance.javascript.storage import stored_keys
from loopwright.agents.pages.compliance.links import collect_links, slug_of
from loopwright.agents.pages.context.summaries import controls_of, headings_of
from loopwright.agents.pages.design.tokens import read_design_system
from loopwright.agents.pages.ledger.promise import Promise
from loopwright.agents.pages.ledger.wording import quoted

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
