"""A scripted model server for the pages agent: the dialogue plays a script, what tools ask is answered by its task.

Calls of `generate_page` run side by side, so their requests come in no fixed order; they are told apart by the task
that every system message names. `trouble` holds replies that come first for a task: misbehaviour at that very moment.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.agents.pages.studio import CSS, fenced, page
from tests.support.model_server import ModelServer, Reply, Request, calls, status, text

NESTED = {"pages/design-system", "pages/generate-page", "pages/edit-page", "kernel/compact"}


@dataclass(frozen=True)
class Turn:
    """One answer in the dialogue: words, or tool calls."""

    words: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


def call(name: str, **arguments: Any) -> Turn:
    """A turn with one tool call."""
    return Turn(calls=((name, arguments),))


def native(*turns: Turn | Reply) -> list[Reply]:
    """The turns as an endpoint with tool calls of its own sends them."""
    return [_native(turn) if isinstance(turn, Turn) else turn for turn in turns]


def _native(turn: Turn) -> Reply:
    return calls(*turn.calls, content=turn.words) if turn.calls else text(turn.words, piece=40)


def schema(*turns: Turn) -> list[Reply]:
    """The turns as schema-constrained steps: one JSON object each, one call at a time."""
    steps: list[dict[str, Any]] = []
    for turn in turns:
        steps += [{"tool": name, "arguments": arguments} for name, arguments in turn.calls]
        steps += [{"answer": turn.words}] if not turn.calls else []
    return [text(json.dumps(step), piece=40) for step in steps]


def task_of(request: Request) -> str:
    """The task that the request's header names."""
    return request.headers["x-loopwright-task"]


def material_of(request: Request) -> dict[str, Any]:
    """The JSON object that a tool put to the model."""
    material: dict[str, Any] = json.loads(request.body["messages"][1]["content"])
    return material


def usable(request: Request) -> Reply:
    """What a good model answers to a tool."""
    task, material = task_of(request), material_of(request)
    if task == "pages/design-system":
        return text(fenced("css", CSS), piece=2_000)
    if task == "pages/generate-page":
        links = [entry["slug"] for entry in material["sitemap"]]
        return text(fenced("html", page(material["slug"], links, title=material["title"])), piece=2_000)
    if task == "pages/edit-page":
        return text(edit_blocks(material), piece=2_000)
    return status(400, f"no reply is known for {task}")


def edit_blocks(material: dict[str, Any]) -> str:
    """An edit that makes the instructions the page's heading."""
    heading = re.search(r"<h1>.*?</h1>", material["html"])
    assert heading is not None
    block = f"<<<<<<< SEARCH\n{heading[0]}\n=======\n<h1>{material['instructions']}</h1>\n>>>>>>> REPLACE"
    return f"{block}\nThe heading is new."


@dataclass
class PagesModelServer(ModelServer):
    """Plays the script for the dialogue; answers tools by their task, after that task's `trouble`."""

    trouble: dict[str, list[Reply]] = field(default_factory=dict)
    dialogue: list[Request] = field(default_factory=list)
    """The requests of the dialogue, without those of tools."""

    def play(self, script: Sequence[Reply]) -> None:
        """Go on with another script."""
        self.assert_done()
        self.script = script
        self.dialogue.clear()

    def reply_to(self, request: Request) -> Reply:
        """By task, or by the script."""
        task = task_of(request)
        if self.trouble.get(task):
            return self.trouble[task].pop(0)
        if task in NESTED:
            return usable(request)
        self.dialogue.append(request)
        index = len(self.dialogue) - 1
        return self.script[index] if index < len(self.script) else status(400, "the script is at its end")

    def assert_done(self) -> None:
        """Fail unless the dialogue took the whole script and nothing more, and all trouble has come."""
        asked, scripted = len(self.dialogue), len(self.script)
        assert asked == scripted, f"{asked} requests of the dialogue came for {scripted} scripted replies"
        assert not any(self.trouble.values()), (
            f"trouble that never came: { {k: len(v) for k, v in self.trouble.items()} }"
        )
