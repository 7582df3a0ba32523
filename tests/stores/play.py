"""Runs as tests need them."""

from loopwright.kernel.events import ModelResponse, Payload, RunCreated, RunStarted, ToolResultRecorded, UserMessage
from loopwright.kernel.ports import RunClaim, RunUpdate
from loopwright.stores.claims import owner_id
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns

ELSEWHERE = "elsewhere:1:token"
"""An owner on another host: only its heartbeat tells whether it lives."""


async def queued(runs: SqlRuns, session_id: str = "session", **options: str) -> str:
    """A new run with two events; gives its id."""
    first: list[Payload] = [RunCreated(session_id=session_id, agent="test"), UserMessage(text="hello")]
    return (await runs.create(session_id, "test", "hello", first, **options)).run_id


async def running(runs: SqlRuns, journal: SqlJournal, owner: str | None = None) -> tuple[RunClaim, int]:
    """A claimed run that has started; gives the claim and the seq reached."""
    claim = await runs.claim(await queued(runs), owner or owner_id())
    await journal.append(claim, 2, [RunStarted(owner=claim.owner)], RunUpdate(status="running"))
    return claim, 3


def answer(text: str = "thinking") -> ModelResponse:
    """Something to append."""
    return ModelResponse(text=text)


def result(text: str = "done") -> ToolResultRecorded:
    """Something else to append."""
    return ToolResultRecorded(call_id="c1", name="tool", success=True, output=text)
