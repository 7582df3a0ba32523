"""One long scenario, killed at every append and at every named point: it always comes to the same end."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.kernel.compaction import AU2, DIMENSIONS
from loopwright.kernel.crash import CRASH_POINTS, arm, disarm
from loopwright.kernel.events import GateAnswered, Pinned
from loopwright.kernel.gates import Finished, Outcome, Waiting, default_answers, digest_of
from loopwright.kernel.policy import COMPLETE, StagePolicy, Transition
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult, AgentSpec, Parsed, Stage
from loopwright.kernel.state import RunState
from loopwright.kernel.testing import Death, MortalJournal, as_response, check_journal, resume_run, start_run
from tests.kernel.toys import NAMES, World, play, stored, toy_spec

OUTSIDE = {"run.created", "run.claimed", "gate.answered", "action.effect", "calls.nested"}
"""Points of the engine, the app and of agents, and of tools that call tools: the scenario has none of these."""


@dataclass
class Memory(World):
    """The world, with what the parser's records were stored as."""

    notes: dict[str, list[str]] = field(default_factory=dict)
    checks: Counter[str] = field(default_factory=Counter)


def parse(text: str) -> Parsed:
    """Lines beginning with `note:` are records."""
    lines = text.splitlines()
    notes = [line[5:].strip() for line in lines if line.startswith("note:")]
    visible = "\n".join(line for line in lines if not line.startswith("note:"))
    return Parsed(visible, visible, notes)


async def absorb(run: AgentRun, records: Any) -> list[Pinned]:
    run.services.notes[run.key] = list(records)
    return [Pinned(key="notes", text=" ".join(note for notes in run.services.notes.values() for note in notes))]


async def check(run: AgentRun) -> ActionResult:
    run.services.checks["check"] += 1
    return ActionResult(True, "checked", "sound")


async def finish(run: AgentRun) -> dict[str, Any]:
    return {"things": dict(run.services.things)}


def scenario() -> AgentSpec:
    policy = StagePolicy(NAMES, permission=frozenset({"pay"}))
    return toy_spec(
        stages=[Stage("plan", policy, parser=parse), Stage("check", action=check), Stage("build", policy)],
        transitions=[
            Transition("plan", "planned", "check"),
            Transition("check", "sound", "build"),
            Transition("build", "text", COMPLETE),
        ],
        absorb=absorb,
        finish=finish,
        compaction=AU2(max_messages=10),
    )


class Script:
    """A model whose answer depends only on how much of the run the request shows, as a real one's would."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    steps = (
        [("look", {"thing": "a"}), ("look", {"thing": "b"}), ("put", {"thing": "a", "value": "1"}),
         ("put", {"thing": "b", "value": "2"})],
        [("ask_user", {"questions": [{"question": "Which?", "type": "radio", "options": ["A", "B"]}]})],
        "note: blue is agreed\nnote: two pages\n",
        [("draft", {"thing": "page"}), ("send", {"thing": "letter"})],
        [("pay", {"thing": "rent"}), ("look", {"thing": "a"})],
        [("move", {"thing": "planned"}), ("send", {"thing": "never"})],
        [("put", {"thing": "c", "value": "3"})],
        "All built.",
    )  # fmt: skip

    async def complete(self, request: Any, on_delta: Any = None) -> Any:
        labels = request.labels
        if labels.stage == "compact":
            reply: Any = '{"' + '": "so", "'.join(DIMENSIONS) + '": "so"}'
        elif labels.stage == "draft":
            reply = f"<{request.messages[-1].content}>"
        else:
            reply = self.steps[self.at(request)]
        self.asked[digest_of(labels.stage, [m.to_dict() for m in request.messages])] += 1
        return as_response(reply, self.at(request))

    run: AgentRun

    def at(self, request: Any) -> int:
        return self.run.state.steps

    def estimate_cost(self, request: Any) -> float:
        return 0.0

    def profile(self, tier: str = "standard", model: str | None = None) -> str:
        return "frontier"

    def context_tokens(self, tier: str = "standard", model: str | None = None) -> int | None:
        return None


@dataclass
class Trial:
    """The scenario carried to its end, through any number of deaths and every gate."""

    journal: MortalJournal
    world: Memory = field(default_factory=Memory)
    script: Script = field(default_factory=Script)

    async def carry(self) -> tuple[AgentRun, Outcome]:
        run = start_run(scenario(), self.script, journal=self.journal, services=self.world)
        while True:
            self.script.run = run
            try:
                outcome = await play(run)
            except Death:
                disarm()
                if run_is_over(run):
                    return resume_run(run), Finished(stored(run, "run_completed")[0]["text"])
                run = resume_run(run)
                continue
            if not isinstance(outcome, Waiting):
                return run, outcome
            answered = GateAnswered(gate_id=outcome.gate.gate_id, answer=default_answers(outcome.gate))
            run = resume_run(run, payloads=[answered])


def run_is_over(run: AgentRun) -> bool:
    return bool(stored(run, "run_completed"))


def carry(journal: MortalJournal) -> tuple[Trial, AgentRun]:
    trial = Trial(journal)
    run, outcome = asyncio.run(trial.carry())
    assert outcome == Finished("All built.")
    return trial, run


@pytest.fixture(scope="module")
def undisturbed() -> tuple[Trial, AgentRun]:
    return carry(MortalJournal())


def shape(state: RunState) -> dict[str, Any]:
    """What must be the same however often the run died."""
    return {
        "messages": [message.to_dict() for message in state.context.build_messages()],
        "summary": state.context.summary,
        "pins": state.context.pins,
        "stage": state.stage,
        "status": state.status,
        "steps": state.steps,
        "tokens": state.tokens,
        "entries": state.stage_entries,
    }


def check_outcome(trial: Trial, run: AgentRun, undisturbed: tuple[Trial, AgentRun]) -> None:
    calm, calm_run = undisturbed
    events = trial.journal.events[run.state.run_id]
    check_journal(events)
    told_unknown = any("outcome is unknown" in (r["error"] or "") for r in stored(run, "tool_result"))
    asked_again = sum("run it again?" in opened["title"] for opened in stored(run, "gate_opened"))
    if not told_unknown and not asked_again:
        assert shape(RunState.fold("r", events)) == shape(calm_run.state)
        assert trial.world.sent == calm.world.sent
    assert trial.world.sent.count("letter") in ((0, 1) if told_unknown else (1,)), "never repeated unasked"
    assert 1 <= trial.world.sent.count("rent") <= 1 + asked_again
    assert "never" not in trial.world.sent
    assert trial.world.things == calm.world.things
    assert list(trial.world.notes.values()) == list(calm.world.notes.values())
    assert stored(run, "run_completed") == stored(calm_run, "run_completed")


def check_nothing_paid_twice(trial: Trial, run: AgentRun) -> None:
    """A request is repeated only if the first answer to it died before it was stored: at most one per death."""
    repeated = sum(times - 1 for times in trial.script.asked.values())
    answers = len(stored(run, "model_response")) + len(stored(run, "tool_model_response"))
    assert sum(trial.script.asked.values()) - answers == repeated
    assert repeated <= trial.journal.deaths


def test_the_scenario_has_everything(undisturbed):
    trial, run = undisturbed
    events = trial.journal.events[run.state.run_id]
    check_journal(events)
    assert {event.type for event in events} >= {
        "compacted", "tool_model_response", "gate_opened", "gate_answered", "action_finished", "response_absorbed",
        "pinned", "stage_changed", "budget_charged", "run_waiting_input", "run_resumed", "run_completed",
    }  # fmt: skip
    assert {call["effect"] for call in stored(run, "tool_call")} == {"pure", "idempotent", "once"}
    assert shape(RunState.fold("r", events)) == shape(run.state)


@pytest.mark.parametrize("stored_first", [False, True], ids=["before", "after"])
def test_death_at_every_append(stored_first, undisturbed):
    for nth in range(1, undisturbed[0].journal.appends + 1):
        trial, run = carry(MortalJournal(dies_at=[nth], stored=stored_first))
        assert trial.journal.deaths == 1, f"nothing was appended for the {nth}th time"
        check_outcome(trial, run, undisturbed)
        check_nothing_paid_twice(trial, run)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deaths=st.sets(st.integers(1, 38), min_size=2, max_size=12), stored_first=st.booleans())
def test_many_deaths(deaths, stored_first, undisturbed):
    trial, run = carry(MortalJournal(dies_at=deaths, stored=stored_first))
    assert trial.journal.deaths >= 1
    check_outcome(trial, run, undisturbed)
    check_nothing_paid_twice(trial, run)


@pytest.mark.parametrize("point", [name for name in CRASH_POINTS if name not in OUTSIDE])
def test_death_at_every_hit_of_every_point(point, undisturbed):
    hit = 0
    while True:
        hit += 1
        journal = MortalJournal()
        arm(point, journal.die, hits=hit)
        try:
            trial, run = carry(journal)
        finally:
            disarm()
        if not journal.deaths:
            break
        check_outcome(trial, run, undisturbed)
        check_nothing_paid_twice(trial, run)
    assert hit > 1, f"the scenario never comes to {point}"
