"""The phases of a reading job: planned by code, read unit by unit; the frame of spec 003 stays."""

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json, to_json

from loopwright.agents.jobs.contracts import JobCompletion, JobConfig, JobState, Language, Todo, TodoFile
from loopwright.agents.jobs.memory import load_job, save_job, workspace_of
from loopwright.agents.jobs.phases.transitions import TODOS_FILE, dump_todo_file
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.reading.storing import (
    CLOSING,
    PAGE,
    STRONG,
    ClassifiedUnit,
    Material,
    Unit,
    closing_steps,
    counts,
    decided,
    material_of,
    parts_of,
    rules_on,
    shown,
    store,
    verdict,
)
from loopwright.agents.jobs.tools.todos import JOB_COMPLETE, PHASE_COMPLETE
from loopwright.kernel.actions import GO_ON
from loopwright.kernel.emitter import RunModel
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import ToolModel
from loopwright.kernel.workspace import Workspace

# The one small question about a sentence: does it demand something?

PROMPTS: dict[Language, str] = {"en": "jobs/sorting", "de": "jobs/sorting_de"}
MOST_CHARACTERS = 1_500
ANSWER_TOKENS = 40
ATTEMPTS = 2


class Sorted(BaseModel):
    """What the model answers about one sentence."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["demand", "information"]


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"kind": {"type": "string", "enum": ["demand", "information"]}},
    "required": ["kind"],
    "additionalProperties": False,
}


async def asked(unit: Unit, language: Language, model: ToolModel, prompts: PromptRepository) -> Sorted | str:
    """What the model says of the sentence, or in words why it has said nothing that could be used.

    Raises:
        ModelError: the model gave no answer at all.
    """
    request = ModelRequest(
        messages=[Message.system(prompts.render(PROMPTS[language])), *_examples(language), Message.user(_told(unit))],
        tier="powerful",
        max_tokens=ANSWER_TOKENS,
        temperature=0.0,
        response_format={
            "type": "json_schema",
            "json_schema": {"name": Sorted.__name__, "schema": SCHEMA, "strict": True},
        },
    )
    problem = ""
    for _ in range(ATTEMPTS):
        response = await model.complete(request)
        try:
            return Sorted.model_validate(from_json(response.text[response.text.find("{") :].encode()))
        except (ValueError, ValidationError):
            problem = f"the model answered {response.text[:80]!r}"
    return problem


def _told(unit: Unit) -> str:
    lead = unit.sentence.lead_in if unit.sentence is not None else ""
    return f"{lead} {unit.text}".strip()[:MOST_CHARACTERS]


@cache
def _examples(language: Language) -> tuple[Message, ...]:
    told = json.loads(resources.files(__package__).joinpath("examples.json").read_text(encoding="utf-8"))
    return tuple(
        message
        for sentence, kind in told[language]
        for message in (Message.user(sentence), Message.assistant(to_json({"kind": kind}).decode()))
    )


PURPOSE = "reading"
RULES_DISAGREE = "the rules read a demand here"
TOLD_EVERY = 5
"""Sentences between two tellings of how far it is."""


async def read_part(
    run: AgentRun, state: JobState, material: Material, units: Sequence[Unit], key: str
) -> list[ClassifiedUnit]:
    """Read the units of a part.

    Raises:
        ModelError: the model cannot be reached; what it has answered so far is in the journal.
    """
    model = RunModel(run, key, PURPOSE)
    found: list[ClassifiedUnit] = []
    for document, group in groupby(units, key=lambda unit: unit.document):
        of_document = list(group)
        passed = []
        for unit in of_document:
            passed.append(await _verdict_on(run, unit, material, model))
            if len(passed) % TOLD_EVERY == 0:
                _tell(run, document, unit.page, len(found) + len(passed), len(units))
        opened = material.opened[document]
        stored_key = f"{key}:{len(found)}"
        found += await store(run.services, state.job_id, state.phase.number, opened, of_document, passed, stored_key)
    return found


async def _verdict_on(run: AgentRun, unit: Unit, material: Material, model: RunModel) -> ClassifiedUnit:
    language = material.languages[unit.document]
    if not material.scope.has(unit):
        return verdict(unit, "outside the order", "order")
    by_code = decided(unit, language)
    if by_code is not None:
        return by_code
    answer = await asked(unit, language, model, run.toolbox.prompts)
    if isinstance(answer, str):
        return verdict(unit, "not read", "model", remark=answer)
    rules = rules_on(unit, language)
    if answer.kind == "demand":
        return verdict(unit, "requirement", "model", nature=rules.nature if rules is not None else "obligation")
    strong = rules is not None and rules.confidence >= STRONG
    return verdict(unit, "no requirement", "model", remark=RULES_DISAGREE if strong else "")


def _tell(run: AgentRun, document: str, page: int, done: int, total: int) -> None:
    message = f"{document}, p. {page}: {done} of {total} read"
    run.sink(run.state.run_id, "progress", {"call_id": run.key, "message": message})


# The phases of a reading job: planned by code, read unit by unit; the frame of spec 003 stays.
#
# A strategic phase writes workspace.md, main_plan.md and todos.yaml, the flip consumes them, and the tactical phase
# works through its todos: parts of the documents first, then the files. The model is asked about sentences and nothing
# else.
#
# The words of a reading job, in the language of the job.


def say(language: Language, name: str, **values: object) -> str:
    """The text of this name, filled in."""
    return _texts()[language][name].format(**values)


@cache
def _texts() -> dict[str, dict[str, str]]:
    told: dict[str, dict[str, str]] = json.loads(
        resources.files(__package__).joinpath("texts.json").read_text(encoding="utf-8")
    )
    return told


# The files of a reading job: the requirements, what became of every piece of text, and the summary.

PART = "extracted/reading_{number:02d}.jsonl"
FILES = {
    "results": ("output/requirements.csv", "output/requirements.json"),
    "table": ("output/requirements.md",),
    "record": ("output/reading.csv",),
    "summary": ("output/summary.md",),
}
"""The files of each closing todo."""
REQUIREMENT = ("requirement_id", "document", "page", "section", "type", "priority", "text", "quote")
READING_COLUMNS = ("number", "document", "page", "section", "outcome", "decided_by", "requirement_id", "remark", "text")
FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")
"""What spreadsheets take for the beginning of a formula, full-width forms included."""


def keep_part(workspace: Workspace, number: int, verdicts: Iterable[ClassifiedUnit]) -> None:
    """Keep the verdicts of a part, for the closing todos."""
    workspace.write_text(PART.format(number=number), "".join(f"{each.model_dump_json()}\n" for each in verdicts))


def kept_verdicts(workspace: Workspace, material: Material, state: JobState) -> list[ClassifiedUnit]:
    """The verdicts of all parts, in the order of the documents."""
    found: list[ClassifiedUnit] = []
    for number in range(1, len(parts_of(material, state.config)) + 1):
        text = workspace.read_text(PART.format(number=number))
        found += [ClassifiedUnit.model_validate_json(line) for line in text.splitlines()]
    return found


async def write_files(
    services: JobServices, workspace: Workspace, state: JobState, material: Material, names: Iterable[str]
) -> dict[str, str]:
    """Write the files of these closing todos; gives the SHA-256 (hex) of each by its path."""
    verdicts = kept_verdicts(workspace, material, state)
    rows = await requirement_rows(services, state.job_id, verdicts)
    language = state.config.language
    texts = {
        "output/requirements.csv": lambda: _csv(REQUIREMENT, rows),
        "output/requirements.json": lambda: json.dumps(rows, ensure_ascii=False, indent=1) + "\n",
        "output/requirements.md": lambda: _table(language, rows),
        "output/reading.csv": lambda: _csv(READING_COLUMNS, _reading_rows(verdicts)),
        "output/summary.md": lambda: say(language, "head") + summary(state, material, verdicts) + "\n",
    }
    written: dict[str, str] = {}
    for path in (path for name in names for path in FILES[name]):
        text = texts[path]()
        workspace.write_text(path, text)
        written[path] = hashlib.sha256(text.encode()).hexdigest()
    return written


def summary(state: JobState, material: Material, verdicts: Sequence[ClassifiedUnit]) -> str:
    """What became of the documents, in numbers: each is counted over the pieces of text."""
    language = state.config.language
    outcomes = Counter(each.outcome for each in verdicts)
    deciders = Counter(each.decided_by for each in verdicts if each.outcome == "requirement")
    unread = outcomes["not read"] + (len(material.units) - len(verdicts))
    lines = [
        say(
            language,
            "total",
            units=len(material.units),
            documents=len(material.opened),
            stored=outcomes["requirement"],
            none=outcomes["no requirement"],
            form=outcomes["no sentence"],
            outside=outcomes["outside the order"],
            unread=unread,
        ),
        say(language, "deciders", **{name: deciders[name] for name in ("keyword", "list", "model")}),
        say(language, "other_pieces" if unread else "whole"),
        *remarks(language, material),
    ]
    disagreed = sum(each.remark == RULES_DISAGREE for each in verdicts)
    return "\n".join([*lines, say(language, "disagree", count=disagreed)] if disagreed else lines)


def remarks(language: Language, material: Material) -> list[str]:
    """What was not read from the start: unreadable documents, and what the order leaves out."""
    told = [say(language, "unreadable", document=name, reason=why) for name, why in material.unreadable.items()]
    pages = ", ".join(f"{first}–{last}" for first, last in material.scope.pages)
    named = [say(language, "pages", ranges=pages)] if pages else []
    sections = ", ".join(material.scope.sections)
    named += [say(language, "sections", numbers=sections)] if sections else []
    return told + ([say(language, "scope", scope="; ".join(named))] if named else [])


async def requirement_rows(
    services: JobServices, job_id: str, verdicts: Sequence[ClassifiedUnit]
) -> list[dict[str, Any]]:
    """The stored requirements of the verdicts, as the store has them, with their quotes."""
    places = {each.requirement_id: each for each in verdicts if each.requirement_id}
    quotes = {each.citation_id: each for each in await services.sources.citations(job_id)}
    rows: list[dict[str, Any]] = []
    offset = 0
    while found := await services.requirements.find(job_id=job_id, limit=PAGE, offset=offset):
        offset += len(found)
        for each in found:
            place = places.get(each.requirement_id)
            cited = [quotes[name] for name in each.citations if name in quotes]
            rows.append(
                {
                    "requirement_id": each.requirement_id,
                    "document": each.source_document,
                    "page": place.page if place is not None else (cited[0].page if cited else None),
                    "section": place.section if place is not None else "",
                    "type": each.type,
                    "priority": each.priority,
                    "text": each.text,
                    "quote": cited[0].verbatim_quote if cited else "",
                }
            )
    return rows


def _reading_rows(verdicts: Sequence[ClassifiedUnit]) -> list[dict[str, Any]]:
    return [{"number": number, **each.model_dump()} for number, each in enumerate(verdicts, 1)]


def _csv(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row[column]) for column in columns])
    return table.getvalue()


def _cell(value: Any) -> str:
    """No cell is a formula, whatever a document says."""
    text = "" if value is None else str(value)
    begins = text.lstrip(" \u00a0")[:1]
    return f"'{text}" if begins and begins in FORMULA_STARTS else text


def _table(language: Language, rows: Sequence[dict[str, Any]]) -> str:
    columns = ("requirement_id", "page", "type", "priority", "quote")
    lines = ["| " + " | ".join(shown(row[name]) for name in columns) + " |" for row in rows]
    return "\n".join([say(language, "table_head"), *lines, ""])


async def plan_reading(run: AgentRun) -> ActionResult:
    """The strategic phases: the first one plans the reading, a later one ends the job.

    Raises:
        InvalidInput: there is nothing to read in the documents.
    """
    state = await load_job(run.services, run.state.session_id)
    material = await material_of(run, state)
    workspace = workspace_of(run.output_dir, state.config)
    language = state.config.language
    ends = bool(state.phases)
    if not material.units:
        told = "; ".join(remarks(language, material)) or "They have no text."
        raise InvalidInput(f"There is nothing to read in the documents. {told}")
    notes = "\n".join(f"- {each}" for each in remarks(language, material)) or "-"
    memory = say(language, "memory", documents=len(material.opened), units=len(material.units), notes=notes)
    workspace.write_text("main_plan.md", say(language, "plan", done="x" if ends else " "))
    if not ends:
        workspace.write_text("workspace.md", memory)
        file = _todos(material, state.config)
        workspace.write_text(TODOS_FILE, dump_todo_file(file))
        await save_job(run.services, _all_but_last_done(state), f"{_key(run)}:planned")
        said = say(language, "planned", parts=len(parts_of(material, state.config)))
        return ActionResult(True, said, PHASE_COMPLETE)
    told = summary(state, material, kept_verdicts(workspace, material, state))
    files = [path for name in CLOSING for path in FILES[name]]
    completion = JobCompletion(summary=told, deliverables=files)
    await save_job(run.services, state.model_copy(update={"completion": completion}), f"{_key(run)}:complete")
    return ActionResult(True, told, JOB_COMPLETE)


async def read_on(run: AgentRun) -> ActionResult:
    """The tactical phase, one todo at a time: a part is read, or files are written."""
    state = await load_job(run.services, run.state.session_id)
    material = await material_of(run, state)
    todo = state.phase.open_todos[0]
    parts = parts_of(material, state.config)
    key = f"{_key(run)}:todo{todo.id}"
    files: dict[str, str] = {}
    if todo.id <= len(parts):
        first, last = parts[todo.id - 1]
        notes, stored = await _read(run, state, material, todo.id, (first, last), key)
    else:
        names = CLOSING if closing_steps(state.config) != CLOSING else (CLOSING[todo.id - len(parts) - 1],)
        workspace = workspace_of(run.output_dir, state.config)
        files = await write_files(run.services, workspace, state, material, names)
        notes, stored = say(state.config.language, "file_done", files=", ".join(files)), 0
    is_last = len(state.phase.open_todos) == 1
    done = todo.model_copy(update={"status": "in_progress" if is_last else "completed", "notes": notes})
    todos = [done if each.id == todo.id else each for each in state.phase.todos]
    phase = state.phase.model_copy(update={"todos": todos})
    await save_job(run.services, state.model_copy(update={"phase": phase, "written": state.written | files}), key)
    artifacts = {"todo": todo.id, "content": todo.content, "requirements": stored}
    return ActionResult(True, f"{todo.content}: {notes}", PHASE_COMPLETE if is_last else GO_ON, artifacts=artifacts)


async def _read(
    run: AgentRun, state: JobState, material: Material, number: int, place: tuple[int, int], key: str
) -> tuple[str, int]:
    units = material.units[slice(*place)]
    verdicts = await read_part(run, state, material, units, key)
    keep_part(workspace_of(run.output_dir, state.config), number, verdicts)
    found = counts(verdicts)
    stored = found.get("requirement", 0)
    notes = say(
        state.config.language,
        "part_done",
        requirements=stored,
        units=len(units),
        asked=sum(each.decided_by == "model" for each in verdicts),
        unread=found.get("not read", 0),
    )
    return notes, stored


def _todos(material: Material, config: JobConfig) -> TodoFile:
    language = config.language
    steps = [
        say(language, "part", first=first + 1, last=last, where=_where(material, first, last))
        for first, last in parts_of(material, config)
    ]
    steps += [say(language, name) for name in closing_steps(config)]
    return TodoFile(
        phase=say(language, "phase", documents=", ".join(material.opened))[:300],
        todos=[Todo(id=number, content=step, serves="G1") for number, step in enumerate(steps, 1)],
    )


def _where(material: Material, first: int, last: int) -> str:
    if first == last:
        return "-"
    begin, end = material.units[first], material.units[last - 1]
    return f"{begin.document}, p. {begin.page} – {end.document}, p. {end.page}"[:400]


def _all_but_last_done(state: JobState) -> JobState:
    """The given todos of the first phase, as what was just done has them; the flip completes the last one."""
    *before, last = state.phase.todos
    todos = [*(each.model_copy(update={"status": "completed"}) for each in before), last]
    return state.model_copy(update={"phase": state.phase.model_copy(update={"todos": todos})})


def _key(run: AgentRun) -> str:
    """The same for every attempt at this entry of the stage."""
    return f"{run.state.run_id}:{run.state.stage}:{run.state.stage_entries.get(run.state.stage, 1)}"
