"""One run of the ide agent in this process, whose model plays a script; and what it came to."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from loopwright.agents.ide.project import Project, Projects
from loopwright.agents.ide.spec import AGENT
from loopwright.kernel.events import Event, ModelResponse
from loopwright.kernel.gates import Outcome
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.messages import STAGE, split_blocks
from loopwright.kernel.ports import DeltaSink, ModelRequest, Profile, Tier
from loopwright.kernel.run import AgentRun
from loopwright.kernel.testing import MemoryJournal, Reply, ScriptedModel, start_run

CLOSED = ("What was asked for is there.", '{"state": "DONE", "missing": [], "reason": "seen"}')
"""Last words, and a delivery check after them."""
END = "(the ending)"
ENDING = (END,)
"""Whatever the run still asks at its end, answered by the stage."""
CLOSING = {
    "chat": "It is answered.",
    "delivery_check": '{"state": "DONE", "missing": [], "reason": "seen"}',
    "final": "It is done.",
    "qa_review": '{"summary": "Fine.", "findings": [], "missing_steps": [], "suggested_next_actions": []}',
}


@dataclass
class StagedModel(ScriptedModel):
    """Plays a script; from `END` on it closes the run, stage by stage, in as many answers as are asked for."""

    kind: Profile = "frontier"

    def profile(self, tier: Tier = "standard", model: str | None = None) -> Profile:
        """What kind of model it passes for."""
        return self.kind

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """The next reply."""
        place = len(self.requests)
        script = list(self.script)
        if END in script[: place + 1]:
            closing = CLOSING.get(request.labels.stage, "What was asked for is there.")
            self.script = [*script[: max(place, script.index(END))], closing, END]
        return await super().complete(request, on_delta)

    def assert_done(self) -> None:
        """Fail when replies are left over; an end that was reached is none."""
        self.script = [reply for reply in self.script if reply != END]
        super().assert_done()


def projects() -> Projects:
    """The projects of this test's own home."""
    return Projects(Path(os.environ["XDG_DATA_HOME"]) / "loopwright")


def project_at(root: Path) -> Project:
    """A project, its state in this test's own home."""
    return projects().at(root)


def services_with(journal: MemoryJournal) -> SimpleNamespace:
    """What a run of the agent is given."""
    return SimpleNamespace(journal=journal, projects=projects())


@dataclass
class Account:
    """A run, how it stopped, and what the model was asked."""

    run: AgentRun
    outcome: Outcome
    requests: list[ModelRequest]

    @property
    def events(self) -> list[Event]:
        """The journal."""
        journal = self.run.journal
        assert isinstance(journal, MemoryJournal)
        return journal.events[self.run.state.run_id]

    def results(self, tool: str | None = None) -> list[dict[str, Any]]:
        """The tool results in the order of their calls."""
        found = {event.payload["call_id"]: event.payload for event in self.events if event.type == "tool_result"}
        calls = [
            call for event in self.events if event.type == "model_response" for call in event.payload["tool_calls"]
        ]
        return [found[call["id"]] for call in calls if call["id"] in found and tool in (None, call["name"])]

    @property
    def shown(self) -> str:
        """Everything that any request has shown to the model."""
        return "\n".join(message.content for request in self.requests for message in request.messages)


def stage_told(request: ModelRequest) -> str:
    """What the request tells of its stage, last of all."""
    told = (split_blocks(message.content)[1] for message in reversed(request.messages) if message.role == "user")
    return next((blocks[STAGE] for blocks in told if STAGE in blocks), "")


async def act(
    root: Path,
    *script: Reply,
    message: str = "Do it.",
    allowed: Sequence[str] = ("write", "run"),
    profile: Profile = "frontier",
    **options: Any,
) -> Account:
    """A run over this project until it ends or waits; QA is off unless it is wanted, and the script must be used up."""
    model, journal = StagedModel(list(script), kind=profile), MemoryJournal()
    switches = {"mode": "agent", "reasoning": False, "qa": False, "allowed": list(allowed), **options}
    services = services_with(journal)
    run = start_run(AGENT, model, message, journal=journal, output_dir=root, options=switches, services=services)
    outcome = await run_agentic_loop(run)
    model.assert_done()
    return Account(run, outcome, model.requests)
