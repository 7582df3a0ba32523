"""Serving one editor over stdin and stdout."""

import asyncio
import functools
import logging
import os
import stat
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from acp import PROTOCOL_VERSION, Agent, RequestError, run_agent
from acp.helpers import update_current_mode
from acp.interfaces import Client
from acp.schema import (
    AgentCapabilities,
    AuthenticateResponse,
    ConfigOptionUpdate,
    EmbeddedResourceContentBlock,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResourceContentBlock,
    SessionCapabilities,
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
    SessionInfo,
    SessionListCapabilities,
    SessionMode,
    SessionModeState,
    SetSessionConfigOptionResponse,
    SetSessionModeResponse,
    TextContentBlock,
    TextResourceContents,
)

from loopwright import __version__
from loopwright.agents.ide.commands.acp_translating import Translator, Turn
from loopwright.agents.ide.contracts import IdeOptions
from loopwright.agents.ide.index.codebase_index import IndexWatches
from loopwright.agents.ide.usecases import (
    begin_conversation,
    conversation,
    conversations,
    existing_root,
    message_for,
    project_at,
)
from loopwright.app.answering import cancel_run
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import create_run
from loopwright.kernel.errors import InvalidInput, LoopwrightError, NotFound
from loopwright.kernel.state import TERMINAL
from loopwright.stores.sessions import SessionRecord

# The user's switches as session modes and config options; only the client sets them.

MODES = {
    "agent": ("Agent", "Works on the project; changes and commands need your permission."),
    "chat": ("Chat", "Answers questions; reads the project and changes nothing."),
}
ON_OFF = {"on": "On", "off": "Off"}
QA = {"auto": "Where nothing was tested", **ON_OFF}


def modes(options: IdeOptions) -> SessionModeState:
    """The modes, and the one that the user has chosen."""
    available = [SessionMode(id=name, name=title, description=text) for name, (title, text) in MODES.items()]
    return SessionModeState(current_mode_id=options.mode, available_modes=available)


def config_options(options: IdeOptions) -> list[SessionConfigOptionSelect]:
    """All switches: mode, reasoning, QA."""
    by_mode = {name: title for name, (title, _) in MODES.items()}
    return [
        _select("mode", "Mode", "Whether it works or answers.", "mode", options.mode, by_mode),
        _select(
            "reasoning",
            "Reasoning",
            "Whether every stage shows its reasoning.",
            "thought_level",
            _on(options.reasoning),
            ON_OFF,
        ),
        _select("qa", "QA review", "Whether a reviewer reports beside the answer.", None, _qa(options.qa), QA),
    ]


def switched(options: IdeOptions, config_id: str, value: object) -> IdeOptions:
    """The switches after the user has turned one.

    Raises:
        InvalidInput: there is no such switch, or it has no such position.
    """
    positions: Mapping[str, Mapping[str, Any]] = {
        "mode": {name: name for name in MODES},
        "reasoning": {"on": True, "off": False},
        "qa": {"auto": None, "on": True, "off": False},
    }
    known = positions.get(config_id)
    if known is None:
        raise InvalidInput(f"There is no option {config_id!r}.", hint=f"The options are: {', '.join(positions)}.")
    if not isinstance(value, str) or value not in known:
        raise InvalidInput(f"{config_id} cannot be {value!r}.", hint=f"It is one of {', '.join(known)}.")
    return options.model_copy(update={config_id: known[value]})


def _qa(value: bool | None) -> str:
    return "auto" if value is None else _on(value)


def _on(value: bool) -> str:
    return "on" if value else "off"


def _select(
    identifier: str, name: str, description: str, category: Any, current: str, choices: Mapping[str, str]
) -> SessionConfigOptionSelect:
    return SessionConfigOptionSelect(
        type="select",
        id=identifier,
        name=name,
        description=description,
        category=category,
        current_value=current,
        options=[SessionConfigSelectOption(value=value, name=title) for value, title in choices.items()],
    )


# A prompt's blocks as one message.


def text_of(blocks: Sequence[Any]) -> str:
    """The message: texts as they are, linked resources by name and address, embedded ones with their text.

    Raises:
        InvalidInput: a block is of a kind that was not offered.
    """
    return "\n".join(_text(block) for block in blocks).strip()


def _text(block: Any) -> str:
    match block:
        case TextContentBlock():
            return block.text
        case ResourceContentBlock():
            return f"[{block.name}]({block.uri})"
        case EmbeddedResourceContentBlock(resource=TextResourceContents() as resource):
            return f"From {resource.uri}:\n````\n{resource.text}\n````"
    raise InvalidInput(
        f"A prompt may not have a block of type {getattr(block, 'type', '?')!r}.", hint="Send text, or link the file."
    )


# The agent as the protocol sees it: sessions are conversations, prompts are runs.

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")
INVALID_PARAMS, INTERNAL_ERROR, NOT_FOUND = -32602, -32603, -32002
SWITCHES = "switches"
"""Where a conversation's metadata hold what its user has switched."""
MOST_SESSIONS = 100
MOST_RUNS = 200


def spoken(work: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Answer expected errors as the protocol does, with what to do next."""

    @functools.wraps(work)
    async def answered(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await work(*args, **kwargs)
        except LoopwrightError as error:
            code = NOT_FOUND if isinstance(error, NotFound) else INTERNAL_ERROR
            code = INVALID_PARAMS if isinstance(error, InvalidInput) and code == INTERNAL_ERROR else code
            raise RequestError(code, error.message, {"code": error.code, "hint": error.hint}) from error

    return answered


class IdeAgent:
    """An `acp.Agent` over it. `defaults` are the switches of new sessions, `watches` follow their projects."""

    def __init__(self, application: Loopwright, defaults: IdeOptions, watches: IndexWatches) -> None:
        """Wait for a client."""
        self._application = application
        self._watches = watches
        self._defaults = defaults
        self._turns: dict[str, Turn] = {}
        self._client: Client | None = None

    def on_connect(self, conn: Client) -> None:
        """Keep the client's end of the connection."""
        self._client = conn

    @property
    def client(self) -> Client:
        """Whoever is connected."""
        assert self._client is not None, "requests come over a connection"  # noqa: S101
        return self._client

    async def initialize(self, protocol_version: int, **kwargs: Any) -> InitializeResponse:
        """Say what this agent can do."""
        return InitializeResponse(
            protocol_version=min(protocol_version, PROTOCOL_VERSION) or PROTOCOL_VERSION,
            agent_info=Implementation(name="loopwright", title="Loopwright", version=__version__),
            agent_capabilities=AgentCapabilities(
                load_session=True,
                prompt_capabilities=PromptCapabilities(embedded_context=True),
                session_capabilities=SessionCapabilities(list=SessionListCapabilities()),
            ),
            auth_methods=[],
        )

    async def authenticate(self, method_id: str, **kwargs: Any) -> AuthenticateResponse | None:
        """Refuse: whoever may start this program may use it.

        Raises:
            RequestError: always.
        """
        raise RequestError(INVALID_PARAMS, f"There is no authentication method {method_id!r}; none is needed.")

    @spoken
    async def new_session(
        self, cwd: str, mcp_servers: Sequence[Any] | None = None, **kwargs: Any
    ) -> NewSessionResponse:
        """Begin a conversation about the project at `cwd`."""
        _leave_out(mcp_servers)
        root = _absolute(cwd)
        project = project_at(self._application.settings.home, root)
        session = await begin_conversation(self._application, root)
        self._watches.add(project.index)
        options = await self._switch(session.session_id, self._defaults)
        return NewSessionResponse(
            session_id=session.session_id, modes=modes(options), config_options=list(config_options(options))
        )

    @spoken
    async def load_session(
        self, cwd: str, session_id: str, mcp_servers: Sequence[Any] | None = None, **kwargs: Any
    ) -> LoadSessionResponse:
        """Take up a conversation: all that was said and done in it is told again."""
        _leave_out(mcp_servers)
        session = await conversation(self._application, session_id)
        root = existing_root(session.output_dir)
        if _absolute(cwd) != root:
            raise InvalidInput(f"Conversation {session_id} is about {root}, not about {cwd}.")
        for run in reversed(await self._application.stores.runs.find(session_id=session_id, limit=MOST_RUNS)):
            translator = Translator(root, history=True)
            for event in await self._application.stores.journal.read(run.run_id):
                for update in translator.updates(event):
                    await self.client.session_update(session_id, update)
        self._watches.add(project_at(self._application.settings.home, root).index)
        options = self._options(session)
        return LoadSessionResponse(modes=modes(options), config_options=list(config_options(options)))

    @spoken
    async def list_sessions(self, cwd: str | None = None, **kwargs: Any) -> ListSessionsResponse:
        """The conversations, newest first; those about one project where `cwd` names it."""
        root = _absolute(cwd) if cwd is not None else None
        found = await conversations(self._application, root, MOST_SESSIONS)
        return ListSessionsResponse(
            sessions=[
                SessionInfo(
                    session_id=each.session_id,
                    cwd=each.output_dir,
                    title=each.title or None,
                    updated_at=each.updated_at.isoformat(),
                )
                for each in found
            ]
        )

    @spoken
    async def set_session_mode(self, session_id: str, mode_id: str, **kwargs: Any) -> SetSessionModeResponse:
        """The user turns the mode."""
        options = await self._turned(session_id, "mode", mode_id)
        update = ConfigOptionUpdate(session_update="config_option_update", config_options=list(config_options(options)))
        await self.client.session_update(session_id, update)
        return SetSessionModeResponse()

    @spoken
    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **kwargs: Any
    ) -> SetSessionConfigOptionResponse:
        """The user turns a switch."""
        options = await self._turned(session_id, config_id, value)
        if config_id == "mode":
            await self.client.session_update(session_id, update_current_mode(options.mode))
        return SetSessionConfigOptionResponse(config_options=list(config_options(options)))

    @spoken
    async def prompt(self, session_id: str, prompt: Sequence[Any], **kwargs: Any) -> PromptResponse:
        """Carry out a message; the answer comes when its run is over."""
        session = await conversation(self._application, session_id)
        text = text_of(prompt)
        await self._let_go(session_id)
        new = await message_for(self._application, text, self._options(session), session_id=session_id)
        record = await create_run(self._application, new)
        if not session.title:
            await self._application.stores.sessions.update(session_id, title=" ".join(text.split())[:80])
        turn = self._turns[session_id] = Turn(self._application, self.client, record, existing_root(session.output_dir))
        try:
            return PromptResponse(stop_reason=await turn.carry_out())
        finally:
            del self._turns[session_id]

    async def cancel(self, session_id: str, **kwargs: Any) -> None:
        """Stop what the conversation is doing, if it does anything."""
        turn = self._turns.get(session_id)
        if turn is not None:
            await turn.cancel()

    async def _let_go(self, session_id: str) -> None:
        """End a run that an earlier connection has left, waiting or half done: the user has gone on."""
        if session_id in self._turns:
            return
        for run in await self._application.stores.runs.find(session_id=session_id, limit=1):
            if run.status == "waiting_input" or (run.status not in TERMINAL and not run.owner_alive):
                log.warning("run %s was left %s; the new prompt ends it", run.run_id, run.status)
                await cancel_run(self._application, run.run_id)

    async def _turned(self, session_id: str, config_id: str, value: object) -> IdeOptions:
        session = await conversation(self._application, session_id)
        return await self._switch(session_id, switched(self._options(session), config_id, value))

    async def _switch(self, session_id: str, options: IdeOptions) -> IdeOptions:
        await self._application.stores.sessions.update(session_id, metadata={SWITCHES: options.model_dump(mode="json")})
        return options

    def _options(self, session: SessionRecord) -> IdeOptions:
        """What the user has switched; what needs no yes is said anew by whoever starts the program."""
        kept = IdeOptions.model_validate(session.metadata.get(SWITCHES, {}))
        return kept.model_copy(
            update={"allowed": self._defaults.allowed, "project_prompts": self._defaults.project_prompts}
        )


def _absolute(cwd: str) -> Path:
    if not Path(cwd).is_absolute():
        raise InvalidInput(f"cwd {cwd!r} is not absolute.", hint="Send the project's absolute path.")
    return existing_root(cwd)


def _leave_out(mcp_servers: Sequence[Any] | None) -> None:
    if mcp_servers:
        names = ", ".join(str(server.name) for server in mcp_servers)
        log.warning("this agent has its own tools and uses no MCP servers; left out: %s", names)


LONGEST_MESSAGE = 50_000_000
"""Bytes of one message of the client: its prompts may embed files."""


async def serve(application: Loopwright, defaults: IdeOptions) -> int:
    """Serve until the client closes its end. stdout is the protocol's alone: what else is printed goes to stderr.

    Raises:
        InvalidInput: stdin or stdout leads to no client.
    """
    _check_ends()
    reader, writer = await _streams()
    async with IndexWatches(log.warning) as watches:
        agent = cast(Agent, IdeAgent(application, defaults, watches))  # the SDK answers "method not found" for the rest
        await run_agent(agent, writer, reader)
    return 0


def _check_ends() -> None:
    """Refuse ends that cannot be waited on, such as files and /dev/null.

    Raises:
        InvalidInput: nobody is at the other end.
    """
    for name, end in (("stdin", sys.stdin), ("stdout", sys.stdout)):
        mode = os.fstat(end.fileno()).st_mode
        if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or end.isatty()):
            raise InvalidInput(
                f"{name} is not a pipe, so there is no editor at its other end.",
                hint="Let the editor start this command: loopwright ide --acp",
            )


async def _streams() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    protocol_end = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    reader = asyncio.StreamReader(limit=LONGEST_MESSAGE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop=loop), protocol_end
    )
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)
