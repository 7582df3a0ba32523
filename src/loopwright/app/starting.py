"""Use cases: a user's message becomes a run, and a run asks another agent."""

from __future__ import annotations

import asyncio
import base64
import binascii
import io
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwright.app.agents import is_known, package, package_options, register_spec
from loopwright.app.answering import answer_run, cancel_run, claim_for_resume, load_state
from loopwright.app.models import DiscoveringModel
from loopwright.kernel.children import ChildResult, ChildRun
from loopwright.kernel.crash import crash_point
from loopwright.kernel.errors import Conflict, InvalidInput, Misconfigured, NotFound
from loopwright.kernel.events import ContextSeeded, Payload, RunCreated, RunFailed, UserMessage
from loopwright.kernel.messages import Message, split_blocks
from loopwright.kernel.ports import RunRecord
from loopwright.kernel.state import TERMINAL, RunState

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright


# What a user hands in is checked before anything is stored.

MAX_MESSAGE = 100_000
"""Characters of one message; longer material belongs into a file."""
MAX_IMAGE_BYTES = 10_000_000
MAX_IMAGES = 3
"""Spec 000's chat takes up to three images."""
IMAGE_FORMATS = {"PNG": "png", "JPEG": "jpg", "WEBP": "webp", "GIF": "gif"}

DATA_URL = re.compile(r"data:image/[a-z0-9.+-]+;base64,(?P<data>[A-Za-z0-9+/=\s]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Image:
    """A picture that opened: its bytes and the suffix of its format."""

    data: bytes
    suffix: str


def check_message(text: str) -> str:
    """The message, when it can be worked with.

    Raises:
        InvalidInput: it is empty, or too long.
    """
    if not text.strip():
        raise InvalidInput("The message is empty.", hint="Say what you want, for example: a coffee shop app.")
    if len(text) > MAX_MESSAGE:
        raise InvalidInput(
            f"The message has {len(text):,} characters; at most {MAX_MESSAGE:,} are taken.",
            hint="Put long material into a file or an image, and say in the message what to do with it.",
        )
    return text.replace("\x00", "")


def check_agent(name: str) -> None:
    """Refuse an agent whose runs are not begun by a message with loose options.

    Raises:
        InvalidInput: naming what begins them.
        NotFound: there is no such agent.
    """
    entry = package(name).entry if is_known(name) else ""  # one in a file is found when its run begins
    if entry:
        raise InvalidInput(f"Runs of the agent {name!r} are not begun here.", hint=f"Use {entry}.")


def read_image(source: str | Path) -> Image:
    """A picture from a file, or from a base64 data URL.

    Raises:
        InvalidInput: there is no such file, it is too large, or it is not a picture that opens.
    """
    name = str(source) if isinstance(source, Path) else "the data URL"
    if isinstance(source, Path):
        if not source.is_file():
            raise InvalidInput(f"There is no image file {name}.")
        if source.stat().st_size > MAX_IMAGE_BYTES:
            raise InvalidInput(f"{name} is larger than {MAX_IMAGE_BYTES:,} bytes.")
        data = source.read_bytes()
    else:
        data = _decode(source)
    return Image(data, _suffix(data, name))


def _decode(url: str) -> bytes:
    match = DATA_URL.fullmatch(url.strip())
    if match is None:
        raise InvalidInput("An image must be a data URL such as data:image/png;base64,….")
    if len(url) > MAX_IMAGE_BYTES * 4 // 3 + 100:
        raise InvalidInput(f"The image is larger than {MAX_IMAGE_BYTES:,} bytes.")
    try:
        return base64.b64decode(match["data"], validate=False)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput(f"The image's base64 is broken: {error}.") from error


def _suffix(data: bytes, name: str) -> str:
    try:
        import PIL.Image
    except ImportError as error:
        raise Misconfigured("Images need Pillow.", hint="Install it: pip install pillow") from error
    try:
        with PIL.Image.open(io.BytesIO(data)) as picture:
            picture.verify()
            form = picture.format or ""
    except Exception as error:  # Pillow raises many kinds on hostile files; each means: not a usable picture
        raise InvalidInput(f"{name} is not an image that can be opened ({type(error).__name__}).") from error
    if form not in IMAGE_FORMATS:
        raise InvalidInput(f"{name} is {form or 'of an unknown format'}; use {', '.join(IMAGE_FORMATS)}.")
    return IMAGE_FORMATS[form]


# What a new run of a session knows of the earlier ones.

KEPT_MESSAGES = 12
"""Dialogue messages that are handed on; what lies before them is in the session's documents and in the summary."""


def seed_from(previous: RunState) -> ContextSeeded | None:
    """The dialogue of the session's last run, which was itself seeded by the one before: words, not tool traffic.

    What the model was told of a stage was about that run alone, and is left out.
    """
    dialogue = [
        Message(role=message.role, content=said)
        for message in previous.context.messages
        if message.role in ("user", "assistant") and (said := split_blocks(message.content)[0].strip())
    ]
    account = previous.account.lasting()
    if not dialogue and not previous.context.summary and not account:
        return None
    return ContextSeeded(messages=dialogue[-KEPT_MESSAGES:], summary=previous.context.summary, account=account)


@dataclass(frozen=True)
class NewRun:
    """What the user wants.

    `images` are files or data URLs. `output_dir` is the folder in which a new session gets its own; `folder` is the
    session's own folder itself, for agents that work in a folder of the user's. An existing session keeps its folder.
    `options` are the agent's own parameters of this run. `composed`: the message is not in the user's words. `run_id`
    is given where the caller must find the run again, whatever happens.
    """

    message: str
    agent: str = "pages"
    session_id: str | None = None
    images: Sequence[str | Path] = ()
    output_dir: Path | None = None
    folder: Path | None = None
    options: dict[str, Any] = field(default_factory=dict)
    composed: bool = False
    run_id: str | None = None


async def create_run(application: Loopwright, new: NewRun) -> RunRecord:
    """Check everything, then store the session and the queued run; nothing is executed yet.

    Raises:
        InvalidInput: the message or an image cannot be used.
        NotFound: there is no such session or agent.
        Conflict: the session has a run that is not over.
        Misconfigured: no model is named, and it is not clear which one of the endpoint's is meant.
    """
    text = check_message(new.message)
    if len(new.images) > MAX_IMAGES:
        raise InvalidInput(f"{len(new.images)} images were given; at most {MAX_IMAGES} are taken.")
    images = [read_image(source) for source in new.images]
    bound = application.bound.get(new.run_id or "")
    spec = (bound or application.toolbox(new.agent)).spec
    options = application.settings.run_options | package_options(new.agent) | new.options
    if isinstance(application.model, DiscoveringModel) and not options.get("legacy_agent"):
        await application.model.check_choice()
    listed = await application.tool_servers.listed(spec)
    payloads: list[Payload] = []
    if new.session_id is None:
        session = await _create_session(application, new, text)
    else:
        session = await application.stores.sessions.get(new.session_id)
        if session.agent != new.agent:
            raise InvalidInput(f"Session {session.session_id} belongs to the agent {session.agent!r}.")
        payloads = await _earlier(application, session.session_id)
    if images:
        options["images"] = save_images(Path(session.output_dir), images)
    created = RunCreated(session_id=session.session_id, agent=new.agent, options=options)
    events = [created, *([listed] if listed else []), *payloads, UserMessage(text=text, composed=new.composed)]
    record = await application.stores.runs.create(session.session_id, new.agent, text, events, new.run_id, alone=True)
    crash_point("run.created")
    return record


async def start_run(application: Loopwright, new: NewRun) -> RunRecord:
    """Create the run and let it execute in the background."""
    record = await create_run(application, new)
    application.dispatcher.dispatch(record.run_id, reason="started")
    return record


async def _create_session(application: Loopwright, new: NewRun, text: str) -> Any:
    session_id = uuid.uuid4().hex[:12]
    folder = (new.folder or (new.output_dir or application.settings.output_dir) / session_id).resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"The folder {folder} cannot be used: {error.strerror}.") from error
    title = " ".join(text.split())[:80]
    return await application.stores.sessions.create(
        session_id=session_id, agent=new.agent, title=title, output_dir=str(folder)
    )


async def _earlier(application: Loopwright, session_id: str) -> list[Payload]:
    """What the session's last run hands on; a run that is not over refuses a new one beside it."""
    records = await application.stores.runs.find(session_id=session_id, limit=1)
    if not records:
        return []
    last = records[0]
    if last.status not in TERMINAL:
        ways = {
            "waiting_input": f"loopwright runs answer {last.run_id}",
            "parked": f"loopwright runs resume {last.run_id} --anyway",
        }
        how = ways.get(last.status, "wait for it")
        raise Conflict(
            f"Run {last.run_id} of this session is {last.status}.",
            hint=f"Answer, finish or cancel it first ({how}, or loopwright runs cancel {last.run_id}).",
        )
    seeded = seed_from(RunState.fold(last.run_id, await application.stores.journal.read(last.run_id)))
    return [seeded] if seeded else []


def save_images(folder: Path, images: Sequence[Image]) -> list[str]:
    """Put the images into the session's `uploads/`; gives their names relative to the session's folder."""
    uploads = folder / "uploads"
    uploads.mkdir(parents=True, exist_ok=True)
    names = []
    for image in images:
        name = f"image-{uuid.uuid4().hex[:8]}.{image.suffix}"
        (uploads / name).write_bytes(image.data)
        names.append(f"uploads/{name}")
    return names


# Use case: a run asks another agent, and goes on with the same child run after a crash.

PARENT = "parent"
"""The option of a child run that names the run and the call which asked for it."""


@dataclass(frozen=True)
class Children:
    """The kernel's `ChildRuns` in this application."""

    app: Loopwright

    async def carry_on(self, child: ChildRun, answer: Mapping[str, Any] | None, gate_id: str | None) -> ChildResult:
        """See `ChildRuns.carry_on`."""
        register_spec(child.spec)
        self.app.bind(child.run_id, child.spec)
        if child.caller is not None:
            self.app.callers[child.run_id] = child.caller
        try:
            await self._create(child)
            await self._drive(child, answer, gate_id)
        except asyncio.CancelledError:
            await self._cancel_with_parent(child)
            raise
        finally:
            self.app.bound.pop(child.run_id, None)
            self.app.callers.pop(child.run_id, None)
        return await self._result(child.run_id)

    async def _create(self, child: ChildRun) -> None:
        try:
            await self.app.stores.runs.get(child.run_id)
        except NotFound:
            asked_by = {"run_id": child.parent_run_id, "call_id": child.parent_call_id}
            new = NewRun(child.message, agent=child.spec.name, options={PARENT: asked_by}, run_id=child.run_id)
            await create_run(self.app, new)

    async def _drive(self, child: ChildRun, answer: Mapping[str, Any] | None, gate_id: str | None) -> None:
        state = await load_state(self.app, child.run_id)
        if state.status in TERMINAL:
            return
        if state.open_gate is None:
            claim = await claim_for_resume(self.app, child.run_id)
            await self.app.dispatcher.drive(child.run_id, claim, "asked by another run")
        elif answer is not None and state.open_gate.gate_id == gate_id:
            answered = await answer_run(self.app, child.run_id, dict(answer), gate_id=gate_id)
            await self.app.dispatcher.drive(child.run_id, answered, "answered")

    async def _cancel_with_parent(self, child: ChildRun) -> None:
        """A run that the user cancels takes the child with it; one whose process ends leaves it to be resumed."""
        parent = await self.app.stores.runs.get(child.parent_run_id)
        if parent.cancel_requested:
            await cancel_run(self.app, child.run_id)

    async def _result(self, run_id: str) -> ChildResult:
        state = await load_state(self.app, run_id)
        if state.open_gate is not None:
            return ChildResult(success=False, text=state.open_gate.title, gate=state.open_gate, spent=state.spent)
        if state.status not in TERMINAL:
            raise Conflict(
                f"Run {run_id} of the agent {state.agent!r} did not come to rest here: it is {state.status}.",
                hint=f"See loopwright runs show {run_id}.",
            )
        (last,) = await self.app.stores.journal.read(run_id, state.seq - 1)
        if state.status == "completed":
            return ChildResult(success=True, text=last.payload["text"], spent=state.spent)
        told = last.payload["message"] if last.type == RunFailed.type else "The run was cancelled."
        return ChildResult(success=False, text=told, spent=state.spent)
