"""What people and programs do with this agent: the commands and the routes stand on these functions."""

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.document.checking import check_document, json_schema
from loopwright.agents.designspec.document.difference import diff_documents
from loopwright.agents.designspec.document.loading import load_text
from loopwright.agents.designspec.pipeline.reports import RunPlan, resolve_stage
from loopwright.agents.designspec.project.changing import document_hash
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.agents.designspec.project.index import ArtifactIndexer
from loopwright.agents.designspec.workflow.proposals import check_patch
from loopwright.app.answering import answer_run, cancel_run, load_state, open_gates
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run
from loopwright.app.watching import describe_gate, is_terminal, last_line
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kernel.ports import RunClaim

# Use cases of the designspec agent: projects in folders, runs without a model, undo, history.

AGENT = "designspec"
MAX_SPEC_BYTES = 2_000_000


async def message_for(application: Loopwright, folder: Path, message: str, options: dict[str, Any]) -> NewRun:
    """A message about the project in this folder: in the folder's session where it has one."""
    return NewRun(
        message=message,
        agent=AGENT,
        session_id=await session_of(application, folder),
        folder=folder,
        options=options,
    )


async def session_of(application: Loopwright, folder: Path) -> str | None:
    """The newest session that works in this folder."""
    found = await application.stores.sessions.find(agent=AGENT, output_dir=absolute(folder), limit=1)
    return found[0].session_id if found else None


def absolute(folder: Path) -> str:
    """The folder's one name, by which its session is found again."""
    return str(folder.resolve())


async def project_of(application: Loopwright, session_id: str) -> ProjectFolder:
    """The project of a session.

    Raises:
        NotFound: there is no such session.
        InvalidInput: the session is another agent's.
    """
    session = await application.stores.sessions.get(session_id)
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
        InvalidInput: it cannot be read, is too large, or is not a document.
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


async def pending_patches(application: Loopwright, session_id: str) -> list[dict[str, Any]]:
    """The patch and run gates at which the session waits."""
    return [describe_gate(each.gate) for each in await open_gates(application, session_id) if each.gate.kind == "patch"]


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


class WorkflowState(StrEnum):
    """Where the workflow stands (spec 001)."""

    IDLE = "idle"
    PROCESSING = "processing"
    WAITING_PATCH_APPROVAL = "waiting_patch_approval"
    WAITING_RUN_APPROVAL = "waiting_run_approval"
    WAITING_INPUT = "waiting_input"
    RUNNING = "running"
    ERROR = "error"


Callback = Callable[[Any], None]


def unheard(news: Any) -> None:
    """A callback for panels that are not there."""


@dataclass(frozen=True)
class PanelCallbacks:
    """What panels want to be told: the document, waiting patches, a waiting run, the state, new artifacts."""

    on_spec_update: Callback = unheard
    on_pending_patches: Callback = unheard
    on_pending_run_request: Callback = unheard
    on_state_change: Callback = unheard
    on_artifact_update: Callback = unheard


_WAITING = {
    "patch": WorkflowState.WAITING_PATCH_APPROVAL,
    "run": WorkflowState.WAITING_RUN_APPROVAL,
    "questions": WorkflowState.WAITING_INPUT,
}


class DesignSpecWorkflow:
    """One project's conversation: messages, approvals, runs; nothing changes or runs without the matching call.

    Every method that carries the conversation on returns the last line of the run, as the CLI's `--json` prints it.
    """

    def __init__(
        self, application: Loopwright, *, use_legacy_agent: bool = False, callbacks: PanelCallbacks | None = None
    ) -> None:
        """Work in this application; the legacy agent is the rule-based one."""
        self._application = application
        self._options: dict[str, Any] = {"legacy_agent": True} if use_legacy_agent else {}
        self._callbacks = callbacks or PanelCallbacks()
        self._folder: Path | None = None
        self._run_id: str | None = None
        self._gate: dict[str, Any] | None = None
        self._spec_hash = ""
        self.state = WorkflowState.IDLE

    @property
    def pending_patch(self) -> dict[str, Any] | None:
        """The patch that waits for a word: its gate, whose details hold the patch and its preview."""
        return self._gate if self.state is WorkflowState.WAITING_PATCH_APPROVAL else None

    @property
    def pending_run_request(self) -> dict[str, Any] | None:
        """The run that waits for a word."""
        return self._gate if self.state is WorkflowState.WAITING_RUN_APPROVAL else None

    def get_spec(self) -> dict[str, Any]:
        """The document as it is stored."""
        return self._project().document()

    async def on_start(self, project_dir: str | Path) -> None:
        """Open the project in this folder, or make one.

        Raises:
            InvalidInput: the folder cannot be used.
        """
        self._folder = Path(project_dir)  # made absolute by the project itself
        self._tell_spec()
        self._enter(WorkflowState.IDLE)

    async def on_user_message(self, message: str) -> dict[str, Any]:
        """Give the agent a message and follow it to its end or to the next approval.

        Raises:
            Conflict: an approval or an answer is pending.
        """
        return await self._start(message, self._options)

    async def approve_patch(self, patch_id: str) -> dict[str, Any]:
        """Say yes to the waiting patch of this id.

        Raises:
            Conflict: no such patch waits.
        """
        self._require(self.pending_patch, patch_id)
        return await self._answer({"decision": "approve"})

    async def reject_patch(self, patch_id: str, comment: str = "") -> dict[str, Any]:
        """Say no to the waiting patch of this id; with a comment the agent thinks again.

        Raises:
            Conflict: no such patch waits.
        """
        self._require(self.pending_patch, patch_id)
        return await self._answer({"decision": "reject"} | ({"comment": comment} if comment else {}))

    async def approve_pending_run(self) -> dict[str, Any]:
        """Say yes to the waiting run.

        Raises:
            Conflict: none waits.
        """
        self._require(self.pending_run_request)
        return await self._answer({"decision": "approve"})

    async def reject_pending_run(self, comment: str = "") -> dict[str, Any]:
        """Say no to the waiting run.

        Raises:
            Conflict: none waits.
        """
        self._require(self.pending_run_request)
        return await self._answer({"decision": "reject"} | ({"comment": comment} if comment else {}))

    async def answer_questions(self, answers: dict[str, Any]) -> dict[str, Any]:
        """Answer what the agent wants to know, by question text or index.

        Raises:
            InvalidInput: an answer fits no question.
        """
        return await self._answer({"answers": answers})

    async def run_until(self, stage: str) -> dict[str, Any]:
        """Run the pipeline up to this stage; the caller's word is the approval.

        Raises:
            InvalidInput: there is no such stage.
            Conflict: an approval is pending.
        """
        plan = run_plan({"run_until": stage})
        return await self._start(describe_plan(plan), self._options | run_options(plan), WorkflowState.RUNNING)

    async def cancel(self) -> None:
        """Stop what is under way; what is done is kept."""
        if self._run_id is not None:
            await cancel_run(self._application, self._run_id)

    async def _start(
        self, message: str, options: dict[str, Any], state: WorkflowState = WorkflowState.PROCESSING
    ) -> dict[str, Any]:
        new: NewRun = await message_for(self._application, self._project().path, message, options)
        record = await create_run(self._application, new)
        self._run_id = record.run_id
        return await self._drive(record.run_id, None, state, "started")

    async def _answer(self, payload: dict[str, Any]) -> dict[str, Any]:
        if self._run_id is None or self._gate is None:
            raise Conflict("Nothing waits for an answer.")
        state = WorkflowState.RUNNING if self._gate["kind"] == "run" else WorkflowState.PROCESSING
        claim = await answer_run(self._application, self._run_id, payload, gate_id=self._gate["gate_id"])
        return await self._drive(self._run_id, claim, state, "answered")

    async def _drive(self, run_id: str, claim: RunClaim | None, state: WorkflowState, reason: str) -> dict[str, Any]:
        self._gate = None
        self._enter(state)
        self._application.dispatcher.dispatch(run_id, claim, reason)
        await self._application.dispatcher.wait(run_id)
        return await self._rest(run_id)

    async def _rest(self, run_id: str) -> dict[str, Any]:
        """Tell everyone where the run has come to."""
        events = await self._application.stores.journal.read(run_id)
        folded = await load_state(self._application, run_id)
        final = next((event.payload for event in reversed(events) if is_terminal(event)), None)
        line = last_line(await self._application.stores.runs.get(run_id), folded, final)
        self._tell_spec()
        if any(event.type == "pipeline_finished" for event in events):
            self._callbacks.on_artifact_update(run_index(self._project()))
        gate = folded.open_gate
        self._gate = describe_gate(gate) if gate is not None else None
        if gate is not None:
            self._enter(_WAITING[gate.kind])
            if gate.kind == "patch":
                self._callbacks.on_pending_patches([self._gate])
            elif gate.kind == "run":
                self._callbacks.on_pending_run_request(self._gate)
        else:
            self._enter(WorkflowState.ERROR if line["type"] == "error" else WorkflowState.IDLE)
        return line

    def _enter(self, state: WorkflowState) -> None:
        if state is not self.state:
            self.state = state
            self._callbacks.on_state_change(state)

    def _tell_spec(self) -> None:
        current = self._project().document_hash
        if current != self._spec_hash:
            self._spec_hash = current
            self._callbacks.on_spec_update(self._project().document())

    def _project(self) -> ProjectFolder:
        if self._folder is None:
            raise Conflict("No project is open.", hint="Call on_start(project_dir=…) first.")
        return ProjectFolder.create_or_open(self._folder)

    def _require(self, gate: dict[str, Any] | None, patch_id: str | None = None) -> None:
        if gate is None:
            raise Conflict(f"Nothing of that kind waits for a word (the workflow is {self.state}).")
        if patch_id is not None and patch_id not in (gate["gate_id"], gate["details"]["proposal_id"]):
            raise Conflict(f"Patch {patch_id!r} is not the one that waits: {gate['details']['proposal_id']}.")
