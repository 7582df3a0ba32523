"""`replace_in_file`: a part of a file, found by its text."""

from pydantic import ConfigDict, Field

from loopwright.agents.ide.editing.edits import Edit
from loopwright.agents.ide.editing.patch_sets import Sources
from loopwright.agents.ide.editing.replacing import SHOWN_LINES, Replacement, replace_text
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.tools.edit_tool import EditParameters, EditTool, Plan


class ReplaceInFileParameters(EditParameters):
    """Parameters of `replace_in_file`."""

    model_config = ConfigDict(populate_by_name=True)

    path: str = Field(min_length=1, max_length=500)
    search: str = Field(min_length=1, max_length=200_000, description="The text as it stands there, without numbers")
    replace: str = Field(max_length=200_000, description="What comes in its place; empty deletes it")
    occurrence: int | None = Field(None, ge=1, description="Which one, where it occurs more than once")
    everywhere: bool = Field(False, alias="all", description="Replace all occurrences")


class ReplaceInFile(EditTool[ReplaceInFileParameters]):
    """Replaces text that is there once, and says so where it was not there exactly."""

    name = "replace_in_file"
    parameters_model = ReplaceInFileParameters

    def plan(self, params: ReplaceInFileParameters, sources: Sources, project: Project) -> Plan:
        """One edit, and what was matched where it was not exact."""
        path = sources.check(params.path)
        text = sources.text(path)
        done = replace_text(
            text, params.search, params.replace, occurrence=params.occurrence, everywhere=params.everywhere
        )
        return Plan([Edit(path, text.encode("utf-8"), done.text.encode("utf-8"))], _notes(done))

    def paths(self, params: ReplaceInFileParameters) -> frozenset[str]:
        """The file."""
        return frozenset({params.path})


def _notes(done: Replacement) -> list[str]:
    where = ", ".join(map(str, done.lines[:SHOWN_LINES]))
    if done.how == "exact":
        return [f"In line {where}." if len(done.lines) == 1 else f"{len(done.lines)} times, in lines {where}."]
    lines = done.matched.splitlines()
    shown = "\n".join(lines[:SHOWN_LINES]) + ("\n…" if len(lines) > SHOWN_LINES else "")
    return [
        f"The text was not there exactly; it was matched {done.how} ({done.similarity:.0%} similar) in line {where}.",
        f"This was replaced:\n{shown}",
    ]
