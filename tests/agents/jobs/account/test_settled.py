"""What the order says, settled at the end of a whole job."""

from pathlib import Path
from typing import Any

from loopwright.agents.jobs.configs import load_config
from loopwright.kernel.testing.runs import Reply
from tests.support.jobs import Played
from tests.support.reading_job import STANDARD, demands, read


def account(played: Played) -> dict[str, dict[str, Any]]:
    """The statements of each state, by their words."""
    states = played.events[-1].payload["account"]
    return {state: {each["text"]: each for each in found} for state, found in states.items()}


async def test_what_was_asked_for_is_kept_by_measurement_and_the_rest_is_told(tmp_path: Path) -> None:
    order = "Find the requirements of section 2.1, at least 2 requirements, sorted by page, and export them as ReqIF."
    async with read(tmp_path, {"lamps.txt": STANDARD}, demands("has to"), prompt=order) as (_, played):
        found = account(played)
        assert set(found["kept"]) == {"Find the requirements of section 2.1", "at least 2 requirements"}
        assert "3 requirements are stored" in found["kept"]["at least 2 requirements"]["evidence"][0]["value"]
        assert set(found["not_used"]) == {"sorted by page"}
        assert "output/requirements.csv" in found["refused"]["export them as ReqIF"]["reason"]


async def test_a_sentence_that_nobody_answered_about_keeps_nothing(tmp_path: Path) -> None:
    def answer(sentence: str) -> Reply:
        return "perhaps" if "operator" in sentence else '{"kind": "information"}'

    async with read(tmp_path, {"lamps.txt": STANDARD}, answer) as (_, played):
        found = account(played)
        assert not found["kept"]
        assert "1 of them not read" in found["not_used"]["Find all requirements"]["reason"]


async def test_only_the_user_s_own_words_are_read(tmp_path: Path) -> None:
    """What the config says of itself asks for nothing that the user has said."""
    async with read(tmp_path, {"lamps.txt": STANDARD}, demands("has to"), prompt=" ") as (_, played):
        assert played.job.prompt == load_config("creator").description, "which stands for an order all the same"
        assert not any(account(played).values())
        assert not any(event.type == "statements_read" for event in played.events)


async def test_all_are_not_found_where_rules_and_model_do_not_agree(tmp_path: Path) -> None:
    async with read(tmp_path, {"lamps.txt": STANDARD}, demands("has to")) as (_, played):
        found = account(played)
        assert not found["kept"]
        told = found["not_used"]["Find all requirements"]["reason"]
        assert "4 are requirements, about 1 more rules and model do not agree" in told


async def test_a_model_that_says_all_done_is_not_believed(tmp_path: Path) -> None:
    """It works with tools, stores nothing, and claims the whole."""
    todos = [f"G1: Part {number}" for number in range(1, 6)]
    lines: list[Reply] = [
        [("todo_write", {"todos": todos, "phase": "All"})],
        [("todo_complete", {"todo_id": number, "notes": "Done."}) for number in range(1, 5)],
        [("todo_complete", {"todo_id": number, "notes": "Done."}) for number in range(1, 6)],
        [("job_complete", {"summary": "All requirements are found and stored.", "deliverables": [], "notes": ""})],
    ]
    told = iter(lines)

    async with read(tmp_path, {"lamps.txt": STANDARD}, lambda _: next(told), kind="frontier") as (_, played):
        assert played.state.status == "completed", played.events[-1].payload
        found = account(played)
        assert not found["kept"]
        assert "Find all requirements" in found["not_used"]
        assert "Measured: 0 requirements of this job are stored" in played.events[-1].payload["text"]
