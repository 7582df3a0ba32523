"""The structured answer that the model gives: a directive (spec 001)."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import from_json

from loopwright.agents.designspec.operations.forms import (
    MOST_OPERATIONS,
    AnyOperation,
    Ask,
    Change,
    LookAt,
    Patch,
    PlainChange,
    Run,
)
from loopwright.agents.designspec.pipeline.reports import FULL, resolve_stage
from loopwright.kernel.errors import InvalidInput

REPORT_WANTED = "the report of the run"
"""What a model that runs by an operation wants to see of it."""
MAX_PATCHES, MAX_OPERATIONS, MAX_QUESTIONS, MAX_FILES = 8, 200, 8, 16


class DirectivePart(BaseModel):
    """A part of a directive; a field that it does not know is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Question(DirectivePart):
    """A clarification that the model needs of the user."""

    id: str = Field(min_length=1, max_length=80, description="stable identifier")
    question: str = Field(min_length=1, max_length=1_000)
    why_needed: str = Field(default="", max_length=1_000)
    default: str | int | float | bool | None = None


class PatchOperation(DirectivePart):
    """One RFC 6902 operation; `from` is called `source` here, since it is a word of the language."""

    op: Literal["add", "remove", "replace", "move", "copy", "test"]
    path: str = Field(max_length=1_000)
    source: str | None = Field(default=None, alias="from", max_length=1_000)
    value: Any = None

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise ValueError("an operation is an object with op, path and value")
        operation = data.get("op")
        if operation in ("add", "replace", "test") and "value" not in data:
            raise ValueError(f"{operation} needs a value")
        if operation in ("move", "copy") and not isinstance(data.get("from"), str):
            raise ValueError(f'{operation} needs "from"')
        for key in ("path", "from"):
            pointer = data.get(key)
            if isinstance(pointer, str) and pointer and not pointer.startswith("/"):
                raise ValueError(f'{key} must be a JSON Pointer that begins with "/", not {pointer[:80]!r}')
        return data

    def as_json(self) -> dict[str, Any]:
        """The operation as RFC 6902 writes it."""
        data: dict[str, Any] = {"op": self.op, "path": self.path}
        if self.source is not None and self.op in ("move", "copy"):
            data["from"] = self.source
        if self.op in ("add", "replace", "test"):
            data["value"] = self.value
        return data


class ProposedPatch(DirectivePart):
    """Operations that are approved or rejected together; each patch has its own gate."""

    title: str = Field(default="", max_length=200)
    operations: list[PatchOperation] = Field(min_length=1, max_length=MAX_OPERATIONS)

    def as_json(self) -> list[dict[str, Any]]:
        """The operations as RFC 6902 writes them."""
        return [operation.as_json() for operation in self.operations]


def _known_stage(name: str) -> str:
    try:
        resolve_stage(name)
    except InvalidInput as error:
        raise ValueError(f"{error.message} {error.hint}") from error
    return name


StageName = Annotated[str, Field(max_length=200), AfterValidator(_known_stage)]


class RunRequest(DirectivePart):
    """A request to run the pipeline; it always waits for the user's yes."""

    run: bool = False
    run_until: StageName = FULL
    reason: str = Field(default="", max_length=2_000)
    expected_signal: str = Field(default="", max_length=2_000)


FileName = Annotated[str, Field(min_length=1, max_length=500)]


class ContextRequest(DirectivePart):
    """What the model wants to see before it answers; granted once per message."""

    need_full_spec: bool = False
    need_last_run_report: bool = False
    need_validity_report: bool = False
    need_network_artifact: bool = False
    need_specific_files: list[FileName] = Field(default_factory=list, max_length=MAX_FILES)
    need_more_history: bool = False
    need_fields: bool = False
    why: str = Field(default="", max_length=2_000)

    @property
    def asks(self) -> bool:
        """Whether anything is asked for."""
        return bool(
            self.need_full_spec
            or self.need_last_run_report
            or self.need_validity_report
            or self.need_network_artifact
            or self.need_specific_files
            or self.need_more_history
            or self.need_fields
        )


class DesignSpecDirective(DirectivePart):
    """The model's whole answer (spec 001), after `spread` has taken questions, runs and the like out of its operations.

    `operations` are the typed changes; together they make one patch. `proposed_patches` is a flat list of operations of
    RFC 6902 (then it is one patch) or a list of `{title, operations}` (then each has its own gate).
    `requires_approval` is read and recorded, and decides nothing:
    every patch and every run waits for the user's yes. `confidence` is recorded where a model gives it, and shown
    nowhere: no data calibrates it.
    """

    operations: list[AnyOperation] = Field(default_factory=list, max_length=MOST_OPERATIONS)
    assistant_message: str = Field(default="", max_length=20_000)
    questions: list[Question] = Field(default_factory=list, max_length=MAX_QUESTIONS)
    proposed_patches: list[ProposedPatch] = Field(default_factory=list, max_length=MAX_PATCHES)
    run_request: RunRequest | None = None
    context_requests: ContextRequest | None = None
    confidence: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    requires_approval: bool = True
    stop: bool = False

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise ValueError("the directive is one JSON object")
        data = {key: value for key, value in data.items() if value is not None}
        patches = data.get("proposed_patches")
        if isinstance(patches, list) and patches and not any(_is_group(item) for item in patches):
            data["proposed_patches"] = [{"operations": patches}]
        return data

    @model_validator(mode="after")
    def _says_something(self) -> "DesignSpecDirective":
        if not (self.assistant_message.strip() or self.changes_anything or self.questions or self.wants_run):
            asks = self.context_requests is not None and self.context_requests.asks
            if not asks and not self.operations:
                raise ValueError("assistant_message is empty, and there is no patch, run or question either")
        return self

    @property
    def changes(self) -> list[Change | PlainChange]:
        """The typed operations that change the design."""
        return [each for each in self.operations if not isinstance(each, Ask | Run | LookAt | Patch)]

    @property
    def changes_anything(self) -> bool:
        """Whether a patch is proposed, by operations or outright."""
        return bool(self.operations or self.proposed_patches)

    @property
    def wants_run(self) -> bool:
        """Whether the pipeline is to run."""
        return self.run_request is not None and self.run_request.run

    @property
    def wants_context(self) -> bool:
        """Whether the model asks to see more first."""
        return self.context_requests is not None and self.context_requests.asks

    def as_json(self) -> dict[str, Any]:
        """The directive as the model would write it, without what it left out."""
        data = self.model_dump(mode="json", exclude={"proposed_patches"}, exclude_none=True)
        if self.proposed_patches:
            patches = self.proposed_patches
            data["proposed_patches"] = (
                patches[0].as_json()
                if len(patches) == 1 and not patches[0].title
                else [{"title": patch.title, "operations": patch.as_json()} for patch in patches]
            )
        return data


DIRECTIVE_KEYS = tuple(DesignSpecDirective.model_fields)

_LOOKS = {
    "document": "need_full_spec",
    "last_run": "need_last_run_report",
    "checks": "need_validity_report",
    "network": "need_network_artifact",
    "history": "need_more_history",
    "fields": "need_fields",
}
"""What an operation `look_at` asks for, as spec 001 names it."""


def spread(directive: DesignSpecDirective) -> DesignSpecDirective:
    """The directive with its operations that change nothing in their own fields: questions, the run, what to look at.

    Raises:
        ValueError: the JSON text of a patch is none, or breaks the contract of operations.
    """
    kept = directive.changes
    if len(kept) == len(directive.operations):
        return directive
    told = directive.as_json()
    told["operations"] = [each.model_dump(mode="json") for each in kept]
    groups = [{"title": patch.title, "operations": patch.as_json()} for patch in directive.proposed_patches]
    for number, form in enumerate(directive.operations):
        if isinstance(form, Ask):
            asked = {"id": f"q{number + 1}", "question": form.question, "default": form.default or None}
            told["questions"] = [*told.get("questions", []), asked]
        elif isinstance(form, Run):
            told["run_request"] = {"run": True, "run_until": form.until, "expected_signal": REPORT_WANTED}
        elif isinstance(form, LookAt):
            told["context_requests"] = (told.get("context_requests") or {}) | {_LOOKS[form.part]: True}
        elif isinstance(form, Patch):
            groups.append({"title": form.title, "operations": _operations_of(form, number)})
    if groups:
        told["proposed_patches"] = groups
    return DesignSpecDirective.model_validate(told)


def _operations_of(form: Patch, number: int) -> Any:
    try:
        found = from_json(form.operations_json)
    except ValueError as error:
        raise ValueError(f"operations[{number}].operations_json is not JSON: {error}") from error
    if not isinstance(found, list) or not found:
        raise ValueError(f"operations[{number}].operations_json is a JSON list of RFC 6902 operations")
    return found


def _is_group(item: Any) -> bool:
    return isinstance(item, Mapping) and "operations" in item
