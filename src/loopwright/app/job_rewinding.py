"""Use case: a job goes back to where one of its phases began."""

import asyncio
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopwright.agents.jobs.contracts.state import JobState
from loopwright.agents.jobs.graph.writing import withdraw_after
from loopwright.agents.jobs.memory import save_job, workspace_of
from loopwright.agents.jobs.phases.snapshots import Snapshots
from loopwright.app.jobs import Job, describe_job, find_job
from loopwright.app.loopwright import Loopwright
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kernel.run_states import TERMINAL


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


async def rewind_job(house: Loopwright, job: Job, to_phase: int) -> Rewound:
    """Make workspace, todos and requirements as they were when phase `to_phase` began; `resume` goes on from there.

    The workspace's present is kept as a picture first. The graph loses what the job has made in it since; what it has
    only changed there stays changed. It may be called again after it was interrupted.

    Raises:
        Conflict: the job is running.
        InvalidInput: it has had no such phase, or has not begun.
    """
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
    withdrawn = await house.stores.requirements.withdraw_after(state.job_id, to_phase - 1)
    await withdraw_after(house.stores.graph, state.job_id, to_phase - 1, withdrawn.removed)
    await save_job(house.stores, state, f"rewind:{kept}")
    found = await find_job(house, state.job_id)
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
