"""Thousands of hostile answers: no forbidden tool runs, no switch moves, no old reasoning is seen again."""

import hashlib
import itertools
import os
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.ide.reasoning import digest_of_answer
from loopwright.agents.ide.spec import AGENT
from loopwright.kernel.events import GateAnswered, RunResumed
from loopwright.kernel.gates import Finished, Waiting
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.run import AgentRun
from loopwright.kernel.testing import MemoryJournal, resume_run, start_run
from tests.agents.ide.acting import services_with
from tests.agents.ide.hostile import CANARY, HostileModel

ENDS = {"run_completed", "run_failed", "run_cancelled"}
MOST_GATES = 30


def project(folder: Path) -> Path:
    """A small project with a secret."""
    root = folder / "project"
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / "main.py").write_text("print('hello')\n")
    (root / ".env").write_text("TOKEN=secret\n")
    return root


def fingerprint(root: Path) -> str:
    """Of everything in the project but the agent's own folder."""
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".loopwright")
        for name in sorted(names):
            path = Path(folder, name)
            digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


async def play(root: Path, seed: int, mode: str, reasoning: bool, approve: bool) -> tuple[AgentRun, HostileModel]:
    """A run to its end; every question is answered the same way."""
    model = HostileModel(seed)
    journal = MemoryJournal()
    options = {"mode": mode, "reasoning": reasoning, "qa": True, "allowed": []}
    run = start_run(
        AGENT, model, "Change the greeting.", journal=journal, output_dir=root, options=options,
        services=services_with(journal),
    )  # fmt: skip
    outcome = await run_agentic_loop(run)
    for _ in range(MOST_GATES):
        if not isinstance(outcome, Waiting):
            break
        answer = {"decision": "approve" if approve else "reject"}
        answered = [GateAnswered(gate_id=outcome.gate.gate_id, answer=answer), RunResumed(owner="o", reason="answered")]
        run = resume_run(run, payloads=answered)
        outcome = await run_agentic_loop(run)
    if isinstance(outcome, Finished) and mode == "agent":
        assert digest_of_answer(outcome.text) == run.state.context.pins["seal"]
    return run, model


def check(run: AgentRun, model: HostileModel, mode: str, reasoning: bool) -> int:
    """What must hold of the run; gives how many answers it had."""
    journal = run.journal
    assert isinstance(journal, MemoryJournal)
    events = journal.events[run.state.run_id]
    policy, stage = run.toolbox.policy, ""
    for event in events:
        if event.type == "stage_changed":
            stage = event.payload["to"]
        if event.type == "tool_call":
            allowed = policy.decide(stage, mode, reasoning).tools  # type: ignore[arg-type]
            assert event.payload["name"] in allowed, f"{event.payload['name']} ran in {stage}"
    assert sum(event.type in ENDS for event in events) <= 1
    assert run.state.options["mode"] == mode
    for request in model.requests:
        assert request.labels.mode == mode
        wanted = run.spec.stage(request.labels.stage).policy.reasoning if reasoning and mode == "agent" else "none"
        assert request.labels.reasoning == (wanted != "none")
        shown = "\n".join(m.content + "".join(c.arguments for c in m.tool_calls) for m in request.messages)
        assert CANARY not in shown, f"old reasoning is seen in {request.labels.stage}"
    return len(model.requests)


async def storm(root: Path, answers: int, first_seed: int) -> int:
    """Runs over every mode and reasoning, until there were so many answers."""
    count = 0
    variants: Any = itertools.cycle(itertools.product(("agent", "chat"), (True, False), (False, False, True)))
    for seed in itertools.count(first_seed):
        mode, reasoning, approve = next(variants)
        before = fingerprint(root)
        run, model = await play(root, seed, mode, reasoning, approve)
        count += check(run, model, mode, reasoning)
        if not approve or mode == "chat":
            assert fingerprint(root) == before, f"seed {seed} changed the project without a yes"
        if approve:
            (root / "main.py").write_text("print('hello')\n")
        assert not (root.parent / "outside.txt").exists()
        assert not list((root / ".git" / "hooks").iterdir())
        if count >= answers:
            return count
    raise AssertionError("unreachable")


async def test_five_hundred_hostile_answers(tmp_path: Path) -> None:
    assert await storm(project(tmp_path), 500, 0) >= 500


@pytest.mark.soak
@pytest.mark.timeout(3_600)
async def test_ten_thousand_hostile_answers(tmp_path: Path) -> None:
    assert await storm(project(tmp_path), 10_000, 100_000) >= 10_000
