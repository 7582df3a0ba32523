"""Whole jobs that a strong model answered, request by request, replayed: the same requests, and the same account."""

import pytest

from loopwright.models.prices import count_tokens
from tests.agents.designspec.recordings.playing import CHANGING, FOLDER, play, recording

JOBS = sorted(path.stem for path in FOLDER.glob("*.json"))


@pytest.mark.parametrize("name", JOBS)
async def test_a_recorded_job_is_played_as_it_was(name, tmp_path):
    job = recording(name)
    played = await play(job, tmp_path / "part")
    recorded = [step["request"] for turn in job["turns"] for step in turn["steps"]]
    assert [[role for role, _ in request] for request in played.requests] == [
        [role for role, _ in request] for request in recorded
    ]
    for request, before in zip(played.requests, recorded, strict=True):
        assert [CHANGING.sub("…", text) for _, text in request] == [text for _, text in before]
        assert sum(count_tokens(text) for _, text in request) <= 2_500
    kept = [each.text for run in played.runs for each in run.state.account.statements.values() if each.state == "kept"]
    assert kept == job["kept"]
    assert played.shared_prefix() == pytest.approx(job["figures"]["shared_prefix"], abs=0.01)
