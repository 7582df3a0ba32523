"""Use cases of the designspec agent: projects in folders, runs without a model, undo, history."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.document.difference import diff_documents
from loopwright.agents.designspec.document.loading import load_text
from loopwright.agents.designspec.document.schema import json_schema
from loopwright.agents.designspec.pipeline.reports import RunPlan
from loopwright.agents.designspec.pipeline.stages import resolve_stage
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.agents.designspec.project.hashing import document_hash
from loopwright.agents.designspec.project.index import ArtifactIndexer
from loopwright.agents.designspec.workflow.proposals import check_patch
from loopwright.app.answering import open_gates
from loopwright.app.ending import describe_gate
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun
from loopwright.kernel.errors import InvalidInput, NotFound

AGENT = "designspec"
MAX_SPEC_BYTES = 2_000_000


async def message_for(house: Loopwright, folder: Path, message: str, options: dict[str, Any]) -> NewRun:
    """A message about the project in this folder: in the folder's session where it has one."""
    return NewRun(
        message=message,
        agent=AGENT,
        session_id=await session_of(house, folder),
        folder=folder,
        options=options,
    )


async def session_of(house: Loopwright, folder: Path) -> str | None:
    """The newest session that works in this folder."""
    found = await house.stores.sessions.find(agent=AGENT, output_dir=absolute(folder), limit=1)
    return found[0].session_id if found else None


def absolute(folder: Path) -> str:
    """The folder's one name, by which its session is found again."""
    return str(folder.resolve())


async def project_of(house: Loopwright, session_id: str) -> ProjectFolder:
    """The project of a session.

    Raises:
        NotFound: there is no such session.
        InvalidInput: the session is another agent's.
    """
    session = await house.stores.sessions.get(session_id)
    if session.agent != AGENT:
        raise InvalidInput(f"Session {session_id} belongs to the agent {session.agent!r}.")
    return ProjectFolder.create_or_open(Path(session.output_dir))


def run_options(plan: RunPlan, *, confirm: bool = False) -> dict[str, Any]:
    """The options of a run that the user asks for outright; with `confirm` it is put to them once more."""
    return {"run_plan": plan.model_dump(mode="json"), "confirm": confirm}


def describe_plan(plan: RunPlan) -> str:
    """The run as a message, for lists of runs."""
    only = f" only {', '.join(plan.run_only)}" if plan.run_only else f" until {plan.run_until}"
    return f"Run the pipeline{only}."


def read_spec_file(path: Path) -> dict[str, Any]:
    """A spec document out of a JSON or YAML file.

    Raises:
        InvalidInput: it cannot be read, is too large, or is no document.
    """
    try:
        size = path.stat().st_size
        if size > MAX_SPEC_BYTES:
            raise InvalidInput(f"{path} has {size:,} bytes; at most {MAX_SPEC_BYTES:,} are read.")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}.", hint="Give a JSON or YAML file.") from error
    return load_text(text, str(path))


def project_from(document: dict[str, Any], folder: Path, *, beside: Path) -> ProjectFolder:
    """The project in this folder with the given document as its newest version.

    Meshes that the document names are copied from beside its file: a project holds all that it needs.

    Raises:
        InvalidInput: the folder cannot be used, or a mesh is not there.
    """
    project = ProjectFolder.create_or_open(folder)
    for name in imported_files(document):
        source, target = beside.parent / name, project.path / name
        if source.is_file() and source.resolve() != target.resolve():
            project.files.folder(str(Path(name).parent))
            shutil.copyfile(source, project.files.inside(name))
    current = project.document()
    if current != document:
        project.save(
            document,
            author="user",
            operations=[{"op": "replace", "path": "", "value": document}],
            proposal_id=None,
            expected_hash=document_hash(current),
            note=f"taken from {beside.name}",
        )
    return project


def imported_files(document: dict[str, Any]) -> list[str]:
    """Relative paths of the meshes that a document names, as far as they stay below its folder."""
    domains, components = document.get("domains"), document.get("components")
    named = [each.get("path") for each in _objects(domains.values() if isinstance(domains, dict) else [])]
    builds = [part.get("build") for part in _objects(components if isinstance(components, list) else [])]
    named += [build.get("mesh_path") for build in _objects(builds)]
    paths = [name for name in named if isinstance(name, str)]
    return [name for name in paths if not Path(name).is_absolute() and ".." not in Path(name).parts]


def _objects(values: Iterable[Any]) -> list[dict[str, Any]]:
    return [value for value in values if isinstance(value, dict)]


def documents_schema() -> dict[str, Any]:
    """The JSON Schema of spec documents."""
    return json_schema()


def check(document: dict[str, Any]) -> dict[str, Any]:
    """What the check of a document says, with the hash under which a patch names it."""
    report = check_document(document)
    return {
        "valid": report.ok and report.complete,
        "document_hash": document_hash(document),
        "spec_hash": report.spec_hash,
        "input_units": report.input_units,
        "issues": [issue.model_dump(mode="json") for issue in report.issues],
    }


def compare(before: dict[str, Any], after: dict[str, Any]) -> list[dict[str, Any]]:
    """The semantic difference of two documents."""
    return [change.model_dump(mode="json") for change in diff_documents(before, after)]


def run_plan(data: dict[str, Any]) -> RunPlan:
    """A plan out of a request.

    Raises:
        InvalidInput: a stage does not exist; the message lists those there are.
    """
    plan = RunPlan.model_validate(data)
    for stage in (plan.run_until, *plan.run_only, *plan.skip):
        resolve_stage(stage)
    return plan


def change_document(
    project: ProjectFolder, operations: list[dict[str, Any]], base_hash: str, note: str
) -> dict[str, Any]:
    """Apply a patch of the user's own, under the same checks as one of the model's.

    Raises:
        InvalidInput: it does not apply, or would make the document invalid.
        Conflict: the document is not the one that `base_hash` names.
    """
    checked = check_patch(project.document(), operations)
    record = project.save(
        checked.after,
        author="user",
        operations=checked.operations,
        proposal_id=None,
        expected_hash=base_hash,
        note=note,
    )
    return record.model_dump(mode="json")


def run_index(project: ProjectFolder) -> list[dict[str, Any]]:
    """The index of the project's runs."""
    return [entry.model_dump(mode="json") for entry in ArtifactIndexer(project).refresh()]


async def pending_patches(house: Loopwright, session_id: str) -> list[dict[str, Any]]:
    """The patch and run gates at which the session waits."""
    return [describe_gate(each.gate) for each in await open_gates(house, session_id) if each.gate.kind == "patch"]


def artifact_file(project: ProjectFolder, relative: str) -> Path:
    """A file below the project's `artifacts/`, which may stand in front or not.

    Raises:
        InvalidInput: the path is absolute, climbs up, or leaves the folder by a link.
        NotFound: there is no such file.
    """
    below = relative if relative.startswith("artifacts/") else f"artifacts/{relative}"
    path = project.resolve_artifact(below)
    if not path.is_file() or not path.is_relative_to(project.resolve_artifact("artifacts")):
        raise NotFound(f"There is no artifact {relative!r}.", hint="The index of artifacts lists each run's files.")
    return path
