"""`rename_symbol`: a symbol gets another name wherever the code means it."""

from pydantic import Field

from loopwright.agents.ide.editing.edits import Edit
from loopwright.agents.ide.editing.patch_sets import Sources
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.tools.edit_tool import EditParameters, EditTool, Plan
from loopwright.kernel.errors import Conflict

MOST_KEPT = 20


class RenameSymbolParameters(EditParameters):
    """Parameters of `rename_symbol`."""

    old: str = Field(min_length=1, max_length=200, description="The name as it is, without what it stands in")
    new: str = Field(min_length=1, max_length=200)
    path: str = Field("", max_length=500, description="The file that defines it, where several do")
    everywhere: bool = Field(False, description="Rename all that is defined by this name")


class RenameSymbol(EditTool[RenameSymbolParameters]):
    """Renames by the scopes and imports that the index knows."""

    name = "rename_symbol"
    parameters_model = RenameSymbolParameters

    def plan(self, params: RenameSymbolParameters, sources: Sources, project: Project) -> Plan:
        """An edit for each file that means the symbol.

        Raises:
            Conflict: several things have the name, the new one is taken, or the patch set changes these files already.
        """
        index = project.index
        index.refresh()
        path = sources.check(params.path) if params.path else ""
        renaming = index.rename(params.old, params.new, path=path, everywhere=params.everywhere)
        edits = []
        for each in renaming.edits:
            before = each.before.encode("utf-8")
            if sources.read(each.path) != before:
                raise Conflict(
                    f"The patch set changes {each.path!r} already; the index does not know that text.",
                    hint="Apply or discard it first.",
                )
            edits.append(Edit(each.path, before, each.after.encode("utf-8")))
        kept = [f"{where}:{line}" for where, line in renaming.kept]
        more = f" and {len(kept) - MOST_KEPT} more" if len(kept) > MOST_KEPT else ""
        notes = [f"Left as they are, since another thing has that name there: {', '.join(kept[:MOST_KEPT])}{more}."]
        return Plan(edits, notes if kept else ())
