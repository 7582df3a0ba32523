"""Strategic phases by rules: explore, plan, sum up, and stage the next phase."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from loopwright.agents.jobs.offline.job_rules import (
    PHASE_WEIGHT,
    Completion,
    Goal,
    JobRules,
    Plan,
    Reading,
    Step,
    TodoView,
    View,
    Work,
    wording,
)
from loopwright.agents.jobs.offline.lexicon import kind_of, language_of, objects_in, peek, read_whole, write
from loopwright.kits.dialogue import Result, call, one

# workspace.md as the rules write it: a title and sections, each a list of lines.

MOST_LINES = 40
"""Lines of one section: the file stands in every prompt, so older lines are dropped for newer ones."""


@dataclass(frozen=True)
class MemoryFile:
    """The sections by their headings, in order."""

    title: str
    sections: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    def parse(cls, text: str) -> "MemoryFile":
        """Read a file of this form; what stands before the first section is dropped."""
        title, sections = "Workspace", list[tuple[str, list[str]]]()
        for line in text.splitlines():
            if line.startswith("## "):
                sections.append((line[3:].strip(), []))
            elif line.startswith("# ") and not sections:
                title = line[2:].strip()
            elif sections and line.strip():
                sections[-1][1].append(line.rstrip())
        return cls(title, tuple((name, tuple(lines)) for name, lines in sections))

    def with_lines(self, heading: str, lines: Sequence[str], *, replace: bool = False) -> "MemoryFile":
        """The file with lines added to a section, or put in place of what stood there; a missing section is made."""
        before = dict(self.sections)
        kept = () if replace else before.get(heading, ())
        new = tuple(line if line.startswith("- ") else f"- {line}" for line in lines)
        merged = tuple(dict.fromkeys((*kept, *new)))[-MOST_LINES:]
        return MemoryFile(self.title, tuple({**before, heading: merged}.items()))

    def render(self) -> str:
        """The text of workspace.md."""
        parts = [f"# {self.title}"]
        for heading, lines in self.sections:
            parts.append("\n".join([f"## {heading}", *lines]))
        return "\n\n".join(parts) + "\n"


# The next phase out of the plan: as many of the open steps as fit into a phase.


def next_phase(view: View, job_rules: JobRules, plan: Plan) -> dict[str, Any] | None:
    """The arguments of `todo_write`, or None where the plan has no open step.

    A phase keeps to one goal where that gives it enough todos, and to the limits of the job's config; where the plan
    has too little left, looking over the results fills it up.
    """
    steps = plan.open_steps()
    if not steps:
        return None
    least, most = view.limit("min_todos", 5), view.limit("max_todos", 20)
    chosen: list[tuple[Goal, Step]] = []
    left = PHASE_WEIGHT
    for goal, step in steps[:most]:
        weight = job_rules.weight(view, step.content)
        enough = len(chosen) >= least
        if enough and (weight > left or goal.id != chosen[-1][0].id):
            break
        chosen.append((goal, step))
        left -= weight
    todos = [_todo(number, job_rules, view, goal, step) for number, (goal, step) in enumerate(chosen, 1)]
    text = wording(view.language)
    for number in range(len(todos) + 1, least + 1):
        content = text.step("look_over", number=number, goal=chosen[-1][0].id)
        todos.append({"id": number, "content": content, "serves": chosen[-1][0].id})
    first, last = chosen[0][0], chosen[-1][0]
    title = f"{first.id}: {first.title}" if first.id == last.id else f"{first.id}–{last.id}: {first.title}"
    return {
        "phase": title[:300],
        "description": text.say("phase_description", steps=len(chosen), left=len(steps) - len(chosen)),
        "todos": todos,
    }


def _todo(number: int, job_rules: JobRules, view: View, goal: Goal, step: Step) -> dict[str, Any]:
    todo: dict[str, Any] = {"id": number, "content": step.content, "serves": goal.id}
    witness = job_rules.witness(view, step.content)
    return {**todo, "witness": dict(witness)} if witness else todo


# What the last tactical phase did, out of the archive.


@dataclass(frozen=True)
class ArchivedTodo:
    """A todo that was worked through."""

    content: str
    notes: str = ""


def read_phase(view: View) -> Reading[tuple[ArchivedTodo, ...]]:
    """The todos of the last tactical phase, which ends only when all are completed.

    A config may switch the archive off; the todos as they were staged are kept in any case.
    """
    phase = view.last_tactical
    if phase is None:
        return ()
    number = phase.get("number")
    for path in (f"archive/phase_{number}.yaml", f"archive/todos_of_phase_{number}.yaml"):
        text = yield from read_whole(path)
        if text is not None:
            return _todos(text)
    return ()


def _todos(text: str) -> tuple[ArchivedTodo, ...]:
    try:
        data = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        # An archive that was damaged tells nothing; the plan then shows the phase's steps as still open.
        return ()
    items = data.get("todos") if isinstance(data, Mapping) else None
    return tuple(
        ArchivedTodo(str(item.get("content") or ""), str(item.get("notes") or ""))
        for item in (items if isinstance(items, list) else ())
        if isinstance(item, Mapping)
    )


# What has happened: the last phase in a few lines, and what of it belongs into workspace.md.

MEMORY = "workspace.md"
MOST_NOTE = 300
MOST_SUMMARY = 3_800


def sum_up(view: View, job_rules: JobRules) -> Work:
    """Sum up the phase that has ended by the notes of its todos, and see which files there are."""
    phase = yield from read_phase(view)
    yield from one(call("list_files"))
    text = wording(view.language)
    lines = [text.say("phase_was", title=_title(view), todos=len(phase))]
    lines += [f"- {todo.notes[:MOST_NOTE]}" for todo in phase if todo.notes]
    return "\n".join(lines)[:MOST_SUMMARY]


def update_memory(view: View, job_rules: JobRules) -> Work:
    """Keep what later phases need to know: what was reached, in the words of the notes."""
    phase = yield from read_phase(view)
    memory = MemoryFile.parse((yield from read_whole(MEMORY)) or "")
    text = wording(view.language)
    earlier = len(view.state.get("earlier_phases") or ())
    memory = memory.with_lines(
        text.say("heading_status"), [text.say("status_after", phases=earlier, title=_title(view))], replace=True
    )
    notes = [todo.notes.splitlines()[0][:MOST_NOTE] for todo in phase if todo.notes.strip()]
    written = yield from write(MEMORY, memory.with_lines(text.say("heading_reached"), notes).render())
    if not written.failed:
        return text.say("note_memory", file=MEMORY, lines=len(notes))
    yield from write(MEMORY, memory.render())
    return text.say("note_memory_short", file=MEMORY)


def _title(view: View) -> str:
    phase = view.last_tactical
    return str(phase.get("title") or "") if phase else ""


# The first look around: which files there are, what the documents are like.

READABLE = (".pdf", ".md", ".txt", ".html", ".htm")
MOST_DOCUMENTS = 20


def explore(view: View, job_rules: JobRules) -> Work:
    """List the files, look into each document, and write what was found to workspace.md."""
    text = wording(view.language)
    listing = yield from one(call("list_files"))
    memory = MemoryFile.parse((yield from read_whole(MEMORY)) or "")
    lines, objects = [], list[str]()
    for path in view.documents[:MOST_DOCUMENTS]:
        start = (yield from peek(path)) if path.lower().endswith(READABLE) else None
        if start is None:
            lines.append(text.say("document_unread", path=path))
            continue
        lines.append(
            text.say(
                "document_is",
                path=path,
                language=text.say(f"language_{language_of(start)}"),
                kind=text.say(f"kind_{kind_of(start)}"),
            )
        )
        objects += [each.name for each in objects_in(start)]
    if len(view.documents) > MOST_DOCUMENTS:
        lines.append(text.say("documents_more", count=len(view.documents) - MOST_DOCUMENTS))
    memory = memory.with_lines(text.say("heading_status"), [text.say("status_begun", job=view.job_type)], replace=True)
    memory = memory.with_lines(text.say("heading_notes"), lines or [text.say("no_documents")])
    memory = memory.with_lines(text.say("heading_notes"), [text.say("tools_are", tools=", ".join(sorted(view.tools)))])
    if objects:
        memory = memory.with_lines(text.say("heading_entities"), [f"{name}" for name in dict.fromkeys(objects)])
    yield from write(MEMORY, memory.render())
    return text.say("note_explored", documents=len(view.documents), files=len(listing.text.splitlines()), file=MEMORY)


PLAN = "main_plan.md"
INSTRUCTIONS = "instructions.md"


def write_plan(view: View, job_rules: JobRules) -> Work:
    """Read the instructions and write the goals down."""
    instructions = yield from read_whole(INSTRUCTIONS)
    plan = _new_plan(view, job_rules, instructions or "")
    yield from write(PLAN, plan.render())
    return wording(view.language).say("note_plan", goals=len(plan.goals), file=PLAN)


def divide_plan(view: View, job_rules: JobRules) -> Work:
    """Give the goals their steps, as far as they are known."""
    instructions = yield from read_whole(INSTRUCTIONS)
    plan = Plan.parse((yield from read_whole(PLAN)) or "")
    plan = yield from _divided(view, job_rules, plan, instructions or "")
    yield from write(PLAN, plan.render())
    return _note(view, plan)


def update_plan(view: View, job_rules: JobRules) -> Work:
    """Tick what the last phase did, and divide what can be divided by now."""
    text = yield from read_whole(PLAN)
    plan = Plan.parse(text or "")
    instructions = yield from read_whole(INSTRUCTIONS)
    if not plan.goals:  # the plan is gone, or was written by somebody who plans in another way
        plan = _new_plan(view, job_rules, instructions or "")
    phase = yield from read_phase(view)
    plan = plan.ticked([todo.content for todo in phase])
    plan = yield from _divided(view, job_rules, plan, instructions or "")
    yield from write(PLAN, plan.render())
    return _note(view, plan)


def _new_plan(view: View, job_rules: JobRules, instructions: str) -> Plan:
    titles = job_rules.goals(view, instructions)
    goals = tuple(Goal(f"G{number}", title) for number, title in enumerate(titles, 1))
    return Plan(wording(view.language).say("plan_title", job=view.job_type), goals)


def _divided(view: View, job_rules: JobRules, plan: Plan, instructions: str) -> Reading[Plan]:
    for goal in plan.goals:
        if goal.steps or goal.closed:
            continue
        division = job_rules.divide(view, plan, goal.id, instructions)
        if division is None:
            break
        plan = plan.extended(goal.id, (yield from division))
    return plan


def _note(view: View, plan: Plan) -> str:
    steps = [step for goal in plan.goals for step in goal.steps]
    return wording(view.language).say(
        "note_steps",
        reached=sum(goal.reached for goal in plan.goals),
        goals=len(plan.goals),
        done=sum(step.done for step in steps),
        steps=len(steps),
    )


# The last todo of a strategic phase: stage the next phase, or end the job.

ENDING = "job_complete"
MOST_REFUSALS = 2


def stage_next(view: View, job_rules: JobRules) -> Work:
    """Write the todos of the next phase; where nothing is left, or nothing can be staged, end the job."""
    plan = Plan.parse((yield from read_whole(PLAN)) or "")
    draft = next_phase(view, job_rules, plan)
    text = wording(view.language)
    done = {todo.content for todo in (yield from read_phase(view))}
    if draft is not None and done >= {todo["content"] for todo in draft["todos"]}:
        # All of it was done a phase ago, and the plan does not show it: it would be staged again and again.
        yield from _end(Completion(text.say("stopped"), notes=text.say("plan_stands_still")))
    elif draft is not None and not _hopeless(view):
        written = yield from one(call("todo_write", **draft))
        if not written.failed:
            return text.say("note_staged", phase=draft["phase"], todos=len(draft["todos"]))
        yield from _end(Completion(text.say("stopped"), notes=written.text[:2_000]))
    elif plan.goals and plan.reached:
        completion = yield from job_rules.close(view, plan)
        yield from _end(completion)
    else:
        why = view.refusals[-1] if view.refusals else text.say("nothing_planned")
        yield from _end(Completion(text.say("stopped"), notes=why[:2_000]))
    return text.say("note_ended")


def _hopeless(view: View) -> bool:
    """Whether staging was refused in a way that staging again cannot repair."""
    return len(view.refusals) >= MOST_REFUSALS or any(ENDING in refusal for refusal in view.refusals)


def _end(completion: Completion) -> Reading[Result]:
    return (
        yield from one(
            call(
                ENDING,
                summary=completion.summary,
                deliverables=list(completion.deliverables),
                notes=completion.notes,
            )
        )
    )


# Which rule does which of the given todos of a strategic phase.

INITIAL = {1: explore, 2: write_plan, 3: divide_plan}
TRANSITION = {1: sum_up, 2: update_memory, 3: update_plan}
"""The todos are given by the product and not planned, so their numbers tell what they are; the last one stages."""


def strategic_work(view: View, job_rules: JobRules, todo: TodoView) -> Work:
    """The work of one strategic todo."""
    rules = INITIAL if view.last_tactical is None else TRANSITION
    return rules.get(todo.id, stage_next)(view, job_rules)
