"""Finding sentences that may state a requirement, in German and English, by patterns that are data."""

import re
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from loopwright.agents.jobs.candidates.patterns import Language, Priority, RequirementType, sorting_of, vocabulary
from loopwright.agents.jobs.candidates.sentences import Judgement, Places, Sentence, judge, sentences_of
from loopwright.agents.jobs.documents import Document

# All candidates of a document, in its order.

Mode = Literal["strict", "balanced", "permissive"]
KEPT = 8
"""Documents whose candidates are kept: a job asks for a few of them at a time, and finding them takes a while."""

LEAST: dict[Mode, float] = {"strict": 0.8, "balanced": 0.6, "permissive": 0.35}
"""The least confidence of a candidate.

Strict: duties and prohibitions in plain words; balanced: conditions, demands and recommendations too; permissive:
whatever has a modal verb.
"""


FEWEST_QUOTED = 10
"""Letters and digits; an item that has fewer (`IBAN,`) proves nothing, so its lead-in is quoted."""
UNFINISHED = re.compile(r"[\s,;]*(?:[\s,;](?:und|oder|sowie|and|or))?[\s,;]*$")
"""What ties an item to the next one."""


class Candidate(BaseModel):
    """A sentence that may state a requirement.

    `text` is the whole, an item with its lead-in; `quote` is what stands verbatim on `page`, the longest part of it
    where a page or a list parts it. `confidence` is from 0 to 1, `reasons` say why, what spoke against with a minus.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    candidate_id: str
    text: str
    quote: str
    page: int
    section: str
    indicator: str
    confidence: float
    reasons: tuple[str, ...]
    language: Language
    req_type: RequirementType
    priority: Priority
    gobd_relevant: bool
    gdpr_relevant: bool


@lru_cache(maxsize=KEPT)
def candidates_of(document: Document, mode: Mode, least: float = 0.0) -> tuple[Candidate, ...]:
    """The candidates, numbered `C-001` and so on over the whole document.

    Args:
        document: where to look.
        mode: how plainly a sentence has to state a requirement.
        least: confidence that a candidate must have besides, 0 to 1.
    """
    known = vocabulary()
    language = known.language_of("\n".join(page.text for page in document.pages))
    found: list[Candidate] = []
    for sentence in sentences_of(document):
        spoken = known.language_of(sentence.text, otherwise=language)
        judgement = judge(sentence, spoken)
        if judgement is not None and judgement.confidence >= max(LEAST[mode], least):
            found.append(_candidate(len(found) + 1, document, sentence, judgement, spoken))
    return tuple(found)


def _candidate(
    number: int, document: Document, sentence: Sentence, judgement: Judgement, language: Language
) -> Candidate:
    own = UNFINISHED.sub("", sentence.text) if sentence.is_item else sentence.text
    text = f"{sentence.lead_in} {own}".strip()
    page, quote = _quote(document, sentence.places)
    if sentence.lead_places and sum(map(str.isalnum, quote)) < FEWEST_QUOTED:
        page, quote = _quote(document, sentence.lead_places)
    sorting = sorting_of(text, f"{sentence.section}\n{document.title}", judgement.nature)
    return Candidate(
        candidate_id=f"C-{number:03d}",
        text=text,
        quote=quote,
        page=page,
        section=sentence.section,
        indicator=judgement.indicator,
        confidence=judgement.confidence,
        reasons=judgement.reasons,
        language=language,
        req_type=sorting.req_type,
        priority=sorting.priority,
        gobd_relevant=sorting.gobd_relevant,
        gdpr_relevant=sorting.gdpr_relevant,
    )


def _quote(document: Document, places: Places) -> tuple[int, str]:
    """The longest part that stands on one page, and that page."""
    page, start, end = max(places, key=lambda place: place[2] - place[1])
    return page, UNFINISHED.sub("", document.pages[page - 1].text[start:end])
