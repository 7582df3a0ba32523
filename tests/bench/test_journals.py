"""The figures of a run come out of its journal alone, and they are those of the requests that went out."""

import json
import sys
from pathlib import Path

import pytest
from rig.prefix import cached_share

from bench.journals import bodies_of, counted, events_in, main
from loopwright.app.models import open_offline_model
from loopwright.kernel.events import Event
from loopwright.models.client import OpenAIClient
from tests.e2e.strict_jobs import INSTEAD, application_with, ide_job
from tests.support.strict_client import StrictClient
from tests.support.strict_endpoint import PROFILES

SAID = INSTEAD["ide"] | {"delivery_check": ["It is not finished yet.", *INSTEAD["ide"]["delivery_check"]]}
"""The first verdict is none of the form that is asked for."""


@pytest.fixture
async def asked(tmp_path: Path) -> tuple[dict[str, Path], list[dict]]:
    """The journals of three runs as `loopwright runs events RUN --json` prints them, and the requests of all."""
    async with open_offline_model() as offline:
        assert isinstance(offline, OpenAIClient)
        client = StrictClient(PROFILES["openai"], "native", offline, SAID)
        async with application_with(tmp_path, client) as application:
            runs = await ide_job(application, tmp_path)
            journals = {run.run_id: await application.stores.journal.read(run.run_id) for run in runs}
    for name, events in journals.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(printed(each))}\n" for each in events))
    return {name: tmp_path / f"{name}.jsonl" for name in journals}, [body for _, body in client.endpoint.bodies]


def printed(event: Event) -> dict:
    return {"type": event.type, **event.model_dump(mode="json", exclude={"type"})}


async def test_the_figures_are_those_of_the_requests_that_went_out(asked):
    journals, sent = asked
    rows = []
    for name, path in journals.items():
        events = events_in(path)
        bodies = bodies_of(name, events)
        assert bodies == [body for body in sent if body in bodies]
        rows.append(counted(name, events))
        assert rows[-1].first_request > 100
        shares = cached_share(bodies)
        assert (rows[-1].cacheable is None) == (shares == [])
        assert not shares or min(shares) <= rows[-1].cacheable <= max(shares)
    assert sum(row.calls for row in rows) == len(sent)
    assert {row.agent for row in rows} == {"ide"}
    assert {row.status for row in rows} == {"completed"}
    assert [row.repairs for row in rows] == [0, 0, 1]
    assert rows[-1].cacheable is not None


async def test_several_journals_are_printed_a_line_each(asked, monkeypatch, capsys):
    journals, sent = asked
    monkeypatch.setattr(sys, "argv", ["journals.py", "--json", *map(str, journals.values())])
    main()
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["run"] for row in rows] == list(journals)
    assert sum(row["calls"] for row in rows) == len(sent)
    monkeypatch.setattr(sys, "argv", ["journals.py", *map(str, journals.values())])
    main()
    _, *lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(journals)
    assert all(f"{row['prompt_tokens']:,}" in line for row, line in zip(rows, lines, strict=True))
