"""What people and programs do with this agent: the commands and the routes stand on these functions."""

import asyncio
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args

from loopwright.agents.ide.contracts import Category, IdeOptions
from loopwright.agents.ide.memory import LocalMemory
from loopwright.agents.ide.project import Project, Projects
from loopwright.app.agents import packages
from loopwright.app.answering import LastingPermissions, load_state
from loopwright.app.loopwright import Loopwright, prepare_tables
from loopwright.app.settings import DATABASE, OLD_FOLDER
from loopwright.app.starting import NewRun
from loopwright.kernel.errors import Conflict, InvalidInput, Misconfigured, NotFound
from loopwright.stores.database import Database
from loopwright.stores.importing import Imported, agents_in, import_sessions
from loopwright.stores.sessions import SessionRecord

AGENT = "ide"
CATEGORIES: tuple[Category, ...] = get_args(Category)


def switches(
    *,
    mode: Literal["chat", "agent"] = "agent",
    reasoning: bool = False,
    qa: bool | None = None,
    allowed: Iterable[str] = (),
    project_prompts: bool = False,
) -> IdeOptions:
    """The user's switches of one message.

    Raises:
        InvalidInput: `allowed` names a category that does not exist.
    """
    return IdeOptions(
        mode=mode,
        reasoning=reasoning,
        qa=qa,
        allowed=[category_named("read"), *(category_named(name) for name in allowed if name != "read")],
        project_prompts=project_prompts,
    )


def category_named(name: str) -> Category:
    """The category of this name.

    Raises:
        InvalidInput: there is none.
    """
    found = next((category for category in CATEGORIES if category == name.strip()), None)
    if found is None:
        raise InvalidInput(f"{name!r} is not a category of tools.", hint=f"They are: {', '.join(CATEGORIES)}.")
    return found


async def message_for(
    application: Loopwright,
    message: str,
    options: IdeOptions,
    *,
    root: Path | None = None,
    session_id: str | None = None,
) -> NewRun:
    """A message about a project: in the conversation that is named, else in a new one over `root`.

    What the user has allowed in the project for good is taken into the run's options as it is now.

    Raises:
        InvalidInput: the root is not a folder, not that of the conversation, or the home lies in it, or it in the home.
        NotFound: there is no such conversation.
    """
    folder = await root_of(application, root, session_id)
    project_at(application.settings.home, folder)  # refused before anything is stored
    always = LastingPermissions(application.settings.home).of(AGENT, folder)
    return NewRun(
        message=message,
        agent=AGENT,
        session_id=session_id,
        folder=folder,
        options=options.model_copy(update={"always": always}).model_dump(mode="json"),
    )


async def root_of(application: Loopwright, root: Path | None, session_id: str | None) -> Path:
    """The project's folder: that of the conversation where one is named, else `root`, else this one.

    Raises:
        InvalidInput: the root is not a folder, or not that of the conversation.
        NotFound: there is no such conversation.
    """
    if session_id is None:
        return existing_root(root or ".")
    folder = existing_root((await conversation(application, session_id)).output_dir)
    if root is not None and existing_root(root) != folder:
        raise InvalidInput(
            f"Conversation {session_id} is about {folder}, not about {root}.", hint="Leave out one of the two."
        )
    return folder


def existing_root(root: Path | str) -> Path:
    """The project's folder by its one name.

    Raises:
        InvalidInput: it is not a folder.
    """
    try:
        folder = Path(root).resolve()
        if folder.is_dir():
            return folder
    except (OSError, ValueError) as error:  # too long, or with a zero character
        raise InvalidInput(f"{str(root)[:100]!r} names no folder: {error}.") from error
    raise InvalidInput(f"{root} is not a folder.", hint="Name the project with --root.")


def project_at(home: Path, root: Path | str) -> Project:
    """The project at a root, whose state lies in the home.

    Raises:
        InvalidInput: the root is not a folder, or the home lies in it, or it in the home.
    """
    return Projects(home).at(existing_root(root))


async def conversation(application: Loopwright, session_id: str) -> SessionRecord:
    """A conversation.

    Raises:
        NotFound: there is none of this id.
        InvalidInput: the session is another agent's.
    """
    session = await application.stores.sessions.get(session_id)
    if session.agent != AGENT:
        raise InvalidInput(f"Session {session_id} belongs to the agent {session.agent!r}.")
    return session


async def project_of_conversation(application: Loopwright, session_id: str) -> Project:
    """The project that a conversation is about.

    Raises:
        NotFound: there is no such conversation.
        InvalidInput: the session is another agent's, or its folder is gone.
    """
    return project_at(application.settings.home, (await conversation(application, session_id)).output_dir)


async def begin_conversation(application: Loopwright, root: Path) -> SessionRecord:
    """An empty conversation about the project at `root`, for surfaces that name it before anything is said."""
    return await application.stores.sessions.create(agent=AGENT, output_dir=str(root))


async def conversations(application: Loopwright, root: Path | None = None, limit: int = 50) -> list[SessionRecord]:
    """Conversations, newest first; those about one project, where a root is named."""
    folder = str(existing_root(root)) if root is not None else None
    return await application.stores.sessions.find(agent=AGENT, output_dir=folder, limit=limit)


async def qa_report(application: Loopwright, run_id: str) -> dict[str, Any]:
    """The QA report of a run.

    Raises:
        NotFound: there is no such run, or QA was switched off or came to no report.
    """
    await load_state(application, run_id)
    events = await application.stores.journal.read(run_id)
    reports: list[dict[str, Any]] = [event.payload["report"] for event in events if event.type == "qa_reported"]
    if not reports:
        raise NotFound(f"Run {run_id} has no QA report.", hint="It was switched off, or the run did not come so far.")
    return reports[-1]


# Use case: what an older version has left in a project's `.loopwright` is taken over, once the user says so.

MEMORY = Path("ide") / "memory.db"
LOGS = ("", "-wal")
"""Endings of the files that a SQLite database consists of."""


@dataclass(frozen=True)
class TakenOver:
    """What came along."""

    runs: Imported
    memories: int


async def take_over(application: Loopwright, folder: Path, *, memories: bool) -> TakenOver:
    """Take over finished runs with their sessions, and if wanted what was remembered of the project.

    Args:
        application: where it goes.
        folder: the old state folder, or the project that has it.
        memories: whether memories come too; they go to the project that has the folder, as if the user had added them.

    Raises:
        NotFound: there is nothing of the kind.
        Misconfigured: a file is damaged.
    """
    old = await asyncio.to_thread(_folder_meant, folder)
    with TemporaryDirectory(prefix="loopwright-") as name:
        place = Path(name)
        there = [each for each in (Path(DATABASE), MEMORY) if await asyncio.to_thread(_copy, old / each, place)]
        if not there:
            raise NotFound(f"There is no state of an older version in {old}.", hint="Name the project that has it.")
        try:
            runs = await _runs(application, place) if Path(DATABASE) in there else Imported()
        except (ValueError, TypeError) as error:
            raise Misconfigured(f"{old / DATABASE} is damaged: {error}.", hint="It cannot be taken over.") from error
        remembered = await asyncio.to_thread(_memories, application, old.parent, place) if memories else 0
        return TakenOver(runs, remembered)


def _folder_meant(folder: Path) -> Path:
    place = folder.resolve()
    return place if place.name == OLD_FOLDER else place / OLD_FOLDER


async def _runs(application: Loopwright, place: Path) -> Imported:
    async with await Database.open(None, place) as source:
        found = await agents_in(source)
        for declared in packages():
            # One that is not needed may lack something here; its tables may be known to this process all the same.
            if declared.tables and (declared.name in found or not declared.missing()):
                await prepare_tables(source, declared)
                await prepare_tables(application.stores.database, declared)
        return await import_sessions(source, application.stores.database)


def _memories(application: Loopwright, root: Path, place: Path) -> int:
    memory = project_at(application.settings.home, root).memory
    count = 0
    for entry in LocalMemory(place).list(limit=1_000):
        try:
            memory.add(entry.content, tier=entry.tier, category=entry.category)
        except Conflict:  # the tier is full: the rest does not fit either
            break
        count += 1
    return count


def _copy(source: Path, place: Path) -> bool:
    """Copy a database, which may only consist of plain files; False where there is none.

    Raises:
        InvalidInput: a link or something else stands in its place.
    """
    for ending in LOGS:
        path = source.with_name(source.name + ending)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            if not ending:
                return False
            continue
        except OSError as error:
            raise InvalidInput(f"{path} cannot be taken over: {error.strerror}.") from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise InvalidInput(f"{path} is not a file.")
        with open(descriptor, "rb") as file:
            (place / path.name).write_bytes(file.read())
    return True
