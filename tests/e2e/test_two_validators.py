"""Two Validators on one PostgreSQL, one killed amid its work and resumed: each requirement gets one verdict."""

import asyncio
import json
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.jobs.store.graph import EmbeddedGraph
from loopwright.app.loopwright import Stores
from loopwright.stores.database import Database
from tests.support.commands import COMMAND, Installation
from tests.support.stores import jobs_on

CREATOR = "the-creator"
SUBJECTS = ("invoice", "credit note", "booking", "payment", "vehicle", "driver", "contract", "deposit", "damage report")
DUTIES = (
    "The system must keep every {0} unchanged for {1} years after the end of the year.",
    "The system must show who has changed a {0}, at which time, from which of the {1} stations, and why.",
    "The system must refuse a {0} that lacks one of its {1} mandatory fields, and name the field.",
)


async def fill(stores: Stores, number: int) -> None:
    """What a Creator leaves behind: requirements, each borne by a verified citation."""
    await stores.sessions.create(agent="jobs", session_id=CREATOR)
    source = await stores.sources.add_source(
        CREATOR,
        kind="document",
        title="Policy",
        locator="documents/policy.md",
        stored_path="documents/policy.md",
        sha256="0" * 64,
    )
    texts = [
        f"{DUTIES[n % 3].format(SUBJECTS[n // 3 % len(SUBJECTS)], n)} This is rule {n * 7919} of {n * 104729}."
        for n in range(number)
    ]
    quotes = [
        {
            "source_id": source.source_id,
            "claim": "",
            "verbatim_quote": text,
            "quote_context": text,
            "page": None,
            "locator": "",
            "confidence": 1.0,
            "extraction_method": "exact_match",
            "verification_status": "verified",
        }
        for text in texts
    ]
    cited = await stores.sources.add_citations(CREATOR, quotes, "cite")
    wanted = [
        {"text": text, "name": text[:60], "citations": [citation.citation_id], "confidence": 0.9}
        for text, citation in zip(texts, cited, strict=True)
    ]
    await stores.requirements.add(CREATOR, wanted, phase=2, key="add")


async def start(place: Installation, name: str) -> asyncio.subprocess.Process:
    """A Validator of its own, with the events of its run as lines."""
    return await asyncio.create_subprocess_exec(
        *COMMAND,
        *("jobs", "run", "validator", "--workspace", str(place.folder / name), "--json"),
        env=place.environment(),
        cwd=place.folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=2**24,
    )


async def until_claim(worker: asyncio.subprocess.Process, number: int) -> str:
    """Read what the worker tells until it has taken requirements so many times; its job."""
    assert worker.stdout is not None
    job = ""
    while number:
        line = await worker.stdout.readline()
        assert line, (await worker.communicate())[1].decode()
        event = json.loads(line)
        job = job or str(event["payload"].get("session_id", ""))
        taken = event["type"] == "tool_result" and event["payload"]["name"] == "next_requirements"
        number -= taken and bool(event["payload"]["artifacts"]["requirement_ids"])
    return job


async def stop_amid_work(worker: asyncio.subprocess.Process, stores: Stores) -> str:
    """Freeze the worker when it has passed verdicts and holds what it has no verdict on; its job.

    A machine may be so slow that what was held a moment ago is settled now: then it goes on to its next batch.
    """
    job = await until_claim(worker, 2)
    while True:
        worker.send_signal(signal.SIGSTOP)
        rows = await stores.requirements.find(limit=1_000)
        # One verdict may still be on its way through the database.
        if sum(row.claimed_by == job for row in rows) > 1:
            return job
        worker.send_signal(signal.SIGCONT)
        await until_claim(worker, 1)


def verdicts(events: list[dict[str, Any]]) -> list[str]:
    """The requirements on which a run's journal says that it has passed a verdict."""
    results = (event["payload"] for event in events if event["type"] == "tool_result")
    return [
        result["artifacts"]["requirement_id"]
        for result in results
        if result["name"] == "update_requirement" and result["success"]
    ]


@pytest.mark.postgres
@pytest.mark.timeout(900)
@pytest.mark.parametrize("number", [32, pytest.param(500, marks=pytest.mark.soak)])
async def test_none_is_judged_twice_and_none_is_lost(tmp_path: Path, schema: str, number: int) -> None:
    place = Installation(tmp_path, {"DATABASE_URL": schema})
    async with await Database.open(schema, tmp_path / "home") as database:
        graph = EmbeddedGraph(tmp_path / "home" / "graph.db")
        stores = await jobs_on(database, graph)
        await fill(stores, number)
        doomed = await start(place, "doomed")
        job = await stop_amid_work(doomed, stores)
        survivor = await start(place, "survivor")
        assert survivor.stdout is not None
        other = json.loads(await survivor.stdout.readline())["payload"]["session_id"]
        doomed.kill()
        await doomed.communicate()
        _, errors = await survivor.communicate()
        assert survivor.returncode == 0, errors.decode()
        # The lease of the dead one goes on: its share was left to it.
        assert any(row.claimed_by == job for row in await stores.requirements.find(limit=1_000))
        resumed = await asyncio.to_thread(place.run, "jobs", "resume", job, "--json", timeout=600)
        assert resumed.code == 0, resumed.out + resumed.err
        rows = await stores.requirements.find(limit=1_000)
        assert (len(rows), {row.status for row in rows} <= {"integrated", "rejected"}) == (number, True)
        # Only on a machine that stood still has the survivor found nothing left.
        assert {job} <= {row.settled_by for row in rows} <= {job, other}
        runs = [run for session in (job, other) for run in await stores.runs.find(session_id=session)]
        judged = Counter(name for run in runs for name in verdicts(place.events(run.run_id)))
        assert judged == {row.requirement_id: 1 for row in rows}
        nodes = await graph.query("MATCH (n:Requirement) RETURN n.requirementId AS id, n.rid AS rid")
        assert Counter(node["id"] for node in nodes.rows) == {
            row.requirement_id: 1 for row in rows if row.status == "integrated"
        }
        assert len({node["rid"] for node in nodes.rows}) == len(nodes.rows)
        await graph.close()
