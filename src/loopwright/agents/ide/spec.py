"""The ide agent as data: stages, table, tools by stage, limits, prompts (spec 002)."""

from loopwright.agents.ide.absorbing import absorb
from loopwright.agents.ide.compression import Folding
from loopwright.agents.ide.context import REASONING_MARKS, build_system_prompt
from loopwright.agents.ide.entering import choose_stage
from loopwright.agents.ide.finishing import finish
from loopwright.agents.ide.flow import judging, reading, reviewing
from loopwright.agents.ide.flow.sealing import GIVEN, deliver
from loopwright.agents.ide.flow.words import phrase
from loopwright.agents.ide.permissions.granting import granted, offer
from loopwright.agents.ide.snapshots import write_snapshot
from loopwright.agents.ide.tools import ALL_TOOLS, NEEDS_PERMISSION, READERS
from loopwright.kernel.controller import COMPLETE, Transition
from loopwright.kernel.policy import StagePolicy
from loopwright.kernel.spec import AgentSpec, Limits, Review, Stage
from loopwright.kernel.think import TEXT

EVERYTHING = frozenset(tool.name for tool in ALL_TOOLS)
WORKING = StagePolicy(tools=EVERYTHING, permission=NEEDS_PERMISSION, reasoning="micro")


def _working(name: str, review: Review) -> Stage:
    """A stage in which the model works with all tools; the two differ in what follows the calls of an answer."""
    return Stage(
        name,
        WORKING,
        tier="powerful",
        parser=reading.plain,
        reasoning_parser=reading.with_micro,
        judge=judging.judge_end_of_work,
        review=review,
    )


AGENT = AgentSpec(
    name="ide",
    title="IDE agent",
    description="Works on code in a repository: finds, explains, changes, runs; mode and reasoning are the user's.",
    prompts="loopwright.agents.ide",
    stages=(
        Stage("chat", StagePolicy(tools=READERS, chat_tools=READERS), parser=reading.plain),
        Stage(
            "warmup",
            StagePolicy(reasoning="macro"),
            tier="powerful",
            parser=reading.plain,
            reasoning_parser=reading.with_macro,
            judge=judging.judge_words,
        ),
        _working("act", reviewing.review_first_calls),
        _working("tool_followup", reviewing.review_calls),
        Stage(
            "delivery_check",
            StagePolicy(reasoning="micro"),
            parser=reading.delivery,
            reasoning_parser=reading.delivery_with_micro,
            judge=judging.judge_delivery,
        ),
        Stage(
            "final",
            StagePolicy(reasoning="micro"),
            parser=reading.plain,
            reasoning_parser=reading.with_micro,
            judge=judging.judge_final,
        ),
        Stage(
            "qa_review",
            StagePolicy(tools=READERS, reasoning="micro"),
            parser=reading.report,
            reasoning_parser=reading.report_with_micro,
            judge=judging.judge_report,
        ),
        Stage("deliver", action=deliver),
    ),
    transitions=(
        Transition("chat", TEXT, COMPLETE),
        Transition("warmup", TEXT, "act"),
        Transition("act", reviewing.FOLLOW_UP, "tool_followup"),
        Transition("act", TEXT, "delivery_check"),
        Transition("act", reviewing.STALLED, "delivery_check"),
        Transition("tool_followup", TEXT, "delivery_check"),
        Transition("tool_followup", reviewing.STALLED, "delivery_check"),
        Transition("delivery_check", judging.NEEDS_WORK, "act"),
        Transition("delivery_check", judging.DELIVERED, "final"),
        Transition("delivery_check", judging.OUT_OF_ROUNDS, "final"),
        Transition("final", judging.SEALED, "qa_review"),
        Transition("final", judging.SEALED_WITHOUT_QA, "deliver"),
        Transition("qa_review", judging.REPORTED, "deliver"),
        Transition("qa_review", judging.NO_REPORT, "deliver"),
        Transition("deliver", GIVEN, COMPLETE),
    ),
    tools=ALL_TOOLS,
    entry=choose_stage,
    entries=("chat", "warmup", "act"),
    system_prompt=build_system_prompt,
    absorb=absorb,
    finish=finish,
    ended=write_snapshot,
    phrase=phrase,
    granted=granted,
    curate=offer,
    reasoning_marks=REASONING_MARKS,
    limits=Limits(max_steps=200, max_consecutive_errors=8, refusals=6, wall_seconds=7_200.0),
    compaction=Folding(),
)
