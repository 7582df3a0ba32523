"""Small tools that build an outline part by part, in hours and weeks: one thing at a time, nothing optional."""

from datetime import date
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from loopwright.agents.planner.account.calendar_file import has_word
from loopwright.agents.planner.contracts.plan import Appointment
from loopwright.agents.planner.contracts.state import PlanningState, Sketch, SketchPart, SketchSessions, SketchTask
from loopwright.agents.planner.grammar import validate_grammar
from loopwright.agents.planner.outline_of_sketch import hours_there, outline_of
from loopwright.agents.planner.patterns import pattern_for
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.scoring import shape_score
from loopwright.agents.planner.sketch_completing import completed, says_nothing, subject_of
from loopwright.agents.planner.sketch_fitting import pace_of, quarters, sessions_refused, space_of, tasks_refused
from loopwright.agents.planner.stated import SESSIONS
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=2, max_length=100)]
FULL, FEW_TASKS = 0.6, 3
"""Where the outline fills less of the stated time, parts with fewer tasks are asked about once."""
MOST_TASKS, MOST_PARTS = 60, 12


class Small(BaseModel):
    """What the parameters of the small tools share: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class SetPartsParameters(Small):
    """Parameters of `set_parts`."""

    titles: list[Title] = Field(min_length=2, max_length=5)


class SetParts(PlannerTool[SetPartsParameters]):
    """Names the parts of the plan in their order; a part that has tasks keeps them."""

    name = "set_parts"
    parameters_model = SetPartsParameters
    prerequisites = ("context",)

    async def work(self, params: SetPartsParameters, state: PlanningState, ctx: ToolContext[PlannerServices]) -> Done:
        """Put them in this order."""
        if refusal := _refused(state, "parts", _counting(params.titles, state)):
            return refusal
        known = {part.title.casefold(): part for part in state.sketch.parts}
        wanted = {title.casefold(): SketchPart(title=title) for title in params.titles}
        parts = [known.get(key, part) for key, part in wanted.items()]
        parts += [part for key, part in known.items() if key not in wanted and part.tasks]
        return so_far(state, state.sketch.model_copy(update={"parts": parts}))


class TaskParameters(Small):
    """One task."""

    title: Title
    hours: float = Field(gt=0, le=200)


class AddTasksParameters(Small):
    """Parameters of `add_tasks`."""

    part: Title
    tasks: list[TaskParameters] = Field(min_length=1, max_length=8)


class AddTasks(PlannerTool[AddTasksParameters]):
    """Adds a part with its tasks; to a part that is there already it adds more tasks."""

    name = "add_tasks"
    parameters_model = AddTasksParameters
    prerequisites = ("context",)

    async def work(self, params: AddTasksParameters, state: PlanningState, ctx: ToolContext[PlannerServices]) -> Done:
        """Add them, each title once; one that another part has already gets its part's name as well."""
        if refusal := _refused(state, "tasks", _counting([task.title for task in params.tasks], state)):
            return refusal
        parts = [part.model_copy(deep=True) for part in state.sketch.parts]
        same = next((part for part in parts if part.title.casefold() == params.part.casefold()), None)
        if same is None:
            parts.append(same := SketchPart(title=params.part))
        own = {task.title.casefold().removesuffix(f" ({same.title.casefold()})") for task in same.tasks}
        known = {task.title.casefold() for part in parts for task in part.tasks}
        fresh: list[SketchTask] = []
        for task in params.tasks:
            if task.title.casefold() in own:
                continue
            own.add(task.title.casefold())
            title = f"{task.title} ({same.title})" if task.title.casefold() in known else task.title
            fresh.append(SketchTask(title=title, minutes=quarters(60 * task.hours)))
        if not fresh:
            return Done({}, ("The outline has these tasks.", next_step(state)), 0.0, ok=False)
        wanted = sum(task.minutes for task in fresh)
        if refusal := _refused(state, "hours", tasks_refused(wanted, state.sketch, space_of(state.goal))):
            return refusal
        same.tasks += fresh
        if len(parts) > MOST_PARTS or sum(len(part.tasks) for part in parts) > MOST_TASKS:
            raise InvalidInput(f"An outline has at most {MOST_PARTS} parts and {MOST_TASKS} tasks.", hint="Call done.")
        return so_far(state, state.sketch.model_copy(update={"parts": parts}))


class AddSessionsParameters(Small):
    """Parameters of `add_sessions`."""

    title: Title
    minutes: int = Field(ge=5, le=600)
    times_per_week: int = Field(ge=1, le=7)


class AddSessions(PlannerTool[AddSessionsParameters]):
    """Adds something that comes again; the same title again replaces it."""

    name = "add_sessions"
    parameters_model = AddSessionsParameters
    prerequisites = ("context",)

    async def work(
        self, params: AddSessionsParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Add it."""
        old = next((each for each in state.sketch.sessions if each.title.casefold() == params.title.casefold()), None)
        kept = [each for each in state.sketch.sessions if each is not old]
        series = SketchSessions(
            title=params.title,
            minutes=quarters(params.minutes),
            times_per_week=params.times_per_week,
            stated=old is not None and old.stated,
        )
        rest = state.sketch.model_copy(update={"sessions": kept})
        if counted := _count_refused(series, old, state):
            return Done({}, (counted, next_step(state)), 0.0, ok=False)
        is_part = any(part.title.casefold() == params.title.casefold() for part in state.sketch.parts)
        confused = f"“{params.title}” is a part of the plan, and nothing of every week." if is_part else ""
        if refusal := _refused(state, "title", confused or _counting([params.title], state)):
            return refusal
        if refusal := _refused(state, "sessions", sessions_refused(series, rest, space_of(state.goal))):
            return refusal
        return so_far(state, rest.model_copy(update={"sessions": [*kept, series]}))


def _count_refused(series: SketchSessions, old: SketchSessions | None, state: PlanningState) -> str:
    """Why sessions would be more, or others, than the user has counted."""
    if old is not None and old.stated:
        same = series.times_per_week == old.times_per_week
        return "" if same else f"The user wants “{old.title}” {old.times_per_week} times a week."
    counted = next((words for words, _ in state.goal.facts.get(SESSIONS, []) if _is_one(series.title, words)), None)
    return f"How many {counted} there are a week was said by the user: they are in the plan." if counted else ""


def _is_one(title: str, words: str) -> bool:
    return words == "session" or all(has_word(title, word) for word in words.split())


def _counting(titles: list[str], state: PlanningState) -> str:
    title = says_nothing(titles)
    about = subject_of(state.goal) or state.goal.text
    return f"“{title}” says nothing. Name the work for: {about}." if title is not None else ""


def _refused(state: PlanningState, kind: str, reason: str) -> Done | None:
    """What a model is told that writes what cannot stand: once of each kind, since a run that only fails ends.

    Whatever it insists on is made to fit when the outline is handed over.
    """
    if not reason or kind in state.sketch.refused:
        return None
    sketch = state.sketch.model_copy(update={"refused": [*state.sketch.refused, kind]})
    return Done({}, (reason, next_step(state)), 0.0, ok=False, changes={"sketch": sketch})


class AddEventParameters(Small):
    """Parameters of `add_event`."""

    title: Title
    date: date


class AddEvent(PlannerTool[AddEventParameters]):
    """Adds an appointment; what the user's own words state stays as it is."""

    name = "add_event"
    parameters_model = AddEventParameters
    prerequisites = ("context",)

    async def work(self, params: AddEventParameters, state: PlanningState, ctx: ToolContext[PlannerServices]) -> Done:
        """Add it."""
        goal = state.goal
        if goal.today is not None and params.date < goal.today:
            raise InvalidInput(f"{params.date} lies in the past.", hint=f"Today is {goal.today}.")
        if all(each.date != params.date for each in goal.appointments):
            event = Appointment(title=params.title, date=params.date)
            goal = goal.model_copy(update={"appointments": [*goal.appointments, event]})
        shown = [f"{each.title}: {each.date}" for each in goal.appointments]
        return Done({"events": shown}, changes={"goal": goal})


class DoneParameters(Small):
    """Parameters of `done`: none."""


class Finished(PlannerTool[DoneParameters]):
    """Makes the outline of what was written."""

    name = "done"
    parameters_model = DoneParameters
    prerequisites = ("context",)
    produces = ("outline",)
    drafts = "outline"

    async def work(self, params: DoneParameters, state: PlanningState, ctx: ToolContext[PlannerServices]) -> Done:
        """Make it, of the pattern that fits what is in it."""
        empty = not any(part.tasks for part in state.sketch.parts) and not state.sketch.sessions
        left = [part.title for part in state.sketch.parts if not part.tasks]
        lacking = "There is nothing in the outline yet." if empty else f"{len(left)} parts have no tasks yet."
        if refusal := _refused(state, "empty", lacking if empty or left else ""):
            return refusal
        parts = [part for part in state.sketch.parts if part.tasks]
        state = state.model_copy(update={"sketch": state.sketch.model_copy(update={"parts": parts})})
        sketch = completed(state.goal, state.sketch)
        pattern = pattern_for(state.goal.text, has_tasks=bool(sketch.parts), has_sessions=bool(sketch.sessions))
        pace = pace_of(state.goal, sketch)
        facts = state.goal.facts | ({"minutes_per_week": pace} if pace is not None else {})
        goal = state.goal.model_copy(update={"facts": facts})
        state = state.model_copy(update={"sketch": sketch, "goal": goal})
        outline = outline_of(state, pattern, plan=state.plan_id or ctx.session_id)
        report = validate_grammar(outline, pattern)
        changes = {
            "sketch": sketch,
            "goal": goal,
            "plan_outline": outline,
            "selected_pattern": pattern,
            "dependencies_resolved": False,
            "roadmap": None,
            "schedule": None,
            "outline_approved": False,
            "roadmap_approved": False,
        }
        data = {
            "node_count": len(outline.nodes),
            "valid": report.valid,
            "rules": [violation.rule for violation in report.violations],
        }
        notes = tuple(violation.message for violation in report.violations[:12])
        return Done(data, notes, 0.6 * report.score + 0.4 * shape_score(outline), changes=changes)


def so_far(state: PlanningState, sketch: Sketch) -> Done:
    """What is in the outline now, in numbers."""
    tasks = [task for part in sketch.parts for task in part.tasks]
    hours = round(sum(task.minutes for task in tasks) / 60, 1)
    data: dict[str, object] = {"parts": len(sketch.parts), "tasks": len(tasks), "hours": hours}
    if sketch.sessions:
        data["hours_each_week"] = round(sum(each.minutes * each.times_per_week for each in sketch.sessions) / 60, 1)
    there = hours_there(state.goal)
    if there is not None:
        data["hours_there"] = there
    after = state.model_copy(update={"sketch": sketch})
    step, thin = next_step(after), _thin(after)
    if thin is not None:
        sketch = sketch.model_copy(update={"asked": [*sketch.asked, thin.title]})
    return Done(data, (step,), changes={"sketch": sketch})


def next_step(state: PlanningState) -> str:
    """What is still to be written, as the next call."""
    if not state.sketch.parts and not state.sketch.sessions:
        return "Next: set_parts."
    empty = next((part.title for part in state.sketch.parts if not part.tasks), None)
    if empty is not None:
        return f"Next: add_tasks for the part “{empty}”."
    thin = _thin(state)
    if thin is not None:
        about = subject_of(state.goal) or state.goal.text
        more = f"{FEW_TASKS} more tasks for the part “{thin.title}”, with titles that name the work for {about}."
        return f"Much of the time is free. Next: add_tasks with {more}"
    return "Next: done." if state.sketch.parts else "Next: set_parts, or done."


def _thin(state: PlanningState) -> SketchPart | None:
    """A part with few tasks about which nobody was asked yet, where the stated time is mostly free."""
    sketch, space = state.sketch, space_of(state.goal)
    left = space.left(sketch)
    if not space.stated or left is None or any(not part.tasks for part in sketch.parts) or sketch.once >= FULL * left:
        return None
    return next((part for part in sketch.parts if len(part.tasks) < FEW_TASKS and part.title not in sketch.asked), None)
