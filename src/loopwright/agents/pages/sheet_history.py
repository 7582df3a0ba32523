"""Undo and redo of the style sheet: a change of colours goes back with the message that made it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from loopwright.agents.pages.context.card import refresh_facts
from loopwright.agents.pages.design.ports import DesignVersionRow
from loopwright.agents.pages.editing.differences import fold
from loopwright.agents.pages.history import Act, Step
from loopwright.agents.pages.ports import PagesServices, PageVersionRow
from loopwright.agents.pages.workspace import Workspace

TAKEN_BACK = "Undone"
"""How the description of a sheet begins that an undo has made; a redo goes on from there."""


@dataclass(frozen=True)
class SheetStep:
    """The version of the sheet that becomes current again; `alone` says that no page goes with it."""

    version: int
    alone: bool


async def plan_sheet_step(services: PagesServices, session_id: str, step: Step, act: Act) -> SheetStep | None:
    """Whether an undo or redo of the whole session concerns the style sheet: where the newest change has touched it."""
    sheets = [each for each in await services.design_systems.versions(session_id) if not _made_by(each, act)]
    if not sheets:
        return None
    group, at = await _newest_of_pages(services, session_id, step, act)
    if step == "undo":
        target, current = _before(sheets)
    else:
        target, current = _after(sheets)
    if target is None or current is None:
        return None
    together = group is not None and _group(current) == group
    if not together and at is not None and current.created_at < at:
        return None
    return SheetStep(target, alone=not together)


def _before(sheets: Sequence[DesignVersionRow]) -> tuple[int | None, DesignVersionRow | None]:
    """What was before the sheet that is in force, and that sheet as it was made."""
    made = {each.version: each for each in sheets if each.source != "restore"}
    number = sheets[0].restored_from or sheets[0].version
    earlier = [version for version in made if version < number]
    return (max(earlier) if earlier else None), made.get(number)


def _after(sheets: Sequence[DesignVersionRow]) -> tuple[int | None, DesignVersionRow | None]:
    """What the last undo took away, and the version that the undo made; nothing where no undo was last."""
    latest = sheets[0]
    if latest.source != "restore" or latest.restored_from is None:
        return None, None
    later = [each.version for each in sheets if each.source != "restore" and each.version > latest.restored_from]
    return (min(later) if later else None), latest


async def _newest_of_pages(
    services: PagesServices, session_id: str, step: Step, act: Act
) -> tuple[str | None, datetime | None]:
    """The change of pages that an undo would take back, or the undo that a redo would take back, and when it was."""
    newest: tuple[str | None, datetime | None] = (None, None)
    for page in await services.pages.of_session(session_id, deleted=True):
        versions = [each for each in await services.pages.versions(session_id, page.slug) if not act.made(each)]
        if step == "undo":
            change = fold(versions).current
            found: tuple[str | None, datetime] | None = (change.group, change.at) if change is not None else None
        else:
            last = max(versions, key=lambda each: each.version)
            found = (_group(last), last.created_at) if last.source == "undo" else None
        if found is not None and (newest[1] is None or found[1] > newest[1]):
            newest = found
    return newest


def _group(row: DesignVersionRow | PageVersionRow) -> str | None:
    """What belongs together: what one run did, or one act of the user."""
    if row.run_id is not None:
        return f"run {row.run_id}"
    return None if row.call_id is None else f"act {row.call_id}"


def _made_by(sheet: DesignVersionRow, act: Act) -> bool:
    return act.run_id is not None and (sheet.run_id, sheet.call_id) == (act.run_id, act.call_id)


async def restore_sheet(
    services: PagesServices, session_id: str, workspace: Workspace, planned: SheetStep, step: Step, act: Act
) -> int:
    """Make the older sheet current, in the store and in the session's folder; gives the number of the new version."""
    said = f"{TAKEN_BACK if step == 'undo' else 'Redone'}: version {planned.version} again"
    row = await services.design_systems.restore(
        session_id,
        planned.version,
        on_disk=workspace.read_design_system(),
        description=said,
        run_id=act.run_id,
        call_id=act.call_id,
    )
    workspace.write_design_system(await services.design_systems.css(session_id, row.version))
    await refresh_facts(services, session_id, workspace, run_id=act.run_id)
    return row.version
