"""Promises of a page that was written whole: the features that the brief asks for, and the pages that it leads to.

A page made at once has hundreds of elements and one request. What is promised are not its elements but what the request
names: a feature is found by any of the marks that its kind has in pages (`features.json`), so that the promise survives
another hand that writes the page anew.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from loopwright.agents.pages.brief.slugs import HOME
from loopwright.agents.pages.compliance.links import collect_links
from loopwright.agents.pages.ledger.app_pages import AppPages, certainly_hidden, find
from loopwright.agents.pages.ledger.checks import Check, ElementCheck, LinkCheck
from loopwright.agents.pages.ledger.promise import MAX_CHECKS, MAX_REQUEST, PromiseDraft

MAX_FEATURES = 6
"""Features of the brief that one page promises."""

_CLAUSE = re.compile(r"[.;:!?,\n]|[，。；、！？]|\s+(?:and|with|plus|including)\s+|[和与及]", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:no|not|without|never|don'?t|except)\b|不要|没有|无需|不需要", re.IGNORECASE)


@dataclass(frozen=True)
class Feature:
    """A kind of feature: the words that ask for it, and the marks it has in pages."""

    name: str
    words: re.Pattern[str]
    selectors: tuple[str, ...]


@cache
def known_features() -> tuple[Feature, ...]:
    """The features that can be recognised."""
    rows = json.loads(files(__package__).joinpath("features.json").read_text(encoding="utf-8"))
    return tuple(Feature(row["feature"], _any_of(row["words"]), tuple(row["selectors"])) for row in rows)


def _any_of(words: Sequence[str]) -> re.Pattern[str]:
    """A pattern for any of the words; those in letters with word boundaries, Chinese ones without."""
    parts = [rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word) for word in words]
    return re.compile("|".join(parts), re.IGNORECASE)


def promises_of_page(slug: str, app: AppPages, requests: Sequence[str]) -> list[PromiseDraft]:
    """What a page that was written whole promises.

    Args:
        slug: the page.
        app: the app with it.
        requests: the user's own words, the newest first: this run's message, and the brief of the project.
    """
    drafts: list[PromiseDraft] = []
    named: set[str] = set()
    for request in requests:
        for feature, clause in _features_asked_for(request):
            if feature.name not in named and len(named) < MAX_FEATURES and (check := _evidence(feature, slug, app)):
                named.add(feature.name)
                drafts.append(PromiseDraft(request=clause[:MAX_REQUEST], author="controller", checks=(check,)))
    links = _links(slug, app)
    if links and requests:
        opening = requests[-1].strip().partition("\n")[0]
        drafts.append(PromiseDraft(request=opening[:MAX_REQUEST], author="controller", checks=links))
    return drafts


def _features_asked_for(request: str) -> Iterator[tuple[Feature, str]]:
    """The features that a request names, each with the clause that does; refused ones (“no login”) are left out."""
    for clause in _CLAUSE.split(request):
        text = " ".join(clause.split())
        if not text or _NEGATED.search(text):
            continue
        for feature in known_features():
            if feature.words.search(text):
                yield feature, text


def _evidence(feature: Feature, slug: str, app: AppPages) -> ElementCheck | None:
    """The check that the page has the feature, if it has: the marks of its kind, seen where one of them is seen."""
    document = app.document(slug)
    marks = [selector for selector in feature.selectors if find(document, f"body {selector}")]
    if not marks:
        return None
    page = app.page(slug)
    # The first marks of the list are the most particular ones; the general ones stand in for them in other pages only.
    selector = ", ".join(f"body {mark}" for mark in marks[:3])
    shown = any(not certainly_hidden(page, node) for node in page.find(selector))
    return ElementCheck(slug=slug, selector=selector, visible=shown)


def _links(slug: str, app: AppPages) -> tuple[Check, ...]:
    """The home page goes on to lead to every page that it leads to now: what was asked for can be reached."""
    if slug != HOME:
        return ()
    targets = dict.fromkeys(
        link.slug for link in collect_links(app.sources[slug]) if link.kind == "page" and link.slug in app.known
    )
    return tuple(LinkCheck(slug=slug, target=target) for target in targets if target and target != slug)[:MAX_CHECKS]
