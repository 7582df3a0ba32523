"""`create_file`: a file that is not there yet."""

from pydantic import Field

from loopwright.agents.ide.editing.edits import Edit
from loopwright.agents.ide.editing.patch_sets import Sources
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.tools.edit_tool import EditParameters, EditTool, Plan
from loopwright.kernel.errors import Conflict


class CreateFileParameters(EditParameters):
    """Parameters of `create_file`."""

    path: str = Field(min_length=1, max_length=500)
    content: str = Field("", max_length=1_000_000)


class CreateFile(EditTool[CreateFileParameters]):
    """Creates a file; one that is there is not touched."""

    name = "create_file"
    parameters_model = CreateFileParameters

    def plan(self, params: CreateFileParameters, sources: Sources, project: Project) -> Plan:
        """One edit.

        Raises:
            Conflict: the file is there.
        """
        path = sources.check(params.path)
        if sources.read(path) is not None:
            raise Conflict(f"{path!r} is there already.", hint="Read it, and change it with replace_in_file.")
        return Plan([Edit(path, None, params.content.encode("utf-8"))])

    def paths(self, params: CreateFileParameters) -> frozenset[str]:
        """The file."""
        return frozenset({params.path})
