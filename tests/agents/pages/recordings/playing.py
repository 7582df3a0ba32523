"""Plays a recorded job of the pages agent at a strict endpoint: its dialogue and what its tools ask, answered by hand.

Pages that one answer asks for are written side by side, so an answer names what it is to: the dialogue, or a tool's
task with the page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun
from loopwright.kernel.events import Event, ModelResponse
from loopwright.kernel.ports import DeltaSink, ModelRequest, RunRecord
from loopwright.kernel.testing.runs import Reply, as_response
from tests.agents.pages.studio import material_of, task_of
from tests.e2e.strict_jobs import played
from tests.support.application import settings_in
from tests.support.pages_model import NESTED
from tests.support.strict_client import StrictClient
from tests.support.strict_endpoint import PROFILES

DIALOGUE = "dialogue"


class Unanswered(AssertionError):
    """Nobody has written an answer to this request."""


def asked_of(request: ModelRequest) -> str:
    """What a request is about: the dialogue, or a tool's task and its page."""
    task = task_of(request)
    return " ".join(filter(None, (task, material_of(request).get("slug", "")))) if task in NESTED else DIALOGUE


@dataclass
class ByHand:
    """The answers of a recording, each given once, in their order."""

    answers: list[Mapping[str, Any]]
    unanswered: list[ModelRequest] = field(default_factory=list)

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """The next answer to what is asked.

        Raises:
            Unanswered: there is none.
        """
        asked = asked_of(request)
        found = next((answer for answer in self.answers if answer["to"] == asked), None)
        if found is None:
            self.unanswered.append(request)
            raise Unanswered(asked)
        self.answers.remove(found)
        text = str(found.get("text", ""))
        calls: Reply = [(name, given) for call in found.get("calls", ()) for name, given in call.items()]
        return as_response(calls, len(self.answers)).model_copy(update={"text": text}) if calls else as_response(text)


@dataclass
class Played:
    """A job as it was played: what its run came to, the requests as they stood on the wire, and the pages."""

    record: RunRecord
    events: list[Event]
    bodies: list[tuple[str, dict[str, Any]]]
    refused: list[str]
    by_hand: ByHand
    folder: Path

    def page(self, slug: str) -> str:
        """A page as it is stored."""
        return (self.folder / "pages" / f"{slug}.html").read_text(encoding="utf-8")


def recording(path: Path) -> dict[str, Any]:
    """A recorded job."""
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


async def play(job: Mapping[str, Any], folder: Path, **settings: Any) -> Played:
    """The run of the job's brief, with the answers that are recorded."""
    by_hand = ByHand(list(job["answers"]))
    client = StrictClient(PROFILES["openai"], "native", by_hand, {})
    async with Loopwright.open(settings_in(folder, **settings)) as application:
        application.model = client
        record = await played(application, NewRun(job["brief"]))
        events = list(await application.stores.journal.read(record.run_id))
        session = await application.stores.sessions.get(record.session_id)
        return Played(
            record, events, client.endpoint.bodies, client.endpoint.refused, by_hand, Path(session.output_dir)
        )
