"""A conversation in memory with a scripted model, over a real project folder."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.agents.designspec.spec import AGENT
from loopwright.kernel.account import Statement
from loopwright.kernel.events import ContextSeeded, GateAnswered
from loopwright.kernel.gates import Outcome, Waiting, read_answer
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.messages import Message
from loopwright.kernel.run import AgentRun
from loopwright.kernel.testing import ScriptedModel, resume_run, start_run

BOX = {"type": "box", "x_min": 0, "x_max": 0.02, "y_min": 0, "y_max": 0.06, "z_min": 0, "z_max": 0.03}
ADD_BOX = {"op": "add", "path": "/domains/body", "value": BOX}
APPROVE, REJECT = {"decision": "approve"}, {"decision": "reject"}


def say(message: str = "Here you are.", *patches: dict[str, Any], **more: Any) -> str:
    """A directive as a model writes it."""
    data: dict[str, Any] = {"assistant_message": message, **more}
    if patches:
        data["proposed_patches"] = list(patches)
    return json.dumps(data)


@dataclass
class Talk:
    """One message of the user, carried as far as it goes; `answer` carries it on."""

    folder: Path
    script: list[str]
    options: dict[str, Any] = field(default_factory=dict)
    message: str = "Do it."
    earlier: Sequence[Statement] = ()
    run: AgentRun = field(init=False)
    outcome: Outcome = field(init=False)
    model: ScriptedModel = field(init=False)

    def scripted(self) -> ScriptedModel:
        """The model that plays the script."""
        return ScriptedModel(self.script)

    async def begin(self) -> Outcome:
        self.model = self.scripted()
        self.run = start_run(AGENT, self.model, self.message, output_dir=self.folder, options=self.options)
        if self.earlier:
            seed = ContextSeeded(messages=[Message.user(self.message)], account=list(self.earlier))
            self.run = resume_run(self.run, payloads=[seed])
        return await self._play("started")

    async def answer(self, payload: dict[str, Any]) -> Outcome:
        """Answer the gate at which the run waits, as a new owner who knows nothing but the journal."""
        assert isinstance(self.outcome, Waiting), self.outcome
        gate = self.outcome.gate
        answered = GateAnswered(gate_id=gate.gate_id, answer=read_answer(gate, payload))
        self.run = resume_run(self.run, payloads=[answered])
        return await self._play("answered")

    async def _play(self, reason: str) -> Outcome:
        await self.run.enter(reason)
        self.outcome = await run_agentic_loop(self.run)
        return self.outcome

    @property
    def gate(self) -> Any:
        """The gate at which the run waits."""
        assert isinstance(self.outcome, Waiting), self.outcome
        return self.outcome.gate

    @property
    def project(self) -> ProjectFolder:
        return ProjectFolder.open(self.folder)

    def stored(self, kind: str) -> list[dict[str, Any]]:
        """The payloads of the run's stored events of one type."""
        return [event.payload for event in self.run.journal.events[self.run.state.run_id] if event.type == kind]


async def talk(folder: Path, *script: str, **more: Any) -> Talk:
    """Say something to the agent, whose model plays the script."""
    talking = Talk(folder, list(script), **more)
    await talking.begin()
    return talking
