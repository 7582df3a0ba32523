"""A job that goes back leaves neither requirements nor nodes of what it has done since."""

from pathlib import Path
from typing import Any

from loopwright.agents.jobs.services import jobs_stores
from loopwright.agents.jobs.usecases import find_job, rewind_job
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run
from loopwright.kernel.testing.runs import ScriptedModel
from tests.support.application import settings_in
from tests.support.jobs import CONFIG, END, done, look, strategic, tactical


def working(number: int) -> list[tuple[str, dict[str, Any]]]:
    """What a tactical phase adds to the store and the graph."""
    return [
        ("add_requirement", {"text": f"Requirement number {number}."}),
        ("create_entity_node", {"kind": "BusinessObject", "name": f"Object {number}"}),
    ]


async def nodes(application: Loopwright) -> list[str]:
    answer = await (await jobs_stores(application)).graph.query("MATCH (n) RETURN n.boid AS id ORDER BY id")
    return [row["id"] for row in answer.rows]


async def test_what_came_after_is_gone(tmp_path: Path) -> None:
    tools = CONFIG["tools"] | {"domain": ["add_requirement", "create_entity_node"]}
    config = {**CONFIG, "tools": tools, "validation": {"require_citations": False}}
    script = [
        *strategic(5),
        working(1),
        *tactical(5),
        *strategic(5),
        working(2),
        *tactical(5),
        done(1, 2, 3),
        END,
    ]
    async with Loopwright.open(settings_in(tmp_path)) as application:
        application.model = ScriptedModel(script)
        new = NewRun("Go.", agent="jobs", folder=tmp_path / "workspace", options={"config": config, "documents": []})
        record = await create_run(application, new)
        await application.dispatcher.drive(record.run_id)
        played = await look(application, application.model, record.run_id)
        assert played.state.status == "completed"
        assert await nodes(application) == ["BO-object-1", "BO-object-2"]
        assert [row.phase for row in await (await jobs_stores(application)).requirements.find()] == [2, 4]
        rewound = await rewind_job(application, await find_job(application, played.job_id), 4)
        assert (rewound.removed, await nodes(application)) == (1, ["BO-object-1"])
        await rewind_job(application, await find_job(application, played.job_id), 2)
        assert (await (await jobs_stores(application)).requirements.find(), await nodes(application)) == ([], [])
