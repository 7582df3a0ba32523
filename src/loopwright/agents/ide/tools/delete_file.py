"""`delete_file`: a file that is no longer needed."""

from pydantic import Field

from loopwright.agents.ide.editing.edits import Edit
from loopwright.agents.ide.editing.patch_sets import Sources
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.tools.edit_tool import EditParameters, EditTool, Plan
from loopwright.kernel.errors import NotFound


class DeleteFileParameters(EditParameters):
    """Parameters of `delete_file`."""

    path: str = Field(min_length=1, max_length=500)


class DeleteFile(EditTool[DeleteFileParameters]):
    """Deletes a file; the run's checkpoint has it."""

    name = "delete_file"
    parameters_model = DeleteFileParameters

    def plan(self, params: DeleteFileParameters, sources: Sources, project: Project) -> Plan:
        """One edit.

        Raises:
            NotFound: there is no such file.
        """
        path = sources.check(params.path)
        before = sources.read(path)
        if before is None:
            raise NotFound(f"There is no file {path!r}.", hint="index_find_files shows what there is.")
        return Plan([Edit(path, before, None)])

    def paths(self, params: DeleteFileParameters) -> frozenset[str]:
        """The file."""
        return frozenset({params.path})
