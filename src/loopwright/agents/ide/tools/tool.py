"""What every tool of the ide agent has: required arguments, a category that the user allows, and its project."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict

from loopwright.agents.ide.contracts import Category
from loopwright.agents.ide.project import Project, Projects
from loopwright.kernel.events import Effect
from loopwright.kernel.tools import BaseTool, ToolContext

ParametersT = TypeVar("ParametersT", bound=BaseModel)
LONGEST_TOLD = 500
"""Characters; a longer limit of a text is only checked."""


class Arguments(BaseModel):
    """What a tool takes. All of it is required: what is optional is a tool of its own. Unknown names are refused."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=lambda schema: _short(schema))


def _short(schema: dict[str, Any]) -> None:
    """Leave out of what a model reads what no model needs to be told, and no grammar can hold it to."""
    for field in schema.get("properties", {}).values():
        field.pop("minLength", None)
        if field.get("maxLength", 0) > LONGEST_TOLD:
            del field["maxLength"]


class NoArguments(Arguments):
    """What tools take that need nothing."""


class IdeTool(BaseTool[ParametersT, Any]):
    """A tool of the ide agent. `category` says what it does to the project."""

    category: ClassVar[Category] = "read"
    effect: ClassVar[Effect] = "pure"

    def category_of(self, arguments: Mapping[str, Any], root: Path) -> Category:
        """What this very call does to the project at a root, where its arguments make a difference."""
        return self.category

    def rules(self, arguments: Mapping[str, Any], root: Path) -> tuple[str, ...] | None:
        """The rules that together allow this very call; None where nothing beyond the call itself can be allowed."""
        return (self.category_of(arguments, root),)

    def project(self, ctx: ToolContext[Any]) -> Project:
        """The project of the call's run."""
        projects: Projects = ctx.db.projects
        return projects.at(ctx.output_dir)


# Which tools do more than read, by their names.

WRITERS = frozenset(
    {
        "write_file", "create_file", "append_to_file", "write_code", "delete_file", "replace_in_file",
        "replace_all_in_file",
        "rename_symbol", "rename_symbol_in", "rename_symbol_everywhere", "apply_patch", "patchset_apply",
        "checkpoint_restore",
    }
)  # fmt: skip
"""They change files."""
COMMANDS = frozenset({"run_command", "run_command_with_network", "run_command_unsandboxed"})
"""They run programs, which may change files."""
WORKERS = WRITERS | COMMANDS | {"patchset_propose", "patchset_discard", "index_add_memory", "index_delete_memory"}
"""They do something that a user may have asked for, beyond an answer."""
