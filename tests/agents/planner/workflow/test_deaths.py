"""A process that dies anywhere: what was judged is judged as it was, what was asked is asked once."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from loopwright.kernel.events import ModelResponse
from loopwright.kernel.gates import Failed, Outcome, Waiting
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.ports import DeltaSink, ModelRequest, Profile
from loopwright.kernel.testing import resume_run
from loopwright.kernel.testing.runs import Death, MortalJournal
from tests.agents.planner.workflow.playing import QUIET, Play, context, costing, outline

DOUBTED = [*context(), *outline(0.2), "I leave it.", "Still so.", "And still."]
MOST_APPENDS = 60


class Recalling:
    """A model whose answer depends on nothing but the dialogue, as a real one's would at a temperature of zero."""

    def __init__(self, script: list[Any], usd: float) -> None:
        self.script, self.usd = script, usd

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        said = sum(message.role == "assistant" for message in request.messages)
        return costing(self.usd, self.script[said], said)

    def estimate_cost(self, request: ModelRequest) -> float | None:
        return 0.0

    def profile(self, tier: str = "standard", model: str | None = None) -> Profile:
        return "frontier"

    def context_tokens(self, tier: str = "standard", model: str | None = None) -> int | None:
        return None


async def survived(play: Play, usd: float, answers: Sequence[dict[str, Any]]) -> Outcome:
    """Carry the plan from question to question, taken over by a new process after each death."""
    play.model = Recalling(list(play.script), usd)  # type: ignore[assignment]
    left = list(answers)
    step: Callable[[], Awaitable[Outcome]] = play.begin
    while True:
        try:
            outcome = await step()
        except Death:
            if play.stored("run_failed"):  # its end was stored before it died
                return Failed("aborted", "")
            step = partial(_taken_over, play)
            continue
        if not left or not isinstance(outcome, Waiting):
            return outcome
        step = partial(play.answer, left.pop(0))


async def _taken_over(play: Play) -> Outcome:
    assert play.run is not None
    play.run = resume_run(play.run)
    await play.run.enter("recovered")
    return await run_agentic_loop(play.run)


def told(play: Play) -> dict[str, Any]:
    """What must be the same however often the process died."""
    # How far from the best possible a schedule is told to be depends on how long the solver had.
    drafts = [each for each in play.stored("stage_judged") if each["stage"] != "DRAFT_SCHEDULE"]
    judged = [(each["signal"], each["confidence"]) for each in drafts]
    return {
        "way": play.way,
        "judged": judged,
        "doubts": play.state.doubts,
        "gates": [gate["title"] for gate in play.stored("gate_opened")],
        "narrowed": play.stored("controller_message"),
        "ceilings": [each["turn"] for each in play.stored("turn_ceiling_passed")],
        "said": [message["text"] for message in play.stored("user_message")],
        "log": [(entry.action, entry.reason) for entry in play.state.adaptation_log],
    }


NO, YES = {"decision": "reject", "comment": "Shorter."}, {"decision": "approve"}
STRICT = QUIET | {"approval_policy": "strict_every_step", "brainstorming_preference": "always_offer"}
STORIES: dict[str, tuple[list[Any], float, dict[str, Any], list[dict[str, Any]]]] = {
    "doubted": (DOUBTED, 0.0, QUIET, []),
    "gone on": ([*context(), *outline()], 0.16, QUIET, [{"answers": {"0": "Go on"}}]),
    "stopped": ([*context(), *outline()], 0.16, QUIET, [{"answers": {"0": "Stop with what there is"}}]),
    "approved": ([*context(), *outline(), *outline()], 0.0, STRICT, [NO, YES]),
}


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("story", STORIES)
async def test_a_plan_goes_its_way_whenever_its_process_dies(tmp_path: Path, story: str, stored: bool) -> None:
    script, usd, policy, answers = STORIES[story]
    whole = Play(tmp_path, script, policy=policy, journal=MortalJournal())
    await survived(whole, usd, answers)
    expected, appends = told(whole), whole.journal.appends
    assert expected["gates"]
    assert 0 < appends <= MOST_APPENDS
    # Each append is died at once: half of them just before they reach the disk, the others just after.
    for number in range(1 + stored, appends + 1, 2):
        journal = MortalJournal(dies_at={number}, stored=stored)
        play = Play(tmp_path, script, policy=policy, journal=journal)
        await survived(play, usd, answers)
        assert journal.deaths == 1
        assert told(play) == expected, f"after a death at append {number}"
