"""Which sections of the product doc a task needs (spec 000, 1b.3: selective injection).

A field-weighted BM25 (BM25F: Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) over the sections:
words in a section's name and title count more than words in its content, rare words more than common ones. Concepts
("invoice" and "pay" both mean payment) count beside words, pages that the task names bring their sections, and a
section that a chosen one refers to comes along.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from loopwright.agents.pages.brief.sitemap import is_slug
from loopwright.agents.pages.context.terms import CONCEPT, concepts, words
from loopwright.agents.pages.contracts import PageEntry
from loopwright.agents.pages.ports import FactsRow, PageRow, PagesServices, ProductDocRow, SectionRow
from loopwright.agents.pages.workspace import Workspace

# The project as stores and folder know it at one moment.


@dataclass(frozen=True)
class Project:
    """A session's project.

    `planned` are the pages of the last analysed brief, whether they exist or not, but for deleted ones. `pages` exist;
    they stand in the plan's order, then in the order in which they were made, because pages written side by side are
    done in any order.
    """

    workspace: Workspace
    metadata: Mapping[str, Any]
    pages: Sequence[PageRow]
    doc: ProductDocRow | None = None
    css: str = ""
    planned: tuple[PageEntry, ...] = field(default=())

    @property
    def slugs(self) -> tuple[str, ...]:
        """The pages that exist."""
        return tuple(page.slug for page in self.pages)

    @property
    def product_type(self) -> str | None:
        """As the last analysis of a brief has it."""
        return self.metadata.get("product_type")

    @property
    def app_name(self) -> str | None:
        """As the last analysis of a brief has it."""
        return self.metadata.get("app_name")

    @property
    def sections(self) -> Mapping[str, SectionRow]:
        """The product doc's sections."""
        return self.doc.sections if self.doc else {}

    @property
    def facts(self) -> Mapping[str, FactsRow]:
        """What the controller keeps true of pages and style sheet."""
        return self.doc.facts if self.doc else {}

    def sitemap(self, *more: PageEntry) -> list[PageEntry]:
        """What links may point to: planned pages in the plan's order, then other existing ones, then `more`.

        The titles of the plan stand, so that it reads the same while the pages come into being.
        """
        entries = {entry.slug: entry for entry in self.planned}
        for page in self.pages:
            entries.setdefault(page.slug, PageEntry(slug=page.slug, title=page.title))
        for entry in more:
            entries.setdefault(entry.slug, entry)
        return list(entries.values())


async def load_project(services: PagesServices, session_id: str, workspace: Workspace) -> Project:
    """Read the project as it is now.

    Raises:
        NotFound: there is no such session.
    """
    session = await services.sessions.get(session_id)
    stored = await services.pages.of_session(session_id, deleted=True)
    deleted = {page.slug for page in stored if page.deleted}
    planned = tuple(entry for entry in _planned(session.metadata) if entry.slug not in deleted)
    place = {entry.slug: number for number, entry in enumerate(planned)}
    return Project(
        workspace=workspace,
        metadata=session.metadata,
        pages=sorted((page for page in stored if not page.deleted), key=lambda page: place.get(page.slug, len(place))),
        doc=await services.product_docs.get(session_id),
        css=workspace.read_design_system(),
        planned=planned,
    )


async def load_page(services: PagesServices, session_id: str, workspace: Workspace, slug: str) -> str | None:
    """The page's HTML: the file, which people may have changed by hand; the stored version where the file is gone."""
    html = workspace.read_page(slug)
    if html is not None:
        return html
    known = {page.slug for page in await services.pages.of_session(session_id)}
    return await services.pages.html(session_id, slug) if slug in known else None


def _planned(metadata: Mapping[str, Any]) -> tuple[PageEntry, ...]:
    entries = []
    for item in metadata.get("planned_pages") or ():
        try:
            entry = PageEntry.model_validate(item)
        except ValidationError:
            continue  # the metadata can be edited from outside; a broken entry plans nothing
        if is_slug(entry.slug):
            entries.append(entry)
    return tuple(entries)


MAX_CHARACTERS = 4_500
"""About 1,500 tokens, by the rough rule of characters / 3 (spec 000, phase 2)."""

WORTH_STARTING = 120
"""Characters below which a cut section would say nothing."""

ALWAYS = ("overview", "style", "brand", "constraint", "audience")
"""Sections with such a word in their name concern every task."""

TASK_CHARACTERS = 4_000
"""How much of a task is read: a long brief names everything, and its beginning says what it is about."""

HEADING_WEIGHT = 4.0
"""A word in a section's name or title counts as so many in its content."""

CONCEPT_WEIGHT = 0.7
"""What a shared concept is worth beside a shared word."""

REPETITIONS = 3
"""A word that is said more often than this says no more."""

LEAST_RARITY = 0.4
"""What a word counts that every section has: in a product doc of three sections that is no sign of a stop word."""

PAGE_BONUS = 6.0
"""What a section gains when it describes a page that the task names."""

LINK_SHARE = 0.5
"""The part of its own score that a section passes on to those it refers to."""

SHARE_OF_BEST = 0.4
"""A section whose score is below this part of the best one's does not concern the task."""

LEAST_SCORE = 0.6
"""Below this score a section shares only everyday words with the task."""

CHINESE_TITLE = 3
"""Signs that a Chinese title must have to be recognised in a text: two are an ordinary word."""

_K1, _B = 1.2, 0.6
_PAGE_WORD = re.compile(r"\b(?:page|screen)s?$|页面?$", re.IGNORECASE)
_MENTION = re.compile(r"@([a-z0-9-]{1,40})")


@dataclass(frozen=True, slots=True)
class SectionTerms:
    """A section, taken apart: how often which term occurs, weighted by where, and how long the section is."""

    frequencies: Mapping[str, float]
    length: float
    heading: frozenset[str]


def relevant_sections(
    sections: Mapping[str, SectionRow],
    task_hint: str | None,
    max_characters: int = MAX_CHARACTERS,
    *,
    pages: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The sections that concern the task, by name in the doc's order, within the limit.

    Args:
        sections: all of them, by name.
        task_hint: the task in the user's words; None when there is none, and then every section may be needed.
        max_characters: what all of them together may have; the last one is cut when it is too long.
        pages: the app's pages, slug → title: a page that the task names by either brings its section.
    """
    if task_hint is None:
        ranked = list(sections)
    else:
        scores = score_sections(sections, task_hint, pages or {})
        always = [name for name in sections if concerns_everything(name)]
        chosen = sorted((name for name, score in scores.items() if score > 0), key=lambda name: -scores[name])
        ranked = list(dict.fromkeys([*chosen[:1], *always, *chosen[1:]]))
    return _within(sections, ranked, max_characters)


def concerns_everything(name: str) -> bool:
    """Whether a section of this name belongs into every prompt."""
    return any(word in name for word in ALWAYS)


def score_sections(sections: Mapping[str, SectionRow], task: str, pages: Mapping[str, str]) -> dict[str, float]:
    """How much each section has to do with the task; 0 where it is too little to count."""
    task = task[:TASK_CHARACTERS]
    terms = {name: section_terms(name, section.title, section.content) for name, section in sections.items()}
    wanted = {*words(task), *concepts(task)}
    average = sum(each.length for each in terms.values()) / max(1, len(terms)) or 1.0
    rarity = _rarity(terms, wanted)
    said = {
        name: sum(rarity[term] * _saturated(section, term, average) for term in wanted if term in rarity)
        for name, section in terms.items()
    }
    named = named_pages(task, pages)
    scores = {name: score + (PAGE_BONUS if page_of(name) in named else 0.0) for name, score in said.items()}
    others = (score for name, score in said.items() if page_of(name) not in named)
    least = max(LEAST_SCORE, SHARE_OF_BEST * max(others, default=0.0))
    return {name: score if score >= least else 0.0 for name, score in _with_links(sections, scores).items()}


def named_pages(task: str, pages: Mapping[str, str]) -> frozenset[str]:
    """The slugs of the pages that a text names: as `@slug`, by a slug of its own, or by title."""
    lowered = task.lower()
    found = {slug for slug in _MENTION.findall(lowered) if slug in pages}
    if found:
        return frozenset(found)  # who points at pages means these and no others
    said = set(words(task))
    for slug, title in pages.items():
        for label in (words(slug) if slug != "index" else ["home"], words(title)):
            if label and set(label) <= said:
                found.add(slug)
    return frozenset(found)


def page_of(name: str) -> str | None:
    """The slug of the page that a section describes by its name (`pages.menu`, `page_menu`), or None."""
    match = re.fullmatch(r"(?:pages?|screens?)[._-](.+)", name)
    return re.sub(r"[._]", "-", match[1]) if match else None


@lru_cache(maxsize=1_024)
def section_terms(name: str, title: str, content: str) -> SectionTerms:
    """Take a section apart; what a page's section is called tells of the page, not of pages."""
    page = page_of(name)
    heading = f"{page or name} {_PAGE_WORD.sub('', title)}"
    head, body = Counter({*words(heading)}), Counter(words(content))
    frequencies: defaultdict[str, float] = defaultdict(float)
    for counts, weight in ((head, HEADING_WEIGHT), (body, 1.0)):
        for term, count in counts.items():
            frequencies[term] += weight * min(count, REPETITIONS)
    for found, weight in ((concepts(heading), HEADING_WEIGHT), (concepts(content), 1.0)):
        for term in found:
            frequencies[term] += weight * CONCEPT_WEIGHT
    return SectionTerms(dict(frequencies), sum(body.values()) + HEADING_WEIGHT, frozenset(head))


def _rarity(terms: Mapping[str, SectionTerms], wanted: set[str]) -> dict[str, float]:
    """The inverse document frequency of each wanted term that any section has."""
    count = len(terms)
    having = {term: sum(term in section.frequencies for section in terms.values()) for term in wanted}
    rare = {term: math.log(1 + (count - n + 0.5) / (n + 0.5)) for term, n in having.items() if n}
    return {term: max(rarity, LEAST_RARITY) for term, rarity in rare.items()}


def _saturated(section: SectionTerms, term: str, average: float) -> float:
    frequency = section.frequencies.get(term, 0.0)
    if not frequency:
        return 0.0
    value = frequency * (_K1 + 1) / (frequency + _K1 * (1 - _B + _B * section.length / average))
    return value * (CONCEPT_WEIGHT if term.startswith(CONCEPT) else 1.0)


def _with_links(sections: Mapping[str, SectionRow], scores: Mapping[str, float]) -> dict[str, float]:
    """The scores where each section passes a share of its own on to the sections that its content names."""
    raised = dict(scores)
    titles = tuple((name, section.title) for name, section in sections.items())
    for name, section in sections.items():
        if scores[name] <= 0 or concerns_everything(name) or name == "pages":
            continue
        for other in linked(name, section.content, titles):
            raised[other] = max(raised[other], scores[other] + LINK_SHARE * scores[name])
    return raised


@lru_cache(maxsize=1_024)
def linked(name: str, content: str, titles: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """The sections, given as (name, title), that a content refers to by their names or whole titles."""
    lowered = content.lower()
    found = []
    for other, title in titles:
        if other in (name, "pages") or concerns_everything(other):
            continue
        if any(_refers(lowered, label) for label in (other, title.lower())):
            found.append(other)
    return tuple(found)


def _refers(content: str, label: str) -> bool:
    """Whether the label stands in the content; a plain word does not count, since anybody may use it."""
    if label not in content:
        return False
    if not label.isascii():
        return len(label) >= CHINESE_TITLE
    return not label.isalpha() and re.search(rf"(?<![\w.-]){re.escape(label)}(?![\w-])", content) is not None


def _within(sections: Mapping[str, SectionRow], ranked: list[str], max_characters: int) -> dict[str, str]:
    kept: dict[str, str] = {}
    left = max_characters
    for name in ranked:
        text = sections[name].content.strip()
        if len(text) > left:
            if left < WORTH_STARTING:
                break
            text = text[: left - 2].rstrip() + " …"
        kept[name] = text
        left -= len(text)
    return {name: kept[name] for name in sections if name in kept}
