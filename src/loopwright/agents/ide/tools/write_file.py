"""`write_file`: a whole file, new or in place of what is there."""

from pydantic import Field

from loopwright.agents.ide.editing.edits import Edit
from loopwright.agents.ide.editing.patch_sets import Sources
from loopwright.agents.ide.editing.texts import in_the_style_of
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.tools.edit_tool import EditParameters, EditTool, Plan


class WriteFileParameters(EditParameters):
    """Parameters of `write_file`."""

    path: str = Field(min_length=1, max_length=500)
    content: str = Field(max_length=1_000_000, description="The whole file")


class WriteFile(EditTool[WriteFileParameters]):
    """Writes a whole file; line ends and a byte order mark stay as they are."""

    name = "write_file"
    parameters_model = WriteFileParameters

    def plan(self, params: WriteFileParameters, sources: Sources, project: Project) -> Plan:
        """One edit."""
        before = sources.read(params.path)
        return Plan([Edit(sources.check(params.path), before, in_the_style_of(before, params.content))])

    def paths(self, params: WriteFileParameters) -> frozenset[str]:
        """The file."""
        return frozenset({params.path})
