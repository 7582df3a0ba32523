"""The pages agent as data: stages, table, tools, limits, prompts (spec 000)."""

from collections.abc import Mapping
from typing import Any

from loopwright.agents.pages.by_plan import BUILT, BY_PLAN, NOTHING_CAME, PLAN_TOOLS, work_off_plan
from loopwright.agents.pages.context.system_prompt import build_stage_prompt, build_system_prompt
from loopwright.agents.pages.finishing import absorb_patches, finish
from loopwright.agents.pages.guard import may_finish
from loopwright.agents.pages.interview.guard import curate_questions
from loopwright.agents.pages.parsing.product_doc import parse_answer
from loopwright.agents.pages.progress import STUCK, judge_end, review_progress
from loopwright.agents.pages.requests.claims import APP_ACCOUNT
from loopwright.agents.pages.tools import all_tools
from loopwright.kernel.compaction import AU2
from loopwright.kernel.policy import ABORTED, COMPLETE, StagePolicy, Transition
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import AgentSpec, Limits, Stage
from loopwright.kernel.think import TEXT

NEW_PROJECT, REFINEMENT, MULTI_PAGE = "new-project", "refinement", "multi-page"
STAGES = (NEW_PROJECT, REFINEMENT, MULTI_PAGE)

READING_TOOLS = frozenset({"ask_user", "list_pages", "read_page", "validate_html"})
"""What the model may do in chat mode, where nothing is changed."""

SMALL_TOOLS = frozenset({"edit_page", "generate_page", "read_page", "ask_user"})
"""What a small model is offered first: it changes what the controller has built."""

PLANNING_TOOLS = frozenset({"analyze_brief", "build_pages"})

FIRST_TOOLS = SMALL_TOOLS | PLANNING_TOOLS | {"create_design_system", "change_tokens"}
"""What any other model is offered first for a new app; where there is one, it is offered the same without a plan."""

SENDING_BACK_AT_MOST = 8
"""What the finish guard uses up at the most; it looks at the count itself, so that its reasons never fail a run."""


async def choose_stage(run: AgentRun) -> str:
    """The stage of a run by what the session holds: no page, one page, several.

    With a small model the controller builds a new app by itself, of what the model reads in the brief.
    """
    count = len(await run.services.pages.of_session(run.state.session_id))
    if count == 0 and run.mode == "agent" and run.profile == "small":
        return BY_PLAN
    return NEW_PROJECT if count == 0 else REFINEMENT if count == 1 else MULTI_PAGE


def no_questions(options: Mapping[str, Any]) -> frozenset[str]:
    """`generate_now` is the user's switch: questions are switched off, whatever the model writes."""
    return frozenset({"ask_user"}) if options.get("generate_now") else frozenset()


def _stage(name: str) -> Stage:
    tools = frozenset(tool.name for tool in _TOOLS)
    first = FIRST_TOOLS if name == NEW_PROJECT else FIRST_TOOLS - PLANNING_TOOLS
    policy = StagePolicy(tools=tools, chat_tools=READING_TOOLS, small=SMALL_TOOLS, first=first)
    return Stage(
        name,
        policy=policy,
        tier="standard",
        max_tokens=4_096,
        parser=parse_answer,
        judge=judge_end,
        review=review_progress,
    )


def _transitions() -> tuple[Transition, ...]:
    """A model that ends its turn is checked; one that does not get on hands over to the plan."""
    return (
        *(Transition(name, TEXT, COMPLETE, may_finish) for name in STAGES),
        *(Transition(name, STUCK, BY_PLAN) for name in STAGES),
        Transition(BY_PLAN, BUILT, COMPLETE),
        Transition(BY_PLAN, NOTHING_CAME, ABORTED),
    )


_TOOLS = all_tools()

AGENT = AgentSpec(
    name="pages",
    title="Pages",
    description="Builds a multi-page mobile app prototype out of a brief: interview, design system, pages, versions.",
    prompts="loopwright.agents.pages",
    stages=(
        *(_stage(name) for name in STAGES),
        Stage(BY_PLAN, policy=StagePolicy(tools=PLAN_TOOLS), action=work_off_plan),
    ),
    transitions=_transitions(),
    tools=_TOOLS,
    entry=choose_stage,
    entries=STAGES,
    system_prompt=build_system_prompt,
    stage_prompt=build_stage_prompt,
    absorb=absorb_patches,
    withheld=no_questions,
    curate=curate_questions,
    finish=finish,
    limits=Limits(max_steps=30, max_consecutive_errors=3, refusals=SENDING_BACK_AT_MOST),
    compaction=AU2(),
    account=APP_ACCOUNT,
)
