"""Runs in memory: started, and taken over by a new owner who knows nothing but the journal."""

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from loopwright.kernel.budget import Budget
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import Payload, RunCreated, UserMessage
from loopwright.kernel.ports import Claim
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.run import AgentRun, Toolbox
from loopwright.kernel.spec import AgentSpec
from loopwright.kernel.state import RunState
from loopwright.kernel.testing.journal import MemoryJournal, event_of


def strict_arguments(raw: str) -> dict[str, Any] | str:
    """Arguments as plain JSON, without any repair."""
    try:
        arguments = from_json(raw or "{}")
    except ValueError as error:
        return str(error)
    return arguments if isinstance(arguments, dict) else "the arguments must be a JSON object"


def start_run(
    spec: AgentSpec,
    model: Any,
    message: str = "Do it.",
    *,
    journal: MemoryJournal | None = None,
    services: Any = None,
    output_dir: Path = Path(),
    options: dict[str, Any] | None = None,
    prompts: PromptRepository | None = None,
) -> AgentRun:
    """A new run in memory, ready for `run_agentic_loop`."""
    journal = journal or MemoryJournal()
    run_id = uuid.uuid4().hex
    payloads = [
        RunCreated(session_id="session", agent=spec.name, options=options or {}),
        UserMessage(text=message),
    ]
    claim = journal.create(run_id, payloads)
    return _assemble(spec, model, claim, journal, services, output_dir, prompts)


def resume_run(
    run: AgentRun, model: Any = None, *, payloads: Sequence[Payload] = (), journal: MemoryJournal | None = None
) -> AgentRun:
    """The same run in the hands of a new owner, who knows nothing but the journal; `payloads` are appended first."""
    stored = journal or run.journal
    if not isinstance(stored, MemoryJournal):
        raise InvalidInput("resume_run works on a MemoryJournal")
    claim = stored.claim(run.state.run_id)
    events = stored.events[run.state.run_id]
    events += [event_of(run.state.run_id, seq, payload) for seq, payload in enumerate(payloads, len(events) + 1)]
    return _assemble(run.spec, model or run.model, claim, stored, run.services, run.output_dir, run.toolbox.prompts)


def _assemble(
    spec: AgentSpec,
    model: Any,
    claim: Claim,
    journal: MemoryJournal,
    services: Any,
    output_dir: Path,
    prompts: PromptRepository | None,
) -> AgentRun:
    repository = prompts or PromptRepository({spec.name: spec.prompts})
    state = RunState.fold(claim.run_id, journal.events[claim.run_id])
    return AgentRun(
        toolbox=Toolbox.of(spec, repository, strict_arguments),
        state=state,
        claim=claim,
        journal=journal,
        model=model,
        services=services,
        output_dir=output_dir,
        budget=Budget(spec.limits.budget, tokens=state.tokens, usd=state.usd, usd_known=state.usd_known),
    )
