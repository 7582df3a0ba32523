"""`analyze_brief`: what an app consists of, by the model's plan and the rules' reading of the brief."""

import json
from collections.abc import Sequence
from typing import Annotated

from pydantic import ConfigDict, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from loopwright.agents.pages.brief.analysis import analyse_brief, analysis_of
from loopwright.agents.pages.domain.app_model import to_data
from loopwright.agents.pages.domain.app_reader import says_anything
from loopwright.agents.pages.domain.joining import Joined, join
from loopwright.agents.pages.domain.proposal import Proposal, told_schema
from loopwright.agents.pages.interview.plan import InterviewRecord, by_decision
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.tools.interview import Parameters, at_most
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

MAX_BRIEF = 4_000
"""Characters of the request that are kept for the tools that write pages."""

NEXT = "The plan is stored; it need not be made again. Next: create_design_system, then generate_page for {slugs}."
"""Small models repeat a call whose result does not say what follows from it."""

NEXT_OF_PLAN = "The plan is stored; it need not be made again. Next: build_pages draws style sheet and pages ({slugs})."
MOST_TOLD = 12
"""Differences between plan and brief that are told of each kind."""


class AnalyzeBriefParameters(Parameters):
    """Parameters of `analyze_brief`; a model is asked for its plan, rules do without."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"required": ["user_request", "plan"]})

    user_request: Annotated[str, at_most(100_000)] = Field(min_length=1)
    plan: Annotated[Proposal | None, WithJsonSchema(told_schema())] = None
    conversation_summary: SkipJsonSchema[Annotated[str | None, at_most(100_000)]] = None


class AnalyzeBrief(BaseTool[AnalyzeBriefParameters, PagesServices]):
    """Stores type, name, page plan and data model in the session's metadata."""

    name = "analyze_brief"
    parameters_model = AnalyzeBriefParameters
    effect = "idempotent"

    async def execute(self, params: AnalyzeBriefParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Analyse; a later analysis replaces the plan of an earlier one."""
        asked, summary = params.user_request.strip(), (params.conversation_summary or "").strip()
        own_words = "" if ctx.user_message.strip() in asked else ctx.user_message.strip()  # models shorten and forget
        rest = "\n\n".join(filter(None, [own_words, summary]))
        brief = f"{asked}\n\n{rest}".strip()
        joined = None if params.plan is None else await _joined(params.plan, asked, ctx)
        analysis = analyse_brief(asked, rest) if joined is None else analysis_of(joined.model, asked, brief)
        await ctx.db.sessions.update(
            ctx.session_id,
            metadata={
                "brief": brief[:MAX_BRIEF],
                "product_type": analysis.product_type,
                "app_name": analysis.app_name,
                "planned_pages": [{"slug": p.slug, "title": p.title} for p in analysis.suggested_pages],
                "data_model": analysis.data_model.to_wire(),
                "app_model": None if joined is None else to_data(joined.model),
            },
        )
        found = analysis.to_wire()
        slugs = ", ".join(page.slug for page in analysis.suggested_pages)
        told = found | {"data_model": analysis.data_model.told()}
        lines = [json.dumps(told, ensure_ascii=False)]
        if joined is not None:
            lines += differences(joined)
        lines.append((NEXT if joined is None else NEXT_OF_PLAN).format(slugs=slugs))
        return ToolResult(success=True, output="\n".join(lines), artifacts=found)


async def _joined(plan: Proposal, asked: str, ctx: ToolContext[PagesServices]) -> Joined:
    """The plan held against the user's own words: what a model says that they said is none of them."""
    session = await ctx.db.sessions.get(ctx.session_id)
    answers = InterviewRecord.of(session.metadata).plain()
    own = ctx.user_message if says_anything(ctx.user_message) else asked
    given = [text for answer in answers.values() for text in ([answer] if isinstance(answer, str) else answer)]
    return join(plan, ". ".join([own.strip().rstrip("."), *given]), by_decision(answers).get("name", ""))


def differences(joined: Joined) -> list[str]:
    """What of a plan was left out, kept without the user's word, or added, a line each."""
    told: Sequence[tuple[str, Sequence[str]]] = (
        ("Left out of your plan, for the user did not say it", joined.dropped),
        ("Not said by the user, but in your plan", joined.invented),
        ("Added, for the user asks for it", joined.added),
    )
    return [f"{head}: {', '.join(each[:MOST_TOLD])}." for head, each in told if each]
