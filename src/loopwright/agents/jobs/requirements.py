"""What the tools for requirements share: how they are shown, what must bear them, what they are compared with."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, model_validator

from loopwright.agents.jobs.contracts import JobConfig, Names
from loopwright.agents.jobs.graph import all_rows, most_alike
from loopwright.agents.jobs.ports import JobServices, Requirement
from loopwright.agents.jobs.taint import records_answer
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kernel.tools import ToolContext, ToolResult

# What must bear a requirement: citations that exist and were verified.

MAX_TOLD = 10


async def require_citations(
    services: JobServices, job_id: str, config: JobConfig, citations: Sequence[Sequence[str]]
) -> None:
    """Check the citations of several requirements, in their order.

    Raises:
        InvalidInput: a citation does not exist or failed its verification, or the config wants citations and a
            requirement has none.
    """
    known = {each.citation_id: each.verification_status for each in await services.sources.citations(job_id)}
    problems = []
    for number, ids in enumerate(citations, start=1):
        missing = [name for name in ids if name not in known]
        unproved = [name for name in ids if name in known and known[name] != "verified"]
        if missing:
            problems.append(f"requirement {number}: there is no {', '.join(missing)}")
        if unproved and config.validation.require_citations:
            problems.append(f"requirement {number}: {', '.join(unproved)} is not verified")
        if not ids and config.validation.require_citations:
            problems.append(f"requirement {number} has no citation")
    if problems:
        more = f"; and {len(problems) - MAX_TOLD} more" if len(problems) > MAX_TOLD else ""
        raise InvalidInput(
            f"Nothing was stored: {'; '.join(problems[:MAX_TOLD])}{more}.",
            hint="Cite the passage with cite_document or cite_web first; list_sources shows the citations there are.",
        )


_NODES = (
    "MATCH (n:Requirement) RETURN n.rid AS rid, n.name AS name, n.text AS text, n.requirementId AS requirement_id "
    "ORDER BY rid"
)


@dataclass(frozen=True)
class Known:
    """A requirement that others are compared with; `place` is its turn of being added, -1 in the graph alone."""

    key: str
    requirement_id: str | None
    job_id: str | None
    rid: str | None
    status: str
    text: str
    place: int

    def shown(self, ratio: float) -> dict[str, Any]:
        """As a tool shows it."""
        return {
            "similarity": round(ratio, 4),
            "requirement_id": self.requirement_id,
            "job_id": self.job_id,
            "rid": self.rid,
            "status": self.status,
            "text": self.text[:400],
        }


@dataclass(frozen=True)
class Corpus:
    """Everything that may be compared."""

    known: Sequence[Known]

    @classmethod
    async def of(cls, services: JobServices) -> "Corpus":
        """Read it; a requirement that is in both places counts once."""
        texts = await services.requirements.texts()
        stored = [
            Known(row.requirement_id, row.requirement_id, row.job_id, row.graph_id, row.status, row.text, place)
            for place, row in enumerate(texts)
        ]
        ids = {row.requirement_id for row in texts}
        nodes = [
            Known(
                str(row["rid"]), row["requirement_id"], None, str(row["rid"]), "integrated", str(row["text"] or ""), -1
            )
            for row in await all_rows(services.graph, _NODES)
            if row["requirement_id"] not in ids
        ]
        return cls([*nodes, *stored])

    def text_of(self, requirement_id: str) -> str:
        """The text of a stored requirement.

        Raises:
            NotFound: there is none with this id, or it was turned down.
        """
        found = next((each.text for each in self.known if each.requirement_id == requirement_id), None)
        if found is None:
            raise NotFound(
                f"There is no open or integrated requirement {requirement_id}.", hint="Look at list_requirements."
            )
        return found

    def like(self, text: str, least: float, limit: int, requirement_id: str | None = None) -> list[dict[str, Any]]:
        """What is like the text, the most alike first; for a stored requirement, only what came before it."""
        place = next((each.place for each in self.known if requirement_id and each.key == requirement_id), None)
        allowed = {
            each.key: each
            for each in self.known
            if each.key != requirement_id and (place is None or each.place < place or each.status == "integrated")
        }
        found = most_alike(text, ((key, each.text) for key, each in allowed.items()), least)
        return [allowed[each.key].shown(each.ratio) for each in found[:limit]]


# Who may put a requirement into the graph: the job that holds it, or has integrated it.


async def require_held(ctx: ToolContext[JobServices], requirement_id: str) -> Requirement:
    """The requirement, if this job holds it or has integrated it.

    Raises:
        NotFound: there is no such requirement.
        Conflict: another job's, or nobody's.
    """
    found = await ctx.db.requirements.get(requirement_id)
    integrated = found.status == "integrated" and found.settled_by == ctx.session_id
    if found.claimed_by != ctx.session_id and not integrated:
        raise Conflict(
            f"Requirement {requirement_id} is {found.status} and not held by this job.",
            hint="next_requirements gives requirements to this job; work on those.",
        )
    return found


# A requirement as tools show it.

SOURCE = "requirements"
"""What the mark around requirements names: their words come from documents."""

MAX_TEXT = 400


def summary(requirement: Requirement, *, whole_text: bool = False) -> dict[str, Any]:
    """What a list shows; long texts are cut unless they are wanted whole."""
    text = requirement.text
    cut = text if whole_text or len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
    flags = {"gobd_relevant": requirement.gobd_relevant, "gdpr_relevant": requirement.gdpr_relevant}
    return {
        "requirement_id": requirement.requirement_id,
        "name": requirement.name,
        "text": cut,
        "type": requirement.type,
        "priority": requirement.priority,
        "status": requirement.status,
        "confidence": requirement.confidence,
        "citations": list(requirement.citations),
        "mentioned_objects": list(requirement.mentioned_objects),
        "mentioned_messages": list(requirement.mentioned_messages),
        "source_document": requirement.source_document,
        "source_location": requirement.source_location,
        **{name: value for name, value in flags.items() if value},
        **({"graph_id": requirement.graph_id} if requirement.graph_id else {}),
        **({"rejection_reason": requirement.rejection_reason} if requirement.rejection_reason else {}),
    }


async def cited(requirement: Requirement, services: JobServices) -> list[dict[str, Any]]:
    """The requirement's citations, with quote, page and source, as the job that added it has recorded them."""
    locators = {each.source_id: each.locator for each in await services.sources.sources(requirement.job_id)}
    return [await _citation(requirement.job_id, each, locators, services) for each in requirement.citations]


async def _citation(
    job_id: str, citation_id: str, locators: Mapping[str, str], services: JobServices
) -> dict[str, Any]:
    try:
        found = await services.sources.citation(job_id, citation_id)
    except NotFound:
        return {"citation_id": citation_id, "verification_status": "missing"}
    return {
        "citation_id": found.citation_id,
        "source": locators.get(found.source_id, found.source_id),
        "page": found.page,
        "quote": found.verbatim_quote,
        "verification_status": found.verification_status,
    }


# Comparing requirements on behalf of a tool.

MOST_TEXTS = 50


class ComparisonParameters(BaseModel):
    """What is compared: stored requirements, or texts that are not stored yet."""

    requirement_text: str = Field("", max_length=10_000)
    requirement_texts: list[Annotated[str, Field(min_length=1, max_length=10_000)]] = Field(
        default_factory=list, max_length=MOST_TEXTS, description="Many texts at once, before they are stored"
    )
    requirement_id: str = Field("", max_length=64)
    requirement_ids: Names = Field(default_factory=list, description="Many stored requirements at once")

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if bool(self.texts) == bool(self.ids):
            raise ValueError(
                "Give either requirement_text (or requirement_texts), or requirement_id (or requirement_ids)"
            )
        return self

    @property
    def texts(self) -> list[str]:
        """The texts that are asked about."""
        return [*([self.requirement_text] if self.requirement_text.strip() else []), *self.requirement_texts]

    @property
    def ids(self) -> list[str]:
        """The stored requirements that are asked about."""
        return list(dict.fromkeys([*([self.requirement_id] if self.requirement_id else []), *self.requirement_ids]))


async def compare(
    ctx: ToolContext[JobServices], wanted: ComparisonParameters, least: float, limit: int, title: str
) -> ToolResult:
    """Compare texts, or stored requirements, with everything known; one record for each, in their order.

    Args:
        ctx: of the call.
        wanted: what is asked about.
        least: the similarity from which on something counts.
        limit: matches for each.
        title: what the answer begins with.
    """
    corpus = await Corpus.of(ctx.db)
    asked: list[tuple[str | None, str]] = [(None, text) for text in wanted.texts]
    asked += [(name, corpus.text_of(name)) for name in wanted.ids]

    def work() -> list[dict[str, Any]]:
        return [{"requirement_id": name, "matches": corpus.like(text, least, limit, name)} for name, text in asked]

    records = await asyncio.to_thread(work)
    found = sum(bool(record["matches"]) for record in records)
    head = f"{title}: {found} of {len(records)} have any; compared with {len(corpus.known)} requirements."
    return await records_answer(head, records, SOURCE, ctx, found=found)
