"""What is wrong with a config, or worth a word: each with the file, the pointer to the culprit, and what to do."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from loopwright.agents.jobs.configs.layers import Layer
from loopwright.agents.jobs.configs.old_names import OLD_FIELDS, OLD_TOOLS
from loopwright.agents.jobs.configs.spelling import did_you_mean
from loopwright.agents.jobs.contracts.config import JobConfig, ToolNames

EXPECTED = re.compile(r"'([^']+)'")
CHOOSE_MODELS = "Of this section only `model` counts; endpoint and the rest are settings of the installation."
NEEDED = ("todo_write", "job_complete")
OLD_PLACES = {"/job_type": "/agent_id", "/phase_settings/max_todos": "/todo/max_items"}


@dataclass(frozen=True)
class ConfigIssue:
    """One finding. `pointer` is a JSON pointer into `file`."""

    severity: Literal["error", "warning"]
    file: str
    pointer: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        """In one line, without the hint."""
        return f"{self.file}: {self.pointer or '/'}: {self.message}"

    @property
    def advice(self) -> str:
        """In one line, with the hint."""
        return f"{self} {self.hint}".strip()


def model_issues(error: ValidationError, layers: Sequence[Layer]) -> list[ConfigIssue]:
    """What the model says, with the pointer into the file that brought the value."""
    return [
        ConfigIssue("error", file, pointer, f"{found['msg']}.", _guess(found))
        for found in error.errors()
        for file, pointer in [_place(_pointer(found["loc"]), layers)]
    ]


def unknown_fields(layer: Layer) -> list[ConfigIssue]:
    """Fields that nothing reads; they are kept, but a slip of the pen must not go unseen."""
    issues = list(_unknown(JobConfig, layer.data, "", layer.shown))
    llm = layer.data.get("llm")
    unread = sorted(set(llm) - {"model"}) if isinstance(llm, dict) else []
    return issues + [
        ConfigIssue("warning", layer.shown, f"/llm/{name}", "nothing reads this field.", CHOOSE_MODELS)
        for name in unread
    ]


def tool_issues(tools: Any, layers: Sequence[Layer]) -> list[ConfigIssue]:
    """Tools that are no more, that never were, or without which a job cannot live."""
    from loopwright.agents.jobs.tools import all_tools

    known = [tool.name for tool in all_tools()]
    issues = [
        issue
        for layer in layers
        if not layer.shipped
        for pointer, name in _named_tools(layer.data.get("tools"))
        if (issue := _tool_issue(layer.shown, pointer, name, known)) is not None
    ]
    if tools is None or isinstance(tools, Mapping):
        issues += _category_issues(tools or {}, layers)
    return issues


def _category_issues(tools: Mapping[str, Any], layers: Sequence[Layer]) -> Iterator[ConfigIssue]:
    """The model checks its own four categories; others are kept as they are, and must be lists of names as well."""
    named: set[str] = set()
    for category, names in tools.items():
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            named.update(names)
        elif category not in ToolNames.model_fields:
            place = _place(f"/tools/{_escaped(category)}", layers)
            yield ConfigIssue("error", *place, "a category is a list of tools' names.")
    for name in NEEDED:
        if name not in named:
            place = _place("/tools/strategic", layers)
            yield ConfigIssue("error", *place, f"it lacks {name}, without which no job comes to an end.")


def _tool_issue(file: str, pointer: str, name: str, known: Sequence[str]) -> ConfigIssue | None:
    if name in OLD_TOOLS:
        return ConfigIssue("warning", file, pointer, f"{name} is now done by {', '.join(OLD_TOOLS[name])}.")
    if name in known:
        return None
    return ConfigIssue(
        "warning", file, pointer, f"there is no tool {name[:80]!r}; it is left out.", did_you_mean(name, known).strip()
    )


def _named_tools(tools: Any) -> Iterator[tuple[str, str]]:
    for category, names in tools.items() if isinstance(tools, Mapping) else ():
        for index, name in enumerate(names if isinstance(names, list) else ()):
            if isinstance(name, str):
                yield f"/tools/{_escaped(category)}/{index}", name


def _unknown(model: type[BaseModel], data: Mapping[str, Any], pointer: str, file: str) -> Iterator[ConfigIssue]:
    for name, value in data.items():
        below = f"{pointer}/{_escaped(name)}"
        known = model.model_fields.get(name)
        if known is not None:
            kind = known.annotation
            if isinstance(kind, type) and issubclass(kind, BaseModel) and isinstance(value, Mapping):
                yield from _unknown(kind, value, below, file)
        elif not (pointer == "" and name in OLD_FIELDS) and (guess := did_you_mean(name, model.model_fields)):
            yield ConfigIssue("warning", file, below, "nothing reads this field.", guess.strip())


def _guess(found: Any) -> str:
    """What was meant by a value that is none of the allowed ones."""
    expected = EXPECTED.findall(str(found.get("ctx", {}).get("expected", "")))
    return did_you_mean(str(found["input"]), expected).strip() if expected else ""


def _pointer(place: Sequence[Any]) -> str:
    return "".join(f"/{_escaped(str(part))}" for part in place)


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")


def _place(pointer: str, layers: Sequence[Layer]) -> tuple[str, str]:
    """The nearest layer that has a value at the pointer, or at what it was called before."""
    for layer in layers:
        for candidate in (pointer, OLD_PLACES.get(pointer, pointer)):
            if _has(layer.data, candidate):
                return layer.shown, candidate
    return layers[0].shown, pointer


def _has(data: Any, pointer: str) -> bool:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(data, Mapping) and key in data:
            data = data[key]
        elif isinstance(data, list) and key.isdigit() and int(key) < len(data):
            data = data[int(key)]
        else:
            return False
    return True
