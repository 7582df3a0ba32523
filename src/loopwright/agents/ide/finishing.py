"""The account of a run, for the last line of every surface."""

from typing import Any

from loopwright.agents.ide.contracts import IdeOptions
from loopwright.agents.ide.events import DeliveryChecked, QAReported
from loopwright.agents.ide.flow.reasoning import SEAL
from loopwright.agents.ide.project import project_of
from loopwright.kernel.run import AgentRun


async def finish(run: AgentRun) -> dict[str, Any]:
    """The result: delivery, seal, QA report, and what changed in the project."""
    options = IdeOptions.model_validate(run.state.options)
    events = await run.services.journal.read(run.state.run_id)
    checks = [event.payload for event in events if event.type == DeliveryChecked.type]
    reports = [event.payload["report"] for event in events if event.type == QAReported.type]
    project = project_of(run)
    changed = await project.checkpoints.changed_by(run.state.run_id)
    await project.memory.settle(run.state.run_id, checks[-1]["state"] if checks else None)
    return {
        "mode": options.mode,
        "reasoning": options.reasoning,
        "root": str(run.output_dir),
        "delivery": checks[-1] if checks else None,
        "answer_sha256": run.state.context.pins.get(SEAL),
        "qa_report": reports[-1] if reports else None,
        "changed_files": changed,
        "checkpoint": run.state.run_id if changed else None,
    }
