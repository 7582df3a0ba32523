"""How a run begins: a new job gets its workspace and its first phase, one that was interrupted goes on in its phase."""

import hashlib
import json
import os
import shutil
from collections.abc import Collection
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.jobs.contracts import JobConfig, JobState, Phase, Todo
from loopwright.agents.jobs.memory import config_of, find_job, save_job, workspace_of
from loopwright.kernel.errors import Conflict, NotFound
from loopwright.kernel.events import Compacted
from loopwright.kernel.files import write_whole
from loopwright.kernel.messages import Message
from loopwright.kernel.run import AgentRun
from loopwright.kernel.workspace import Workspace

# Whether a phase stands still: the model makes calls that it has made before, and they tell what they told before.

STANDS_STILL = "stands_still"
"""The signal of a model that goes round in circles."""
MOST_REPEATS = 8
"""So many answers in a row that only repeat earlier calls with earlier results are a circle."""


async def review_repeats(run: AgentRun) -> str | None:
    """`STANDS_STILL` where the last answers have neither done nor told anything that was not there before."""
    return STANDS_STILL if repeats(run.state.context.messages) >= MOST_REPEATS else None


async def refuse_repeats(run: AgentRun) -> str:
    """A phase stays where it is, and the model hears why; after some refusals (`Limits`) the run ends."""
    return (
        f"Your last {MOST_REPEATS} answers repeat earlier calls, and the results were the same. "
        "Make a call that does the next step of the open todo, or complete it and say in its notes what is missing."
    )


def repeats(messages: list[Message]) -> int:
    """How many answers with calls, the last ones in a row, only repeat earlier calls with their results."""
    called = {call.id: (call.name, call.arguments) for message in messages for call in message.tool_calls}
    seen, count = set[tuple[tuple[str, str], str]](), 0
    for is_result, group in groupby(messages, key=lambda message: message.role == "tool"):
        if not is_result:
            continue
        told = {(called.get(each.tool_call_id or "", ("", "")), each.content) for each in group}
        count = count + 1 if told <= seen else 0
        seen |= told
    return count


# Pictures of the workspace, taken as each phase begins: what a job can be rewound to.

CHUNK = 1 << 20


class KeptFile(BaseModel):
    """A file of a picture; size and time tell later pictures that it need not be read again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    size: int
    modified_ns: int


class Snapshot(BaseModel):
    """A picture: the files by their paths, and the job's state at that moment."""

    model_config = ConfigDict(extra="forbid")

    name: str
    files: dict[str, KeptFile] = Field(default_factory=dict)
    state: JobState | None = None


class Snapshots:
    """The pictures of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        """Keep the workspace."""
        self._workspace = workspace
        self._pictures = workspace.state_folder / "snapshots"
        self._contents = workspace.state_folder / "contents"

    def take(self, name: str, state: JobState | None, *, earlier: str = "", without: Collection[str] = ()) -> Snapshot:
        """Take a picture of all files but those `without`; what is as in the `earlier` one is not read again."""
        before = self.find(earlier).files if earlier else {}
        files = {}
        for relative in self._workspace.list():
            path = self._workspace.locate(relative)
            if relative not in without:
                files[relative] = _unchanged(path, before.get(relative)) or self._keep(path)
        snapshot = Snapshot(name=name, files=files, state=state)
        self._pictures.mkdir(parents=True, exist_ok=True)
        write_whole(self._pictures / f"{name}.json", snapshot.model_dump_json().encode())
        return snapshot

    def find(self, name: str) -> Snapshot:
        """A picture by its name.

        Raises:
            NotFound: there is none.
        """
        file = self._pictures / f"{name}.json"
        if "/" in name or not file.is_file():
            raise NotFound(f"There is no picture {name!r} of the workspace.", hint="`loopwright jobs show` lists them.")
        return Snapshot.model_validate_json(file.read_bytes())

    def changed_since(self, name: str) -> list[str]:
        """Files that are new or other than in the picture."""
        before = self.find(name).files
        return [path for path in self._workspace.list() if _differs(self._workspace.locate(path), before.get(path))]

    def restore(self, name: str) -> None:
        """Make the workspace as it was: what came later is removed, what changed is put back.

        May be called again after it was interrupted.

        Raises:
            NotFound: the picture, or a content of it, is gone.
        """
        snapshot = self.find(name)
        missing = [path for path, kept in snapshot.files.items() if not self._content(kept.sha256).is_file()]
        if missing:
            raise NotFound(f"The picture {name} has lost the contents of {', '.join(missing[:5])}.")
        for path in self._workspace.list():
            if path not in snapshot.files:
                self._workspace.delete(path)
        for relative, kept in snapshot.files.items():
            if _differs(self._workspace.locate(relative), kept):
                self._workspace.write_bytes(relative, self._content(kept.sha256).read_bytes())

    def _keep(self, path: Path) -> KeptFile:
        status = path.stat()
        sha256 = _digest(path)
        content = self._content(sha256)
        if not content.is_file():
            content.parent.mkdir(parents=True, exist_ok=True)
            beside = content.with_suffix(f".{os.getpid()}")
            shutil.copyfile(path, beside)
            beside.replace(content)
        return KeptFile(sha256=sha256, size=status.st_size, modified_ns=status.st_mtime_ns)

    def _content(self, sha256: str) -> Path:
        return self._contents / sha256[:2] / sha256


def _unchanged(path: Path, kept: KeptFile | None) -> KeptFile | None:
    status = path.stat()
    same = kept is not None and (status.st_size, status.st_mtime_ns) == (kept.size, kept.modified_ns)
    return kept if same else None


def _differs(path: Path, kept: KeptFile | None) -> bool:
    if kept is None or not path.is_file():
        return True
    return _unchanged(path, kept) is None and _digest(path) != kept.sha256


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


# The todos of strategic phases, which are given and not planned (spec 003, "Predefined Strategic Todos").


@cache
def _texts() -> dict[str, dict[str, list[str]]]:
    file = resources.files(__package__).joinpath("strategic_todos.json")
    texts: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return texts


def initial_strategic_todos(config: JobConfig) -> list[Todo]:
    """The todos of a job's first phase."""
    return _todos("initial", config)


def transition_strategic_todos(config: JobConfig) -> list[Todo]:
    """The todos of a strategic phase between two tactical ones."""
    return _todos("transition", config)


def _todos(which: str, config: JobConfig) -> list[Todo]:
    settings = config.phase_settings
    counts = {"{{min_todos}}": str(settings.min_todos), "{{max_todos}}": str(settings.max_todos)}
    todos = []
    for number, text in enumerate(_texts()[config.language][which], 1):
        for name, count in counts.items():
            text = text.replace(name, count)
        todos.append(Todo(id=number, content=text))
    return todos


# What the model is told as a phase begins: one message, the whole of the dialogue at that moment.

SHOWN_FINDINGS = 20


def briefing(state: JobState, *, goes_on: bool = False) -> str:
    """The first message of a phase; `goes_on` for one that was interrupted and is taken up again."""
    phase = state.phase
    title = f": {phase.title}" if phase.title else ""
    lines = [f"Phase {phase.number} ({phase.kind}) {'goes on' if goes_on else 'begins'}{title}"]
    lines += [phase.description] if phase.description else []
    lines += ["", "Todos:"]
    lines += [f"- [{'x' if todo.status == 'completed' else ' '}] {todo.id}. {todo.content}" for todo in phase.todos]
    if state.phases:
        lines += _findings(state.phases[-1])
    return "\n".join(lines)


def _findings(ended: Phase) -> list[str]:
    lines = []
    for title, found in (
        (f"Files changed in phase {ended.number} that no todo speaks of:", ended.orphans),
        ("Open goals of main_plan.md that no todo has served so far:", ended.unserved),
    ):
        if found:
            lines += ["", title, *(f"- {line}" for line in found[:SHOWN_FINDINGS])]
            lines += [f"- … and {len(found) - SHOWN_FINDINGS} more"] if len(found) > SHOWN_FINDINGS else []
    return lines


PLANNING, READING = "planning", "reading"
"""The stages of the two kinds of phases where code leads them."""
NEEDED = frozenset({"cite_document", "add_requirement"})
"""Tools of the subject that a job which finds requirements in documents has."""
RESET = "phase_reset"
"""The name under which the journal keeps that a phase began with no messages."""


async def choose_stage(run: AgentRun) -> str:
    """The stage of the job's phase; the dialogue begins with the phase's briefing and nothing else.

    Raises:
        Conflict: the job is complete.
    """
    state = await find_job(run.services, run.state.session_id)
    if state is not None and state.completion is not None and state.phase.ended_at is not None:
        raise Conflict(
            f"Job {state.job_id} is complete.",
            hint=f"Go back with `loopwright jobs rewind {state.job_id} --to-phase N`, or run another job.",
        )
    goes_on = state is not None
    if state is None:
        state = await _begin(run)
    reset_dialogue(run, state, goes_on=goes_on)
    if state.reads:
        return PLANNING if state.phase.kind == "strategic" else READING
    return state.phase.kind


def reset_dialogue(run: AgentRun, state: JobState, *, goes_on: bool = False) -> None:
    """Leave nothing of the dialogue but the phase's briefing; files carry over what matters (spec 003)."""
    message = Message.user(briefing(state, goes_on=goes_on))
    before = run.state.context.estimate_tokens()
    run.defer(
        Compacted(
            strategy=RESET,
            messages=[message],
            summary={},
            tokens_before=before,
            tokens_after=message.estimated_tokens,
        )
    )


async def _begin(run: AgentRun) -> JobState:
    config = config_of(run.state.options)
    workspace = workspace_of(run.output_dir, config)
    newest = run.state.context.newest_user
    prompt = newest.content if newest is not None else ""
    _furnish(workspace, config, prompt)
    documents = [str(path) for path in run.state.options.get("documents", [])]
    state = JobState(
        job_id=run.state.session_id,
        config=config,
        prompt=prompt,
        documents=documents,
        reads=bool(documents) and set(config.tools.domain) >= NEEDED and _by_sentences(run, config),
        phase=Phase(
            number=1,
            kind="strategic",
            todos=initial_strategic_todos(config),
            begun_at=datetime.now(UTC),
            snapshot=snapshot_name(1),
        ),
    )
    Snapshots(workspace).take(state.phase.snapshot, state)
    await save_job(run.services, state, f"{run.state.run_id}:begun")
    return state


def _by_sentences(run: AgentRun, config: JobConfig) -> bool:
    """Whether the documents are read sentence by sentence: as the config says, or because the model is small."""
    wanted = config.document_processing.reading
    return wanted == "sentences" or (wanted == "auto" and run.profile == "small")


def snapshot_name(phase: int) -> str:
    """The name of the picture that is taken as a phase begins."""
    return f"phase-{phase:04d}"


def _furnish(workspace: Workspace, config: JobConfig, prompt: str) -> None:
    """Make the folders, instructions.md and an empty memory, unless they are there; a stale todos.yaml is put away."""
    for folder in config.workspace.structure:
        workspace.make_folder(folder)
    if not workspace.exists("instructions.md"):
        order = f"\n\n## {ORDER[config.language]}\n\n{prompt.strip()}\n" if prompt.strip() else "\n"
        workspace.write_text("instructions.md", config.instructions.strip() + order)
    if not workspace.exists("workspace.md"):
        workspace.write_text("workspace.md", MEMORY[config.language])
    put_away_stale(workspace, "archive/todos_found_at_start.yaml")


def put_away_stale(workspace: Workspace, archived: str) -> None:
    """Move a todos.yaml away that no phase has consumed, so that it cannot pass the gate of a later one."""
    if workspace.exists("todos.yaml"):
        workspace.write_text(archived, workspace.read_text("todos.yaml"))
        workspace.delete("todos.yaml")


ORDER = {"en": "The user's order", "de": "Der Auftrag"}
MEMORY = {
    "en": "# Workspace\n\n## Status\n\n## Accomplishments\n\n## Key Decisions\n\n## Entities\n\n## Notes\n",
    "de": "# Arbeitsbereich\n\n## Status\n\n## Erreicht\n\n## Entscheidungen\n\n## Entitäten\n\n## Notizen\n",
}
