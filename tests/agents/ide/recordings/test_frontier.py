"""A whole job as a frontier model answers it: every request was read and answered by hand, and is replayed."""

import asyncio
import json
from pathlib import Path

import pytest
from rig.prefix import kept_share

from loopwright.agents.ide.sandbox import can_confine
from loopwright.models.prices import count_tokens
from tests.agents.ide.sessions.session import files_of, lay_out, read_session, recorded
from tests.support.commands import Installation
from tests.support.model_server import ModelServer

RECORDING = Path(__file__).parent / "frontier" / "fix_and_rename.yaml"
MOST_CALLS = 4
"""Two rounds of work, one that looks whether something is left, and the answer; nothing follows it."""
MOST_FIRST_TOKENS = 2_500


@pytest.mark.sandbox
@pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing, or may not make its namespaces")
async def test_a_job_answered_by_hand_ends_without_an_empty_round(tmp_path: Path) -> None:
    session = read_session(RECORDING)
    root = lay_out(session, tmp_path)
    (step,) = session.steps
    problems: list[str] = []
    async with ModelServer([recorded(answer, problems) for answer in step.replies]) as server:
        place = Installation(tmp_path, {"OPENAI_BASE_URL": server.base_url, "MODEL_PROFILE": "frontier"})
        done = await asyncio.to_thread(place.run, "ide", step.say, "--root", str(root), *step.options, "--json")
        assert not problems, problems
        server.assert_done()
    assert {name: done.last[name] for name in step.last} == step.last
    assert files_of(root) == session.expected
    assert len(server.requests) == MOST_CALLS
    first = server.requests[0].body
    assert count_tokens(json.dumps([first["messages"], first["tools"]])) <= MOST_FIRST_TOKENS
    bodies = [request.body for request in server.requests]
    assert min(kept_share(bodies)) >= 0.99, "each request begins with all of the one before"
    kept = {each["text"]: each["evidence"][0]["check"] for each in done.last["account"]["kept"]}
    assert list(kept.values()) == ["all_tests_pass", "renamed_everywhere", "all_tests_run"]
    assert [each["text"] for each in done.last["account"]["not_used"]] == ["not the tests"]
