"""A requirement as tools show it."""

from collections.abc import Mapping
from typing import Any

from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.ports.requirements import Requirement
from loopwright.kernel.errors import NotFound

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
