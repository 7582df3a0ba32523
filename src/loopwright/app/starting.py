"""Use case: a user's message becomes a run."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopwright.app.intake import MAX_IMAGES, Image, check_message, read_image
from loopwright.app.loopwright import Loopwright
from loopwright.app.seeding import seed_from
from loopwright.kernel.crash import crash_point
from loopwright.kernel.errors import Conflict, InvalidInput
from loopwright.kernel.events import Payload, RunCreated, UserMessage
from loopwright.kernel.ports import RunRecord
from loopwright.kernel.run_states import TERMINAL
from loopwright.kernel.state import RunState


@dataclass(frozen=True)
class NewRun:
    """What the user wants.

    `images` are files or data URLs. `output_dir` is the folder in which a new session gets its own; `folder` is the
    session's own folder itself, for agents that work in a folder of the user's. An existing session keeps its folder.
    `options` are the agent's own parameters of this run.
    """

    message: str
    agent: str = "pages"
    session_id: str | None = None
    images: Sequence[str | Path] = ()
    output_dir: Path | None = None
    folder: Path | None = None
    options: dict[str, Any] = field(default_factory=dict)


async def create_run(house: Loopwright, new: NewRun) -> RunRecord:
    """Check everything, then store the session and the queued run; nothing is executed yet.

    Raises:
        InvalidInput: the message or an image cannot be used.
        NotFound: there is no such session or agent.
        Conflict: the session has a run that is not over.
    """
    text = check_message(new.message)
    if len(new.images) > MAX_IMAGES:
        raise InvalidInput(f"{len(new.images)} images were given; at most {MAX_IMAGES} are taken.")
    images = [read_image(source) for source in new.images]
    house.toolbox(new.agent)
    payloads: list[Payload] = []
    if new.session_id is None:
        session = await _create_session(house, new, text)
    else:
        session = await house.stores.sessions.get(new.session_id)
        if session.agent != new.agent:
            raise InvalidInput(f"Session {session.session_id} belongs to the agent {session.agent!r}.")
        payloads = await _earlier(house, session.session_id)
    options = house.settings.run_options | new.options
    if images:
        options["images"] = save_images(Path(session.output_dir), images)
    created = RunCreated(session_id=session.session_id, agent=new.agent, options=options)
    events = [created, *payloads, UserMessage(text=text)]
    record = await house.stores.runs.create(session.session_id, new.agent, text, events, alone=True)
    crash_point("run.created")
    return record


async def start_run(house: Loopwright, new: NewRun) -> RunRecord:
    """Create the run and let it execute in the background."""
    record = await create_run(house, new)
    house.dispatcher.dispatch(record.run_id, reason="started")
    return record


async def _create_session(house: Loopwright, new: NewRun, text: str) -> Any:
    session_id = uuid.uuid4().hex[:12]
    folder = (new.folder or (new.output_dir or house.settings.output_dir) / session_id).resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"The folder {folder} cannot be used: {error.strerror}.") from error
    title = " ".join(text.split())[:80]
    return await house.stores.sessions.create(
        session_id=session_id, agent=new.agent, title=title, output_dir=str(folder)
    )


async def _earlier(house: Loopwright, session_id: str) -> list[Payload]:
    """What the session's last run hands on; a run that is not over refuses a new one beside it."""
    records = await house.stores.runs.find(session_id=session_id, limit=1)
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
    seeded = seed_from(RunState.fold(last.run_id, await house.stores.journal.read(last.run_id)))
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
