"""The jobs agent as data: phases, table, tools, limits, prompts (spec 003)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from loopwright.agents.jobs.context import build_system_prompt
from loopwright.agents.jobs.finishing import finish
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.phases.entering import choose_stage
from loopwright.agents.jobs.phases.transitions import (
    JOB_COMPLETED,
    PHASE_BEGUN,
    begin_strategic,
    begin_tactical,
    finish_job,
    refuse_without_todos,
)
from loopwright.agents.jobs.tools import DOMAIN, STRATEGIC, TACTICAL, WORKSPACE, all_tools
from loopwright.agents.jobs.tools.job_complete import JOB_COMPLETE
from loopwright.agents.jobs.tools.todo_complete import PHASE_COMPLETE
from loopwright.kernel.compaction import AU2
from loopwright.kernel.controller import COMPLETE, Transition
from loopwright.kernel.policy import StagePolicy
from loopwright.kernel.spec import AgentSpec, Limits, Stage
from loopwright.kernel.think import TEXT

NO_LIMIT = 1_000_000
"""Compaction within a phase is by tokens alone; phases reset the messages anyway."""


async def refuse_text(run: Any) -> str | None:
    """A phase does not end by words."""
    return (
        "The phase goes on until its todos are done. Call a tool: todo_complete for what is done, "
        "or the tool for the next step."
    )


def withheld(options: Mapping[str, Any]) -> frozenset[str]:
    """Tools that the job's config does not name; marking todos as done is always possible."""
    tools = options.get("config", {}).get("tools", {})
    named = {name for names in tools.values() if isinstance(names, list) for name in names}
    return frozenset(WORKSPACE | STRATEGIC | TACTICAL | DOMAIN) - named - {"todo_complete"}


def tailor(spec: AgentSpec, options: Mapping[str, Any]) -> AgentSpec:
    """Model, limits and compaction as the job's config has them."""
    config = config_of(options)
    limits, model = config.limits, config.llm.get("model") or None
    stages = tuple(replace(stage, model=model) if stage.action is None else stage for stage in spec.stages)
    return replace(
        spec,
        stages=stages,
        limits=replace(spec.limits, max_steps=limits.max_iterations, wall_seconds=limits.wall_seconds),
        compaction=AU2(max_messages=NO_LIMIT, max_tokens=limits.context_threshold_tokens),
    )


AGENT = AgentSpec(
    name="jobs",
    title="Jobs",
    description="Does long jobs in strategic and tactical phases: requirements out of documents, and more.",
    prompts="loopwright.agents.jobs",
    stages=(
        Stage("strategic", StagePolicy(tools=frozenset(WORKSPACE | STRATEGIC)), tier="powerful"),
        Stage("tactical", StagePolicy(tools=frozenset(WORKSPACE | TACTICAL | DOMAIN)), tier="powerful"),
        Stage("to_tactical", action=begin_tactical),
        Stage("to_strategic", action=begin_strategic),
        Stage("finishing", action=finish_job),
    ),
    transitions=(
        Transition("strategic", PHASE_COMPLETE, "to_tactical", refuse_without_todos),
        Transition("to_tactical", PHASE_BEGUN, "tactical"),
        Transition("tactical", PHASE_COMPLETE, "to_strategic"),
        Transition("to_strategic", PHASE_BEGUN, "strategic"),
        Transition("strategic", JOB_COMPLETE, "finishing"),
        Transition("finishing", JOB_COMPLETED, COMPLETE),
        Transition("strategic", TEXT, "strategic", refuse_text),
        Transition("tactical", TEXT, "tactical", refuse_text),
    ),
    tools=all_tools(),
    entry=choose_stage,
    entries=("strategic", "tactical"),
    system_prompt=build_system_prompt,
    withheld=withheld,
    tailor=tailor,
    finish=finish,
    limits=Limits(max_steps=2_000, max_consecutive_errors=8, refusals=5, wall_seconds=86_400.0),
    compaction=AU2(max_messages=NO_LIMIT, max_tokens=80_000),
)
