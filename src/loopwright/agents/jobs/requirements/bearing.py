"""What must bear a requirement: citations that exist and were verified."""

from collections.abc import Sequence

from loopwright.agents.jobs.contracts.config import JobConfig
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.errors import InvalidInput

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
