"""All candidates of a document, in its order."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from loopwright.agents.jobs.candidates.judging import Judgement, judge
from loopwright.agents.jobs.candidates.sentences import Sentence, sentences_of
from loopwright.agents.jobs.candidates.sorting import Priority, RequirementType, sorting_of
from loopwright.agents.jobs.candidates.vocabulary import Language, vocabulary
from loopwright.agents.jobs.documents import Document

Mode = Literal["strict", "balanced", "permissive"]
LEAST: dict[Mode, float] = {"strict": 0.8, "balanced": 0.6, "permissive": 0.35}
"""The least confidence of a candidate. Strict: duties and prohibitions in plain words; balanced: conditions, demands and
recommendations too; permissive: whatever has a modal verb.
"""


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


def candidates_of(document: Document, mode: Mode) -> tuple[Candidate, ...]:
    """The candidates, numbered `C-001` and so on over the whole document: the numbers hold for a document and a mode."""
    known = vocabulary()
    language = known.language_of("\n".join(page.text for page in document.pages))
    found: list[Candidate] = []
    for sentence in sentences_of(document):
        spoken = known.language_of(sentence.text, otherwise=language)
        judgement = judge(sentence, spoken)
        if judgement is not None and judgement.confidence >= LEAST[mode]:
            found.append(_candidate(len(found) + 1, document, sentence, judgement, spoken))
    return tuple(found)


def _candidate(
    number: int, document: Document, sentence: Sentence, judgement: Judgement, language: Language
) -> Candidate:
    text = f"{sentence.lead_in} {sentence.text}".strip()
    page, start, end = max(sentence.places, key=lambda place: place[2] - place[1])
    sorting = sorting_of(text, f"{sentence.section}\n{document.title}", judgement.nature)
    return Candidate(
        candidate_id=f"C-{number:03d}",
        text=text,
        quote=document.pages[page - 1].text[start:end].strip(),
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
