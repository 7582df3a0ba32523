"""A process that dies anywhere: what was judged is judged as it was, what was asked is asked once."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.kernel.events import ModelResponse
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.outcomes import Outcome
from loopwright.kernel.ports import DeltaSink, ModelRequest
from loopwright.kernel.testing import resume_run
from loopwright.kernel.testing.mortality import Death, MortalJournal
from tests.agents.planner.workflow.playing import Play, context, costing, outline

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


async def survived(play: Play, usd: float) -> Outcome:
    """Carry the plan to its first question, taken over by a new process after each death."""
    play.model = Recalling(list(play.script), usd)  # type: ignore[assignment]
    try:
        return await play.begin()
    except Death:
        assert play.run is not None
    while True:
        play.run = resume_run(play.run)
        try:
            await play.run.enter("recovered")
            return await run_agentic_loop(play.run)
        except Death:
            continue


def told(play: Play) -> dict[str, Any]:
    """What must be the same however often the process died."""
    judged = [(each["signal"], each["confidence"]) for each in play.stored("stage_judged")]
    return {
        "way": play.way,
        "judged": judged,
        "doubts": play.state.doubts,
        "gates": [gate["title"] for gate in play.stored("gate_opened")],
        "narrowed": play.stored("controller_message"),
        "ceilings": [each["turn"] for each in play.stored("turn_ceiling_passed")],
        "question": [item.question for item in play.gate.questions],
    }


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize(("script", "usd"), [(DOUBTED, 0.0), ([*context(), *outline()], 0.16)])
async def test_judgements_and_pauses_are_the_same_after_any_death(
    tmp_path: Path, script: list[Any], usd: float, stored: bool
) -> None:
    whole = Play(tmp_path, script, journal=MortalJournal())
    await survived(whole, usd)
    expected, appends = told(whole), whole.journal.appends
    assert expected["judged"] or expected["ceilings"]
    assert 0 < appends <= MOST_APPENDS
    for number in range(1, appends + 1):
        journal = MortalJournal(dies_at={number}, stored=stored)
        play = Play(tmp_path, script, journal=journal)
        await survived(play, usd)
        assert journal.deaths == 1
        assert told(play) == expected, f"after a death at append {number}"
