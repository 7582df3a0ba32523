"""A recorded run as a case: its messages, files, answers and checks, and a model that answers as its model did."""

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError

from loopwright.app.loopwright import Loopwright
from loopwright.app.watching import last_line
from loopwright.evals.cases import Case
from loopwright.evals.finished import Strict
from loopwright.kernel.account.settling import NOTED
from loopwright.kernel.children import child_run_id
from loopwright.kernel.errors import InvalidInput, ModelError, NotFound
from loopwright.kernel.events import Event, GateAnswered, GateOpened, ModelResponse, ToolModelResponse, Usage
from loopwright.kernel.files import write_whole
from loopwright.kernel.gates import Gate, digest_of
from loopwright.kernel.messages import ToolCall
from loopwright.kernel.ports import DeltaSink, ModelRequest, Profile, Tier
from loopwright.kernel.state import TERMINAL, RunState
from loopwright.kernel.think import RULES
from loopwright.models.settings import capabilities_of

RUNS_OF_A_SESSION = 1_000
MOST_FILES, MOST_BYTES = 2_000, 50_000_000
"""What of a session's folder is copied into a case: a larger one is none to be carried about."""
CLOCK_SECONDS = 0.01
"""How far the time that a file system writes down may lag behind the clock."""
MOST_PROPOSED = 20
"""Files that are proposed as checks."""
NOT_COPIED = frozenset({".git", ".venv", "node_modules", "__pycache__"})
OWN_PREFIX = re.compile(r"^s\d+c\d+-")
"""What the kernel puts before the ids of a model's calls."""


@dataclass(frozen=True)
class RunJournal:
    """A run's events; `path` names the calls that led to it, where it was asked for by another run."""

    path: str
    events: Sequence[Event]


async def journals_of(app: Loopwright, run_id: str, path: str = "") -> list[RunJournal]:
    """The journal of a run, and those of the runs that its calls have asked for.

    Raises:
        NotFound: there is no such run.
    """
    await app.stores.runs.get(run_id)
    events = await app.stores.journal.read(run_id)
    found = [RunJournal(path, events)]
    for call in dict.fromkeys(event.payload["call_id"] for event in events if event.type == "tool_call"):
        with suppress(NotFound):  # most calls ask for no run
            found += await journals_of(app, child_run_id(run_id, call), f"{path}/{call}")
    return found


class RecordedAnswer(Strict):
    """A model's answer.

    `to` is `step` for a step of the run, where `stage` is the stage; or `inner` for a request that a tool or the kernel
    itself made, where `stage` is its purpose and `key` names the content that was asked. `path` is that of the run.
    """

    path: str = ""
    to: Literal["step", "inner"]
    stage: str
    key: str = ""
    text: str
    tool_calls: list[ToolCall] = Field(default_factory=list)
    usage: Usage = Usage()
    model: str = ""
    finish_reason: str = "stop"

    @property
    def response(self) -> ModelResponse:
        """The answer as a client gives it; it costs nothing now."""
        return ModelResponse(
            text=self.text,
            tool_calls=self.tool_calls,
            usage=self.usage,
            cost_usd=0.0,
            stage=self.stage,
            model=self.model,
            finish_reason=self.finish_reason,
        )


class Recording(Strict):
    """The answers of a session's models, in order; `profile` is the kind of model that answered."""

    recording: Literal[1] = 1
    agent: str
    runs: list[str]
    profile: Profile
    answers: list[RecordedAnswer] = Field(default_factory=list)

    @classmethod
    def of(cls, agent: str, journals: Sequence[RunJournal]) -> "Recording":
        """What these journals of one session hold."""
        answers = [answer for journal in journals for answer in _answers_of(journal)]
        model = next((answer.model for answer in answers if answer.to == "step"), "")
        runs = [journal.events[0].run_id for journal in journals if not journal.path]
        return cls(agent=agent, runs=runs, profile=capabilities_of(model).profile, answers=answers)

    @classmethod
    def read(cls, path: Path) -> "Recording":
        """The recording in a file: a line that tells of it, and a line for each answer.

        Raises:
            InvalidInput: the file cannot be read.
        """
        try:
            head, *lines = path.read_text(encoding="utf-8").splitlines()
            answers = [RecordedAnswer.model_validate_json(line) for line in lines]
            return cls.model_validate_json(head).model_copy(update={"answers": answers})
        except (OSError, ValueError) as error:
            why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
            raise InvalidInput(
                f"{path} is no recording: {why}.", hint="loopwright eval record RUN makes one."
            ) from error

    def write(self, path: Path) -> None:
        """Put it into a file."""
        lines = [
            self.model_dump_json(exclude={"answers"}),
            *(a.model_dump_json(exclude_defaults=True) for a in self.answers),
        ]
        write_whole(path, ("\n".join(lines) + "\n").encode())


def _answers_of(journal: RunJournal) -> Iterable[RecordedAnswer]:
    tools = {event.payload["call_id"]: event.payload["name"] for event in journal.events if event.type == "tool_call"}
    for event in journal.events:
        if event.type == ModelResponse.type:
            step = ModelResponse.model_validate(event.payload)
            if step.model == RULES:
                continue
            calls = [call.model_copy(update={"id": OWN_PREFIX.sub("", call.id)}) for call in step.tool_calls]
            yield RecordedAnswer(
                path=journal.path,
                to="step",
                stage=step.stage,
                text=step.text,
                tool_calls=calls,
                usage=step.usage,
                model=step.model,
                finish_reason=step.finish_reason,
            )
        elif event.type == ToolModelResponse.type:
            inner = ToolModelResponse.model_validate(event.payload)
            yield RecordedAnswer(
                path=journal.path,
                to="inner",
                stage=tools.get(inner.call_id) or inner.call_id.rpartition("-")[0] or inner.call_id,
                key=inner.key,
                text=inner.text,
                usage=inner.usage,
                model=inner.model,
                finish_reason=inner.finish_reason,
            )


class RecordingExhausted(ModelError):
    """The run asks for what the recorded one did not ask for: its code does something else now."""

    code = "recording_exhausted"


@dataclass
class RecordedModel:
    """A `ModelClient` that answers from a recording.

    The steps' answers are given in their order, each only in the stage in which it was given. A request of a tool finds
    the answer to the same content, or else the next one of its purpose: tools run side by side. Runs that calls ask for
    (`path`) have answers of their own.
    """

    recording: Recording
    used: set[int] = field(default_factory=set)
    path: str = ""

    @classmethod
    def after(cls, recording: Recording, journals: Sequence[RunJournal]) -> "RecordedModel":
        """The model that has given the answers of these journals already: a run that was killed goes on."""
        whole = cls(recording)
        for answer in (answer for journal in journals for answer in _answers_of(journal)):
            model = replace(whole, path=answer.path)
            number = model._next_step() if answer.to == "step" else model._inner(answer.key, answer.stage)
            whole.used.update([number] if number is not None else [])
        return whole

    def below(self, call_id: str) -> "RecordedModel":
        """The model of the run that this call asks for."""
        return replace(self, path=f"{self.path}/{call_id}")

    @property
    def left(self) -> int:
        """How many answers were not asked for."""
        return len(self.recording.answers) - len(self.used)

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """The recorded answer.

        Raises:
            RecordingExhausted: there is none to such a request.
        """
        stage = request.labels.stage
        number = self._inner(_key_of(request), stage)
        if number is None:
            number = self._next_step()
            answer = self.recording.answers[number] if number is not None else None
            if answer is None or answer.stage != stage:
                was = f"was given in stage {answer.stage!r}" if answer else "is used up"
                raise RecordingExhausted(
                    f"The recording has no answer for this request in {stage!r}: its next one {was}.",
                    hint="The agent asks otherwise than when it was recorded. If that is meant, record the case anew.",
                )
        assert number is not None  # noqa: S101 - the branch above has raised otherwise
        self.used.add(number)
        response = self.recording.answers[number].response
        if on_delta is not None and response.text:
            on_delta(response.text)
        return response

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """It costs nothing."""
        return 0.0

    def profile(self, tier: Tier = "standard", model: str | None = None) -> Profile:
        """The kind of model that answered."""
        return self.recording.profile

    def context_tokens(self, tier: Tier = "standard", model: str | None = None) -> int | None:
        """Unknown: the dialogue is compacted by its own rules, as it was then."""
        return None

    def _unused(self, to: str) -> list[tuple[int, RecordedAnswer]]:
        return [
            (n, a)
            for n, a in enumerate(self.recording.answers)
            if (a.path, a.to) == (self.path, to) and n not in self.used
        ]

    def _next_step(self) -> int | None:
        return next((number for number, _ in self._unused("step")), None)

    def _inner(self, key: str, purpose: str) -> int | None:
        unused = self._unused("inner")
        same = next(
            (number for number, answer in unused if answer.key.partition("-")[0] == key.partition("-")[0]), None
        )
        return same if same is not None else next((n for n, answer in unused if answer.stage == purpose), None)


def _key_of(request: ModelRequest) -> str:
    content = [message.to_dict() for message in request.messages]
    return digest_of(content, request.tier, request.model, request.response_format)[:24]


@dataclass(frozen=True)
class NewCase:
    """A case that was made of a run: its file, and what the user should know of it."""

    case: Case
    path: Path
    notes: list[str]


async def record_case(app: Loopwright, run_id: str, out: Path, *, files: bool = True) -> NewCase:
    """Make a case of a run and of those before it in its session.

    Args:
        app: the installation that has the run.
        run_id: the last run that belongs to the case.
        out: the case's file; `NAME.recording.jsonl` and `NAME.files/` are made beside it.
        files: whether files of the session's folder that have not been changed since before the first run are copied.

    Raises:
        NotFound: there is no such run.
        InvalidInput: the run is not over, the file exists, or the folder is too large to be copied.
    """
    record = await app.stores.runs.get(run_id)
    if record.status not in TERMINAL:
        raise InvalidInput(f"Run {run_id} is {record.status}.", hint="A case is made of a run that is over.")
    recorded = out.with_suffix(".recording.jsonl")
    given = out.with_suffix(".files")
    for path in (out, recorded, given):
        if path.exists():
            raise InvalidInput(f"{path} exists.", hint="Name another file with --out, or delete it.")
    session = await app.stores.sessions.get(record.session_id)
    found = await app.stores.runs.find(session_id=record.session_id, limit=RUNS_OF_A_SESSION)
    records = [each for each in reversed(found) if each.created_at <= record.created_at]
    families = [await journals_of(app, each.run_id) for each in records]
    journals = [family[0].events for family in families]
    state = RunState.fold(run_id, journals[-1])
    line = last_line(record, state, journals[-1][-1].payload)
    folder = _Folder.of(Path(session.output_dir), records[0].created_at, journals[0][0].payload["options"])
    notes = []
    data: dict[str, Any] = {"id": _id_of(out), "agent": record.agent} | _messages(journals)
    if files and folder.before:
        data["files"] = given.name
        folder.copy_to(given)
    if folder.before and not files:
        notes.append(f"{len(folder.before)} files that lay in the folder at the start were left out.")
    if folder.before and folder.since:
        notes.append("Written since the run began, so that what they were before is not known: " + _few(folder.since))
    data |= {"answers": answers} if (answers := _gate_answers(journals)) else {}
    options = [journal[0].payload["options"] for journal in journals]
    data |= {"options": options[-1]} if options[-1] else {}
    if any(each != options[-1] for each in options):
        notes.append("Earlier runs of the session had other options; the case has those of the last one.")
    data |= {"recording": recorded.name, "checks": _proposed(line, journals, folder.since)}
    Recording.of(record.agent, [journal for family in families for journal in family]).write(recorded)
    write_whole(out, _as_yaml(data, run_id, notes).encode())
    return NewCase(Case.model_validate(data).found_at(out, 1), out, notes)


@dataclass(frozen=True)
class _Folder:
    """The files of a session's folder: those from before its first run, unchanged, and those written since."""

    root: Path
    before: list[str]
    since: list[str]

    @classmethod
    def of(cls, root: Path, began: datetime, options: Any) -> "_Folder":
        """Look by the time of each file's last change; one that the run's options name lay there when it began."""
        before: list[str] = []
        since: list[str] = []
        named = set(_texts_in(options))
        for place, folders, names in os.walk(root):
            folders[:] = sorted(set(folders) - NOT_COPIED)
            for path in (Path(place, name) for name in sorted(names)):
                if path.is_file() and not path.is_symlink():
                    name = path.relative_to(root).as_posix()
                    is_older = path.stat().st_mtime < began.timestamp() - CLOCK_SECONDS
                    (before if is_older or name in named else since).append(name)
        return cls(root, before, since)

    def copy_to(self, target: Path) -> None:
        """Copy those from before.

        Raises:
            InvalidInput: they are too many or too large.
        """
        size = sum((self.root / name).stat().st_size for name in self.before)
        if size > MOST_BYTES or len(self.before) > MOST_FILES:
            raise InvalidInput(f"{self.root} is too large to be copied into a case.", hint="Leave it out: --no-files.")
        for name in self.before:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.root / name, target / name)


def _texts_in(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping | list):
        for each in data.values() if isinstance(data, Mapping) else data:
            yield from _texts_in(each)


def _messages(journals: Sequence[Sequence[Event]]) -> dict[str, Any]:
    """What the user began each run with; what later stands as theirs was put together of their answers."""
    said = [next(e.payload["text"] for e in journal if e.type == "user_message") for journal in journals]
    return {"message": said[0]} if len(said) == 1 else {"messages": said}


def _gate_answers(journals: Sequence[Sequence[Event]]) -> list[dict[str, Any]]:
    gates: dict[str, Gate] = {}
    answers: list[dict[str, Any]] = []
    for event in (event for journal in journals for event in journal):
        if event.type == GateOpened.type:
            gates[event.payload["gate_id"]] = GateOpened.model_validate(event.payload).gate
        elif event.type == GateAnswered.type:
            gate, answer = gates[event.payload["gate_id"]], event.payload["answer"]
            plain = gate.kind != "questions" and answer.keys() == {"decision"}
            answers.append({gate.kind: answer["decision"] if plain else answer.get("answers", answer)})
    return answers


def _proposed(
    line: Mapping[str, Any], journals: Sequence[Sequence[Event]], written: Sequence[str]
) -> list[dict[str, Any] | str]:
    """Checks that the recorded run passes, for the user to sharpen."""
    checks: list[dict[str, Any] | str] = ["completed"] if line["type"] == "complete" else []
    if not checks:
        checks.append({"result": {"at": "/type", "equals": line["type"]}})
    visible = [name for name in written if not any(part.startswith(".") for part in name.split("/"))]
    checks += [{"file": name} for name in visible[:MOST_PROPOSED]]
    events = [event for journal in journals for event in journal]
    fine = {e.payload["call_id"] for e in events if e.type == "tool_result" and e.payload["success"]}
    tools = [e.payload["name"] for e in events if e.type == "tool_call" and e.payload["call_id"] in fine]
    checks += [{"tool": {"called": name}} for name in dict.fromkeys(tools)]
    account = line.get("account") or {}
    lost = [each for name in account if name not in ("kept", "superseded") for each in account[name]]
    if account.get("kept") and all(each["reason"] == NOTED for each in lost):
        checks.append({"account": "kept"})
    return checks


def _id_of(out: Path) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", out.stem).strip("-._")[:80] or "case"


def _few(names: Sequence[str]) -> str:
    more = len(names) - MOST_PROPOSED
    return ", ".join(names[:MOST_PROPOSED]) + (f" and {more} more" if more > 0 else "")


class _Dumper(yaml.SafeDumper):
    """YAML as people write it: texts of several lines as blocks."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def _as_yaml(data: Mapping[str, Any], run_id: str, notes: Sequence[str]) -> str:
    head = [
        f"Made of run {run_id}. The checks are proposals: keep what matters, and say what must be in it.",
        "`--model recorded` answers from the recording, and so tests the agent's code without a model.",
        *notes,
    ]
    body = yaml.dump(dict(data), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    return "".join(f"# {each}\n" for each in head) + body
