"""`rename_symbol` and its kin: a symbol gets another name wherever the code means it."""

from pydantic import Field

from loopwright.agents.ide.editing.patch_sets import Sources
from loopwright.agents.ide.project import Project
from loopwright.agents.ide.tools.tool import Arguments
from loopwright.agents.ide.tools.writing import EditPlan, EditTool
from loopwright.kits.history.change_log import Edit

MOST_KEPT = 20


class RenameSymbolParameters(Arguments):
    """Parameters of `rename_symbol` and `rename_symbol_everywhere`."""

    old: str = Field(min_length=1, max_length=200)
    new: str = Field(min_length=1, max_length=200)


class RenameSymbolInParameters(RenameSymbolParameters):
    """Parameters of `rename_symbol_in`."""

    path: str = Field(min_length=1, max_length=500, description="The file that defines it")


class RenameSymbol(EditTool[RenameSymbolParameters]):
    """Renames by the scopes and imports that the index knows."""

    name = "rename_symbol"
    parameters_model = RenameSymbolParameters

    def plan(self, params: RenameSymbolParameters, sources: Sources, project: Project) -> EditPlan:
        """An edit for each file that means the symbol; raises Conflict where several things have the name."""
        return _renaming(params, project)


class RenameSymbolIn(EditTool[RenameSymbolInParameters]):
    """Renames the symbol that a file defines, where other files define the name too."""

    name = "rename_symbol_in"
    parameters_model = RenameSymbolInParameters

    def plan(self, params: RenameSymbolInParameters, sources: Sources, project: Project) -> EditPlan:
        """As `rename_symbol`, for one of several definitions."""
        return _renaming(params, project, path=sources.check(params.path))


class RenameSymbolEverywhere(EditTool[RenameSymbolParameters]):
    """Renames all that is defined by a name."""

    name = "rename_symbol_everywhere"
    parameters_model = RenameSymbolParameters

    def plan(self, params: RenameSymbolParameters, sources: Sources, project: Project) -> EditPlan:
        """As `rename_symbol`, for all definitions."""
        return _renaming(params, project, everywhere=True)


def _renaming(
    params: RenameSymbolParameters, project: Project, *, path: str = "", everywhere: bool = False
) -> EditPlan:
    project.index.refresh()
    renaming = project.index.rename(params.old, params.new, path=path, everywhere=everywhere)
    edits = [Edit(each.path, each.before.encode("utf-8"), each.after.encode("utf-8")) for each in renaming.edits]
    kept = [f"{where}:{line}" for where, line in renaming.kept]
    more = f" and {len(kept) - MOST_KEPT} more" if len(kept) > MOST_KEPT else ""
    notes = [f"Left as they are, since another thing has that name there: {', '.join(kept[:MOST_KEPT])}{more}."]
    return EditPlan(edits, notes if kept else ())
