"""Use cases of jobs that exist: where they stand, what they found, going on, stopping."""

import asyncio
import csv
import io
import json
import uuid
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopwright.agents.jobs.contracts import JobState, Phase
from loopwright.agents.jobs.graph import withdraw_after
from loopwright.agents.jobs.memory import save_job, workspace_of
from loopwright.agents.jobs.phases.entering import Snapshots
from loopwright.agents.jobs.services import jobs_stores
from loopwright.agents.jobs.usecases.documents import AGENT
from loopwright.app.answering import cancel_run, load_state
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kernel.ports import RunRecord
from loopwright.kernel.state import TERMINAL
from loopwright.stores.sessions import SessionRecord

GOES_ON = "Go on with the job."


@dataclass(frozen=True)
class Job:
    """A job: its session, its newest run, and its state, which is None before the first phase has begun."""

    session: SessionRecord
    run: RunRecord
    state: JobState | None

    @property
    def status(self) -> str:
        """`completed`, `rewound`, `interrupted` where its process is gone, or where its newest run stands."""
        if self.run.status == "running" and not self.run.owner_alive:
            return "interrupted"
        complete = self.state is not None and self.state.completion is not None
        if self.run.status == "completed" and not complete:
            return "rewound"
        return "completed" if complete and self.run.status in TERMINAL else self.run.status


async def find_job(application: Loopwright, job_id: str) -> Job:
    """A job by its id, which is its session's; a run's id is taken too.

    Raises:
        NotFound: there is no such job.
    """
    try:
        session = await application.stores.sessions.get(job_id)
    except NotFound as error:
        session_id = await _session_of(application, job_id)
        if session_id is None:
            raise NotFound(f"There is no job {job_id!r}.", hint="`loopwright jobs list` shows the jobs.") from error
        session = await application.stores.sessions.get(session_id)
    if session.agent != AGENT:
        raise NotFound(f"Session {job_id!r} belongs to the agent {session.agent!r}; it is not a job.")
    return await _job(application, session)


async def find_jobs(application: Loopwright, limit: int) -> list[Job]:
    """The jobs, newest first."""
    sessions = await application.stores.sessions.find(agent=AGENT, limit=limit)
    return [await _job(application, session) for session in sessions]


async def resume_job(application: Loopwright, job: Job) -> RunRecord | NewRun:
    """What carries the job on: its run where that is not over, else a new run, which goes on in the phase.

    The new run has the user's order, if there is one, so that its account settles what the first run's has not.

    Raises:
        Conflict: the job is complete.
    """
    if job.run.status not in TERMINAL:
        return job.run
    if job.status == "completed":
        raise Conflict(
            f"Job {job.session.session_id} is complete.",
            hint=f"Go back with `loopwright jobs rewind {job.session.session_id} --to-phase N`, or start another job.",
        )
    last = await load_state(application, job.run.run_id)
    order = job.state.prompt if job.state is not None else job.run.message
    own = order in last.said
    message, session = order if own else GOES_ON, job.session.session_id
    return NewRun(message=message, agent=AGENT, session_id=session, options=dict(last.options), composed=not own)


async def cancel_job(application: Loopwright, job: Job) -> Job:
    """Cancel the job's run, at once or within seconds; what it had done is kept, and it can be resumed."""
    await cancel_run(application, job.run.run_id)
    return await find_job(application, job.session.session_id)


def describe_job(job: Job) -> dict[str, Any]:
    """A job in a few fields, for lists."""
    state = job.state
    return {
        "job_id": job.session.session_id,
        "job_type": state.config.job_type if state else None,
        "status": job.status,
        "phase": phase_object(state.phase) if state else None,
        "title": job.session.title,
        "workspace": job.session.output_dir,
        "run_id": job.run.run_id,
        "created_at": job.session.created_at.isoformat(),
        "cost_usd": job.run.cost_usd,
    }


async def show_job(application: Loopwright, job: Job) -> dict[str, Any]:
    """All about a job: its phases with their todos, its documents, how many requirements and sources it has."""
    stores = await jobs_stores(application)
    job_id, state = job.session.session_id, job.state
    phases = [*state.phases, state.phase] if state else []
    return {
        **describe_job(job),
        "language": state.config.language if state else None,
        "prompt": state.prompt if state else job.run.message,
        "documents": state.documents if state else [],
        "phases": [
            phase_object(phase)
            | {"todo_list": [todo.model_dump(mode="json", exclude_none=True) for todo in phase.todos]}
            for phase in phases
        ],
        "requirements": dict(await stores.requirements.counts(job_id=job_id)),
        "settled": dict(await stores.requirements.counts(settled_by=job_id)),
        "sources": len(await stores.sources.sources(job_id)),
        "completion": state.completion.model_dump(mode="json") if state and state.completion else None,
    }


def phase_object(phase: Phase) -> dict[str, Any]:
    """A phase in a few fields; its number is what a job can be rewound to."""
    return {
        "number": phase.number,
        "kind": phase.kind,
        "title": phase.title,
        "todos": len(phase.todos),
        "todos_done": len(phase.todos) - len(phase.open_todos),
        "begun_at": phase.begun_at.isoformat(),
        "ended_at": phase.ended_at.isoformat() if phase.ended_at else None,
        "orphans": phase.orphans,
        "unserved": phase.unserved,
    }


async def _job(application: Loopwright, session: SessionRecord) -> Job:
    runs = await application.stores.runs.find(session_id=session.session_id, limit=1)
    if not runs:
        raise NotFound(f"Job {session.session_id} has no run.", hint="Start another one with `loopwright jobs run`.")
    text = await (await jobs_stores(application)).jobs.load(session.session_id)
    return Job(session, runs[0], JobState.model_validate_json(text) if text is not None else None)


async def _session_of(application: Loopwright, run_id: str) -> str | None:
    try:
        return (await application.stores.runs.get(run_id)).session_id
    except NotFound:
        return None


# A job's requirements with their quotes, for programs and for spreadsheets.

PAGE = 500
COLUMNS = ("requirement_id", "name", "text", "type", "priority", "status", "confidence", "source", "page", "quote")
FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")
"""What spreadsheets take for the beginning of a formula, full-width forms included."""


async def requirements_of(application: Loopwright, job: Job) -> AsyncIterator[dict[str, Any]]:
    """The requirements that the job has added, then those that it has settled, each with its quotes."""
    job_id = job.session.session_id
    quotes: dict[str, Mapping[str, dict[str, Any]]] = {}
    seen: set[str] = set()
    for relation in ("job_id", "settled_by"):
        offset = 0
        while rows := await (await jobs_stores(application)).requirements.find(
            **{relation: job_id}, limit=PAGE, offset=offset
        ):
            offset += len(rows)
            for row in rows:
                if row.requirement_id in seen:
                    continue
                seen.add(row.requirement_id)
                if row.job_id not in quotes:
                    quotes[row.job_id] = await _quotes(application, row.job_id)
                yield {
                    "requirement_id": row.requirement_id,
                    "text": row.text,
                    "name": row.name,
                    "type": row.type,
                    "priority": row.priority,
                    "status": row.status,
                    "confidence": row.confidence,
                    "citations": [quotes[row.job_id][cited] for cited in row.citations if cited in quotes[row.job_id]],
                }


async def _quotes(application: Loopwright, job_id: str) -> dict[str, dict[str, Any]]:
    """Source, page and quote by the citation's id."""
    stores = await jobs_stores(application)
    locators = await stores.sources.locators(job_id)
    return {
        citation.citation_id: {
            "source": locators[citation.source_id],
            "page": citation.page,
            "quote": citation.verbatim_quote,
        }
        for citation in await stores.sources.citations(job_id)
    }


def csv_text(requirements: Iterable[Mapping[str, Any]]) -> str:
    """A table with one line a requirement. No cell is a formula, whatever a document says."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    for requirement in requirements:
        cited = requirement["citations"]
        together = {name: "\n".join(str(quote[name] or "") for quote in cited) for name in ("source", "page", "quote")}
        writer.writerow([_cell({**requirement, **together}[column]) for column in COLUMNS])
    return table.getvalue()


def write_csv(file: Path, requirements: Iterable[Mapping[str, Any]]) -> int:
    """Write the table as UTF-8; gives the number of requirements.

    Raises:
        InvalidInput: the file cannot be written.
    """
    rows = list(requirements)
    try:
        file.write_text(csv_text(rows), encoding="utf-8", newline="")
    except OSError as error:
        raise InvalidInput(
            f"{file} cannot be written: {error.strerror}.", hint="Name a file in a folder that is there."
        ) from error
    return len(rows)


def _cell(value: Any) -> str:
    """A text that begins like a formula gets an apostrophe before it, as spreadsheets write text; numbers stay."""
    text = value if isinstance(value, str) else json.dumps(value)
    begins = text.lstrip(" \u00a0")[:1]
    return f"'{text}" if isinstance(value, str) and begins and begins in FORMULA_STARTS else text


# Use case: a job goes back to where one of its phases began.


@dataclass(frozen=True)
class Rewound:
    """What a rewind has done.

    `kept_as` names the picture of the workspace before it; `removed` and `reopened` count requirements.
    """

    job: Job
    phase: int
    kept_as: str
    removed: int
    reopened: int


async def rewind_job(application: Loopwright, job: Job, to_phase: int) -> Rewound:
    """Make workspace, todos and requirements as they were when phase `to_phase` began; `resume` goes on from there.

    The workspace's present is kept as a picture first. The graph loses what the job has made in it since; what it has
    only changed there stays changed. It may be called again after it was interrupted.

    Raises:
        Conflict: the job is running.
        InvalidInput: it has had no such phase, or has not begun.
    """
    stores = await jobs_stores(application)
    if job.run.status not in TERMINAL:
        raise Conflict(
            f"Job {job.session.session_id} is {job.run.status}.",
            hint=f"Stop it first: loopwright jobs cancel {job.session.session_id}",
        )
    if job.state is None:
        raise InvalidInput(f"Job {job.session.session_id} has not begun; there is nothing to go back to.")
    target = next((p for p in (*job.state.phases, job.state.phase) if p.number == to_phase), None)
    if target is None:
        numbers = f"1 to {job.state.phase.number}"
        raise InvalidInput(f"The job has no phase {to_phase}.", hint=f"Its phases are {numbers}.")
    snapshots = Snapshots(workspace_of(Path(job.session.output_dir), job.state.config))
    state = await asyncio.to_thread(_state_at, snapshots, target.snapshot)
    kept = f"before-rewind-{uuid.uuid4().hex[:8]}"
    await asyncio.to_thread(snapshots.take, kept, job.state)
    await asyncio.to_thread(snapshots.restore, target.snapshot)
    withdrawn = await stores.requirements.withdraw_after(state.job_id, to_phase - 1)
    await withdraw_after(stores.graph, state.job_id, to_phase - 1, withdrawn.removed)
    await save_job(stores, state, f"rewind:{kept}")
    found = await find_job(application, state.job_id)
    return Rewound(found, to_phase, kept, len(withdrawn.removed), len(withdrawn.reopened))


def rewound_object(rewound: Rewound) -> dict[str, Any]:
    """What a rewind has done, as programs see it."""
    told = {"removed": rewound.removed, "reopened": rewound.reopened, "kept_as": rewound.kept_as}
    return {**describe_job(rewound.job), "to_phase": rewound.phase, **told}


def _state_at(snapshots: Snapshots, name: str) -> JobState:
    state = snapshots.find(name).state
    if state is None:
        raise NotFound(f"The picture {name} has no state of the job.")
    return state
