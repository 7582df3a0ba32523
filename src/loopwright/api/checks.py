"""Checks of an agent's answer: what they complain of is repaired, or the run fails; it is never told to be done."""

import inspect
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Protocol

from loopwright.api.agents import Agent
from loopwright.api.results import CallRecord
from loopwright.api.tools import Context
from loopwright.kernel import events as ev
from loopwright.kernel.errors import Interrupted, LoopwrightError
from loopwright.kernel.policy import Refusal
from loopwright.kernel.run import AgentRun
from loopwright.kernel.think import NOT_ACCEPTED, TEXT

log = logging.getLogger(__name__)

VALUE, FILES = "value", "files"
"""Names in the artifacts of a call's result: what the function returned, and the files it made."""


class CheckFailed(LoopwrightError):
    """The answer was sent back as often as the agent allows, and a check still complains."""

    code = "check_failed"


class CheckBroken(LoopwrightError):
    """A check has raised an exception, so that nobody knows whether the answer holds."""

    code = "check_broken"


class DepsOf(Protocol):
    """Gives the dependencies of a run."""

    def __call__(self, run_id: str) -> Any:
        """What the agent's `deps` has made for this run."""
        ...


def judge_of(agent: Agent[Any, Any], deps: DepsOf) -> Callable[[AgentRun], Awaitable[str | Refusal]] | None:
    """What the kernel asks once the model ends with an answer; None for an agent without checks."""
    if not agent.checks:
        return None

    async def judge(run: AgentRun) -> str | Refusal:
        journal = await run.journal.read(run.state.run_id)
        form, text = agent.output, run.state.last_text
        answer = text if form is None else form.model_validate_json(text)
        context = _context(run, journal, deps)
        complaints = [each for check in agent.checks if (each := await _complaint(agent, run, check, answer, context))]
        if not complaints:
            return TEXT
        told = "\n".join(f"- {each}" for each in complaints)
        if _times_sent_back(journal) >= agent.repairs:
            raise CheckFailed(
                f"The answer of agent {agent.name!r} is still not accepted after {agent.repairs} repairs:\n{told}",
                hint=f"See what it did: loopwright runs show {run.state.run_id}",
            )
        return Refusal(f"Your answer is not accepted yet:\n{told}\nRepair this, then answer again.")

    return judge


def _times_sent_back(journal: Sequence[ev.Event]) -> int:
    return sum(e.type == ev.ControllerMessage.type and e.payload["reason"] == NOT_ACCEPTED for e in journal)


def _context(run: AgentRun, journal: Sequence[ev.Event], deps: DepsOf) -> Context[Any]:
    made = Context(deps(run.state.run_id), run_id=run.state.run_id, folder=run.output_dir)
    made.calls = calls_of(journal)
    return made


async def _complaint(
    agent: Agent[Any, Any], run: AgentRun, check: Callable[..., Any], answer: Any, context: Context[Any]
) -> str:
    """What the check complains of, or nothing.

    Raises:
        CheckBroken: it has raised an exception, or given something else than a text or None.
    """
    from loopwright.api.building import called

    name = getattr(check, "__name__", type(check).__name__)
    given = (answer, context)[: len(inspect.signature(check).parameters)]
    try:
        complaint = await run.interruptibly(called(partial(check, *given), {}))
    except Interrupted:
        raise
    except Exception as error:
        log.exception("the check %s of agent %s is broken", name, agent.name)
        raise CheckBroken(
            f"The check {name!r} of agent {agent.name!r} raised {type(error).__name__}: {error}",
            hint="Nobody knows whether the answer holds: correct the check, and run the agent again.",
        ) from error
    if complaint is not None and not isinstance(complaint, str):
        raise CheckBroken(
            f"The check {name!r} of agent {agent.name!r} gave {complaint!r}.",
            hint="A check gives a complaint as a text, or None where all is well.",
        )
    return f"{name}: {complaint.strip()}" if complaint and complaint.strip() else ""


def calls_of(journal: Sequence[ev.Event]) -> tuple[CallRecord, ...]:
    """The tool calls of a run that have a result, in order."""
    started = {e.payload["call_id"]: e.payload["arguments"] for e in journal if e.type == ev.ToolCallStarted.type}
    found = []
    for event in journal:
        if event.type != ev.ToolResultRecorded.type:
            continue
        told, artifacts = event.payload, event.payload["artifacts"] or {}
        found.append(
            CallRecord(
                name=told["name"],
                arguments=started.get(told["call_id"]) or {},
                success=told["success"],
                text=told["output"],
                value=artifacts.get(VALUE, told["output"] if told["success"] else None),
                files=tuple(artifacts.get(FILES, ())),
            )
        )
    return tuple(found)
