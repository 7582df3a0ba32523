"""Each patch is put to the user, and applied when they say yes to exactly this patch on exactly this document."""

from dataclasses import dataclass
from typing import Any

from loopwright.agents.designspec.contracts import ProposedPatch
from loopwright.agents.designspec.directive.reading import DONE, PATCHES, next_signal
from loopwright.agents.designspec.document.difference import diff_documents
from loopwright.agents.designspec.events import ApprovalStale, PatchApplied, PatchDropped, PatchProposed, PatchRejected
from loopwright.agents.designspec.patches.rebase import Conflict, rebase_between
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.agents.designspec.workflow.account import account_of
from loopwright.agents.designspec.workflow.proposals import CheckedPatch, check_patch, preview_of, title_of
from loopwright.agents.designspec.workflow.rooms import keep_validation, open_project
from loopwright.agents.designspec.workflow.trace import Trace, current_directive, read_trace
from loopwright.kernel.asking import answer_to
from loopwright.kernel.crash import crash_point
from loopwright.kernel.errors import Conflict as Moved
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import UserMessage
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest

REVISE = "revise"
"""The user said no and why: the model is asked again."""


async def review_patches(run: AgentRun) -> ActionResult | GateRequest:
    """Settle the directive's patches one after another; each has its own gate."""
    directive = current_directive(run)
    if directive is None:
        return ActionResult(False, "There is no directive to carry out.", DONE)
    review = _Review(run, open_project(run), await read_trace(run))
    for index, patch in enumerate(directive.proposed_patches, 1):
        request = await review.settle(f"{run.state.run_id}-s{run.state.steps}-p{index}", patch)
        if request is not None:
            return request
    trace = await read_trace(run)
    comment = take_comment(run, trace)
    signal = REVISE if comment else next_signal(directive, after=PATCHES)
    account = account_of(trace)
    return ActionResult(True, account, signal, text=f"{directive.assistant_message}\n\n{account}".strip())


@dataclass
class _Review:
    """The patches of one directive on their way into the document."""

    run: AgentRun
    project: ProjectFolder
    trace: Trace

    async def settle(self, proposal_id: str, patch: ProposedPatch) -> GateRequest | None:
        """Bring one patch to its end, or give the question that has to be answered first."""
        if self.trace.settled(proposal_id):
            return None
        if await self._was_saved(proposal_id):
            return None
        proposal = self.trace.proposals.get(proposal_id) or await self._propose(proposal_id, patch)
        while proposal is not None:
            request = gate_for(proposal)
            answer = answer_to(self.run, request)
            if answer is None:
                return request
            if answer["decision"] != "approve":
                comment = str(answer.get("comment") or "")
                await self.run.append(PatchRejected(proposal_id=proposal_id, comment=comment))
                return None
            proposal = await self._apply(proposal)
        return None

    async def _was_saved(self, proposal_id: str) -> bool:
        """Whether a process died after it had stored the patch and before it could tell the journal."""
        record = self.project.record_of(proposal_id)
        if record is None:
            return False
        rebased = proposal_id in self.trace.proposals and (
            self.trace.proposals[proposal_id].base_hash != record.old_hash
        )
        await self.run.append(applied_of(proposal_id, record.patches, record.old_hash, record.new_hash, rebased))
        return True

    async def _propose(
        self, proposal_id: str, patch: ProposedPatch, stale: list[str] | None = None
    ) -> PatchProposed | None:
        """Put a patch on the table against the document as it is now; one that does not fit is dropped."""
        document = self.project.document()
        try:
            checked = check_patch(document, patch.as_json())
        except InvalidInput as error:
            await self.run.append(PatchDropped(proposal_id=proposal_id, reason=f"{error.message} {error.hint}".strip()))
            return None
        proposal = PatchProposed(
            proposal_id=proposal_id,
            title=title_of(patch, checked.operations),
            operations=checked.operations,
            base_hash=self.project.document_hash,
            preview=preview_of(self.project, document, checked),
            stale=stale or [],
        )
        await self.run.append(proposal)
        self.trace.proposals[proposal_id] = proposal
        return proposal

    async def _apply(self, proposal: PatchProposed) -> PatchProposed | None:
        """Store an approved patch. Where the document has moved on: rebased if it commutes, else asked anew."""
        current = self.project.document()
        if self.project.document_hash == proposal.base_hash:
            return await self._save(proposal, check_patch(current, proposal.operations), rebased=False)
        base = self.project.version(proposal.base_hash)
        rebased = rebase_between(base, current, proposal.operations)
        if isinstance(rebased, Conflict):
            return await self._ask_anew(proposal, base, current, rebased.reason)
        try:
            checked = check_patch(current, rebased.operations)
        except InvalidInput as error:
            return await self._ask_anew(proposal, base, current, error.message)
        return await self._save(proposal, checked, rebased=True)

    async def _save(self, proposal: PatchProposed, checked: CheckedPatch, *, rebased: bool) -> PatchProposed | None:
        try:
            record = self.project.save(
                checked.after,
                author="llm",
                operations=checked.operations,
                proposal_id=proposal.proposal_id,
                expected_hash=self.project.document_hash,
                note=proposal.title,
            )
        except Moved:  # somebody else stored a change in this very moment: look again
            return await self._apply(proposal)
        crash_point("action.effect")
        keep_validation(self.project)
        applied = applied_of(proposal.proposal_id, record.patches, record.old_hash, record.new_hash, rebased)
        await self.run.append(applied)
        return None

    async def _ask_anew(
        self, proposal: PatchProposed, base: dict[str, Any], current: dict[str, Any], reason: str
    ) -> PatchProposed | None:
        """Refuse a stale approval, tell what has changed, and ask about the patch as it stands now."""
        differences = [reason, *(change.text for change in diff_documents(base, current))]
        await self.run.append(
            ApprovalStale(
                subject=proposal.proposal_id,
                approved_hash=proposal.base_hash,
                current_hash=self.project.document_hash,
                differences=differences,
            )
        )
        patch = ProposedPatch.model_validate({"title": proposal.title, "operations": proposal.operations})
        return await self._propose(proposal.proposal_id, patch, differences)


def gate_for(proposal: PatchProposed) -> GateRequest:
    """The question about one patch: an approval names the document's hash and these operations."""
    return GateRequest(
        "patch",
        proposal.title,
        details={
            "proposal_id": proposal.proposal_id,
            "base_hash": proposal.base_hash,
            "operations": proposal.operations,
            **({"stale": proposal.stale} if proposal.stale else {}),
            "preview": proposal.preview,
        },
    )


def applied_of(
    proposal_id: str, operations: list[dict[str, Any]], old_hash: str, new_hash: str, rebased: bool
) -> PatchApplied:
    """The event that tells of a stored patch."""
    return PatchApplied(
        proposal_id=proposal_id, operations=operations, old_hash=old_hash, new_hash=new_hash, rebased=rebased
    )


def take_comment(run: AgentRun, trace: Trace) -> str:
    """What the user said with a no; it becomes their next word to the model, stored with the end of the action."""
    own = f"{run.state.run_id}-s{run.state.steps}-p"
    said = [each for key, each in trace.rejected.items() if key.startswith(own) and each.comment]
    if not said:
        return ""
    titles = {key: proposal.title for key, proposal in trace.proposals.items()}
    text = "\n".join(f'I rejected "{titles.get(each.proposal_id, "the patch")}": {each.comment}' for each in said)
    run.defer(UserMessage(text=text))
    return text
