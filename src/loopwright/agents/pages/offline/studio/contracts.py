"""What the design kit takes and gives back: plans, page requests, questions and edit outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from loopwright.agents.pages.brief.features import Mode, ThemeRequest

__all__ = [
    "DEFAULT_PAGES",
    "MAX_PAGES",
    "MAX_SLUG",
    "AppPlan",
    "EditOutcome",
    "Mode",
    "PageRequest",
    "PlannedPage",
    "Question",
    "QuestionType",
    "SitemapEntry",
    "ThemeRequest",
]

QuestionType = Literal["radio", "checkbox", "text"]
"""The question widgets of spec 000, phase 1."""

MAX_PAGES = 8
"""A sitemap holds one to eight pages (field notes, 000 · pages)."""

DEFAULT_PAGES = 5
"""How many pages a plan has when the brief does not say."""

MAX_SLUG = 40
"""The longest slug, in characters (field notes, 000 · pages)."""


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """One page of an app plan."""

    slug: str
    """`[a-z0-9-]`, at most 40 characters; the home page is `index`."""
    title: str
    description: str
    archetype: str
    """What kind of page it is: `home`, `catalog`, `cart`, `player`, …"""


@dataclass(frozen=True, slots=True)
class AppPlan:
    """Everything the playbook needs to know before the first page is made."""

    brief: str
    product_type: str
    app_name: str
    tagline: str
    audience: str
    theme: ThemeRequest
    page_count: int
    pages: tuple[PlannedPage, ...]
    features: tuple[str, ...] = ()
    """Extra features the answers asked for, as words."""
    named: bool = False
    """True when the app's name was given by the user rather than invented."""


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """A page that links may point to."""

    slug: str
    title: str


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One page to be rendered."""

    slug: str
    title: str
    description: str
    product_type: str
    app_name: str
    sitemap: tuple[SitemapEntry, ...]
    """All pages of the app in order; the bottom navigation and every link come from here."""
    brief: str = ""
    archetype: str | None = None
    """None: inferred from slug, title and description."""
    data_model: Mapping[str, Any] | None = None
    """Entities and relations (field notes, 000 · pages); their names label what the page lists."""
    notes: str = ""
    """Words of the product doc that concern this page."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question for the user, in the shape of `ask_user`, with the answer the kit would assume."""

    question: str
    type: QuestionType
    options: tuple[str, ...] = ()
    context: str = ""
    default: str | tuple[str, ...] = ""


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """The result of a targeted edit."""

    html: str
    summary: str
    """What was changed, or honestly what the rules can do instead."""
    changed: bool
    understood: bool
    applied: tuple[str, ...] = field(default=())
    """One line for every change that was made."""
