"""Use cases of jobs that exist: where they stand, what they found, going on, stopping."""

from dataclasses import dataclass
from typing import Any

from loopwright.agents.jobs.contracts import JobState
from loopwright.agents.jobs.contracts.state import Phase
from loopwright.app.answering import cancel_run, load_state
from loopwright.app.job_starting import AGENT
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun
from loopwright.kernel.errors import Conflict, NotFound
from loopwright.kernel.ports import RunRecord
from loopwright.kernel.run_states import TERMINAL
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


async def find_job(house: Loopwright, job_id: str) -> Job:
    """A job by its id, which is its session's; a run's id is taken too.

    Raises:
        NotFound: there is no such job.
    """
    try:
        session = await house.stores.sessions.get(job_id)
    except NotFound as error:
        session_id = await _session_of(house, job_id)
        if session_id is None:
            raise NotFound(f"There is no job {job_id!r}.", hint="`loopwright jobs list` shows the jobs.") from error
        session = await house.stores.sessions.get(session_id)
    if session.agent != AGENT:
        raise NotFound(f"Session {job_id!r} belongs to the agent {session.agent!r}; it is no job.")
    return await _job(house, session)


async def find_jobs(house: Loopwright, limit: int) -> list[Job]:
    """The jobs, newest first."""
    sessions = await house.stores.sessions.find(agent=AGENT, limit=limit)
    return [await _job(house, session) for session in sessions]


async def resume_job(house: Loopwright, job: Job) -> RunRecord | NewRun:
    """What carries the job on: its run where that is not over, else a new run, which goes on in the phase.

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
    options = (await load_state(house, job.run.run_id)).options
    return NewRun(message=GOES_ON, agent=AGENT, session_id=job.session.session_id, options=dict(options))


async def cancel_job(house: Loopwright, job: Job) -> Job:
    """Cancel the job's run, at once or within seconds; what it had done is kept, and it can be resumed."""
    await cancel_run(house, job.run.run_id)
    return await find_job(house, job.session.session_id)


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


async def show_job(house: Loopwright, job: Job) -> dict[str, Any]:
    """All about a job: its phases with their todos, its documents, how many requirements and sources it has."""
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
        "requirements": dict(await house.stores.requirements.counts(job_id=job_id)),
        "settled": dict(await house.stores.requirements.counts(settled_by=job_id)),
        "sources": len(await house.stores.sources.sources(job_id)),
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


async def _job(house: Loopwright, session: SessionRecord) -> Job:
    runs = await house.stores.runs.find(session_id=session.session_id, limit=1)
    if not runs:
        raise NotFound(f"Job {session.session_id} has no run.", hint="Start another one with `loopwright jobs run`.")
    text = await house.stores.jobs.load(session.session_id)
    return Job(session, runs[0], JobState.model_validate_json(text) if text is not None else None)


async def _session_of(house: Loopwright, run_id: str) -> str | None:
    try:
        return (await house.stores.runs.get(run_id)).session_id
    except NotFound:
        return None
