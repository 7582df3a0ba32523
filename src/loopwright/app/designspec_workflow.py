"""`DesignSpecWorkflow`: the interface that spec 001 promises to its callers, over the kernel's runs."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.app.answering import answer_run, cancel_run, load_state
from loopwright.app.designspec import describe_plan, message_for, run_index, run_options, run_plan
from loopwright.app.ending import describe_gate, last_line
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run
from loopwright.app.watching import is_terminal
from loopwright.kernel.errors import Conflict
from loopwright.kernel.ports import Claim


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
        self, house: Loopwright, *, use_legacy_agent: bool = False, callbacks: PanelCallbacks | None = None
    ) -> None:
        """Work in this house; the legacy agent is the rule-based one."""
        self._house = house
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
            await cancel_run(self._house, self._run_id)

    async def _start(
        self, message: str, options: dict[str, Any], state: WorkflowState = WorkflowState.PROCESSING
    ) -> dict[str, Any]:
        new: NewRun = await message_for(self._house, self._project().path, message, options)
        record = await create_run(self._house, new)
        self._run_id = record.run_id
        return await self._drive(record.run_id, None, state, "started")

    async def _answer(self, payload: dict[str, Any]) -> dict[str, Any]:
        if self._run_id is None or self._gate is None:
            raise Conflict("Nothing waits for an answer.")
        state = WorkflowState.RUNNING if self._gate["kind"] == "run" else WorkflowState.PROCESSING
        claim = await answer_run(self._house, self._run_id, payload, gate_id=self._gate["gate_id"])
        return await self._drive(self._run_id, claim, state, "answered")

    async def _drive(self, run_id: str, claim: Claim | None, state: WorkflowState, reason: str) -> dict[str, Any]:
        self._gate = None
        self._enter(state)
        self._house.dispatcher.dispatch(run_id, claim, reason)
        await self._house.dispatcher.wait(run_id)
        return await self._rest(run_id)

    async def _rest(self, run_id: str) -> dict[str, Any]:
        """Tell everyone where the run has come to."""
        events = await self._house.stores.journal.read(run_id)
        folded = await load_state(self._house, run_id)
        final = next((event.payload for event in reversed(events) if is_terminal(event)), None)
        line = last_line(await self._house.stores.runs.get(run_id), folded, final)
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
