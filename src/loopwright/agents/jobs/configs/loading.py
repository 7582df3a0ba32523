"""From a name or a file to a checked config."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from loopwright.agents.jobs.configs.instructions import find_instructions
from loopwright.agents.jobs.configs.issues import ConfigIssue, model_issues, tool_issues, unknown_fields
from loopwright.agents.jobs.configs.layers import Layer, load_layers
from loopwright.agents.jobs.configs.merging import merged
from loopwright.agents.jobs.configs.old_names import translated
from loopwright.agents.jobs.contracts.config import LANGUAGES, JobConfig
from loopwright.kernel.errors import InvalidInput

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
