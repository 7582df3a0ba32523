"""Use cases on a session's design system: its tokens, what a change would touch, changing them, going back."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loopwright.agents.pages.context.card import refresh_facts
from loopwright.agents.pages.context.relevance import load_project
from loopwright.agents.pages.design.change import SchemeChoice
from loopwright.agents.pages.design.drift import DriftReport, measure_drift
from loopwright.agents.pages.design.impact import Impact, impact_lines
from loopwright.agents.pages.design.tokens import DesignSystem, read_design_system
from loopwright.agents.pages.promises.keeping import load_app, load_promises
from loopwright.agents.pages.promises.replay import newly_broken
from loopwright.agents.pages.promises.wording import findings, refusal
from loopwright.agents.pages.services import pages_stores
from loopwright.agents.pages.store.design_systems import DesignVersionRecord
from loopwright.agents.pages.tools.design import impact_on
from loopwright.agents.pages.usecases.live_pages import workspace_of
from loopwright.agents.pages.workspace import Workspace
from loopwright.app.loopwright import Loopwright
from loopwright.kernel.errors import Conflict, NotFound


@dataclass(frozen=True)
class Design:
    """A session's design system as it lies in its folder, and how far each page has drifted from it."""

    system: DesignSystem
    version: int | None
    drift: dict[str, DriftReport]

    def to_wire(self) -> dict[str, Any]:
        """The design system as JSON data."""
        tokens = [
            {"name": token.name, "kind": token.kind, "light": token.light, "dark": token.dark}
            for token in self.system.tokens.values()
        ]
        return {
            "version": self.version,
            "has_both_schemes": self.system.has_both_schemes,
            "tokens": tokens,
            "components": list(self.system.components),
            "utilities": list(self.system.utilities),
            "drift": {slug: report.model_dump(mode="json", exclude_none=True) for slug, report in self.drift.items()},
        }


@dataclass(frozen=True)
class Change:
    """A change of tokens: what it touches, in data and in lines, and the sheet that it makes."""

    impact: Impact
    css: str

    @property
    def lines(self) -> list[str]:
        """The impact as people read it."""
        return impact_lines(self.impact)

    def to_wire(self) -> dict[str, Any]:
        """The impact as JSON data."""
        return {"impact": self.impact.model_dump(mode="json"), "lines": self.lines}


async def design_of(application: Loopwright, session_id: str) -> Design:
    """The session's design system.

    Raises:
        NotFound: there is no such session, or it has no design system yet.
    """
    workspace = await workspace_of(application, session_id)
    css = workspace.read_design_system()
    if not css.strip():
        raise NotFound(f"Session {session_id} has no design system yet.")
    versions = await (await pages_stores(application)).design_systems.versions(session_id)
    return await asyncio.to_thread(_read, workspace, css, versions[0].version if versions else None)


def _read(workspace: Workspace, css: str, version: int | None) -> Design:
    drift = {file.slug: measure_drift(workspace.read_page(file.slug) or "", css) for file in workspace.page_files()}
    return Design(read_design_system(css), version, drift)


async def measure_change(
    application: Loopwright, session_id: str, changes: Mapping[str, str], scheme: SchemeChoice
) -> Change:
    """What a change of tokens would touch; nothing is written.

    Raises:
        NotFound: there is no such session, or it has no design system.
        InvalidInput: there is no such token, or a value is none for it.
    """
    workspace = await workspace_of(application, session_id)
    return Change(*await asyncio.to_thread(impact_on, workspace, changes, scheme))


async def apply_change(
    application: Loopwright, session_id: str, changes: Mapping[str, str], scheme: SchemeChoice
) -> tuple[Change, DesignVersionRecord]:
    """Change the tokens, as a new version of the sheet and in the session's folder.

    Raises:
        NotFound: there is no such session, or it has no design system.
        InvalidInput: there is no such token, or a value is none for it.
        Conflict: a promise to the user would not hold any more.
    """
    stores = await pages_stores(application)
    change = await measure_change(application, session_id, changes, scheme)
    await _refuse_broken(application, session_id, change.css, "Changing these tokens")
    workspace = await workspace_of(application, session_id)
    record = await stores.design_systems.save(
        session_id, change.css, source="tokens", description=change.lines[0], on_disk=workspace.read_design_system()
    )
    workspace.write_design_system(change.css)
    await refresh_facts(stores, session_id, workspace)
    return change, record


async def design_versions(application: Loopwright, session_id: str) -> list[DesignVersionRecord]:
    """The versions of the session's design system, newest first.

    Raises:
        NotFound: there is no such session.
    """
    await application.stores.sessions.get(session_id)
    return await (await pages_stores(application)).design_systems.versions(session_id)


async def restore_design(application: Loopwright, session_id: str, version: int | None = None) -> DesignVersionRecord:
    """Make an old version of the sheet current again, or undo the newest change; the file follows.

    Raises:
        NotFound: there is no such session or version.
        Conflict: there is nothing to undo, or a promise to the user would not hold any more.
    """
    stores = await pages_stores(application)
    workspace = await workspace_of(application, session_id)
    on_disk = workspace.read_design_system()
    what = "Restoring" if version is not None else "Going back to"
    if version is None:
        version = await stores.design_systems.undo_target(session_id, on_disk=on_disk)
    css = await stores.design_systems.css(session_id, version)
    await _refuse_broken(application, session_id, css, f"{what} version {version} of the design system")
    record = await stores.design_systems.restore(session_id, version, on_disk=on_disk)
    workspace.write_design_system(await stores.design_systems.css(session_id, record.version))
    await refresh_facts(stores, session_id, workspace)
    return record


async def _refuse_broken(application: Loopwright, session_id: str, css: str, what: str) -> None:
    stores = await pages_stores(application)
    project = await load_project(stores, session_id, await workspace_of(application, session_id))
    before = await load_app(stores, session_id, project)
    promises = await load_promises(stores, session_id)
    newly, _ = await newly_broken(promises, before, before.restyled(css), None)
    if newly:
        withdrawals = "; ".join(f"loopwright pages withdraw {session_id} {each.promise.id}" for each in newly)
        raise Conflict(
            " ".join([refusal(newly, what), *findings(newly)]), hint=f"To give a promise up first: {withdrawals}"
        )
