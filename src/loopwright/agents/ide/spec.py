"""The ide agent as data: stages, table, tools by stage, limits, prompts (spec 002)."""

from loopwright.agents.ide import ending_work as judging
from loopwright.agents.ide import ending_work as reading
from loopwright.agents.ide import ending_work as reviewing
from loopwright.agents.ide.account import KIT
from loopwright.agents.ide.context import REASONING_MARKS, Folding, build_system_prompt, phrase, stage_prompt
from loopwright.agents.ide.contracts import DeliveryCheck, QAReport
from loopwright.agents.ide.ending_work import SEALED, SEALED_WITHOUT_QA
from loopwright.agents.ide.lifecycle import absorb, choose_stage, finish, granted, offer, write_snapshot
from loopwright.agents.ide.reasoning import GIVEN, deliver
from loopwright.agents.ide.tools import ALL_TOOLS, FIRST, FIRST_FOR_SMALL, NEEDS_PERMISSION, READERS
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.spec import AgentSpec, Limits, Review, Stage
from loopwright.kernel.think import TEXT

EVERYTHING = frozenset(tool.name for tool in ALL_TOOLS)
WORKING = StagePolicy(
    tools=EVERYTHING, permission=NEEDS_PERMISSION, first=FIRST, small=FIRST_FOR_SMALL, reasoning="micro"
)


def _working(name: str, review: Review) -> Stage:
    """A stage in which the model works with all tools; the two differ in what follows the calls of an answer."""
    return Stage(
        name,
        WORKING,
        tier="powerful",
        parser=reading.plain,
        reasoning_parser=reading.with_micro,
        judge=judging.judge_end_of_work,
        may_answer=judging.may_end_work,
        resting=reviewing.resting,
        review=review,
    )


AGENT = AgentSpec(
    name="ide",
    title="IDE agent",
    description="Works on code in a repository: finds, explains, changes, runs; mode and reasoning are the user's.",
    prompts="loopwright.agents.ide",
    stages=(
        Stage(
            "chat",
            StagePolicy(tools=READERS, chat_tools=READERS, first=FIRST, small=FIRST_FOR_SMALL),
            parser=reading.plain,
        ),
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
            answer=DeliveryCheck,
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
            StagePolicy(tools=READERS, first=FIRST, small=FIRST_FOR_SMALL, reasoning="micro"),
            answer=QAReport,
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
        *(
            Transition(working, signal, target)
            for working in ("act", "tool_followup")
            for signal, target in (
                (TEXT, "delivery_check"),
                (reviewing.STALLED, "final"),
                (SEALED, "qa_review"),
                (SEALED_WITHOUT_QA, "deliver"),
            )
        ),
        Transition("delivery_check", judging.NEEDS_WORK, "act"),
        Transition("delivery_check", judging.OUT_OF_ROUNDS, "final"),
        Transition("delivery_check", SEALED, "qa_review"),
        Transition("delivery_check", SEALED_WITHOUT_QA, "deliver"),
        Transition("final", SEALED, "qa_review"),
        Transition("final", SEALED_WITHOUT_QA, "deliver"),
        Transition("qa_review", judging.REPORTED, "deliver"),
        Transition("qa_review", judging.NO_REPORT, "deliver"),
        Transition("deliver", GIVEN, COMPLETE),
    ),
    tools=ALL_TOOLS,
    entry=choose_stage,
    entries=("chat", "warmup", "act"),
    system_prompt=build_system_prompt,
    stage_prompt=stage_prompt,
    absorb=absorb,
    finish=finish,
    ended=write_snapshot,
    phrase=phrase,
    granted=granted,
    curate=offer,
    reasoning_marks=REASONING_MARKS,
    limits=Limits(max_steps=200, max_consecutive_errors=8, refusals=6, wall_seconds=7_200.0),
    compaction=Folding(),
    account=KIT,
)
