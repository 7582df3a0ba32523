"""`analyze_brief`: product type, scenario, page plan and default data model of a request, by rules."""

import json
from typing import Annotated

from pydantic import BaseModel, Field

from loopwright.agents.pages.brief.analysis import analyse_brief
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.tools.parameters import at_most
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

MAX_BRIEF = 4_000
"""Characters of the request that are kept for the tools that write pages."""

NEXT = "The plan is stored; it need not be made again. Next: create_design_system, then generate_page for {slugs}."
"""Small models repeat a call whose result does not say what follows from it."""


class AnalyzeBriefParameters(BaseModel):
    """Parameters of `analyze_brief`."""

    user_request: Annotated[str, at_most(100_000)] = Field(
        min_length=1, description="What the user asked for, in their words"
    )
    conversation_summary: Annotated[str | None, at_most(100_000)] = Field(
        default=None, description="What else was said that matters"
    )


class AnalyzeBrief(BaseTool[AnalyzeBriefParameters, PagesServices]):
    """Analyses a request and stores type, name and page plan in the session's metadata."""

    name = "analyze_brief"
    parameters_model = AnalyzeBriefParameters
    effect = "idempotent"

    async def execute(self, params: AnalyzeBriefParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Analyse; a later analysis replaces the plan of an earlier one."""
        asked, summary = params.user_request.strip(), (params.conversation_summary or "").strip()
        own_words = "" if ctx.user_message.strip() in asked else ctx.user_message.strip()  # models shorten and forget
        rest = "\n\n".join(filter(None, [own_words, summary]))
        analysis = analyse_brief(asked, rest)
        brief = f"{asked}\n\n{rest}".strip()
        await ctx.db.sessions.update(
            ctx.session_id,
            metadata={
                "brief": brief[:MAX_BRIEF],
                "product_type": analysis.product_type,
                "app_name": analysis.app_name,
                "planned_pages": [{"slug": p.slug, "title": p.title} for p in analysis.suggested_pages],
                "data_model": analysis.data_model.to_wire(),
            },
        )
        found = analysis.to_wire()
        slugs = ", ".join(page.slug for page in analysis.suggested_pages)
        output = f"{json.dumps(found, ensure_ascii=False)}\n{NEXT.format(slugs=slugs)}"
        return ToolResult(success=True, output=output, artifacts=found)
