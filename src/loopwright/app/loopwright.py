"""The composition root: one object that holds the wired house."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, is_dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loopwright.agents.ide.project import Projects
from loopwright.agents.pages.browser import open_browser
from loopwright.app.agents import agent
from loopwright.app.crash_points import arm_from
from loopwright.app.graph import open_graph
from loopwright.app.models import open_model, open_offline_model, prompt_repository
from loopwright.app.settings import Settings
from loopwright.app.stores import Stores
from loopwright.engine.broadcast import Broadcast
from loopwright.engine.local import LocalDispatcher
from loopwright.engine.spool import Spool
from loopwright.engine.suspects import Isolate
from loopwright.kernel.budget import Budget, BudgetLimits
from loopwright.kernel.ports import Claim, ModelClient
from loopwright.kernel.private_folders import make_private_folder
from loopwright.kernel.run import AgentRun, Toolbox
from loopwright.kernel.spec import AgentSpec
from loopwright.kernel.state import RunState
from loopwright.models.repair import repair_arguments
from loopwright.stores.database import Database
from loopwright.stores.owners import owner_id

HOME_HINT = "Set LOOPWRIGHT_HOME to a folder of Loopwright's own that you may write to."
IN_THE_HOME = frozenset({"loopwright.db", "permissions.json", "projects", "drafts", "graph.db"})
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
    toolboxes: dict[str, Toolbox]

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: Settings, *, recover: bool = False, isolate: Isolate | None = None
    ) -> AsyncIterator["Loopwright"]:
        """The house, opened and closed again.

        Args:
            settings: where the state lives and which model answers.
            recover: take over the runs of dead processes (a server does, a single command does not).
            isolate: how runs whose owner has died are carried on; without it in this process, like all others.

        Raises:
            Misconfigured: a setting is unusable.
        """
        arm_from(settings.crash_at)
        make_private_folder(settings.home.resolve(), hint=HOME_HINT, ours=IN_THE_HOME)
        async with (
            await Database.open(settings.database_url, settings.home) as database,
            open_model(settings) as model,
            open_offline_model() as offline,
            open_graph(settings) as graph,
            open_browser(settings.chromium) as browser,
        ):
            stores = Stores.of(database, graph, settings.heartbeat_seconds, browser, Projects(settings.home))
            spool = Spool(settings.home / "drafts")
            owner, broadcast = owner_id(), Broadcast(spool)
            house: Loopwright

            async def build(state: RunState, claim: Claim) -> AgentRun:
                return await house.assemble(state, claim)

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
            house = cls(settings, stores, model, offline, broadcast, dispatcher, owner, {})
            try:
                if recover:
                    spool.sweep()
                    await dispatcher.recover()
                yield house
            finally:
                await dispatcher.close()

    async def assemble(self, state: RunState, claim: Claim) -> AgentRun:
        """Put a run together from its folded state."""
        toolbox = self.tailored(state)
        session = await self.stores.sessions.get(state.session_id)
        budget = Budget(toolbox.spec.limits.budget, tokens=state.tokens, usd=state.usd, usd_known=state.usd_known)
        if budget.limits.max_usd_per_session is not None:
            budget.spent_in_session = max(0.0, await self.stores.runs.spent_in(state.session_id) - state.usd)
        if budget.limits.max_usd_per_day is not None:
            midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
            budget.spent_today = max(0.0, await self.stores.runs.spent_since(midnight) - state.usd)
        return AgentRun(
            toolbox=toolbox,
            state=state,
            claim=claim,
            journal=self.stores.journal,
            model=self.offline if state.options.get("legacy_agent") else self.model,
            rescue=self.offline if toolbox.spec.offline_rescue else None,
            services=self.stores,
            output_dir=Path(session.output_dir),
            budget=budget,
            sink=self.broadcast,
        )

    def tailored(self, state: RunState) -> Toolbox:
        """The agent's toolbox with the limits that the run's own options set; the user's settings win over both."""
        toolbox = self.toolbox(state.agent)
        fitted = toolbox.spec.tailor(toolbox.spec, state.options)
        return toolbox if fitted is toolbox.spec else replace(toolbox, spec=with_settings(fitted, self.settings))

    def toolbox(self, name: str) -> Toolbox:
        """The agent's toolbox, made once.

        Raises:
            NotFound: there is no such agent.
        """
        if name not in self.toolboxes:
            spec = with_settings(agent(name), self.settings)
            prompts = prompt_repository(self.settings, spec.name, spec.prompts)
            self.toolboxes[name] = Toolbox.of(spec, prompts, repair_arguments)
        return self.toolboxes[name]


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
