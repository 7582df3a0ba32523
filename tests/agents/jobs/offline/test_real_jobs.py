"""The rules with the real kernel, tools and stores, in this process: a small policy from the document to the graph."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.jobs.configs import load_config
from loopwright.agents.jobs.offline.job_rules import wording
from loopwright.agents.jobs.services import jobs_stores
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run
from tests.support.application import settings_in
from tests.support.jobs import Played, look

SUBJECTS = ("invoice", "credit note", "booking", "payment", "vehicle file", "contract", "deposit", "damage report")
DUTIES = (
    "The cashier must keep every {0} unchanged until the tenth year.",
    "The clerk must not delete any {0} without the written consent of the chief accountant.",
)
POLICY = "# Policy\n\n" + "\n\n".join(duty.format(subject) for duty in DUTIES for subject in SUBJECTS)
AGAIN = f"{POLICY}\n\n## Reminder\n\n{DUTIES[0].format(SUBJECTS[0])}\n"
ROOMY, NARROW = 80_000, 16_000
"""Tokens at which a dialogue is compacted: by default, and so few that it happens in every long phase."""


async def run_job(application: Loopwright, name: str, workspace: Path, text: str = "", **limits: Any) -> Played:
    """Run a shipped job to its end, with one document."""
    config = load_config(name).model_dump(mode="json")
    config["limits"] |= limits
    documents: Sequence[str] = ()
    if text:
        (workspace / "documents").mkdir(parents=True)
        (workspace / "documents" / "policy.md").write_text(text, encoding="utf-8")
        documents = ["documents/policy.md"]
    new = NewRun("Begin.", agent="jobs", folder=workspace, options={"config": config, "documents": documents})
    record = await create_run(application, new)
    await application.dispatcher.drive(record.run_id)
    return await look(application, application.model, record.run_id)  # type: ignore[arg-type]


def compactions(played: Played) -> int:
    """How often the dialogue was compacted within a phase."""
    return sum(e.type == "compacted" and e.payload["strategy"] != "phase_reset" for e in played.events)


@pytest.mark.parametrize("threshold", [ROOMY, NARROW])
async def test_from_the_document_to_the_graph(tmp_path: Path, threshold: int) -> None:
    """Also where the dialogue is compacted again and again: nothing is stored twice, nothing judged twice."""
    async with Loopwright.open(settings_in(tmp_path)) as application:
        limits = {"context_threshold_tokens": threshold}
        creator = await run_job(application, "creator", tmp_path / "creator", AGAIN, **limits)
        assert creator.state.status == "completed", creator.events[-1].payload
        validator = await run_job(application, "validator", tmp_path / "validator", **limits)
        assert validator.state.status == "completed", validator.events[-1].payload
        assert all((compactions(job) > 0) == (threshold == NARROW) for job in (creator, validator))
        rows = await (await jobs_stores(application)).requirements.find(limit=100)
        assert Counter(row.status for row in rows) == {"integrated": len(SUBJECTS) * len(DUTIES)}
        invoice = next(row for row in rows if row.text.startswith(DUTIES[0].format(SUBJECTS[0])))
        assert len(invoice.citations) == 2, "what is said again gives its citation to what was said first"
        cited = [
            await (await jobs_stores(application)).sources.citation(creator.job_id, each) for each in invoice.citations
        ]
        assert [each.locator for each in cited] == ["Policy", "Reminder"], "each at its own place"
        settled = Counter(
            result["artifacts"]["requirement_id"]
            for result in validator.results("update_requirement")
            if result["success"]
        )
        assert set(settled.values()) == {1}
        nodes = await (await jobs_stores(application)).graph.query("MATCH (n:Requirement) RETURN count(n) AS number")
        assert nodes.rows[0]["number"] == len(rows)
    assert validator.read("output/validation_report.md").count("| rejected |") == 0
    assert creator.read("main_plan.md").count("- [x] G") == 4


async def test_what_never_fits_into_the_dialogue_is_given_up_and_said(tmp_path: Path) -> None:
    async with Loopwright.open(settings_in(tmp_path)) as application:
        creator = await run_job(application, "creator", tmp_path / "creator", POLICY, context_threshold_tokens=4_500)
        assert creator.state.status == "completed", creator.events[-1].payload
        assert creator.state.steps < 300
        completion = creator.job.completion
        assert completion is not None
        assert completion.notes == wording("en").say("plan_stands_still")
