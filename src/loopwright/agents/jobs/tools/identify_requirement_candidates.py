"""`identify_requirement_candidates`: the sentences of a document that may state a requirement, by rules."""

import asyncio
from typing import Self

from pydantic import BaseModel, Field, model_validator

from loopwright.agents.jobs.candidates import Candidate, Mode, candidates_of
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.tools.extracted_files import opened, write_extracted
from loopwright.agents.jobs.tools.file_guards import shown_to_model
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

ENDING = "candidates.jsonl"
LIMIT = 25


class IdentifyRequirementCandidatesParameters(BaseModel):
    """Parameters of `identify_requirement_candidates`."""

    path: str = Field(min_length=1, max_length=500, description="The document, such as documents/GoBD.pdf")
    mode: Mode | None = Field(
        None,
        description="strict: plain duties and prohibitions; balanced: conditions, demands and recommendations too; "
        "permissive: whatever has a modal verb; without it as the job's config says",
    )
    page_start: int | None = Field(None, ge=1, description="Show only candidates from this page on")
    page_end: int | None = Field(None, ge=1, description="Show only candidates up to this page")
    first: int = Field(1, ge=1, description="Begin with this one of the candidates to be shown")
    limit: int = Field(LIMIT, ge=1, le=100, description="Show so many; all are in the file")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.page_start and self.page_end and self.page_end < self.page_start:
            raise ValueError("page_end is before page_start")
        return self


class IdentifyRequirementCandidates(BaseTool[IdentifyRequirementCandidatesParameters, JobServices]):
    """Files all candidates, and shows some."""

    name = "identify_requirement_candidates"
    parameters_model = IdentifyRequirementCandidatesParameters
    effect = "idempotent"

    async def execute(
        self, params: IdentifyRequirementCandidatesParameters, ctx: ToolContext[JobServices]
    ) -> ToolResult:
        """Find them; the file always has those of the whole document, whatever is shown."""
        workspace, name, document = await opened(ctx, params.path)
        wanted = config_of(ctx.settings).document_processing
        mode = params.mode or wanted.extraction_mode
        # The threshold of the config belongs to its mode; who asks for another mode means that one's.
        least = wanted.min_confidence_threshold if params.mode in (None, wanted.extraction_mode) else 0.0
        found = await asyncio.to_thread(candidates_of, document, mode, least)
        file = await write_extracted(workspace, name, ENDING, "".join(f"{each.model_dump_json()}\n" for each in found))
        begin, end = params.page_start or 1, params.page_end or len(document.pages)
        asked = [each for each in found if begin <= each.page <= end]
        shown = asked[params.first - 1 : params.first - 1 + params.limit]
        where = f"{len(asked)} of them on pages {begin}–{end}"
        lines = [f"{name} has {len(found)} candidates ({mode}), {where}. All are in {file}, one JSON object a line."]
        if shown:
            text = "\n".join(each.model_dump_json(exclude={"reasons"}) for each in shown)
            lines.append(f"Candidates {params.first}–{params.first + len(shown) - 1} of {len(asked)}:")
            lines.append(await shown_to_model(workspace, name, text, filed=_words(shown)))
        following = params.first + len(shown)
        if shown and following <= len(asked):
            lines.append(f"Go on with first={following}, or read the file with read_file.")
        artifacts = {
            "path": name,
            "file": file,
            "mode": mode,
            "total": len(found),
            "asked": len(asked),
            "candidates": [each.model_dump(mode="json") for each in shown],
        }
        return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)


def _words(shown: list[Candidate]) -> str:
    """The document's own words, without the JSON around them."""
    return "\n".join(f"{each.section}\n{each.text}" for each in shown)
