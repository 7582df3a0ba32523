"""A model server that misbehaves at different moments: the run recovers or ends `failed` with a clear message.

It never hangs, and what was done before is kept: on disk, in the journal, and for the next run of the session. The runs
are followed as `loopwright pages --json` follows them; the last test is that very command.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run
from loopwright.cli.answers import AnswerSource
from loopwright.cli.views import JsonView, follow
from loopwright.kernel.testing.conformance import check_journal
from tests.support import model_server as server
from tests.support.application import settings_in
from tests.support.commands import Installation
from tests.support.model_server import Reply, Request, calls, text
from tests.support.pages_model import PagesModelServer, call, native, task_of
from tests.support.scripts import closing

QUICK = {"model_timeout": 0.4, "model_retries": 1}

FAILURES: dict[str, Callable[[], Reply]] = {
    "429 with Retry-After": lambda: server.rate_limited("0"),
    "500": lambda: server.status(500),
    "hang": server.hang,
    "reset": server.reset,
    "truncated": lambda: server.truncated("Once upon a time there was a page that"),
    "truncated by a reset": lambda: server.truncated("Once upon a time there was a page", abruptly=True),
    "empty choices": server.empty_choices,
    "broken JSON": server.broken_json,
}
"""What a client may try again."""

ANSWERS: dict[str, Callable[[], Reply]] = {
    "broken arguments": lambda: calls(("generate_page", '{"slug": "index", "title": Home, "descr')),
    "arguments that are no object": lambda: calls(("generate_page", "[1, 2]")),
    "unknown tool": lambda: calls(("make_coffee", {"cups": 2})),
    "200 KB of text": lambda: text("All work and no play. " * 9_300, piece=4_000),
    "nothing at all": lambda: text(""),
}
"""What only the loop can answer."""

MOMENTS = ("at the first answer", "in the design system", "in a page", "after the pages")


@dataclass
class Unreliable(PagesModelServer):
    """Misbehaves once at each of its moments, or (`for_good`) from the first of them on with every request."""

    misbehaviour: Callable[[], Reply] = server.empty_choices
    moments: tuple[str, ...] = MOMENTS
    for_good: bool = False
    happened: list[str] = field(default_factory=list)

    def reply_to(self, request: Request) -> Reply:
        moment = self._moment(task_of(request))
        if (moment in self.moments and moment not in self.happened) or (self.happened and self.for_good):
            self.happened.append(moment)
            return self.misbehaviour()
        return super().reply_to(request)

    def _moment(self, task: str) -> str:
        nested = {"pages/design-system": MOMENTS[1], "pages/generate-page": MOMENTS[2]}
        dialogue = {0: MOMENTS[0], 2: MOMENTS[3]}
        return nested.get(task) or dialogue.get(len(self.dialogue), "another one")


SCRIPT = native(
    call("create_design_system", product_type="landing"),
    call("generate_page", slug="index", title="Home", description="A greeting."),
    closing("Your page is ready.", overview="One page."),
)


@dataclass
class Ended:
    """What a followed run came to."""

    code: int
    line: dict[str, Any]
    events: list[dict[str, Any]]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The payloads of the events of one type."""
        return [event["payload"] for event in self.events if event["type"] == kind]


async def pages(folder: Path, model: PagesModelServer, capsys: Any, session: str | None = None) -> Ended:
    """What `loopwright pages --json` does, in this process."""
    settings = settings_in(folder, openai_base_url=model.base_url, **QUICK)
    async with Loopwright.open(settings) as application, asyncio.timeout(60):
        run = await create_run(application, NewRun("one page that says hello", session_id=session))
        code = await follow(application, run.run_id, JsonView(), AnswerSource(accept_defaults=True))
        check_journal(await application.stores.journal.read(run.run_id))
    *events, line = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return Ended(code, line, events)


@pytest.mark.parametrize("name", FAILURES)
async def test_a_passing_failure_is_lived_through(name: str, tmp_path: Path, capsys: Any) -> None:
    """Met at every moment and tried again each time: the run comes to its end as if nothing had been."""
    async with Unreliable(SCRIPT, misbehaviour=FAILURES[name]) as model:
        ended = await pages(tmp_path, model, capsys)
        model.assert_done()
        assert tuple(model.happened) == MOMENTS
    assert (ended.code, ended.line["type"], ended.line["valid"]) == (0, "complete", True), ended.line
    assert ended.line["pages"] == ["index"]
    assert ended.line["message"].endswith("Your page is ready.")


@pytest.mark.parametrize(
    ("name", "moment"), [*((name, MOMENTS[2]) for name in FAILURES), ("500", MOMENTS[0]), ("reset", MOMENTS[3])]
)
async def test_a_lasting_failure_ends_the_run_and_keeps_its_work(
    name: str, moment: str, tmp_path: Path, capsys: Any
) -> None:
    """Exit 4 with what happened and what to do; the files stay; the next run of the session builds on them."""
    async with Unreliable(SCRIPT, misbehaviour=FAILURES[name], moments=(moment,), for_good=True) as model:
        ended = await pages(tmp_path, model, capsys)
    assert (ended.code, ended.line["type"]) == (4, "error"), ended.line
    assert ended.line["code"] == "model_unavailable"
    assert "could not be had (2 attempts" in ended.line["message"]
    assert ended.line["hint"]
    folder = tmp_path / "out" / ended.line["session_id"]
    done = [result["name"] for result in ended.of("tool_result") if result["success"]]
    both = ["create_design_system", "generate_page"]
    assert done == {MOMENTS[0]: [], MOMENTS[2]: both[:1], MOMENTS[3]: both}[moment]
    assert (folder / "design-system.css").is_file() == ("create_design_system" in done)
    assert (folder / "pages" / "index.html").is_file() == ("generate_page" in done)
    async with PagesModelServer(SCRIPT) as model:
        again = await pages(tmp_path, model, capsys, ended.line["session_id"])
        model.assert_done()
    assert (again.code, again.line["pages"], again.line["valid"]) == (0, ["index"], True)


@pytest.mark.parametrize("name", ANSWERS)
async def test_a_useless_answer_goes_back_to_the_model(name: str, tmp_path: Path, capsys: Any) -> None:
    """The model is told what was wrong with it, and goes on."""
    script = [call("create_design_system", product_type="landing"), ANSWERS[name]()]
    script += [call("generate_page", slug="index", title="Home", description="A greeting."), closing("Done.", a="b")]
    async with PagesModelServer(native(*script)) as model:
        ended = await pages(tmp_path, model, capsys)
        model.assert_done()
        told = model.dialogue[2].body["messages"][-1]
    assert (ended.code, ended.line["valid"]) == (0, True), ended.line
    assert told["role"] == ("user" if name in ("200 KB of text", "nothing at all") else "tool")
    wanted = {
        "broken arguments": "generate_page",
        "arguments that are no object": "object",
        "unknown tool": "make_coffee",
        "200 KB of text": "Nothing has been built yet",
        "nothing at all": "empty",
    }
    assert wanted[name] in told["content"]


@pytest.mark.parametrize("name", ["unknown tool", "nothing at all"])
async def test_useless_answers_without_end_end_the_run(name: str, tmp_path: Path, capsys: Any) -> None:
    """The caps hold: the run fails with the reason, and is over."""
    async with PagesModelServer([ANSWERS[name]() for _ in range(40)]) as model:
        ended = await pages(tmp_path, model, capsys)
        assert len(model.dialogue) < 15
    assert (ended.code, ended.line["type"]) == (4, "error")
    assert ended.line["code"] in ("max_errors", "no_usable_answer")
    assert ended.line["message"]
    assert ended.line["hint"]


async def test_an_endpoint_that_refuses_is_not_asked_again(tmp_path: Path, capsys: Any) -> None:
    """A wrong key is told at once, without the key."""
    async with PagesModelServer([server.status(401, "Incorrect API key provided: sk-abcdef123456")]) as model:
        ended = await pages(tmp_path, model, capsys)
        model.assert_done()
    assert (ended.code, ended.line["code"]) == (4, "model_rejected")
    assert "OPENAI_API_KEY" in ended.line["hint"]
    assert "sk-abcdef" not in json.dumps(ended.line)


async def test_the_command_itself(tmp_path: Path) -> None:
    """Exit 4 and one clear last line; then the same session goes on with a server that behaves."""
    place = Installation(tmp_path, {"MODEL_TIMEOUT": "0.5", "MODEL_RETRIES": "1"})
    async with Unreliable(SCRIPT, misbehaviour=server.hang, moments=MOMENTS[2:3], for_good=True) as model:
        run = asyncio.to_thread(place.run, "pages", "one page", "--yes", "--json", OPENAI_BASE_URL=model.base_url)
        done = await run
    assert done.code == 4, done.err
    assert done.last["type"] == "error"
    assert "(2 attempts in" in done.last["message"]
    assert "nothing came for" in done.last["message"]
    assert "Traceback" not in done.err
    async with PagesModelServer(SCRIPT) as model:
        again = await asyncio.to_thread(
            place.run, "pages", "--session", done.last["session_id"], "again", "--yes", "--json",
            OPENAI_BASE_URL=model.base_url,
        )  # fmt: skip
        model.assert_done()
    assert again.code == 0, again.out[-500:]
    assert again.last["pages"] == ["index"]
