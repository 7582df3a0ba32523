"""A person at a terminal: questions, Ctrl-C at any moment."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Installation
from tests.support.model_server import hang
from tests.support.pages_model import PagesModelServer, call, native
from tests.support.scripts import QUESTIONS, VAGUE, closing, one_page
from tests.support.terminal import Terminal

ASK = call("ask_user", questions=QUESTIONS)

Play = Callable[..., Terminal]


@pytest.fixture
async def model() -> AsyncIterator[PagesModelServer]:
    async with PagesModelServer() as server:
        yield server


async def in_thread(work: Callable[[], Any]) -> Any:
    """The terminal is read in a thread: this loop has the model's answers to give."""
    return await asyncio.to_thread(work)


async def test_questions_are_asked_and_answered(tmp_path: Path, model: PagesModelServer) -> None:
    """A number picks an option, several with commas, words are taken as they are, Enter takes the default."""
    place = Installation(tmp_path, {"OPENAI_BASE_URL": model.base_url})
    model.script = native(ASK, *one_page())

    def person() -> str:
        with Terminal(place, ("pages", VAGUE)) as terminal:
            asked = terminal.expect("[Warm] >")
            assert "It decides the colours." in asked
            assert "2. Cool" in asked
            terminal.type("2")
            terminal.expect("[Menu, several with commas] >")
            terminal.type("2, 3")
            terminal.expect("[none] >")
            terminal.type("Students & staff")
            assert terminal.end() == 0
            return terminal.seen

    seen = await in_thread(person)
    model.assert_done()
    told = model.dialogue[1].body["messages"][-1]["content"]
    assert all(answer in told for answer in ('"Cool"', '"Cart"', '"Profile"', '"Students & staff"'))
    for shown in ("create_design_system", "generate_page", "Your page is ready.", "4 steps", "Refine"):
        assert shown in seen, shown


async def test_ctrl_c_at_a_question_cancels_the_run(tmp_path: Path, model: PagesModelServer) -> None:
    """Exit 5 at once, without another key; the run is cancelled."""
    place = Installation(tmp_path, {"OPENAI_BASE_URL": model.base_url})
    model.script = native(ASK)

    def person() -> tuple[int, str, str]:
        with Terminal(place, ("pages", VAGUE)) as terminal:
            terminal.expect("[Warm] >")
            terminal.interrupt()
            code = terminal.end(seconds=15)
            return code, terminal.seen, place.newest_run()["status"]

    code, seen, status = await in_thread(person)
    assert (code, status) == (5, "cancelled")
    assert "Cancelled; what was changed was not taken back." in seen
    assert "Traceback" not in seen


async def test_ctrl_c_while_the_model_thinks_cancels_the_run(tmp_path: Path, model: PagesModelServer) -> None:
    """A model that never answers holds nobody up; what was made before is kept, and the session goes on."""
    place = Installation(tmp_path, {"OPENAI_BASE_URL": model.base_url})
    made = one_page()[:2]
    model.script = [*native(*made), hang()]

    def person() -> tuple[int, str]:
        with Terminal(place, ("pages", VAGUE, "--json")) as terminal:
            terminal.expect('"type": "tool_result"')
            terminal.expect('"name": "generate_page", "success": true')
            terminal.interrupt()
            return terminal.end(seconds=15), terminal.seen

    code, seen = await in_thread(person)
    assert code == 5, seen[-1_000:]
    assert '"type": "cancelled"' in seen.splitlines()[-1]
    run = await in_thread(place.newest_run)
    assert run["status"] == "cancelled"
    assert (place.out / run["session_id"] / "pages" / "index.html").is_file()
    model.dialogue.clear()
    model.script = native(closing("It is all there."))
    again = await in_thread(lambda: place.run("pages", "go on", "--session", run["session_id"], "--json"))
    assert (again.code, again.last["pages"]) == (0, ["index"])
