"""Storing what reading found: each requirement with a citation whose quote stands on its page."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from loopwright.agents.jobs.candidates.patterns import Language, Nature, sorting_of, vocabulary
from loopwright.agents.jobs.candidates.sentences import Judgement, Places, Sentence, judge, sentences_of
from loopwright.agents.jobs.citations import MAX_TITLE, METHOD, Found, Opened, find_quote, open_document
from loopwright.agents.jobs.contracts import JobConfig, JobState, RequirementDraft
from loopwright.agents.jobs.documents import Document
from loopwright.agents.jobs.memory import workspace_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.prompts import inert
from loopwright.kernel.run import AgentRun

# A document as a list of units: its sentences, headings and entries of contents, in order; nothing else is in it.

UnitKind = Literal["sentence", "heading", "contents"]
FEWEST_WORDS = 4
LETTERS = 0.6
"""Of the characters that are no spaces; with fewer letters it is a figure, a grammar or a table of signs."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of a document's text. `places` are as in `Sentence`; `sentence` is None for what is not a sentence."""

    document: str
    kind: UnitKind
    text: str
    places: Places
    section: str
    sentence: Sentence | None = None

    @property
    def page(self) -> int:
        """The page on which it begins, from 1."""
        return self.places[0][0]

    @property
    def is_prose(self) -> bool:
        """Whether it has enough words and letters to say something."""
        dense = self.text.replace(" ", "")
        letters = sum(map(str.isalpha, dense))
        return self.kind == "sentence" and len(self.text.split()) >= FEWEST_WORDS and letters >= LETTERS * len(dense)


def units_of(name: str, document: Document) -> list[Unit]:
    """All units of a document, in the order in which they stand there."""
    sentences = (Unit(name, "sentence", each.text, each.places, each.section, each) for each in sentences_of(document))
    return sorted(chain(sentences, _others(name, document)), key=lambda unit: unit.places[0])


def _others(name: str, document: Document) -> Iterator[Unit]:
    section = ""
    for page in document.pages:
        for block in page.blocks:
            if block.kind == "heading":
                section = block.text
            if block.kind in ("heading", "contents"):
                kind: UnitKind = "heading" if block.kind == "heading" else "contents"
                yield Unit(name, kind, block.text, ((page.number, block.start, block.end),), section)


# Which part of the documents the user's order names: pages and sections by number; everything where it names none.

PAGES = re.compile(
    r"\b(?:pages?|pp?\.|Seiten?|S\.)\s*(?P<first>\d{1,4})(?:\s*(?:-|–|to|through|bis|and|und)\s*(?P<last>\d{1,4}))?",
    re.IGNORECASE,
)
SECTIONS = re.compile(
    r"(?:\b(?:sections?|chapters?|clauses?|Abschnitte?s?|Kapiteln?s?|Teil|§§?)|§§?)\s*"
    r"(?P<numbers>\d{1,3}(?:\.\d{1,3})*(?:\s*(?:,|and|und|&|or|oder)\s*\d{1,3}(?:\.\d{1,3})*)*)",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3})*")
LEADING = re.compile(r"\W*(?:[^\W\d_]{1,12}\.?\s+)?(?P<number>\d{1,3}(?:\.\d{1,3})*)\b")


@dataclass(frozen=True)
class Scope:
    """Ranges of pages (first, last) and numbers of sections; both empty: all of it."""

    pages: tuple[tuple[int, int], ...] = ()
    sections: tuple[str, ...] = ()

    def has(self, unit: Unit) -> bool:
        """Whether the unit is in it; with pages and sections named, either will do."""
        if not self.pages and not self.sections:
            return True
        if any(first <= unit.page <= last for first, last in self.pages):
            return True
        number = LEADING.match(unit.section)
        return number is not None and any(
            number["number"] == wanted or number["number"].startswith(f"{wanted}.") for wanted in self.sections
        )


def scope_of(order: str) -> Scope:
    """Read it from the user's words."""
    pages = tuple((int(match["first"]), int(match["last"] or match["first"])) for match in PAGES.finditer(order))
    sections = tuple(number for match in SECTIONS.finditer(order) for number in NUMBER.findall(match["numbers"]))
    return Scope(tuple((first, last) for first, last in pages if first <= last), sections)


# What a reading job reads: all units of its documents in one row, cut into the parts that its todos name.

UNITS_A_PART = 40
CLOSING = ("results", "table", "record", "summary")
"""The closing todos: a file or two each."""
TOGETHER = ("all_files",)
"""They are one todo where the config allows few."""


@dataclass(frozen=True)
class Material:
    """The documents as read. `unreadable` are those that could not be, with the reason."""

    units: tuple[Unit, ...]
    opened: dict[str, Opened]
    languages: dict[str, Language]
    unreadable: dict[str, str]
    scope: Scope = field(default_factory=Scope)


async def material_of(run: AgentRun, state: JobState) -> Material:
    """Read the job's documents; the same files give the same units each time."""
    workspace = workspace_of(run.output_dir, state.config)
    units: list[Unit] = []
    opened: dict[str, Opened] = {}
    languages: dict[str, Language] = {}
    unreadable: dict[str, str] = {}
    for name in state.documents:
        try:
            found = await open_document(workspace, name)
        except (InvalidInput, NotFound) as error:
            unreadable[name] = error.message
            continue
        opened[found.path] = found
        languages[found.path] = vocabulary().language_of("\n".join(page.text for page in found.document.pages))
        units += units_of(found.path, found.document)
    return Material(tuple(units), opened, languages, unreadable, scope_of(state.prompt))


def closing_steps(config: JobConfig) -> tuple[str, ...]:
    """The names of the todos that follow the parts."""
    return CLOSING if config.phase_settings.max_todos > len(CLOSING) else TOGETHER


def parts_of(material: Material, config: JobConfig) -> list[tuple[int, int]]:
    """The parts as ranges of units: as many as the config's number of todos allows."""
    closing, settings = len(closing_steps(config)), config.phase_settings
    least, most = max(1, settings.min_todos - closing), max(1, settings.max_todos - closing)
    total = len(material.units)
    wanted = min(max(-(-total // UNITS_A_PART), least), most)
    return [(place * total // wanted, (place + 1) * total // wanted) for place in range(wanted)]


# What was made of each unit of a document, and by what.

Outcome = Literal["requirement", "no requirement", "no sentence", "outside the order", "not read"]
Decider = Literal["keyword", "list", "model", "form", "order"]
STRONG = 0.8
"""Sureness of the rules from which a model's no is told beside its verdict."""


class ClassifiedUnit(BaseModel):
    """One unit and what it was found to be.

    `decided_by`: `keyword` (a word of RFC 2119 in capitals), `list` (an item below such a sentence), `model`, `form`
    (a heading, too short, hardly any letters) or `order` (not among the pages and sections that the user named).
    `remark` says what speaks against it, or why it was not read.
    """

    model_config = ConfigDict(extra="forbid")

    document: str
    page: int
    section: str
    text: str
    outcome: Outcome
    decided_by: Decider
    nature: Nature = "obligation"
    requirement_id: str = ""
    remark: str = ""


def verdict(
    unit: Unit, outcome: Outcome, by: Decider, *, nature: Nature = "obligation", remark: str = ""
) -> ClassifiedUnit:
    """The verdict on a unit."""
    return ClassifiedUnit(
        document=unit.document,
        page=unit.page,
        section=unit.section,
        text=unit.text,
        outcome=outcome,
        decided_by=by,
        nature=nature,
        remark=remark,
    )


def decided(unit: Unit, language: Language) -> ClassifiedUnit | None:
    """The verdict where code can pass it surely; None where somebody who understands the sentence has to."""
    if unit.sentence is None or not unit.is_prose:
        return verdict(unit, "no sentence", "form")
    judgement = rules_on(unit, language)
    if judgement is not None and judgement.sure:
        by: Decider = "list" if unit.sentence.lead_in and judgement.inherited else "keyword"
        return verdict(unit, "requirement", by, nature=judgement.nature)
    return None


def rules_on(unit: Unit, language: Language) -> Judgement | None:
    """What the rules say of a sentence; one that opens a list is judged like any other."""
    return judge(unit.sentence, language, leads_too=True) if unit.sentence is not None else None


NO_QUOTE = "it could not be quoted from its page: {reason}"
PAGE = 500


@dataclass(frozen=True)
class Quoted:
    """A unit that is to be stored, and its quote."""

    place: int
    unit: Unit
    verdict: ClassifiedUnit
    found: Found


async def store(
    services: JobServices,
    job_id: str,
    phase: int,
    opened: Opened,
    units: Sequence[Unit],
    verdicts: Sequence[ClassifiedUnit],
    key: str,
) -> list[ClassifiedUnit]:
    """The verdicts, each requirement among them with the id under which it is stored; all of one document.

    What the job has stored before, from the same place with the same words, is not stored again.
    """
    settled = list(verdicts)
    known = await _known(services, job_id, opened.path)
    wanted: list[Quoted] = []
    for place, (unit, verdict) in enumerate(zip(units, verdicts, strict=True)):
        if verdict.outcome != "requirement":
            continue
        page, start, end = max(unit.places, key=lambda each: each[2] - each[1])
        found = find_quote(opened.document, opened.document.pages[page - 1].text[start:end], page)
        if not isinstance(found, Found):
            remark = NO_QUOTE.format(reason=found.reason)
            settled[place] = verdict.model_copy(update={"outcome": "not read", "remark": remark})
            continue
        earlier = known.get((_text(unit), found.locator))
        if earlier is not None:
            settled[place] = verdict.model_copy(update={"requirement_id": earlier})
            continue
        wanted.append(Quoted(place, unit, verdict, found))
    for quoted, requirement_id in zip(wanted, await _add(services, job_id, phase, opened, wanted, key), strict=True):
        settled[quoted.place] = quoted.verdict.model_copy(update={"requirement_id": requirement_id})
    return settled


async def _add(
    services: JobServices, job_id: str, phase: int, opened: Opened, wanted: Sequence[Quoted], key: str
) -> list[str]:
    if not wanted:
        return []
    source = await services.sources.add_source(
        job_id,
        kind="document",
        title=inert(opened.document.title)[:MAX_TITLE],
        locator=opened.path,
        stored_path=opened.path,
        sha256=opened.sha256,
    )
    cited = await services.sources.add_citations(
        job_id, [_citation(source.source_id, each.found) for each in wanted], f"{key}:cited"
    )
    drafts = [_draft(each, citation.citation_id, opened).fields() for each, citation in zip(wanted, cited, strict=True)]
    added = await services.requirements.add(job_id, drafts, phase=phase, key=f"{key}:added")
    return [row.requirement_id for row in added]


def _citation(source_id: str, found: Found) -> dict[str, object]:
    return {
        "source_id": source_id,
        "claim": "",
        "verbatim_quote": found.quote,
        "quote_context": found.context,
        "page": found.page,
        "locator": found.locator,
        "confidence": 1.0,
        "extraction_method": METHOD,
        "verification_status": "verified",
    }


def _draft(quoted: Quoted, citation_id: str, opened: Opened) -> RequirementDraft:
    text = _text(quoted.unit)
    sorting = sorting_of(text, f"{quoted.unit.section}\n{opened.document.title}", quoted.verdict.nature)
    return RequirementDraft(
        text=text,
        req_type=sorting.req_type,
        priority=sorting.priority,
        source_document=opened.path,
        source_location=quoted.found.locator[:500],
        gobd_relevant=sorting.gobd_relevant,
        gdpr_relevant=sorting.gdpr_relevant,
        citations=[citation_id],
        reasoning=f"decided by: {quoted.verdict.decided_by}",
    )


def _text(unit: Unit) -> str:
    lead = unit.sentence.lead_in if unit.sentence is not None else ""
    return f"{lead} {unit.text}".strip()[:10_000]


async def _known(services: JobServices, job_id: str, document: str) -> dict[tuple[str, str], str]:
    """What the job has stored of this document: ids by text and place."""
    found: dict[tuple[str, str], str] = {}
    offset = 0
    while rows := await services.requirements.find(job_id=job_id, limit=PAGE, offset=offset):
        offset += len(rows)
        found |= {(r.text, r.source_location): r.requirement_id for r in rows if r.source_document == document}
    return found


def counts(verdicts: Sequence[ClassifiedUnit]) -> dict[str, int]:
    """How many units came to what."""
    found: dict[str, int] = {}
    for each in verdicts:
        found[each.outcome] = found.get(each.outcome, 0) + 1
    return found


def shown(value: Any) -> str:
    """A value as one line of a table."""
    return " ".join(str(value).split()).replace("|", "\\|")
