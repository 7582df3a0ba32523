"""From a name or a file to a checked config."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from loopwright.agents.jobs.configs.layers import Layer, did_you_mean, load_layers, shipped_names
from loopwright.agents.jobs.contracts import LANGUAGES, JobConfig, ToolNames
from loopwright.kernel.errors import InvalidInput

# The JSON Schema of config files, made from the model.

EXTENDS = {
    "description": "The config that this one changes: a shipped name or a file beside. Without it `defaults` is meant; "
    "null means none.",
    "anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}],
    "default": "defaults",
}

ANNOTATIONS = ("title", "default", "description")

OTHER_CATEGORIES = {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}
"""Tool categories of the user's own; their tools count like domain tools."""


def config_schema() -> dict[str, Any]:
    """The schema of one file: every field may be left to the parent, and null takes the parent's value away."""
    schema = JobConfig.model_json_schema()
    del schema["required"]
    for section in (schema, *schema.get("$defs", {}).values()):
        properties = section.get("properties", {})
        section["properties"] = {name: _or_null(field) for name, field in properties.items()}
    schema["$defs"]["ToolNames"]["additionalProperties"] = OTHER_CATEGORIES
    schema["properties"] = {"$extends": EXTENDS, **schema["properties"]}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Loopwright job config"}


def _or_null(field: dict[str, Any]) -> dict[str, Any]:
    told = {key: value for key, value in field.items() if key in ANNOTATIONS}
    kind = {key: value for key, value in field.items() if key not in ANNOTATIONS}
    return {**told, "anyOf": [kind, {"type": "null"}]}


# Fields and tools of earlier configs, read as what they became.

OLD_FIELDS = frozenset({"agent_id", "todo", "polling", "context_management", "$schema", "$extends"})
"""Top-level fields that are known without being fields of `JobConfig`."""

OLD_TOOLS: dict[str, tuple[str, ...]] = {
    "mark_complete": ("job_complete",),
    "archive_and_reset": ("todo_complete",),
}
"""What does the work of a tool that is no more."""

POLLED_TOOLS = {"requirements": ("next_requirements", "get_requirement", "list_requirements", "update_requirement")}
"""What does the work of polling a table: the job asks for rows itself, instead of being started with one."""

OLD_CATEGORIES = ("todo", "completion")
"""Tools of these categories go to the phases where ours of the same purpose belong."""


def translated(data: Mapping[str, Any], strategic_tools: frozenset[str]) -> dict[str, Any]:
    """One layer in today's fields; the old ones are kept beside, for who reads them.

    `agent_id` names the `job_type`; `todo.max_items` and `todo.archive_on_reset` are the phases' settings; the tool
    categories `todo` and `completion` are divided among the phases; a polled table becomes the tools that ask for its
    rows. What is of the wrong type is left as it is, for the check that names it.
    """
    result = dict(data)
    if "agent_id" in result:
        result.setdefault("job_type", result["agent_id"])
    todo = result.get("todo")
    if isinstance(todo, Mapping):
        settings = {
            new: todo[old]
            for old, new in (("max_items", "max_todos"), ("archive_on_reset", "archive_on_transition"))
            if old in todo
        }
        own = result.get("phase_settings")
        if settings:
            result["phase_settings"] = settings | (dict(own) if isinstance(own, Mapping) else {})
    tools = result.get("tools")
    if isinstance(tools, Mapping):
        result["tools"] = _translated_tools(tools, strategic_tools)
        _ask_instead_of_polling(result)
    return result


def _ask_instead_of_polling(layer: dict[str, Any]) -> None:
    polling, domain = layer.get("polling"), layer["tools"].get("domain")
    if isinstance(polling, Mapping) and isinstance(domain, list):
        asked = POLLED_TOOLS.get(str(polling.get("table")), ())
        domain += [name for name in asked if name not in domain]


def _translated_tools(tools: Mapping[str, Any], strategic_tools: frozenset[str]) -> dict[str, Any]:
    result = {category: _renamed(names) for category, names in tools.items()}
    for category in OLD_CATEGORIES:
        if not _are_names(result.get(category)):
            continue
        for name in result.pop(category):
            phase = "strategic" if name in strategic_tools else "tactical"
            known = result.setdefault(phase, [])
            if isinstance(known, list) and name not in known:
                known.append(name)
    return result


def _renamed(names: Any) -> Any:
    if not _are_names(names):
        return names
    return list(dict.fromkeys(new for name in names for new in OLD_TOOLS.get(name, (name,))))


def _are_names(names: Any) -> bool:
    return isinstance(names, list) and all(isinstance(name, str) for name in names)


# What is wrong with a config, or worth a word: each with the file, the pointer to the culprit, and what to do.

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
            named.update(names if category != "first" else ())
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


# Finding the instructions that belong to a config: its own, or those of the nearest parent that has some.

MAX_BYTES = 400_000


def find_instructions(layers: Sequence[Layer], template: str, language: str) -> str:
    """The text of the instructions in the wanted language, else in whatever language they are written.

    Args:
        layers: the config's files, itself first. One may hold the text itself under `instructions`.
        template: the name of the file beside a config, `instructions.md`; `instructions.de.md` is its German form.
        language: `en` or `de`.

    Raises:
        InvalidInput: the template's name leads out of the config's folder, or its file is not text, or too large.
    """
    name = PurePosixPath(template)
    if name.is_absolute() or ".." in name.parts or not name.name or "\0" in template:
        raise InvalidInput(
            f"/workspace/instructions_template: {template[:100]!r} lies outside the config's own folder.",
            hint="Put the file beside the config.",
        )
    for layer in layers:
        text = layer.data.get("instructions")
        if isinstance(text, str) and text.strip():
            return text
        for candidate in (name.with_suffix(f".{language}{name.suffix}"), name):
            path = layer.path.parent / candidate
            if path.is_file():
                return _read(path, layer)
    return ""


def _read(path: Path, layer: Layer) -> str:
    if not path.resolve().is_relative_to(layer.path.parent):
        raise InvalidInput(
            f"{layer.shown}: {path.name} is a link that leaves the config's folder.", hint="Put the file there itself."
        )
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise InvalidInput(f"{layer.shown}: {path.name} is larger than {MAX_BYTES:,} bytes.")
        return content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{layer.shown}: {path.name} cannot be read as UTF-8 text: {error}.") from error


# Deep merge of config layers.


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`below` changed by `above`: mappings merge, lists and plain values replace, null takes a value away."""
    result = dict(below)
    for key, value in above.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, Mapping):
            under = result.get(key)
            result[key] = merged(under if isinstance(under, Mapping) else {}, value)
        else:
            result[key] = value
    return result


SHOWN_ISSUES = 5


@dataclass(frozen=True)
class ConfigReport:
    """What came of a config: the config itself unless it has errors, and what is to be said about it."""

    config: JobConfig | None
    layers: tuple[str, ...]
    issues: list[ConfigIssue] = field(default_factory=list)

    @property
    def errors(self) -> list[ConfigIssue]:
        """What stands in the way."""
        return [issue for issue in self.issues if issue.severity == "error"]

    def usable(self) -> JobConfig:
        """The config.

        Raises:
            InvalidInput: it has errors; the message has the first of them with their pointers.
        """
        if self.config is not None:
            return self.config
        shown = self.errors[:SHOWN_ISSUES]
        raise InvalidInput(
            "\n".join(str(issue) for issue in shown),
            hint=next((issue.hint for issue in shown if issue.hint), "`loopwright jobs schema` has the form."),
        )


def load_config(name: str | Path, *, language: str | None = None) -> JobConfig:
    """A config, resolved and checked; it holds its instructions.

    Args:
        name: a shipped name, a file, or a folder with a `config.json`.
        language: wins over the config's own, `en` or `de`.

    Raises:
        NotFound: there is no such config, or no such parent.
        InvalidInput: it cannot be used; the message has the pointer to each culprit.
    """
    return examine_config(name, language=language).usable()


def examine_config(name: str | Path, *, language: str | None = None) -> ConfigReport:
    """Everything that can be said about a config.

    Raises:
        NotFound, InvalidInput: one of its files cannot be read at all.
    """
    if language is not None and language not in LANGUAGES:
        raise InvalidInput(f"There is no language {language[:40]!r}.", hint=f"Use one of {', '.join(LANGUAGES)}.")
    layers = load_layers(name)
    data = _resolved(layers, language)
    issues = [*_notes(layers), *tool_issues(data.get("tools"), layers)]
    _leave_out_unknown_tools(data)
    try:
        config = JobConfig.model_validate(data, strict=True)
    except ValidationError as error:
        return ConfigReport(None, _names(layers), [*model_issues(error, layers), *issues])
    text = find_instructions(layers, config.workspace.instructions_template, config.language)
    report = ConfigReport(config.model_copy(update={"instructions": text}), _names(layers), issues)
    return ConfigReport(None, report.layers, issues) if report.errors else report


def _resolved(layers: Sequence[Layer], language: str | None) -> dict[str, Any]:
    from loopwright.agents.jobs.tools import STRATEGIC

    data: dict[str, Any] = {}
    for layer in reversed(layers):
        data = merged(data, translated(layer.data, STRATEGIC))
    for key in ("$extends", "$schema"):
        data.pop(key, None)
    if language is not None:
        data["language"] = language
    return data


def _leave_out_unknown_tools(data: dict[str, Any]) -> None:
    from loopwright.agents.jobs.tools import all_tools

    tools, known = data.get("tools"), {tool.name for tool in all_tools()}
    if isinstance(tools, Mapping):
        data["tools"] = {
            category: [name for name in names if not isinstance(name, str) or name in known]
            if isinstance(names, list)
            else names
            for category, names in tools.items()
        }


def _notes(layers: Sequence[Layer]) -> list[ConfigIssue]:
    return [issue for layer in layers if not layer.shipped for issue in unknown_fields(layer)]


def _names(layers: Sequence[Layer]) -> tuple[str, ...]:
    return tuple(layer.shown for layer in layers)


__all__ = ["ConfigReport", "config_schema", "examine_config", "load_config", "shipped_names"]
