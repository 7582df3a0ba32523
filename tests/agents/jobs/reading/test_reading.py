"""A small model reads documents: one question a sentence, and everything that a sentence came to is counted."""

import csv
import json
from pathlib import Path

import pytest

from loopwright.agents.jobs.services import jobs_stores
from loopwright.kernel.errors import ModelUnavailable
from loopwright.kernel.testing.runs import Reply
from tests.support.jobs import Played
from tests.support.reading_job import STANDARD, demands, read


def reading_rows(played: Played) -> list[dict[str, str]]:
    return list(csv.DictReader(played.read("output/reading.csv").splitlines()))


async def test_the_phases_are_kept_and_the_model_is_asked_about_sentences_alone(tmp_path: Path) -> None:
    async with read(tmp_path, {"lamps.txt": STANDARD}, demands("has to", "must")) as (_, played):
        assert played.state.status == "completed", played.events[-1].payload
        stages = ["planning", "to_tactical", "reading", "to_strategic", "planning", "finishing", "complete"]
        assert played.stages() == stages
        assert [phase.kind for phase in played.job.phases] == ["strategic", "tactical"]
        told = [request.messages[-1].content for request in played.model.requests]
        assert "The operator has to keep the log for a year." in told
        assert not any("MUST" in sentence or "MAY" in sentence for sentence in told), "code can read these surely"
        for request in played.model.requests:
            assert [message.role for message in request.messages][:1] == ["system"]
            assert request.messages[-1].role == "user"
            assert request.response_format is not None
            assert not len(request.tools)


async def test_what_is_found_is_stored_with_its_quote_and_written(tmp_path: Path) -> None:
    async with read(tmp_path, {"lamps.txt": STANDARD}, demands("has to", "must")) as (application, played):
        rows = await (await jobs_stores(application)).requirements.find(job_id=played.job_id)
        assert [row.text for row in rows] == [
            "The server MUST switch the lamp on within one second.",
            "A client SHOULD NOT ask twice in the same minute.",
            "The operator has to keep the log for a year.",
            "An endpoint MAY write a line for each lamp.",
            "Nobody must change the log by hand.",
        ]
        cited = await (await jobs_stores(application)).sources.citations(played.job_id)
        assert [each.verbatim_quote for each in cited] == [row.text for row in rows]
        assert {each.verification_status for each in cited} == {"verified"}
        written = json.loads(played.read("output/requirements.json"))
        assert [each["requirement_id"] for each in written] == [row.requirement_id for row in rows]
        found = [row for row in reading_rows(played) if row["outcome"] == "requirement"]
        assert [row["decided_by"] for row in found] == ["keyword", "keyword", "model", "keyword", "model"]
        assert [row["section"] for row in found][:1] == ["2.1. Switching"]


async def test_the_ending_counts_every_piece_of_text(tmp_path: Path) -> None:
    async with read(tmp_path, {"lamps.txt": STANDARD}, demands("has to")) as (_, played):
        assert played.job.completion is not None
        said = played.job.completion.summary
        pieces = reading_rows(played)
        assert f"{len(pieces)} pieces of text in 1 documents" in said
        assert "4 are stored as requirements" in said
        assert "0 were not read" in said
        assert "Each of them has its verdict in output/reading.csv." in said
        assert "In 1 sentences the rules read a demand and the model did not" in said, "the model's word holds"
        assert "confidence" not in played.events[-1].payload["result"]


async def test_what_the_model_does_not_answer_is_told_as_not_read(tmp_path: Path) -> None:
    def answer(sentence: str) -> Reply:
        return "I would say yes." if "operator" in sentence else json.dumps({"kind": "information"})

    async with read(tmp_path, {"lamps.txt": STANDARD}, answer) as (_, played):
        assert played.state.status == "completed", played.events[-1].payload
        unread = [row for row in reading_rows(played) if row["outcome"] == "not read"]
        assert [row["text"] for row in unread] == ["The operator has to keep the log for a year."]
        assert "I would say yes" in unread[0]["remark"]
        assert played.job.completion is not None
        assert "1 were not read" in played.job.completion.summary
        assert "Each of them has its verdict" not in played.job.completion.summary


@pytest.mark.parametrize(
    ("prompt", "sections"),
    [
        ("Only section 3.1, please.", {"3.1. Logging"}),
        ("Find the requirements of sections 2.1 and 3.1.", {"2.1. Switching", "3.1. Logging"}),
        ("Nimm nur Kapitel 2.", {"2.1. Switching"}),
    ],
)
async def test_an_order_that_names_sections_is_kept_to(tmp_path: Path, prompt: str, sections: set[str]) -> None:
    async with read(tmp_path, {"lamps.txt": STANDARD}, demands("has to"), prompt=prompt) as (_, played):
        rows = reading_rows(played)
        assert {row["section"] for row in rows if row["outcome"] == "requirement"} == sections
        outside = {row["section"] for row in rows if row["outcome"] == "outside the order"}
        assert "1.1. Scope" in outside
        assert not outside & sections


async def test_pages_of_a_text_are_kept_to(tmp_path: Path) -> None:
    pages = "\f".join(f"Each lamp of room {n} MUST be switched off at night." for n in ("one", "two", "three"))
    async with read(tmp_path, {"a.txt": pages}, demands(), prompt="Only page 2.") as (application, played):
        rows = await (await jobs_stores(application)).requirements.find(job_id=played.job_id)
        assert [row.text for row in rows] == ["Each lamp of room two MUST be switched off at night."]
        assert rows[0].source_location == "p. 2"


async def test_a_job_that_lost_its_model_goes_on_without_storing_twice(tmp_path: Path) -> None:
    from loopwright.agents.jobs.usecases import find_job, resume_job
    from loopwright.app.starting import NewRun, create_run

    state = {"away": True}

    def answer(sentence: str) -> Reply:
        if state["away"] and "log" in sentence:
            raise ModelUnavailable("the model is away")
        return json.dumps({"kind": "demand" if "has to" in sentence or "must" in sentence else "information"})

    async with read(tmp_path, {"lamps.txt": STANDARD}, answer) as (application, played):
        assert played.state.status == "failed"
        state["away"] = False
        again = await resume_job(application, await find_job(application, played.job_id))
        assert isinstance(again, NewRun)
        record = await create_run(application, again)
        await application.dispatcher.drive(record.run_id)
        rows = await (await jobs_stores(application)).requirements.find(job_id=played.job_id)
        assert len({row.text for row in rows}) == len(rows) == 5
        assert (await find_job(application, played.job_id)).status == "completed"
        ended = (await application.stores.journal.read(record.run_id))[-1].payload
        assert [each["text"] for each in ended["account"]["kept"]] == ["Find all requirements"], "the first run's order"


async def test_a_job_without_words_of_the_user_goes_on_without_any(tmp_path: Path) -> None:
    from loopwright.agents.jobs.usecases import find_job, resume_job
    from loopwright.app.starting import NewRun

    def answer(sentence: str) -> Reply:
        raise ModelUnavailable("the model is away")

    async with read(tmp_path, {"lamps.txt": STANDARD}, answer, prompt="") as (application, played):
        assert played.state.said == []
        again = await resume_job(application, await find_job(application, played.job_id))
        assert isinstance(again, NewRun)
        assert again.composed


async def test_a_document_without_text_ends_the_job_with_words(tmp_path: Path) -> None:
    async with read(tmp_path, {"a.txt": "x\n"}, demands(), prompt="Go.") as (_, played):
        assert played.state.status in ("completed", "failed")
        assert played.job.completion is None or "0 are stored as requirements" in played.job.completion.summary


async def test_a_frontier_model_works_with_tools(tmp_path: Path) -> None:
    """The path for small models is not taken: the strategic phase asks the model, which here fails at once."""

    def answer(sentence: str) -> Reply:
        raise ModelUnavailable("away")

    async with read(tmp_path, {"lamps.txt": STANDARD}, answer, kind="frontier") as (_, played):
        assert "planning" not in played.stages()
        assert not played.job.reads


async def test_people_see_each_part_as_it_is_read(tmp_path: Path) -> None:
    from loopwright.agents.jobs.commands.progress import JobView

    class Lines(JobView):
        def __init__(self) -> None:
            self.lines: list[str] = []
            super().__init__()

        def say(self, text: str) -> None:
            self.lines.append(text)

    async with read(tmp_path, {"lamps.txt": STANDARD}, demands("has to")) as (_, played):
        view = Lines()
        for event in played.events:
            if event.type == "action_finished":
                view._on_action_finished(event.payload)
    assert any("pieces" in line and "requirements of" in line for line in view.lines)
    assert sum(line.startswith("  ✓") for line in view.lines) == 5
