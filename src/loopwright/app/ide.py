"""Use cases of the ide agent: conversations about a project, and what the user does with it without a model."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, get_args

from loopwright.agents.ide.contracts.options import Category, IdeOptions
from loopwright.agents.ide.project import Project, Projects
from loopwright.app.answering import load_state
from loopwright.app.loopwright import Loopwright
from loopwright.app.permissions import LastingPermissions
from loopwright.app.starting import NewRun
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.stores.sessions import SessionRecord

AGENT = "ide"
CATEGORIES: tuple[Category, ...] = get_args(Category)


def switches(
    *,
    mode: Literal["chat", "agent"] = "agent",
    reasoning: bool = False,
    qa: bool = True,
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
        raise InvalidInput(f"{name!r} is no category of tools.", hint=f"They are: {', '.join(CATEGORIES)}.")
    return found


async def message_for(
    house: Loopwright, message: str, options: IdeOptions, *, root: Path | None = None, session_id: str | None = None
) -> NewRun:
    """A message about a project: in the conversation that is named, else in a new one over `root`.

    What the user has allowed in the project for good is taken into the run's options as it is now.

    Raises:
        InvalidInput: the root is no folder, not that of the conversation, or the home lies in it, or it in the home.
        NotFound: there is no such conversation.
    """
    folder = await root_of(house, root, session_id)
    project_at(house.settings.home, folder)  # refused before anything is stored
    always = LastingPermissions(house.settings.home).of(AGENT, folder)
    return NewRun(
        message=message,
        agent=AGENT,
        session_id=session_id,
        folder=folder,
        options=options.model_copy(update={"always": always}).model_dump(mode="json"),
    )


async def root_of(house: Loopwright, root: Path | None, session_id: str | None) -> Path:
    """The project's folder: that of the conversation where one is named, else `root`, else this one.

    Raises:
        InvalidInput: the root is no folder, or not that of the conversation.
        NotFound: there is no such conversation.
    """
    if session_id is None:
        return existing_root(root or ".")
    folder = existing_root((await conversation(house, session_id)).output_dir)
    if root is not None and existing_root(root) != folder:
        raise InvalidInput(
            f"Conversation {session_id} is about {folder}, not about {root}.", hint="Leave out one of the two."
        )
    return folder


def existing_root(root: Path | str) -> Path:
    """The project's folder by its one name.

    Raises:
        InvalidInput: it is no folder.
    """
    try:
        folder = Path(root).resolve()
        if folder.is_dir():
            return folder
    except (OSError, ValueError) as error:  # too long, or with a zero character
        raise InvalidInput(f"{str(root)[:100]!r} names no folder: {error}.") from error
    raise InvalidInput(f"{root} is no folder.", hint="Name the project with --root.")


def project_at(home: Path, root: Path | str) -> Project:
    """The project at a root, whose state lies in the home.

    Raises:
        InvalidInput: the root is no folder, or the home lies in it, or it in the home.
    """
    return Projects(home).at(existing_root(root))


async def conversation(house: Loopwright, session_id: str) -> SessionRecord:
    """A conversation.

    Raises:
        NotFound: there is none of this id.
        InvalidInput: the session is another agent's.
    """
    session = await house.stores.sessions.get(session_id)
    if session.agent != AGENT:
        raise InvalidInput(f"Session {session_id} belongs to the agent {session.agent!r}.")
    return session


async def project_of_conversation(house: Loopwright, session_id: str) -> Project:
    """The project that a conversation is about.

    Raises:
        NotFound: there is no such conversation.
        InvalidInput: the session is another agent's, or its folder is gone.
    """
    return project_at(house.settings.home, (await conversation(house, session_id)).output_dir)


async def begin_conversation(house: Loopwright, root: Path) -> SessionRecord:
    """An empty conversation about the project at `root`, for surfaces that name it before anything is said."""
    return await house.stores.sessions.create(agent=AGENT, output_dir=str(root))


async def conversations(house: Loopwright, root: Path | None = None, limit: int = 50) -> list[SessionRecord]:
    """Conversations, newest first; those about one project, where a root is named."""
    folder = str(existing_root(root)) if root is not None else None
    return await house.stores.sessions.find(agent=AGENT, output_dir=folder, limit=limit)


async def qa_report(house: Loopwright, run_id: str) -> dict[str, Any]:
    """The QA report of a run.

    Raises:
        NotFound: there is no such run, or QA was switched off or came to no report.
    """
    await load_state(house, run_id)
    events = await house.stores.journal.read(run_id)
    reports: list[dict[str, Any]] = [event.payload["report"] for event in events if event.type == "qa_reported"]
    if not reports:
        raise NotFound(f"Run {run_id} has no QA report.", hint="It was switched off, or the run did not come so far.")
    return reports[-1]
