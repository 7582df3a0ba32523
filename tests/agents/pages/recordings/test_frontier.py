"""A whole app as a frontier model builds it: every request was read and answered by hand, and is replayed."""

import asyncio
from pathlib import Path

import pytest
from rig.prefix import cached_share, kept_share, prompt_size

from loopwright.kernel.replay import use_of_models
from tests.agents.pages.recordings.playing import Played, play, recording

RECORDING = Path(__file__).parent / "frontier" / "vet_clinic.yaml"
PAGES = ["index", "book", "records", "vets"]
KEPT = [
    "An app for Pawsworth Veterinary Clinic",
    "owners book an appointment",
    "for their pet",
    "see vaccination records",
    "meet the vets Dr. Lindqvist",
    "meet Dr. Osei",
    "find the emergency number",
    "pet dog",
    "pet cat",
    "pet rabbit",
]
MOST_CALLS = 9
"""Four of the dialogue (plan, style sheet, pages, answer), and five of its tools: the style sheet and each page."""
MOST_TOKENS = 22_500
MOST_FIRST_TOKENS = 2_500
LEAST_SHARED = 0.84
"""Of a page's request, what the request for another page of the same app told, too."""


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return asyncio.run(play(recording(RECORDING), tmp_path_factory.mktemp("vet"), self_check=0))


def of_stage(job: Played, stage: str) -> list[dict]:
    return [body for name, body in job.bodies if name == stage]


def test_the_app_is_built_without_a_refusal_or_an_empty_round(job: Played) -> None:
    assert job.record.status == "completed"
    assert not job.by_hand.answers, "every answer was asked for"
    assert not job.refused, "every request keeps to the endpoint's rules"
    assert len(job.bodies) == MOST_CALLS
    failed = [
        event.payload["output"] for event in job.events if event.type == "tool_result" and not event.payload["success"]
    ]
    assert not failed, "no call meets an obstacle"
    assert job.events[-1].payload["result"]["affected_pages"] == PAGES
    assert job.events[-1].payload["result"]["promises"]["broken"] == []


def test_nothing_is_missing_that_the_brief_says(job: Played) -> None:
    planned = next(event.payload for event in job.events if event.type == "tool_result")
    assert '"missing": []' in planned["output"], "the clinic's name is the app's"
    assert '"questions": []' in planned["output"]


def test_the_page_stands_as_it_was_written(job: Played) -> None:
    assert 'href="tel:08005550142"' in job.page("index"), "an emergency number is there to be called"
    assert job.page("book").count('name="kind"') == 3


def test_what_the_requests_cost(job: Played) -> None:
    bodies = [body for _, body in job.bodies]
    assert sum(map(prompt_size, bodies)) <= MOST_TOKENS
    assert prompt_size(bodies[0]) <= MOST_FIRST_TOKENS
    dialogue, written = of_stage(job, "new-project"), of_stage(job, "generate_page")
    assert min(kept_share(dialogue)) >= 0.99, "each request begins with all of the one before"
    assert min(cached_share(written)) >= LEAST_SHARED, "what is the same for all pages is told first"
    assert sum(use.calls for use in use_of_models(job.events).values()) == MOST_CALLS


@pytest.mark.browser
def test_what_the_user_said_is_seen_in_the_app(tmp_path: Path) -> None:
    job = asyncio.run(play(recording(RECORDING), tmp_path))
    account = job.events[-1].payload["account"]
    assert [each["text"] for each in account["kept"]] == KEPT
    assert [each["text"] for each in account["not_used"]] == ["Calm teal"]
    assert job.events[-1].payload["result"]["self_check"]["findings_left"] == []
