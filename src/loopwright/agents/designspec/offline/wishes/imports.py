"""“Import the void from channels.stl (in mm)”: a void that was made elsewhere, or a body out of a file."""

import re
from dataclasses import dataclass, field

from loopwright.agents.designspec.offline.components import IMPORT, new_component
from loopwright.agents.designspec.offline.draft import Draft, Question
from loopwright.agents.designspec.offline.text import has
from loopwright.agents.designspec.offline.wishes.wish import Phase

_WORD_FILE = re.compile(r"([^\s\"'`]+\.(?:stl|obj|ply|3mf|glb))\b", re.I)
_UNIT = re.compile(
    r"\b(?:in|units?|unit is|as)\s+(mm|cm|um|µm|m|millimet\w+|met\w+|microns?)\b|\((mm|cm|um|µm|m)\)", re.I
)


@dataclass(frozen=True)
class ImportMesh:
    """A file that becomes a void or a body; its path is relative to the project folder."""

    path: str
    units: str
    body: bool
    phase: Phase = field(default=Phase.VOID)

    def plan(self, draft: Draft) -> None:
        """Add the component or the domain; paths that leave the project folder are refused."""
        if not self.path:
            why = "An import needs a file in the project folder."
            kind = "body" if self.body else "void"
            question = "Which file shall I import (STL, OBJ, PLY, 3MF or GLB)?"
            draft.ask(Question("file", question, why, wish=f"import the {kind} from {{answer}}"))
            return
        if self.path.startswith(("/", "\\", "~")) or ".." in re.split(r"[/\\]", self.path) or ":" in self.path:
            draft.refused.append(f"{self.path[:80]!r} is not inside the project folder; copy the file there first.")
            return
        if not self.units:
            draft.assumed.append(f"`{self.path}` is in millimetres")
        units = self.units or "mm"
        if self.body:
            scale = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}[units] / draft.metres_per_unit
            draft.set(
                {"type": "mesh", "path": self.path, "scale": scale}, "domains", draft.main_domain or "main_domain"
            )
            draft.told.append(f"take the body from `{self.path}`")
            return
        build = {"type": IMPORT, "mesh_path": self.path, "mesh_units": units}
        index = new_component(draft, "imported", build)
        if index is not None:
            draft.told.append(
                f"import the void `{draft.get('components', index, 'id')}` from `{self.path}`, in {units}"
            )


def read_import(clause: str) -> ImportMesh | None:
    """The import that a clause wishes for."""
    file = _WORD_FILE.search(clause)
    if not has(clause, "import|load|read in") and not (file and has(clause, "use|take|from|add")):
        return None
    if not file and not has(clause, "void|mesh|file|stl|body|domain|channels?|model"):
        return None
    unit = _UNIT.search(clause)
    told = (unit[1] or unit[2]).lower() if unit else ""
    known = (
        "um"
        if told[:2] in ("um", "µm", "mi") and not told.startswith("mill")
        else "mm"
        if told.startswith(("mm", "mill"))
        else told[:2]
        if told == "cm"
        else told[:1]
    )
    return ImportMesh(
        file[1] if file else "", known, has(clause, "body|domain|part|block|outer|solid") and not has(clause, "void")
    )
