"""A workplace for tests of the pages agent: real stores on SQLite, a session folder, a scripted model."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopwright.agents.pages.spec import AGENT as PAGES
from loopwright.app.loopwright import Stores
from loopwright.kernel.emitter import RunModel
from loopwright.kernel.events import Event, Payload
from loopwright.kernel.gates import Outcome
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.run import AgentRun
from loopwright.kernel.testing import MemoryJournal, ScriptedModel, resume_run, start_run
from loopwright.kernel.tools import ToolContext, ToolRegistry, ToolResult

SESSION = "session"
SAMPLES = Path(__file__).parent / "samples"
CSS = (SAMPLES / "design-system.css").read_text(encoding="utf-8")


def page(slug: str, links: Sequence[str] = (), body: str = "", title: str | None = None) -> str:
    """A valid page with these links."""
    anchors = "".join(f'<a class="btn" href="{target}.html">{target}</a>' for target in links)
    name = title or slug.capitalize()
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">\n'
        f'<title>{name}</title>\n<link rel="stylesheet" href="../design-system.css">\n</head>\n<body>\n'
        f'<div id="app" class="page">\n<h1>{name}</h1>\n<p>This is the page {slug} of the app.</p>\n{body}\n'
        f'<nav aria-label="Main">{anchors}</nav>\n</div>\n</body>\n</html>\n'
    )


def fenced(tag: str, text: str) -> str:
    """The text in a fence, as models answer."""
    return f"```{tag}\n{text.strip()}\n```"


def task_of(request: ModelRequest) -> str:
    """The task that a request names: its stage's, where it has one."""
    if request.task:
        return request.task
    found = re.match(r"\[task: ([\w/-]+)\]", request.messages[0].content)
    assert found, request.messages[0].content[:80]
    return found[1]


def material_of(request: ModelRequest) -> dict[str, Any]:
    """The JSON object of a nested request."""
    return json.loads(request.messages[1].content)


def nested(request: ModelRequest) -> str:
    """What a good model answers to a tool: the sample style sheet, or a page that links to its whole sitemap."""
    task, material = task_of(request), material_of(request)
    if task == "pages/design-system":
        return fenced("css", CSS)
    assert task == "pages/generate-page", task
    return fenced("html", page(material["slug"], [entry["slug"] for entry in material["sitemap"]]))


class Emitter:
    """Keeps what a tool tells."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.recorded: list[Payload] = []

    def progress(self, message: str, **data: Any) -> None:
        self.said.append(message)

    async def record(self, payload: Payload) -> None:
        self.recorded.append(payload)


class DirectModel:
    """The model as a tool sees it, without a run around it."""

    def __init__(self, scripted: ScriptedModel) -> None:
        self._scripted = scripted

    async def complete(self, request: ModelRequest) -> Any:
        return await self._scripted.complete(request)


@dataclass
class Studio:
    """One session and what a test does with it."""

    stores: Stores
    folder: Path
    emitter: Emitter = field(default_factory=Emitter)
    calls: int = 0

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        *script: Any,
        answer: Mapping[str, Any] | None = None,
        call_id: str | None = None,
        user_message: str = "",
        registry: ToolRegistry | None = None,
        settings: Mapping[str, Any] | None = None,
        may_ask_again: bool = False,
    ) -> ToolResult:
        """Call a tool through a registry; its model calls play the script, which must be used up.

        With `may_ask_again`, the last reply also answers a tool that sends an answer back, and may be left over.
        """
        self.calls += 1
        model = ScriptedModel([*script, script[-1]] if may_ask_again else script)
        ctx: ToolContext[Any] = ToolContext(
            session_id=SESSION,
            run_id="run",
            call_id=call_id or f"call{self.calls}",
            output_dir=self.folder,
            db=self.stores,
            settings=settings or {},
            event_emitter=self.emitter,
            llm_client=DirectModel(model),
            prompts=PromptRepository({"pages": PAGES.prompts}),
            answer=answer,
            user_message=user_message,
        )
        result = await (registry or PAGES.registry()).execute(tool, arguments or {}, ctx)
        if not may_ask_again:
            model.assert_done()
        self.requests = model.requests
        return result

    def start(
        self, script: Sequence[Any], message: str = "make me a coffee shop app", options: dict[str, Any] | None = None
    ) -> AgentRun:
        """A new run in this session."""
        return start_run(
            PAGES,
            ScriptedModel(script),
            message,
            journal=MemoryJournal(),
            services=self.stores,
            output_dir=self.folder,
            options=options,
        )

    async def play(self, run: AgentRun) -> Outcome:
        """Carry the run on and check that its script was used up."""
        outcome = await run_agentic_loop(run)
        run.model.assert_done()
        return outcome

    def again(self, run: AgentRun, script: Sequence[Any], *payloads: Payload) -> AgentRun:
        """The run in the hands of a new owner."""
        return resume_run(run, ScriptedModel(script), payloads=payloads)

    def file(self, slug: str) -> str:
        """A page's file."""
        return (self.folder / "pages" / f"{slug}.html").read_text(encoding="utf-8")


def events_of(run: AgentRun, kind: str) -> list[Event]:
    """The run's events of a type."""
    journal = run.journal
    assert isinstance(journal, MemoryJournal)
    return [event for event in journal.events[run.state.run_id] if event.type == kind]


__all__ = [
    "CSS",
    "SESSION",
    "Emitter",
    "RunModel",
    "Studio",
    "events_of",
    "fenced",
    "material_of",
    "nested",
    "page",
    "task_of",
]
