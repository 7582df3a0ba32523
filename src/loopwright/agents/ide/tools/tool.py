"""What every tool of the ide agent has: a category that the user allows or not, and the project it works on."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel

from loopwright.agents.ide.contracts.options import Category
from loopwright.agents.ide.project import Project, Projects
from loopwright.kernel.events import Effect
from loopwright.kernel.tools import BaseTool, ToolContext

ParametersT = TypeVar("ParametersT", bound=BaseModel)


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
