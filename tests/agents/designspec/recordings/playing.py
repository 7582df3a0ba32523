"""Plays a recorded job: the user's messages, the answers of a strong model, and what each request told."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.spec import AGENT
from loopwright.kernel.events import GateAnswered
from loopwright.kernel.gates import Finished, Waiting, read_answer
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.run import AgentRun
from loopwright.kernel.testing import ScriptedModel, resume_run, start_run

FOLDER = Path(__file__).parent / "frontier"
CHANGING = re.compile(r"in \d+\.\d s \([^)]*\)|\d+ files are in \S+")
"""What differs from one run of the pipeline to the next: its time, its memory, its folder."""


@dataclass
class Played:
    """A job as it was played: each request's messages (role and text), and the runs."""

    requests: list[list[list[str]]] = field(default_factory=list)
    runs: list[AgentRun] = field(default_factory=list)
    outcomes: list[Any] = field(default_factory=list)

    def shared_prefix(self) -> float:
        """The share of all requests' characters that an earlier request of the job began with too."""
        texts = ["\n".join(f"{role}: {text}" for role, text in request) for request in self.requests]
        same = 0
        for number, text in enumerate(texts):
            same += max((_common(text, other) for other in texts[:number]), default=0)
        return same / sum(map(len, texts))


def recording(name: str) -> dict[str, Any]:
    """A recorded job."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


async def play(job: dict[str, Any], folder: Path) -> Played:
    """Play the messages one after another in one project; everything is approved."""
    played = Played()
    for turn in job["turns"]:
        model = ScriptedModel([step["answer"] for step in turn["steps"]])
        run = start_run(AGENT, model, turn["message"], output_dir=folder)
        await run.enter("started")
        outcome = await run_agentic_loop(run)
        while isinstance(outcome, Waiting):
            answer = read_answer(outcome.gate, {"decision": "approve"})
            run = resume_run(run, payloads=[GateAnswered(gate_id=outcome.gate.gate_id, answer=answer)])
            await run.enter("answered")
            outcome = await run_agentic_loop(run)
        assert isinstance(outcome, Finished), outcome
        model.assert_done()
        played.outcomes.append(outcome)
        played.runs.append(run)
        for request in model.requests:
            played.requests.append([[each.role, CHANGING.sub("…", each.content)] for each in request.messages])
    return played


def _common(one: str, other: str) -> int:
    length = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        length += 1
    return length
