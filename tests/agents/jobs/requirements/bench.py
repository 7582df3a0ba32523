"""A Creator and a Validator over the same stores, whose tools are called as the runtime calls them."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from loopwright.agents.jobs.contracts import JobConfig
from tests.agents.jobs.desk import Desk, opened_desk


class Bench:
    """The two desks."""

    def __init__(self, creator: Desk, validator: Desk) -> None:
        self.creator, self.validator = creator, validator

    async def cite(self, number: int, status: str = "verified") -> None:
        """Give the Creator's job citations, as the citing tools record them."""
        store, job = self.creator.stores.sources, self.creator.job_id
        source = await store.add_source(
            job,
            kind="document",
            title="GoBD",
            locator="documents/GoBD.pdf",
            stored_path="documents/GoBD.pdf",
            sha256="0" * 64,
        )
        quotes = [
            {
                "source_id": source.source_id,
                "claim": "",
                "verbatim_quote": f"Zitat {n}",
                "quote_context": f"Zitat {n}",
                "page": n + 1,
                "locator": f"p. {n + 1}",
                "confidence": 1.0,
                "extraction_method": "exact_match",
                "verification_status": status,
            }
            for n in range(number)
        ]
        await store.add_citations(job, quotes, f"{status}-{number}")

    async def add(self, *texts: str, **more: Any) -> list[str]:
        """Requirements of the Creator, each borne by its first citation; their ids."""
        drafts = [{"text": text, "citations": ["CIT-001"], **more} for text in texts]
        said = await self.creator.good("add_requirement", requirements=drafts)
        return [line.removeprefix("ok: ") for line in said.splitlines()]

    async def integrate(self, name: str) -> str:
        """Put a requirement that the Validator holds into the graph; its rid."""
        made = await self.validator.call("create_requirement_node", requirement_id=name)
        assert made.artifacts is not None, made.output
        await self.validator.good("update_requirement", requirement_id=name, status="integrated")
        return str(made.artifacts["rid"])


def records(said: str) -> list[dict[str, Any]]:
    """The JSON lines of an answer, which stand between marks."""
    assert said.count("</data>") == 1
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


@asynccontextmanager
async def opened_bench(folder: Path, **validation: Any) -> AsyncIterator[Bench]:
    """A Creator with a verified citation, and a Validator."""
    async with opened_desk(folder, validation=validation) as creator:
        space = folder / "second"
        (space / "documents").mkdir(parents=True)
        session = await creator.stores.sessions.create(agent="jobs", title="validator", output_dir=str(space))
        config = JobConfig.model_validate({"job_type": "validator", "validation": validation})
        validator = replace(creator, folder=space, job_id=session.session_id, config=config)
        await validator.begin("tactical")
        bench = Bench(creator, validator)
        await bench.cite(1)
        yield bench
