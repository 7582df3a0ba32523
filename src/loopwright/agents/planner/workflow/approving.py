"""The last word on a plan, and what is kept of it."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from loopwright.agents.planner.account import broken_limit, not_so
from loopwright.agents.planner.account.calendar_file import CALENDAR, PlanCalendar, read_calendar
from loopwright.agents.planner.account.clauses import parts_of
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.exports import export_plan
from loopwright.agents.planner.facts.closing import spelled, spelled_moment
from loopwright.agents.planner.facts.diff import PlanDiff, diff_between
from loopwright.agents.planner.facts.phrases import language_for, phrases_for, say
from loopwright.agents.planner.memory import load_planning
from loopwright.agents.planner.states import APPROVED, CORRECTED, GIVEN_UP, NO_RESPONSE, REJECTED
from loopwright.agents.planner.workflow.asking import approval_of, offered_ideas, offered_variants, restored, use_tool
from loopwright.agents.planner.workflow.escalating import ended, reject
from loopwright.kernel.crash import crash_point
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest

# Keeping a settled plan: its rows in the store, its files in the session's folder (spec 004, the persistence node).

WITHOUT_DATES = ("markdown", "json")
"""What can be written of a plan that was stopped before it had a schedule."""
FORMATS = ("ics", "markdown", "json", "gantt", "html", "svg")


async def settle(run: AgentRun, state: PlanningState) -> None:
    """Store the plan with its pattern, nodes and times; doing it again changes nothing."""
    await world_model_integration(run, state)
    await persistence(run, state)


async def world_model_integration(run: AgentRun, state: PlanningState) -> None:
    """Give the plan its identity in the user's portfolio; its times take space there from now on."""
    if not state.plan_id:
        state.plan_id = f"plan-{run.state.session_id}"
    state.refinement_round += 1 if state.schedule_approved and state.adaptation_log else 0


async def persistence(run: AgentRun, state: PlanningState) -> None:
    """Write the plan's rows."""
    outline = state.roadmap or state.plan_outline
    pattern, schedule = state.selected_pattern, state.schedule
    if outline is None or pattern is None or schedule is None:
        return
    moment = datetime.now(UTC)
    root = next(node for node in outline.nodes if node.id == outline.root_id)
    await run.services.plans.settle_plan(
        {
            "plan_id": state.plan_id,
            "session_id": run.state.session_id,
            "title": root.title,
            "pattern_type": pattern.pattern_type,
            "pattern_subtype": pattern.subtype,
            "pattern_variant": pattern.variant,
            "planning_status": "complete",
            "timezone": schedule.timezone,
            "starts_at": min((block.start for block in schedule.blocks), default=None),
            "ends_at": max((block.end for block in schedule.blocks), default=None),
            "gap": schedule.gap,
            "refinement_round": state.refinement_round,
            "created_at": moment,
            "updated_at": moment,
        },
        [_node(node) for node in outline.nodes],
        [
            {
                "node_id": str(block.plan_node_id),
                "title": block.title,
                "starts_at": block.start,
                "ends_at": block.end,
                "estimated_minutes": block.estimated_minutes,
            }
            for block in schedule.blocks
        ],
    )


async def write_files(run: AgentRun, state: PlanningState) -> dict[str, str]:
    """The plan's files in the session's folder, by format."""
    from loopwright.agents.planner.exports import export_plan

    outline, schedule = state.plan_outline, state.schedule
    if outline is None:
        return {}
    formats = FORMATS if schedule is not None else WITHOUT_DATES
    files = await asyncio.to_thread(export_plan, run.output_dir, outline, state.roadmap, schedule, formats)
    return {kind: Path(path).name for kind, path in files.items()}


def _node(node: Any) -> dict[str, Any]:
    return {
        "node_id": str(node.id),
        "parent_id": str(node.parent_id) if node.parent_id is not None else None,
        "node_type": node.node_type,
        "level": node.level,
        "title": node.title,
        "status": node.status,
        "progress": node.progress,
        "recurrence": node.recurrence,
        "dependencies": [each.model_dump(mode="json") for each in node.dependencies],
        "details": {"description": node.description, "tags": node.tags, "origin": node.origin, **node.metadata},
    }


# What a change has moved: told to the user, and kept with its entry in the log.


def change_of(state: PlanningState) -> PlanDiff:
    """The change that waits for a yes, by name; empty where the plan is a new one."""
    if state.settled is None or state.schedule is None:
        return PlanDiff()
    return diff_between(PlanningState.model_validate(state.settled), state)


def note_change(state: PlanningState) -> PlanningState:
    """The state with the newest change, by name, in the last entry of its log; as it is where nothing changed."""
    if state.settled is None or not state.adaptation_log:
        return state
    *earlier, last = state.adaptation_log
    diff = change_of(state)
    impact = diff.model_dump(mode="json") | {
        "moved_count": len(diff.moved), "left_out": len(diff.gone), "added_count": len(diff.added)
    }  # fmt: skip
    noted = last.model_copy(update={"portfolio_impact": impact})
    return state.model_copy(update={"adaptation_log": [*earlier, noted]})


DAY = timedelta(days=1)
DAYS_WON = timedelta(days=6)
"""A longer time without work before the last day is told after a change."""
SHOWN_GAP = 0.005
"""A smaller distance from the best possible would be told as none."""


async def seek_approval(run: AgentRun) -> ActionResult | GateRequest:
    """Put the whole plan to the user; every approval policy ends in this one question."""
    state = await load_planning(run.services, run.state.session_id)
    if state.schedule is None:
        return ActionResult(False, "There is no schedule to approve.", NO_RESPONSE)
    details = final_details(state)
    details |= {"variants": await offered_variants(run, state), "ideas": await offered_ideas(run, state)}
    details["not_kept"] = await not_kept(run, state)
    changed = bool(run.state.options.get("replan"))
    if changed:
        details["change"] = list(change_of(state).lines())
        broken = await opposite(run, state)
        if broken:
            text = phrases_for(state.goal).text("not_made", names="; ".join(broken))
            return await give_up_change(run, text)
    given = await approval_of(
        run, "final", say("is_change_so" if changed else "is_it_so", language_for(state.goal)), details
    )
    if isinstance(given, GateRequest):
        return given
    if given.outcome == REJECTED and changed:
        return await corrected(run, given.comment)
    if given.outcome == REJECTED:
        return await reject(run, given.comment, "the plan")
    told = await use_tool(run, "summarizer", text=account(state))
    state = note_change(await load_planning(run.services, run.state.session_id))
    state.previous = state.settled if changed else None
    state.settled, state.changes = None, []
    await settle(run, state)
    await write_files(run, state)  # the account measures the files that the user gets
    crash_point("action.effect")
    return await ended(run, state, ActionResult(True, "The plan is settled.", APPROVED, text=told["text"]))


async def corrected(run: AgentRun, comment: str) -> ActionResult:
    """A no to a change leaves the plan as it was; what the user says with it is tried with the change."""
    state = await load_planning(run.services, run.state.session_id)
    if not comment.strip():
        return await give_up_change(run, phrases_for(state.goal).text("unchanged", why="").strip())
    before = restored(state).model_copy(update={"settled": state.settled, "changes": [*state.changes, comment]})
    return await ended(run, before, ActionResult(True, f"The user corrects the change: {comment}", CORRECTED))


async def give_up_change(run: AgentRun, text: str) -> ActionResult:
    """End with the plan as it was settled."""
    state = await load_planning(run.services, run.state.session_id)
    state.planning_status, state.response_text = "aborted", text
    return await ended(run, restored(state), ActionResult(False, text, GIVEN_UP, text=text))


async def opposite(run: AgentRun, state: PlanningState) -> list[str]:
    """What this change was asked for and the new calendar would break: nobody gets the opposite of their words."""
    if state.plan_outline is None or state.schedule is None:
        return []
    with TemporaryDirectory() as folder:
        await asyncio.to_thread(export_plan, Path(folder), state.plan_outline, state.roadmap, state.schedule, ("ics",))
        calendar = read_calendar(Path(folder) / CALENDAR)
    ahead = since_of_change(calendar, state)
    told: list[str] = []
    for statement in run.state.account.open:
        if statement.claim is None or not any(statement.text in words for words in state.changes):
            continue
        for claim in parts_of(statement.claim):
            value = broken_limit(ahead, claim)
            told += [f"“{statement.text}”: {value}"] if value else []
    return told


def since_of_change(calendar: PlanCalendar, state: PlanningState) -> PlanCalendar:
    """The part of the calendar that the change could still decide: what lies at or after its moment."""
    since = state.replanned_at
    kept = [each for each in calendar.entries if since is None or each.whole_day or each.start >= since]
    return PlanCalendar(tuple(kept), calendar.digest)


async def not_kept(run: AgentRun, state: PlanningState) -> list[str]:
    """What the user has stated and the calendar file of this plan would not show, measured before they say yes."""
    if not run.state.account.open or state.plan_outline is None or state.schedule is None:
        return []
    with TemporaryDirectory() as folder:
        await asyncio.to_thread(export_plan, Path(folder), state.plan_outline, state.roadmap, state.schedule, ("ics",))
        # What is said at this very question is answered by the next plan: the question stays the one that was put.
        said = [str(gate.answer.get("comment") or "") for gate in run.state.gates.values() if gate.answer]
        return not_so(run, read_calendar(Path(folder) / CALENDAR), leave_out=said)


def final_details(state: PlanningState) -> dict[str, Any]:
    """What is approved: the times, what they rest on, how good they are."""
    schedule = state.schedule
    if schedule is None:
        return {}
    blocks = [
        {"title": block.title, "start": block.start.isoformat(), "end": block.end.isoformat()}
        for block in schedule.blocks
    ]
    pattern = state.selected_pattern
    return {
        "pattern": pattern.model_dump(mode="json", exclude={"rfc"}) if pattern is not None else None,
        "timezone": schedule.timezone,
        "status": schedule.status,
        "gap": schedule.gap,
        "block_count": len(blocks),
        "blocks": blocks[:500],
        "options_tried": state.options_tried,
    }


def makespan_days(state: PlanningState) -> int:
    """Days from the first block to the last, both counted."""
    blocks = state.schedule.blocks if state.schedule is not None else []
    if not blocks:
        return 0
    return (max(block.end for block in blocks).date() - min(block.start for block in blocks).date()).days + 1


def account(state: PlanningState) -> str:
    """The plan at full length, the most important first; Summarizer brings it into the user's length and tone."""
    schedule, language = state.schedule, language_for(state.goal)
    blocks = sorted(schedule.blocks, key=lambda block: block.start) if schedule is not None else []
    if schedule is None or not blocks:
        return say("empty", language)
    weeks: dict[tuple[int, int], float] = {}
    for block in blocks:
        year, week, _ = block.start.isocalendar()
        weeks[year, week] = weeks.get((year, week), 0.0) + (block.end - block.start).total_seconds() / 3600
    (year, week), most = max(weeks.items(), key=lambda item: item[1])
    first, last = blocks[0].start, max(block.end for block in blocks)
    sentences = [
        say(
            "blocks",
            language,
            n=len(blocks),
            hours=f"{sum(weeks.values()):.0f}",
            first=spelled(first.date(), language),
            last=spelled(last.date(), language),
        ),
        say("busiest", language, week=week, year=year, hours=f"{most:.1f}"),
    ]
    if schedule.gap and schedule.gap >= SHOWN_GAP:
        sentences.append(say("gap", language, n=f"{schedule.gap:.0%}"))
    since = state.replanned_at
    if state.resolved and since is None:
        sentences.insert(0, state.resolved)
    assumed = (
        state.plan_outline.plan_context.assumptions if state.plan_outline is not None and state.sketch.parts else []
    )
    if assumed and since is None:
        sentences.insert(1, say("assumed", language, names="; ".join(assumed)))
    if since is not None:
        sentences.insert(1, change_of(state).summary(language))
        end = state.goal.deadline
        if end is not None and end - last.date() > DAYS_WON:
            free = spelled(last.date() + DAY, language), spelled(end, language)
            sentences.insert(2, say("days_won", language, first=free[0], last=free[1]))
    ahead = [block for block in blocks if since is None or block.start >= since]
    if ahead:
        soon = ", ".join(f"{block.title} ({spelled_moment(block.start, language)})" for block in ahead[:3])
        sentences.append(say("begins" if since is None else "goes_on", language, names=soon))
    for option in state.options_tried:
        words = str(option.get("option")).replace("_", " ")
        sentences.append(say("way" if option.get("chosen") else "weighed", language, name=words))
    return " ".join(sentences)
