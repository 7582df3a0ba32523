"""Carries runs on for a program: opens the user's installation, starts or takes a run, and tells what it came to."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from pydantic import ValidationError

from loopwright.api.agents import AGENTS, Agent
from loopwright.api.building import Built
from loopwright.api.checks import calls_of
from loopwright.api.results import CANCELLED, Done, Event, Failed, Result, Waiting
from loopwright.api.tools import AgentTool
from loopwright.app.agent_files import remember, where_declared
from loopwright.app.agents import register_spec
from loopwright.app.answering import answer_run, claim_for_resume, load_state
from loopwright.app.loopwright import Loopwright
from loopwright.app.settings import Settings
from loopwright.app.starting import NewRun, create_run
from loopwright.app.watching import watch_run
from loopwright.engine.drafts import Live
from loopwright.kernel import events as ev
from loopwright.kernel.errors import Conflict, InvalidInput, Misconfigured
from loopwright.kernel.ports import ModelClient, RunClaim, RunRecord
from loopwright.kernel.state import TERMINAL

SESSIONS = "sessions"
"""Folder of the home with the sessions' own folders, where the settings name no other."""


@dataclass
class Installation:
    """The user's installation, opened once for all runs of an event loop and closed with the last of them."""

    settings: Settings
    model: ModelClient | None
    users: int = 0
    app: Loopwright | None = None
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def opened(self) -> Loopwright:
        """The installation, opened by the first that asks."""
        async with self.opening:
            if self.app is None:
                self.app = await self.stack.enter_async_context(Loopwright.open(self.settings))
                self.app.model = self.model or self.app.model
            return self.app


_installations: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[Path, int], Installation]]
_installations = WeakKeyDictionary()


@asynccontextmanager
async def opened(model: ModelClient | None, home: str | Path | None, deps: Any) -> AsyncIterator["Driver"]:
    """The installation with this home and this model, shared where it is open already, ready to carry runs on.

    Raises:
        Misconfigured: a setting is unusable.
    """
    settings = _settings(home)
    here = _installations.setdefault(asyncio.get_running_loop(), {})
    key = (settings.home.resolve(), id(model))
    installation = here.setdefault(key, Installation(settings, model))
    installation.users += 1
    try:
        yield Driver(await installation.opened(), model, deps)
    finally:
        installation.users -= 1
        if not installation.users:
            del here[key]
            await installation.stack.aclose()


def _settings(home: str | Path | None) -> Settings:
    try:
        settings = Settings() if home is None else Settings(home=Path(home))
    except ValidationError as error:
        first = error.errors()[0]
        raise Misconfigured(f"{first['loc'][0]}: {first['msg']}.", hint="Correct the environment variable.") from error
    if "output_dir" in settings.model_fields_set:
        return settings
    return settings.model_copy(update={"output_dir": settings.home / SESSIONS})


def answer_of(
    run_id: str, approve: bool | None, answers: Mapping[str, Any] | None, comment: str | None
) -> dict[str, Any] | None:
    """The answer to a gate in its wire's form, or None where nothing is answered.

    Raises:
        InvalidInput: there are two answers, or a comment without one.
    """
    if approve is not None and answers is not None:
        raise InvalidInput(f"Run {run_id} got two answers at once.", hint="Give approve=… or answers=…, not both.")
    if comment is not None and approve is None:
        raise InvalidInput(
            f"Run {run_id} got a comment without a decision.", hint="Give approve=True or approve=False."
        )
    if answers is not None:
        return {"answers": dict(answers)}
    if approve is None:
        return None
    decision = {"decision": "approve" if approve else "reject"}
    return decision if comment is None else decision | {"comment": comment}


@dataclass
class Driver:
    """One call of the public API; `deps` are those that the caller gave for its run, if any."""

    app: Loopwright
    model: ModelClient | None
    deps: Any

    async def start(self, agent: Agent[Any, Any], message: str, session: str | None) -> Result[Any]:
        """Start a run and carry it on."""
        record = await self._created(agent, message, session)
        return await self._carried_on(agent, record.run_id, None, "started")

    async def stream(
        self, agent: Agent[Any, Any], message: str, session: str | None
    ) -> AsyncGenerator[Event | Result[Any], None]:
        """Start a run, carry it on, and give what happens, and then the result."""
        record = await self._created(agent, message, session)
        watched = asyncio.Event()

        async def work() -> Result[Any]:
            await watched.wait()
            return await self._carried_on(agent, record.run_id, None, "started")

        working = asyncio.ensure_future(work())
        try:
            watching = watch_run(self.app, record.run_id, until_pause=True, begin=watched.set)
            async with aclosing(watching), aclosing(_while_working(watching, working)) as pieces:
                async for piece in pieces:
                    yield _as_event(piece)
            yield await working
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)

    async def resume(
        self, run_id: str, answer: Mapping[str, Any] | None, agent: Agent[Any, Any] | None = None
    ) -> Result[Any]:
        """Go on with a run, with the answer that it waits for or without one.

        Raises:
            Conflict: it waits for no answer, or another process carries it on.
            NotFound: there is no such run, or its agent cannot be found.
        """
        record = await self.app.stores.runs.get(run_id)
        agent = self._agent_of(record, agent)
        if answer is not None:
            claim = await answer_run(self.app, run_id, answer)
            return await self._carried_on(agent, run_id, claim, "answered")
        if record.status in TERMINAL or record.status == "waiting_input":
            return await self._result(agent, run_id)
        claim = await claim_for_resume(self.app, run_id)
        return await self._carried_on(agent, run_id, claim, "resumed by the program")

    async def _created(self, agent: Agent[Any, Any], message: str, session: str | None) -> RunRecord:
        built, run_id = self._known(agent), uuid.uuid4().hex
        self._bind(run_id, built)  # before it is there: the servers of this very agent are asked for their tools
        try:
            return await create_run(self.app, NewRun(message, agent=agent.name, session_id=session, run_id=run_id))
        except BaseException:
            self.app.bound.pop(run_id, None)
            built.deps.of_runs.pop(run_id, None)
            raise

    def _agent_of(self, record: RunRecord, agent: Agent[Any, Any] | None) -> Agent[Any, Any] | None:
        """The agent that carries the run on: the given one, or what is known by its name; None for a kernel's own.

        Raises:
            Conflict: the run belongs to another agent than the given one.
            NotFound: no agent of the run's is known, and none is in the file that the home remembers.
        """
        if agent is not None and agent.name != record.agent:
            raise Conflict(
                f"Run {record.run_id} belongs to the agent {record.agent!r}, not to {agent.name!r}.",
                hint="Resume it with that agent, or with loopwright.resume(run_id).",
            )
        if agent is None and record.agent not in AGENTS:
            self.app.toolbox(record.agent)  # an installed one; or its file is loaded, and declares it
        found = agent or AGENTS.get(record.agent)
        if found is not None:
            self._bind(record.run_id, self._known(found))
        return found

    def _known(self, agent: Agent[Any, Any]) -> Built:
        """The agent, built; this process and the home know it and its sub-agents from now on."""
        built = agent.built()
        for each in _with_sub_agents(agent):
            register_spec(each.spec())
            where = where_declared(each, each.module)
            if where is not None:
                remember(self.app.settings.home, each.name, where)
        return built

    def _bind(self, run_id: str, built: Built) -> None:
        self.app.bind(run_id, built.spec)
        if self.deps is not None:
            built.deps.of_runs[run_id] = self.deps

    async def _carried_on(
        self, agent: Agent[Any, Any] | None, run_id: str, claim: RunClaim | None, reason: str
    ) -> Result[Any]:
        try:
            await self.app.dispatcher.drive(run_id, claim, reason)
        finally:
            self.app.bound.pop(run_id, None)
        result = await self._result(agent, run_id)
        if not isinstance(result, Waiting):
            self._check_script(result)
        return result

    def _check_script(self, result: Result[Any]) -> None:
        """See that a scripted model was asked for all that it had, and for nothing else.

        Raises:
            AssertionError: it was not; a note tells what the run came to.
        """
        check = getattr(self.model, "assert_done", None)
        if check is None:
            return
        try:
            check()
        except AssertionError as error:
            error.add_note(f"the run came to: {result.text}")
            raise

    async def _result(self, agent: Agent[Any, Any] | None, run_id: str) -> Result[Any]:
        """What the run has come to.

        Raises:
            Conflict: it has not come to rest: another process has it, or its store was away for too long.
        """
        record, state = await self.app.stores.runs.get(run_id), await load_state(self.app, run_id)
        journal = await self.app.stores.journal.read(run_id)
        common: dict[str, Any] = {
            "run_id": run_id,
            "session_id": record.session_id,
            "home": self.app.settings.home,
            "steps": state.spent.steps,
            "cost_usd": state.spent.usd if state.spent.usd_known else None,
            "calls": calls_of(journal),
        }
        if state.open_gate is not None:
            return Waiting(**common, gate=state.open_gate)
        if state.status == "parked":
            hint = f"loopwright runs resume {run_id} --anyway"
            return Failed(**common, code="parked", error=f"{record.deaths} processes in a row died of it.", hint=hint)
        if state.status not in TERMINAL:
            raise Conflict(
                f"Run {run_id} of agent {record.agent!r} did not come to rest here: it is {state.status}.",
                hint=f"Another process may have it: loopwright runs show {run_id}; resume it when that one is gone.",
            )
        return _ended(journal[-1], common, agent)


def _ended(last: ev.Event, common: dict[str, Any], agent: Agent[Any, Any] | None) -> Result[Any]:
    if last.type == ev.RunCompleted.type:
        text = last.payload["text"]
        form = agent.output if agent is not None else None
        return Done(**common, output=text if form is None else form.model_validate_json(text), text=text)
    if last.type == ev.RunCancelled.type:
        return Failed(**common, code=CANCELLED, error="The run was cancelled.")
    payload = last.payload
    return Failed(**common, code=payload["code"], error=payload["message"], hint=payload["hint"])


def _with_sub_agents(agent: Agent[Any, Any]) -> list[Agent[Any, Any]]:
    """The agent and all that it has as tools, each once."""
    found: list[Agent[Any, Any]] = []
    waiting = [agent]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.append(each)
            waiting += [tool.agent for tool in each.tools.values() if isinstance(tool, AgentTool)]
    return found


def _as_event(piece: ev.Event | Live) -> Event:
    if isinstance(piece, Live):
        return Event(piece.kind, piece.data)
    return Event(piece.type, piece.payload, piece.seq, piece.at)


async def _while_working(
    pieces: AsyncGenerator[ev.Event | Live, None], working: "asyncio.Future[Any]"
) -> AsyncGenerator[ev.Event | Live, None]:
    """The pieces up to where the run rests; or to where the work has failed, which brings it to no rest."""
    while True:
        following = asyncio.ensure_future(anext(pieces, None))
        try:
            await asyncio.wait({following, working}, return_when=asyncio.FIRST_COMPLETED)
            if not following.done() and working.exception() is None:
                await asyncio.wait({following})  # the run rests, and the event that tells so is on its way
            piece = following.result() if following.done() else None
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
        if piece is None:
            return
        yield piece
