"""Files of a run as the model may see them: text only, cut to size, never outside the project."""

from pathlib import Path
from typing import Any

from loopwright.agents.designspec.pipeline.reports import RunReport
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.kernel.errors import InvalidInput

MAX_CHARACTERS = 20_000
LONGEST_NAME = 255
"""Bytes of a file's name on the usual file systems; asking for a longer one is an error of theirs."""
TEXT_SUFFIXES = frozenset({".json", ".txt", ".log", ".md", ".csv", ".graphml", ".jsonl"})


def read_artifact(project: ProjectFolder, report: RunReport | None, name: str) -> dict[str, Any]:
    """The text of a file that the model asked for, by its path in the project or in the last run's folder."""
    if any(len(part.encode()) > LONGEST_NAME for part in Path(name).parts):
        return {"error": f"There is no file {name[:80]!r}… in the project."}
    folders = ["", "artifacts/"] if report is None else ["", "artifacts/", f"artifacts/{Path(report.output_dir).name}/"]
    try:
        places = [project.resolve_artifact(folder + name) for folder in folders]
    except InvalidInput as error:
        return {"error": error.message}
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        return {"error": f"There is no file {name!r} in the project."}
    if path.suffix.lower() not in TEXT_SUFFIXES:
        return {
            "error": f"{name} is no text file; its figures stand in the run's report.",
            "bytes": path.stat().st_size,
        }
    with path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(MAX_CHARACTERS + 1)
    return {"text": text[:MAX_CHARACTERS], "cut": len(text) > MAX_CHARACTERS}
