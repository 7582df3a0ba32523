"""The account of a job, for the last line of every surface."""

from typing import Any

from loopwright.agents.jobs.memory import load_job
from loopwright.agents.jobs.phases.transitions import COMPLETION_FILE
from loopwright.kernel.run import AgentRun


async def finish(run: AgentRun) -> dict[str, Any]:
    """The result: what the job came to, and where its files are."""
    state = await load_job(run.services, run.state.session_id)
    counts = await run.services.requirements.counts(job_id=state.job_id)
    settled = await run.services.requirements.counts(settled_by=state.job_id)
    completion = state.completion
    return {
        "job_id": state.job_id,
        "job_type": state.config.job_type,
        "status": "completed" if completion is not None else "failed",
        "phases": state.phase.number,
        "requirements": sum(counts.values()),
        "settled": dict(settled),
        "workspace": str(run.output_dir),
        "deliverables": completion.deliverables if completion is not None else [],
        "completion": COMPLETION_FILE,
    }
