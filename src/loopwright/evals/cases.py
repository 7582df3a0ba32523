"""Cases: what an agent is asked, what it is given, and what is checked of what it does.

A file of cases (YAML, JSON, JSON Lines) holds one case, a list of them, or `{defaults: {…}, cases: […]}`; a folder
holds such files. What cannot be used is refused before anything is run, with file, case and line.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal, Self

import yaml
from pydantic import Field, PrivateAttr, ValidationError, field_validator, model_validator

from loopwright.evals.checks import Check, module_beside
from loopwright.evals.finished import Strict
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.gates import Gate, GateKind, default_answers, digest_of

SUFFIXES = (".yaml", ".yml", ".json", ".jsonl")
DECISIONS = ("approve", "reject")
FORMS = "A case is a mapping; a file holds one, a list of them, or {defaults: …, cases: […]}."


class Case(Strict):
    """One case.

    Args:
        id: names it in reports and folders.
        agent: the agent's name, as in `loopwright agents list`, or its file, seen from the case's: `clerk.py`,
            `clerk.py:VARIABLE`.
        message: what the user says; with `messages` they say one thing after the other in one session.
        files: what lies in the session's folder at the start: paths and their text, or the name of a folder beside the
            case's file, which is copied.
        answers: for gates, each `{KIND: answer}`; a gate gets the first of its kind that fits and was not used.
        unanswered: what gates without one get. With `wait` the run stays waiting, and the case goes on to its checks.
        options: the agent's own parameters of the run.
        recording: a file beside the case's, from which the model `recorded` answers.
    """

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$")
    agent: str
    message: str | None = Field(None, min_length=1)
    messages: list[str] = Field(default_factory=list)
    files: dict[str, str] | str = Field(default_factory=dict)
    answers: list[dict[GateKind, Any]] = Field(default_factory=list)
    unanswered: Literal["wait", "defaults", "reject"] = "wait"
    options: dict[str, Any] = Field(default_factory=dict)
    checks: list[Check] = Field(min_length=1)
    tags: list[str] = Field(default_factory=list)
    recording: str | None = None

    _path: Path = PrivateAttr(default=Path())
    _line: int = PrivateAttr(default=0)

    @field_validator("files")
    @classmethod
    def _inside(cls, files: dict[str, str] | str) -> dict[str, str] | str:
        for name in files if isinstance(files, dict) else ():
            if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
                raise ValueError(f"{name!r} leads out of the session's folder")
        return files

    @field_validator("answers")
    @classmethod
    def _one_kind(cls, answers: list[dict[GateKind, Any]]) -> list[dict[GateKind, Any]]:
        for answer in answers:
            if len(answer) != 1:
                raise ValueError("an answer is a mapping with one key, the kind of its gate: {permission: approve}")
            kind, said = next(iter(answer.items()))
            if not isinstance(said, Mapping) and said != "defaults" and (kind == "questions" or said not in DECISIONS):
                raise ValueError(f"{said!r} answers no gate of the kind {kind}")
        return answers

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if (self.message is None) == (not self.messages):
            raise ValueError("either `message` or `messages` says what the user says")
        return self

    @property
    def said(self) -> list[str]:
        """What the user says, one message after the other."""
        return self.messages or [self.message or ""]

    @property
    def home(self) -> Path:
        """The folder of the case's file."""
        return self._path.parent

    @property
    def place(self) -> str:
        """The file and the line where the case begins."""
        return f"{self._path}:{self._line}"

    @property
    def run_digest(self) -> str:
        """Names what is run: all that a run can depend on, with the content of the files that are given to it."""
        given = [path.read_bytes().hex() for path in self._own_files]
        content = self.model_dump(mode="json", exclude={"id", "checks", "tags"}, exclude_defaults=True)
        return digest_of(content, given)[:16]

    @property
    def check_digest(self) -> str:
        """Names what is checked, with the content of the modules beside the case's file that check."""
        functions = [check.python.function for check in self.checks if check.python is not None]
        modules = [path for name in functions if (path := module_beside(name, self.home)) is not None]
        content = [check.model_dump(mode="json", exclude_unset=True) for check in self.checks]
        return digest_of(content, [path.read_bytes().hex() for path in modules])[:16]

    @property
    def _own_files(self) -> list[Path]:
        folder = sorted((self.home / self.files).rglob("*")) if isinstance(self.files, str) else []
        recording = [self.home / self.recording] if self.recording else []
        agent = [self.agent_file] if self.agent_file is not None else []
        return [path for path in (*folder, *recording, *agent) if path.is_file()]

    @property
    def agent_file(self) -> Path | None:
        """The Python file that the agent is in, where the case names one."""
        file, _, variable = self.agent.partition(".py")
        return self.home / f"{file}.py" if self.agent != file and variable[:1] in ("", ":") else None

    @property
    def judged(self) -> bool:
        """Whether a model is to judge it."""
        return any(check.judge is not None for check in self.checks)

    def found_at(self, path: Path, line: int) -> Self:
        """Note where it stands.

        Raises:
            InvalidInput: a file that it names is not there.
        """
        self._path, self._line = path, line
        if isinstance(self.files, str) and not (self.home / self.files).is_dir():
            raise InvalidInput(f"{self.place}: case {self.id}: there is no folder {self.home / self.files}.")
        if self.recording is not None and not (self.home / self.recording).is_file():
            raise InvalidInput(f"{self.place}: case {self.id}: there is no file {self.home / self.recording}.")
        return self


class Answers:
    """A case's answers, each of which is used once."""

    def __init__(self, case: Case) -> None:
        """Use none yet."""
        self._case = case
        self._left = list(case.answers)

    def take(self, gate: Gate) -> dict[str, Any] | None:
        """The payload that answers the gate; None where the run is to stay waiting."""
        for number, answer in enumerate(self._left):
            if gate.kind in answer and (payload := self._fitted(gate, answer[gate.kind])) is not None:
                del self._left[number]
                return payload
        if self._case.unanswered == "defaults" or (self._case.unanswered == "reject" and gate.kind == "questions"):
            return default_answers(gate)
        return {"decision": "reject"} if self._case.unanswered == "reject" else None

    @property
    def unused(self) -> list[dict[GateKind, Any]]:
        """Answers that no gate has asked for."""
        return list(self._left)

    def _fitted(self, gate: Gate, said: Any) -> dict[str, Any] | None:
        """What is said in the form of the gate's payload; None where it fits none of the gate's questions."""
        if said == "defaults":
            return default_answers(gate)
        if isinstance(said, str):
            return {"decision": said}
        if gate.kind != "questions":
            return dict(said)
        asked = {key for index, item in enumerate(gate.questions) for key in (item.question, str(index))}
        fitting = {str(key): value for key, value in said.items() if str(key) in asked}
        if not fitting:
            return None
        answers = default_answers(gate)["answers"] if self._case.unanswered == "defaults" else {}
        named = {item.question: fitting.pop(str(i)) for i, item in enumerate(gate.questions) if str(i) in fitting}
        return {"answers": answers | named | fitting}


def load_cases(place: Path) -> list[Case]:
    """The cases of a file, or of all files of a folder that are of these kinds and below it.

    Raises:
        InvalidInput: there is no such place, or a file cannot be read, or a case cannot be used, or two are called the
            same; the message names file, line and case.
    """
    if place.is_dir():
        files = sorted(path for path in place.rglob("*") if path.suffix in SUFFIXES and _holds_cases(path, place))
    else:
        files = [place]
    cases = [case for path in files for case in _cases_in(path)]
    if not cases:
        raise InvalidInput(f"{place} holds no cases.", hint=FORMS)
    seen: dict[str, Case] = {}
    for case in cases:
        if case.id in seen:
            raise InvalidInput(f"{case.place}: case {case.id} has the id of the one at {seen[case.id].place}.")
        seen[case.id] = case
    return cases


def _holds_cases(path: Path, root: Path) -> bool:
    """Leave out hidden files, recordings, and the files that cases give to agents (`NAME.files/`)."""
    parts = path.relative_to(root).parts
    hidden = any(part.startswith(".") or part.endswith(".files") for part in parts)
    return not hidden and not path.name.endswith(".recording.jsonl")


@dataclass(frozen=True)
class _Entry:
    """A case as the file has it; `node` tells its lines, which begin after `before`."""

    data: Any
    node: yaml.Node | None
    before: int = 0

    def line_of(self, location: Sequence[str | int]) -> int:
        """The line of the part that a location leads to, as far as it can be followed."""
        node, line = self.node, 1 if self.node is None else self.node.start_mark.line + 1
        for part in location:
            if isinstance(node, yaml.MappingNode):
                pair = next((pair for pair in node.value if pair[0].value == str(part)), None)
                if pair is not None:
                    node, line = pair[1], pair[0].start_mark.line + 1
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                line = node.start_mark.line + 1
        return self.before + line


def _cases_in(path: Path) -> Iterator[Case]:
    for entry in _entries(path):
        if not isinstance(entry.data, Mapping):
            raise InvalidInput(f"{path}:{entry.line_of(())}: this is no case.", hint=FORMS)
        name = entry.data.get("id", "without an id")
        try:
            case = Case.model_validate(entry.data)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            known = "a key that is not known" if first["type"] == "extra_forbidden" else first["msg"]
            told = f"{path}:{entry.line_of(first['loc'])}: case {name}: {where + ': ' if where else ''}"
            raise InvalidInput(
                f"{told}{known.removeprefix('Value error, ')}.", hint="docs/evaluate.md tells the keys."
            ) from error
        yield case.found_at(path, entry.line_of(()))


def _entries(path: Path) -> Iterator[_Entry]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}.", hint="Name a file of cases, or a folder.") from error
    if path.suffix == ".jsonl":
        for number, one in enumerate(text.splitlines()):
            if one.strip():
                data, node = _read(path, one, number)
                yield _Entry(data, node, number)
        return
    data, node = _read(path, text)
    defaults: Any = {}
    if isinstance(data, Mapping) and "cases" in data:
        unknown = [key for key in data if key not in ("cases", "defaults")]
        if unknown or not isinstance(data["cases"], list) or not isinstance(data.get("defaults", {}), Mapping):
            line = _Entry(data, node).line_of(unknown[:1])
            raise InvalidInput(
                f"{path}:{line}: beside `cases`, a list, only `defaults`, a mapping, is known.", hint=FORMS
            )
        defaults, data = data.get("defaults", {}), data["cases"]
        node = next((value for key, value in node.value if key.value == "cases"), None) if node else None
    listed = data if isinstance(data, list) else [] if data is None else [data]
    nodes = node.value if isinstance(data, list) and isinstance(node, yaml.SequenceNode) else [node]
    for each, its_node in zip(listed, nodes, strict=False):
        yield _Entry({**defaults, **each} if isinstance(each, Mapping) else each, its_node)


class _Loader(yaml.SafeLoader):
    """YAML as people mean it: a date stays a text, and a key stands once."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - the library's own way
        first: [(tag, pattern) for tag, pattern in each if tag != "tag:yaml.org,2002:timestamp"]
        for first, each in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Refuse a key that stands twice."""
        names = [key.value for key, _ in node.value]
        for key, _ in node.value:
            if names.count(key.value) > 1:
                raise yaml.MarkedYAMLError(problem=f"the key {key.value!r} stands twice", problem_mark=key.start_mark)
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        return found


def _read(path: Path, text: str, before: int = 0) -> tuple[Any, yaml.Node | None]:
    """The data, and the nodes that tell its lines.

    Raises:
        InvalidInput: it is no YAML or JSON.
    """
    try:
        if path.suffix in (".json", ".jsonl"):  # tabs between its words are none of YAML's
            return json.loads(text), yaml.compose(text.replace("\t", " "), Loader=_Loader)
        return yaml.load(text, Loader=_Loader), yaml.compose(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{path}:{before + error.lineno}: no JSON: {error.msg}.", hint=FORMS) from error
    except yaml.MarkedYAMLError as error:
        line = before + error.problem_mark.line + 1 if error.problem_mark else before + 1
        raise InvalidInput(f"{path}:{line}: no YAML: {error.problem}.", hint=FORMS) from error
