"""The composition root: one object that holds the wired application."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, is_dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeVar

from loopwright.app.agent_files import FILE as AGENT_FILES
from loopwright.app.agent_files import find_agent
from loopwright.app.agents import package, packages
from loopwright.app.endpoints import CHOICE, MEMORY, with_choice
from loopwright.app.models import WEIGHTS, DiscoveringModel, open_model, open_offline_model, prompt_repository
from loopwright.app.settings import Settings
from loopwright.app.starting import Children
from loopwright.app.tool_servers import FILE as SERVERS
from loopwright.app.tool_servers import RESULTS, ToolServers
from loopwright.engine.drafts import Broadcast, Spool
from loopwright.engine.local import LocalDispatcher
from loopwright.engine.ownership import Isolate
from loopwright.kernel.budget import Budget, BudgetLimits
from loopwright.kernel.crash import arm
from loopwright.kernel.errors import Misconfigured
from loopwright.kernel.files import make_private_folder
from loopwright.kernel.package import AgentPackage
from loopwright.kernel.ports import ModelClient, RunClaim
from loopwright.kernel.run import AgentRun, Toolbox
from loopwright.kernel.spec import AgentSpec, Limits
from loopwright.kernel.state import RunState
from loopwright.models.answer import repair_arguments
from loopwright.models.local import FOLDER
from loopwright.stores.artifacts import SqlArtifacts
from loopwright.stores.claims import owner_id
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.migrate import Schema, tables_in
from loopwright.stores.runs import HEARTBEAT_SECONDS, SqlRuns
from loopwright.stores.sessions import SqlSessions

# Where spans and metrics go: by OpenTelemetry's own variables, if its SDK is installed (`loopwright[otel]`).

log = logging.getLogger(__name__)


@contextmanager
def telemetry(settings: Settings) -> Iterator[None]:
    """Send spans and metrics by OTLP over HTTP while this is open, where `OTEL_EXPORTER_OTLP_ENDPOINT` is set.

    A program that has set up OpenTelemetry itself (`opentelemetry-instrument`, say) keeps what it has set up.

    Raises:
        Misconfigured: the endpoint is set, and the SDK is not installed.
    """
    if not settings.otel_endpoint:
        yield
        return
    try:
        from opentelemetry import metrics, trace
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise Misconfigured(
            f"OTEL_EXPORTER_OTLP_ENDPOINT is set, and {error.name} is not installed.",
            hint='Install it: pip install "loopwright[otel]"',
        ) from error
    if isinstance(trace.get_tracer_provider(), TracerProvider):
        yield
        return
    resource = Resource.create({SERVICE_NAME: "loopwright"})
    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    meters = MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())], resource)
    trace.set_tracer_provider(tracers)
    metrics.set_meter_provider(meters)
    try:
        yield
    finally:  # what is not sent yet is sent now
        tracers.shutdown()
        meters.shutdown()


# The application.
#
# The stores of every installation, as use cases and agents see them; agents add their own (`services`).


@dataclass(frozen=True)
class Stores:
    """One store a noun."""

    database: Database
    journal: SqlJournal
    runs: SqlRuns
    sessions: SqlSessions
    artifacts: SqlArtifacts

    @classmethod
    def of(cls, database: Database, heartbeat_seconds: float = HEARTBEAT_SECONDS) -> Self:
        """The stores over an open database; an owner counts as dead when three heartbeats are lost."""
        return cls(
            database=database,
            journal=SqlJournal(database),
            runs=SqlRuns(database, expiry_seconds=4 * heartbeat_seconds),
            sessions=SqlSessions(database),
            artifacts=SqlArtifacts(database),
        )


async def prepare_tables(database: Database, declared: AgentPackage) -> None:
    """Bring the tables that an agent brings up to date: by its migrations, or those that are missing are made.

    Raises:
        Misconfigured: something that the agent needs is missing, or its tables are newer than this program.
    """
    tables = tables_in(declared.load(declared.tables)) if declared.tables else []
    if declared.migrations:
        await database.upgrade(Schema.of_agent(declared.name, declared.migrations))
    elif tables:
        await database.create(tables)


# Arms a named crash point from the settings, so that tests can kill a real process at it.


def arm_from(setting: str | None) -> None:
    """Take `point` or `point:hits`; the process then kills itself there with SIGKILL.

    Raises:
        Misconfigured: there is no such point.
    """
    if not setting:
        return
    name, _, hits = setting.partition(":")
    try:
        arm(name, lambda: os.kill(os.getpid(), signal.SIGKILL), int(hits or 1))
    except ValueError as error:
        raise Misconfigured(f"LOOPWRIGHT_CRASH_AT: {error}") from error


ServicesT = TypeVar("ServicesT")

HOME_HINT = "Set LOOPWRIGHT_HOME to a folder of Loopwright's own that you may write to."
IN_THE_HOME = frozenset(
    {"loopwright.db", "permissions.json", "drafts", AGENT_FILES, CHOICE, MEMORY, FOLDER, WEIGHTS, SERVERS, RESULTS}
)
"""Names in an installation's folder, by which it is known again."""


@dataclass
class Loopwright:
    """Everything wired together; the use cases in this package take it as their first argument."""

    settings: Settings
    stores: Stores
    model: ModelClient
    offline: ModelClient
    broadcast: Broadcast
    dispatcher: LocalDispatcher
    owner: str
    tool_servers: ToolServers
    opened: AsyncExitStack
    """Closes what agents have opened, with the application."""
    toolboxes: dict[str, Toolbox] = field(default_factory=dict)
    _services: dict[str, Any] = field(default_factory=dict)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    bound: dict[str, Toolbox] = field(default_factory=dict)
    callers: dict[str, Budget] = field(default_factory=dict)
    """By run: the budget of the run that has asked for it."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: Settings, *, recover: bool = False, isolate: Isolate | None = None
    ) -> AsyncIterator["Loopwright"]:
        """The application, opened and closed again.

        Args:
            settings: where the state lives and which model answers.
            recover: take over the runs of dead processes (a server does, a single command does not).
            isolate: how runs whose owner has died are carried on; without it in this process, like all others.

        Raises:
            Misconfigured: a setting is unusable.
        """
        arm_from(settings.crash_at)
        ours = IN_THE_HOME.union(*(each.home_names for each in packages()))
        make_private_folder(settings.home.resolve(), hint=HOME_HINT, ours=ours)
        settings = with_choice(settings)
        with telemetry(settings):
            async with cls._opened(settings, recover=recover, isolate=isolate) as app:
                yield app

    @classmethod
    @asynccontextmanager
    async def _opened(
        cls, settings: Settings, *, recover: bool, isolate: Isolate | None
    ) -> AsyncIterator["Loopwright"]:
        async with (
            await Database.open(settings.database_url, settings.home) as database,
            open_model(settings) as model,
            open_offline_model() as offline,
            AsyncExitStack() as opened,
            ToolServers.open(settings.home) as tool_servers,
        ):
            stores = Stores.of(database, settings.heartbeat_seconds)
            spool = Spool(settings.home / "drafts")
            owner, broadcast = owner_id(), Broadcast(spool)
            application: Loopwright

            async def build(state: RunState, claim: RunClaim) -> AgentRun:
                return await application.assemble(state, claim)

            dispatcher = LocalDispatcher(
                stores.runs,
                stores.journal,
                build,
                broadcast,
                owner,
                settings.heartbeat_seconds,
                runs_at_once=settings.runs_at_once,
                isolate=isolate,
            )
            application = cls(settings, stores, model, offline, broadcast, dispatcher, owner, tool_servers, opened)
            try:
                if recover:
                    spool.sweep()
                    await dispatcher.recover()
                yield application
            finally:
                await dispatcher.close()

    async def assemble(self, state: RunState, claim: RunClaim) -> AgentRun:
        """Put a run together from its folded state."""
        if isinstance(self.model, DiscoveringModel):
            await self.model.discover()
        toolbox = self.tailored(state)
        session = await self.stores.sessions.get(state.session_id)
        budget = budget_of(state, toolbox.spec.limits, self.callers.get(state.run_id))
        counted = state.spent.usd
        if budget.limits.max_usd_per_session is not None:
            budget.spent_in_session = max(0.0, await self.stores.runs.spent_in(state.session_id) - counted)
        if budget.limits.max_usd_per_day is not None:
            midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
            budget.spent_today = max(0.0, await self.stores.runs.spent_since(midnight) - counted)
        return AgentRun(
            toolbox=toolbox,
            state=state,
            claim=claim,
            journal=self.stores.journal,
            model=self.offline if state.options.get("legacy_agent") else self.model,
            fallback=self.offline if toolbox.spec.offline_fallback else None,
            children=Children(self),
            services=await self.services(state.agent),
            output_dir=Path(session.output_dir),
            budget=budget,
            sink=self.broadcast,
        )

    async def services(self, name: str, of: type[ServicesT] | None = None) -> ServicesT | Any:
        """What the tools of an agent get as `ctx.db`: opened, and its tables brought up to date, on the first use.

        An agent that brings no services gets the installation's stores.

        Args:
            name: the agent's.
            of: the class that they are of, for whoever uses them outside of runs.

        Raises:
            NotFound: there is no such agent.
            Misconfigured: something that the agent needs is missing, or its tables are newer than this program.
        """
        async with self._opening:
            if name not in self._services:
                declared = package(name)
                declared.check()
                await prepare_tables(self.stores.database, declared)
                opening = declared.load(declared.services) if declared.services else None
                entered = await self.opened.enter_async_context(opening(self)) if opening else self.stores
                self._services[name] = entered
        return self._services[name]

    def tailored(self, state: RunState) -> Toolbox:
        """The agent's toolbox with the tools and limits of this run; the user's settings win over both."""
        toolbox = self.bound.get(state.run_id) or self.toolbox(state.agent)
        fitted = self.tool_servers.widen(toolbox.spec.tailor(toolbox.spec, state.options), state.server_tools)
        if fitted is toolbox.spec:
            return toolbox
        spec = with_settings(fitted, self.settings)
        return replace(toolbox, spec=spec, registry=spec.registry(), policy=spec.policy())

    def toolbox(self, name: str) -> Toolbox:
        """The agent's toolbox, made once.

        Raises:
            NotFound: there is no such agent.
        """
        if name not in self.toolboxes:
            self.toolboxes[name] = self._boxed(find_agent(self.settings.home, name))
        return self.toolboxes[name]

    def bind(self, run_id: str, spec: AgentSpec) -> None:
        """Let this very spec carry the run on here, whatever else is registered under the agent's name."""
        self.bound[run_id] = self._boxed(spec)

    def _boxed(self, spec: AgentSpec) -> Toolbox:
        fitted = with_settings(spec, self.settings)
        return Toolbox.of(fitted, prompt_repository(self.settings, spec.name, spec.prompts), repair_arguments)


def budget_of(state: RunState, limits: Limits, caller: Budget | None) -> Budget:
    """The budget of a run that goes on from this state."""
    return Budget(
        limits.budget,
        tokens=state.tokens,
        usd=state.usd,
        usd_known=state.usd_known,
        steps=state.steps,
        max_steps=limits.max_steps,
        children=dict(state.children),
        caller=caller,
        run_id=state.run_id,
    )


def with_settings(spec: AgentSpec, settings: Settings) -> AgentSpec:
    """The agent's spec under the user's limits."""
    own = spec.limits.budget
    budget = BudgetLimits(
        max_tokens_per_run=_first(settings.max_tokens_per_run, own.max_tokens_per_run),
        max_usd_per_run=_first(settings.max_usd_per_run, own.max_usd_per_run),
        max_usd_per_session=_first(settings.max_usd_per_session, own.max_usd_per_session),
        max_usd_per_day=_first(settings.max_usd_per_day, own.max_usd_per_day),
        soft_usd_per_turn=_first(settings.soft_usd_per_turn, own.soft_usd_per_turn),
    )
    limits = replace(
        spec.limits,
        budget=budget,
        max_steps=settings.max_steps or spec.limits.max_steps,
        max_turns=settings.max_turns or spec.limits.max_turns,
        turn_seconds=settings.turn_seconds or spec.limits.turn_seconds,
        retries_per_stage=_first(settings.retries_per_stage, spec.limits.retries_per_stage),
    )
    compaction = spec.compaction
    if settings.compact_threshold and is_dataclass(compaction) and hasattr(compaction, "max_messages"):
        compaction = replace(compaction, max_messages=settings.compact_threshold)
    return replace(spec, limits=limits, compaction=compaction)


def _first(*values: Any) -> Any:
    """The first value that is set: the user's own before the agent's."""
    return next((value for value in values if value is not None), None)
