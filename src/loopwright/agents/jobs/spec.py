"""The jobs agent as data: phases, table, tools, limits, prompts (spec 003)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from loopwright.agents.jobs.account import ACCOUNT
from loopwright.agents.jobs.context import build_system_prompt
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.phases.entering import (
    PLANNING,
    READING,
    STANDS_STILL,
    choose_stage,
    refuse_repeats,
    review_repeats,
)
from loopwright.agents.jobs.phases.transitions import (
    JOB_COMPLETED,
    PHASE_BEGUN,
    READING_BEGUN,
    begin_strategic,
    begin_tactical,
    finish,
    finish_job,
    refuse_without_todos,
)
from loopwright.agents.jobs.reading import plan_reading, read_on
from loopwright.agents.jobs.tools import DOMAIN, STRATEGIC, TACTICAL, WORKSPACE, all_tools
from loopwright.agents.jobs.tools.todos import JOB_COMPLETE, PHASE_COMPLETE
from loopwright.kernel.compaction import AU2
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.spec import AgentSpec, Limits, Stage
from loopwright.kernel.think import TEXT

SMALL_STRATEGIC = frozenset({"read_file", "write_file", "todo_write", "todo_complete", "job_complete"})
SMALL_TACTICAL = frozenset(
    {"read_file", "write_file", "todo_complete", "add_requirement", "cite_document", "next_requirements"}
    | {"create_requirement_node", "update_requirement"}
)
"""What a small model is offered first; it gets the others by their names. For others the job's config says it."""


def never(run: Any) -> bool:
    """A phase goes on by tool calls alone: an answer in words is not taken."""
    return False


async def refuse_text(run: Any) -> str | None:
    """A phase does not end by words."""
    return (
        "The phase goes on until its todos are done. Call a tool: todo_complete for what is done, "
        "or the tool for the next step."
    )


def withheld(options: Mapping[str, Any]) -> frozenset[str]:
    """Tools that the job's config does not name; marking todos as done is always possible."""
    tools = options.get("config", {}).get("tools", {})
    categories = (names for category, names in tools.items() if category != "first")
    named = {name for names in categories if isinstance(names, list) for name in names}
    return frozenset(WORKSPACE | STRATEGIC | TACTICAL | DOMAIN) - named - {"todo_complete"}


def tailor(spec: AgentSpec, options: Mapping[str, Any]) -> AgentSpec:
    """Tools, model, limits and compaction as the job's config has them."""
    config, left_out = config_of(options), withheld(options)
    limits, model = config.limits, config.llm.get("model") or None
    first = {"tactical": frozenset(config.tools.first)}
    stages = tuple(
        replace(stage, model=model, policy=replace(stage.policy, first=first.get(stage.name, frozenset())))
        if stage.action is None
        else stage
        for stage in spec.stages
    )
    return replace(
        spec,
        stages=stages,
        tools=tuple(tool for tool in spec.tools if tool.name not in left_out),
        limits=replace(spec.limits, max_steps=limits.max_iterations, wall_seconds=limits.wall_seconds),
        compaction=AU2(max_tokens=limits.context_threshold_tokens),
    )


AGENT = AgentSpec(
    name="jobs",
    title="Jobs",
    description="Does long jobs in strategic and tactical phases: requirements out of documents, and more.",
    prompts="loopwright.agents.jobs",
    stages=(
        Stage(
            "strategic",
            StagePolicy(tools=frozenset(WORKSPACE | STRATEGIC), small=SMALL_STRATEGIC),
            tier="powerful",
            may_answer=never,
            review=review_repeats,
        ),
        Stage(
            "tactical",
            StagePolicy(tools=frozenset(WORKSPACE | TACTICAL | DOMAIN), small=SMALL_TACTICAL),
            tier="powerful",
            may_answer=never,
            review=review_repeats,
        ),
        Stage("to_tactical", action=begin_tactical),
        Stage("to_strategic", action=begin_strategic),
        Stage("finishing", action=finish_job),
        Stage(PLANNING, action=plan_reading),
        Stage(READING, action=read_on),
    ),
    transitions=(
        Transition("strategic", PHASE_COMPLETE, "to_tactical", refuse_without_todos),
        Transition("to_tactical", PHASE_BEGUN, "tactical"),
        Transition("tactical", PHASE_COMPLETE, "to_strategic"),
        Transition("to_strategic", PHASE_BEGUN, "strategic"),
        Transition("strategic", JOB_COMPLETE, "finishing"),
        Transition("finishing", JOB_COMPLETED, COMPLETE),
        Transition(PLANNING, PHASE_COMPLETE, "to_tactical", refuse_without_todos),
        Transition("to_tactical", READING_BEGUN, READING),
        Transition(READING, PHASE_COMPLETE, "to_strategic"),
        Transition("to_strategic", READING_BEGUN, PLANNING),
        Transition(PLANNING, JOB_COMPLETE, "finishing"),
        Transition("strategic", TEXT, "strategic", refuse_text),
        Transition("tactical", TEXT, "tactical", refuse_text),
        Transition("strategic", STANDS_STILL, "strategic", refuse_repeats),
        Transition("tactical", STANDS_STILL, "tactical", refuse_repeats),
    ),
    tools=all_tools(),
    servers=None,  # what a server's tool gives back would reach the notes without a source (docs/decisions/0011)
    entry=choose_stage,
    entries=("strategic", "tactical", PLANNING, READING),
    system_prompt=build_system_prompt,
    account=ACCOUNT,
    withheld=withheld,
    tailor=tailor,
    finish=finish,
    limits=Limits(max_steps=2_000, max_consecutive_errors=8, refusals=5, wall_seconds=86_400.0),
    compaction=AU2(max_tokens=80_000),
)
