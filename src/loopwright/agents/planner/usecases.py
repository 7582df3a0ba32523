"""What people and programs do with this agent: the commands and the routes stand on these functions."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from loopwright.agents.planner.services import planner_stores
from loopwright.agents.planner.store.plans import PlanRecord
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun
from loopwright.kernel.errors import InvalidInput, NotFound

# Use cases: how a user wants to be worked with, for one plan by a file, for all by what is remembered of them.

MAX_POLICY_BYTES = 100_000


def policy_file(path: Path) -> dict[str, Any]:
    """The fields of an interaction policy that a JSON or YAML file sets.

    Raises:
        InvalidInput: it cannot be read or has a field or value that does not exist.
    """
    import yaml

    try:
        if path.stat().st_size > MAX_POLICY_BYTES:
            raise InvalidInput(f"{path} is larger than {MAX_POLICY_BYTES:,} bytes.")
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}.") from error
    return checked_policy(data or {}, str(path))


def checked_policy(data: Any, source: str = "The interaction policy") -> dict[str, Any]:
    """The fields that are set, each checked.

    Raises:
        InvalidInput: a field or value does not exist.
    """
    from loopwright.agents.planner.contracts.state import read_policy

    return read_policy(data, source).model_dump(mode="json", exclude_unset=True)


async def show_policy(application: Loopwright) -> dict[str, Any]:
    """What is remembered of the user, and the policy that a new plan begins with."""
    from loopwright.agents.planner.contracts.state import effective_policy

    remembered = await (await planner_stores(application)).plan_memories.policy()
    return {"remembered": remembered, "policy": effective_policy({}, remembered).model_dump(mode="json")}


async def set_policy(application: Loopwright, fields: dict[str, Any]) -> dict[str, Any]:
    """Remember these fields, in the place of all that were remembered.

    Raises:
        InvalidInput: a field or value does not exist.
    """
    await (await planner_stores(application)).plan_memories.remember_policy(checked_policy(fields))
    return await show_policy(application)


async def clear_policy(application: Loopwright) -> dict[str, Any]:
    """Forget what is remembered; the defaults hold again."""
    await (await planner_stores(application)).plan_memories.forget_policy()
    return await show_policy(application)


AGENT = "planner"
BUSY_HORIZON = timedelta(days=730)
"""How far ahead calendars are read."""


def present(application: Loopwright) -> datetime:
    """The moment that plans take for the present: the one that is set, else now on this machine's clock."""
    return application.settings.now or datetime.now().astimezone()


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
    tell: Callable[[str], None] = lambda note: None,
) -> NewRun:
    """A goal as a run of the planner; everything that can be wrong with the options is found here.

    `now` (aware) is the moment at which the plan is asked for: nothing is planned before it. Calendars are read from
    the beginning of its day; `tell` is told what of them should be looked at.

    Raises:
        InvalidInput: the goal is none or must not be planned; a date, zone, calendar or policy cannot be used.
    """
    from loopwright.agents.planner.intake import check_deadline, check_goal
    from loopwright.agents.planner.schedule.busy_times import busy_times
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
    taken = [busy_times(calendar, midnight, midnight + BUSY_HORIZON, known) for calendar in calendars]
    for note in (note for each in taken for note in each.notes):
        tell(note)
    busy = [(span.start.isoformat(), span.end.isoformat()) for each in taken for span in each.spans]
    options: dict[str, Any] = {"timezone": name, "now": now.isoformat(), "busy": busy}
    options |= {key: value for key, value in (("start", begins), ("deadline", ends)) if value is not None}
    if policy is not None:
        options["policy"] = policy_file(policy)
    return NewRun(message=goal, agent=AGENT, session_id=session_id, output_dir=out, options=options)


async def plan_of(application: Loopwright, name: str) -> PlanRecord:
    """A settled plan by its id, or the newest one of a session.

    Raises:
        NotFound: there is none.
    """
    stores = await planner_stores(application)
    found = await stores.plans.find(session_id=name, limit=1)
    return found[0] if found else await stores.plans.get(name)


async def planning_of(application: Loopwright, plan: PlanRecord) -> Any:
    """The planning state in which a plan was settled; a change that waits for a yes is not in it.

    Raises:
        NotFound: it is gone.
    """
    from loopwright.agents.planner.contracts.state import PlanningState
    from loopwright.agents.planner.workflow.asking import as_settled

    text = await (await planner_stores(application)).plans.load_state(plan.session_id)
    if text is None:
        raise NotFound(f"Plan {plan.plan_id} has no planning state any more.")
    return as_settled(PlanningState.model_validate_json(text))


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
    from loopwright.agents.planner.explaining import objective_lines
    from loopwright.agents.planner.workflow.approving import final_details
    from loopwright.agents.planner.workflow.asking import outline_lines

    times = [
        f"{block.start:%a %d %b %Y %H:%M}–{block.end:%H:%M}  {block.title}"
        for block in (state.schedule.blocks if state.schedule is not None else [])
    ]
    return {
        **plan.model_dump(mode="json"),
        **final_details(state),
        "lines": [*outline_lines(state), "", *times, "", *objective_lines(state)],
        "judgements": {draft: judged.model_dump(mode="json") for draft, judged in state.judgements.items()},
        "interaction_policy": state.interaction_policy.model_dump(mode="json"),
        "planning_trace": [step.model_dump(mode="json") for step in state.planning_trace],
        "adaptation_log": [entry.model_dump(mode="json") for entry in state.adaptation_log],
    }


def facts_shown(state: Any) -> dict[str, Any]:
    """What the user has said about a plan, and the constraint that each of their words has become."""
    from loopwright.agents.planner.facts.shown import fact_lines, facts_of

    facts = facts_of(state)
    return {"facts": [fact.model_dump(mode="json") for fact in facts], "lines": list(fact_lines(facts))}


def fact_change(state: Any, number: int, words: str | None) -> str:
    """The words that change a fact, as a replan takes them: it is dropped, or other words take its place.

    Raises:
        NotFound: there is no fact of this number, or it binds nothing.
    """
    from loopwright.agents.planner.facts.change_reading import DROPPED
    from loopwright.agents.planner.facts.shown import facts_of

    found = next((fact for fact in facts_of(state) if fact.number == number and fact.state == "constraint"), None)
    if found is None:
        raise NotFound(f"There is no constraint {number}.", hint="loopwright plan facts PLAN shows them.")
    return words if words is not None else f"{DROPPED}{found.words}"


def explain_task(state: Any, question: str) -> dict[str, Any]:
    """Why a task is in the plan, and what keeps it from lying earlier.

    Raises:
        NotFound: no task has these words in its title.
    """
    from loopwright.agents.planner.explaining import explain

    return explain(state, question)


def scheduled(state: Any) -> tuple[Any, Any]:
    """What the plan is made of, and its times.

    Raises:
        NotFound: it has none yet.
    """
    outline = state.roadmap or state.plan_outline
    if outline is None or state.schedule is None:
        raise NotFound("The plan has no schedule yet.", hint="Schedule it first.")
    return outline, state.schedule


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
