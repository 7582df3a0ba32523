"""`apply_patch`: a unified diff over one or several files, all of it or nothing."""

from pydantic import Field

from loopwright.agents.ide.editing.patch_edits import PatchEdits
from loopwright.agents.ide.editing.patch_format import read_patch
from loopwright.agents.ide.editing.patch_sets import Sources
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.tools.edit_tool import EditParameters, EditTool, Plan


class ApplyPatchParameters(EditParameters):
    """Parameters of `apply_patch`."""

    diff: str = Field(min_length=1, max_length=1_000_000, description="A unified diff, as `git diff` prints it")


class ApplyPatch(EditTool[ApplyPatchParameters]):
    """Applies a unified diff; what does not fit is shown with the nearest place, and nothing is written."""

    name = "apply_patch"
    parameters_model = ApplyPatchParameters

    def plan(self, params: ApplyPatchParameters, sources: Sources, project: Project) -> Plan:
        """The edits of all files."""
        edits = PatchEdits(sources)
        for patch in read_patch(params.diff):
            edits.add(patch)
        return Plan(edits.edits, edits.notes)
