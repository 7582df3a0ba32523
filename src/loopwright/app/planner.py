"""Use cases of the planner: a goal with what limits it, settled plans, changes of them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from loopwright.app.loopwright import Loopwright
from loopwright.app.plan_policy import policy_file
from loopwright.app.starting import NewRun
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.stores.plan_records import PlanRecord

AGENT = "planner"
BUSY_HORIZON = timedelta(days=730)
"""How far ahead calendars are read."""


def present(house: Loopwright) -> datetime:
    """The moment that plans take for the present: the one that is set, else now on this machine's clock."""
    return house.settings.now or datetime.now().astimezone()


def plan_run(
    goal: str,
    *,
    now: datetime,
    start: str | None = None,
    deadline: str | None = None,
    zone: str | None = None,
    calendars: Sequence[Path] = (),
    policy: Path | None = None,
    session_id: str | None = None,
    out: Path | None = None,
) -> NewRun:
    """A goal as a run of the planner; everything that can be wrong with the options is found here.

    `now` (aware) is the moment at which the plan is asked for: nothing is planned before it. Calendars are read from
    the beginning of its day.

    Raises:
        InvalidInput: the goal is none or must not be planned; a date, zone, calendar or policy cannot be used.
    """
    from loopwright.agents.planner.intake import check_deadline, check_goal
    from loopwright.agents.planner.schedule.busy_times import read_busy
    from loopwright.agents.planner.schedule.calendar import first_instant
    from loopwright.agents.planner.schedule.problem_checks import load_zone

    check_goal(goal)
    name = zone or _zone_name(now)
    known = load_zone(name)
    today = now.astimezone(known).date()
    check_deadline(goal, today)
    begins, ends = _day(start, "--start"), _day(deadline, "--deadline")
    if ends is not None and ends < today.isoformat():
        raise InvalidInput(f"The deadline {ends} lies in the past.", hint="Give a day that is still to come.")
    if begins is not None and begins < today.isoformat():
        raise InvalidInput(f"The start {begins} lies in the past.", hint="Leave it out to start now.")
    if begins is not None and ends is not None and ends < begins:
        raise InvalidInput(f"The deadline {ends} lies before the start {begins}.")
    midnight = first_instant(today, known)
    busy = [
        (span.start.isoformat(), span.end.isoformat())
        for calendar in calendars
        for span in read_busy(calendar, midnight, midnight + BUSY_HORIZON, known)
    ]
    options: dict[str, Any] = {"timezone": name, "now": now.isoformat(), "busy": busy}
    options |= {key: value for key, value in (("start", begins), ("deadline", ends)) if value is not None}
    if policy is not None:
        options["policy"] = policy_file(policy)
    return NewRun(message=goal, agent=AGENT, session_id=session_id, output_dir=out, options=options)


async def plan_of(house: Loopwright, name: str) -> PlanRecord:
    """A settled plan by its id, or the newest one of a session.

    Raises:
        NotFound: there is none.
    """
    found = await house.stores.plans.find(session_id=name, limit=1)
    return found[0] if found else await house.stores.plans.get(name)


async def planning_of(house: Loopwright, plan: PlanRecord) -> Any:
    """The planning state in which a plan was settled.

    Raises:
        NotFound: it is gone.
    """
    from loopwright.agents.planner.contracts.state import PlanningState

    text = await house.stores.plans.load_state(plan.session_id)
    if text is None:
        raise NotFound(f"Plan {plan.plan_id} has no planning state any more.")
    return PlanningState.model_validate_json(text)


def _day(text: str | None, option: str) -> str | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).date().isoformat()
    except ValueError as error:
        raise InvalidInput(f"{option} {text!r} is no day.", hint="Write it as 2027-01-31.") from error


def _zone_name(now: datetime) -> str:
    """This machine's zone by its name, or UTC where it has none that is known everywhere."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    link = Path("/etc/localtime")
    name = str(link.resolve()).rpartition("zoneinfo/")[2] if link.exists() else ""
    try:
        return ZoneInfo(name).key if name else "UTC"
    except (ZoneInfoNotFoundError, ValueError):
        return "UTC"


def change_run(plan: PlanRecord, change: str, *, now: datetime) -> NewRun:
    """A change of a settled plan, in the user's words, as a run in the plan's session; what lies before `now` stays."""
    options = {"replan": True, "now": now.isoformat()}
    return NewRun(message=change, agent=AGENT, session_id=plan.session_id, options=options)


def show_plan(plan: PlanRecord, state: Any) -> dict[str, Any]:
    """A plan for people and programs: its outline, its times, what was changed and why."""
    from loopwright.agents.planner.workflow.approving import final_details
    from loopwright.agents.planner.workflow.asking import outline_lines

    times = [
        f"{block.start:%a %d %b %Y %H:%M}–{block.end:%H:%M}  {block.title}"
        for block in (state.schedule.blocks if state.schedule is not None else [])
    ]
    return {
        **plan.model_dump(mode="json"),
        **final_details(state),
        "lines": [*outline_lines(state), "", *times, "", *_confidence_lines(state)],
        "confidence": state.confidence,
        "judgements": {draft: judged.model_dump(mode="json") for draft, judged in state.judgements.items()},
        "interaction_policy": state.interaction_policy.model_dump(mode="json"),
        "planning_trace": [step.model_dump(mode="json") for step in state.planning_trace],
        "adaptation_log": [entry.model_dump(mode="json") for entry in state.adaptation_log],
    }


def _confidence_lines(state: Any) -> list[str]:
    """How sure the controller is of each draft, out of which scores."""
    return [
        f"Confidence in the {draft}: {judged.confidence:.0%} (the model "
        f"{'does not say' if judged.self_score is None else f'{judged.self_score:.0%}'}, rules {judged.validator:.0%}, "
        f"experience {judged.heuristics:.0%})"
        for draft, judged in state.judgements.items()
    ]


def explain_task(state: Any, question: str) -> dict[str, Any]:
    """Why a task is in the plan, and what keeps it from lying earlier.

    Raises:
        NotFound: no task has these words in its title.
    """
    from loopwright.agents.planner.explaining import explain

    return explain(state, question)


def export_files(state: Any, folder: Path, formats: Sequence[str]) -> dict[str, str]:
    """Write a plan's files into a folder; gives their names in it, by format.

    Raises:
        InvalidInput: there is no such format.
        NotFound: the plan has nothing to write.
    """
    from loopwright.agents.planner.exports import export_plan

    if state.plan_outline is None:
        raise NotFound("The plan has no outline to write.")
    wanted = [name.strip() for name in formats]
    files = export_plan(folder, state.plan_outline, state.roadmap, state.schedule, wanted)
    return {kind: Path(path).name for kind, path in files.items()}


def export_text(state: Any, kind: str) -> str:
    """A plan as the text of one file."""
    with TemporaryDirectory() as folder:
        (name,) = export_files(state, Path(folder), [kind]).values()
        return (Path(folder) / name).read_text(encoding="utf-8")
