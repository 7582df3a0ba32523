"""Each patch is put to the user, and applied when they say yes to exactly this patch on exactly this document."""

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.designspec.account import verdict
from loopwright.agents.designspec.account.artifact import Result
from loopwright.agents.designspec.account.reading import read_in
from loopwright.agents.designspec.account.vocabulary import THINGS, left_over, named
from loopwright.agents.designspec.contracts import DesignSpecDirective, ProposedPatch
from loopwright.agents.designspec.directive import DONE, PATCHES, next_signal
from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.document.difference import diff_documents
from loopwright.agents.designspec.events import ApprovalStale, PatchApplied, PatchDropped, PatchProposed, PatchRejected
from loopwright.agents.designspec.offline.conversation import Dialogue
from loopwright.agents.designspec.offline.draft import NETWORK, Draft, Pack
from loopwright.agents.designspec.offline.intents.repairing import UndoChanges
from loopwright.agents.designspec.offline.intents.runs import Answer
from loopwright.agents.designspec.offline.planning import (
    RefusedClause,
    Unknown,
    directive,
    directive_of,
    drafted,
    understand,
)
from loopwright.agents.designspec.offline.text import has
from loopwright.agents.designspec.operations.planning import join_ports
from loopwright.agents.designspec.patches.rebase import PatchConflict, rebase_between
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.agents.designspec.workflow.proposals import (
    CheckedPatch,
    check_patch,
    planned_patch,
    preview_of,
    title_of,
)
from loopwright.agents.designspec.workflow.trace import (
    Trace,
    account_of,
    current_directive,
    keep_validation,
    open_project,
    read_trace,
)
from loopwright.kernel.account import Claim, Declined, NothingThereYet, NotMeasurable, Reading, Statement
from loopwright.kernel.actions import answer_to
from loopwright.kernel.crash import crash_point
from loopwright.kernel.errors import Conflict as Moved
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.events import UserMessage
from loopwright.kernel.messages import split_blocks
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest

# What rules answer in a small model's place: requests that they read exactly, by what the account measures of them.

_JOINED = (
    r",?\s+(?:connected|joined|linked|verbunden)(?: (?:by|with|through|durch|mit) (?:an? |one |eine[nmr]? )?"
    r"(?:straight |gerade[nrm]? )?(?:channel|hole|bore|kanal|bohrung))?(?=[.,;!]|$)"
)
_PLAINER = tuple(
    (re.compile(words, re.I), plain)
    for words, plain in (
        (_JOINED, " "),
        (
            r"[.;,]?\s*\b(?:and )?(?:all|every)(?: the)? (?:openings?|ports?)(?: (?:is|are|should be|must be))?\b",
            ", each",
        ),
        (r"\bfrom (?:the|that|this) inlet,?\s+", ""),
        (r"^the ([\w ]{1,40}?) (?:should|shall|must|needs? to|has to|have to) be\b", r"make the \1"),
        (r"\bwith an? (diameter|radius) of ([\d.,]+ ?[a-zµ]+)", r"of \2 \1"),
        (r"\bactually,?\s+|\s+instead\b|\bplease,?\s+", " "),
    )
)
"""Words in which the rules read a request: new inlets and outlets are joined without being told, too."""
BY_RULES = "_(Read from your message by rules and measured; no model was asked.)_"
FIT = "do not fit"
"""What rules say of sizes for which there is no space: the one refusal that a model could not do better about."""
LATER = ("built", "written", "tips")
"""Checks of what only a run shows; the document says no more than that it is asked for."""
HARMLESS = (
    "holes go all the way through",
    "numbers without a unit",
    "is the channels' diameter",
    "inlets' diameter",
    "outlets' diameter",
    "all three sides",
)
"""How assumptions are told that choose no size: others are the model's to ask about."""


async def read_by_rules(run: AgentRun) -> str | None:
    """The answer to the user's newest message where rules read it exactly; None: the model is asked."""
    if run.profile != "small":
        return None
    talk = Dialogue.of(run.state.context.messages)
    if talk.complaint or not talk.request.strip():
        return None
    newest = len(run.state.said) - 1
    statements = [each for each in run.state.account.statements.values() if each.message == newest]
    answer = await asyncio.to_thread(answer_by_rules, open_project(run), talk, statements)
    return None if answer is None else json.dumps(answer, ensure_ascii=False)


def answer_by_rules(project: ProjectFolder, talk: Dialogue, statements: Sequence[Statement]) -> dict[str, Any] | None:
    """The directive that answers a message which rules read exactly.

    Args:
        project: as it is before the answer.
        talk: the dialogue, whose newest intent is answered.
        statements: the newest message's, as the account has read them.
    """
    asked = [each for each in statements if each.kind != "context"]
    readings = read_in(project.path, statements)
    refused = [each.reason for key in asked if isinstance(each := readings.get(key.id), Declined)]
    if asked and len(refused) == len(asked):
        return directive("\n".join(dict.fromkeys(refused)) + f"\n\nNothing is changed.\n\n{BY_RULES}")
    history = tuple({"at": e.timestamp, "summary": e.note, "inverse": e.inverse} for e in project.history())
    pack = Pack(spec=project.document(), history=history)
    text = _without(talk.request, [each for each in asked if isinstance(readings.get(each.id), Declined)])
    intents = understand(_plainer(text), pack)
    if any(isinstance(intent, Unknown | RefusedClause) for intent in intents):
        return None
    draft = drafted(intents, pack, talk.given)
    _join_new_ports(draft, talk.request)
    left = [
        each
        for each in asked
        if not isinstance(readings.get(each.id), Declined) and not (_empty(each) and each.id not in readings)
    ]
    if not _exact(project, draft, intents, left, readings):
        return None
    answer = directive_of(draft)
    answer["assistant_message"] = "\n\n".join([answer["assistant_message"], *dict.fromkeys(refused), BY_RULES])
    return answer


def _plainer(text: str) -> str:
    for words, plain in _PLAINER:
        text = words.sub(plain, text.strip())
    return text.strip()


def _without(text: str, statements: Sequence[Statement]) -> str:
    """The message without what cannot be done: nothing else is made in its place."""
    for start, end in sorted((part for each in statements for part in each.parts), reverse=True):
        text = text[:start] + text[end:]
    return text


def _empty(statement: Statement) -> bool:
    """Whether a statement asks for nothing: "actually"."""
    return not statement.hard and not left_over(statement.text) and not named(THINGS, statement.text)


def _exact(
    project: ProjectFolder,
    draft: Draft,
    intents: Sequence[Any],
    asked: Sequence[Statement],
    readings: dict[str, Reading],
) -> bool:
    """Whether the draft is all that the message says, and nothing that it does not say."""
    if all(isinstance(intent, Answer) for intent in intents):
        return bool(asked) and all(each.kind == "question" for each in asked) and not draft.patch
    if all(isinstance(intent, UndoChanges) for intent in intents):
        return bool(draft.patch) and not draft.refused
    if any(FIT not in reason for reason in draft.refused):
        return False
    if any(not any(words in assumed for words in HARMLESS) for assumed in draft.assumed):
        return False
    claims = [readings.get(each.id) for each in asked]
    if not claims or (draft.patch and check_document(draft.document).errors):
        return False
    result = Result(project.path, proposed=draft.document)
    open_ = bool(draft.questions) or bool(draft.refused)
    return all(isinstance(each, Claim) and _holds(result, each, open_=open_) for each in claims)


def not_so(project: ProjectFolder, document: dict[str, Any], statements: Sequence[Statement]) -> list[str]:
    """What the statements claim that would not be so in a document, in words for the model."""
    result, told = Result(project.path, proposed=document), []
    readings = read_in(project.path, statements)
    for statement in statements:
        reading = readings.get(statement.id)
        if not isinstance(reading, Claim) or reading.check in LATER[:2]:
            continue
        try:
            holds, value = verdict(result, reading)
        except (NothingThereYet, NotMeasurable):
            continue
        if not holds:
            told.append(f"“{statement.text}”: {value}")
    return told


def _holds(result: Result, claim: Claim, *, open_: bool) -> bool:
    """Whether a claim is so in the proposed document; while a question is open, only sizes of the body must be."""
    sizes = claim.check in ("box", "round_body") and any(name.endswith("_mm") for name in claim.arguments)
    open_ = open_ and not sizes
    if claim.check == "together":
        return all(_holds(result, Claim.model_validate(each), open_=open_) for each in claim.arguments["every"])
    try:
        holds, _ = verdict(result, claim)
    except NothingThereYet:
        return open_
    except NotMeasurable:
        return claim.check in LATER or open_
    return holds or claim.check in ("built", "written") or open_


def _join_new_ports(draft: Draft, message: str) -> None:
    """New inlets and outlets of which nothing says how they hang together: straight channels join them."""
    if has(message, "tree|branch\\w*|network|grow\\w*|coloni[sz]\\w*|baum|netz\\w*|verzweig\\w*"):
        return
    known = {each.get("id") for each in (draft.pack.spec or {}).get("components") or []}
    for index, component in enumerate(draft.components):
        build, ports = component.get("build") or {}, component.get("ports") or {}
        bare = build.get("type") == NETWORK and not build.get("backend_params")
        if bare and component.get("id") not in known and ports.get("inlets") and ports.get("outlets"):
            join_ports(draft, index)


# What a patch would take back of what earlier messages asked for: told before the user is asked about the patch.


def taken_back(project: ProjectFolder, after: dict[str, Any], earlier: Iterable[Statement]) -> list[str]:
    """The earlier statements that hold of the document and would not after a patch, each with what it would be then.

    Args:
        project: as it is now.
        after: the document as the patch would leave it.
        earlier: statements of earlier messages; those that a later message has superseded are left out, since the
            user's own words ask for the change.
    """
    now, then = Result(project.path, proposed=project.document()), Result(project.path, proposed=after)
    told = []
    for statement in earlier:
        claim = statement.claim
        if claim is None or statement.state != "kept" or claim.check in LATER:
            continue
        if not _found(now, claim)[0]:
            continue
        holds, value = _found(then, claim)
        if holds is False:
            told.append(f"“{statement.text}”: {value}")
    return told


def _found(result: Result, claim: Claim) -> tuple[bool | None, str]:
    """What the check finds in a document; None where only a built solid could tell."""
    try:
        return verdict(result, claim)
    except NothingThereYet:
        return False, "there is nothing"
    except NotMeasurable as error:
        return None, str(error)


MakePatch = Callable[[], ProposedPatch]
REVISE = "revise"
"""The user said no and why: the model is asked again."""


async def review_patches(run: AgentRun) -> ActionResult | GateRequest:
    """Settle the directive's patches one after another; each has its own gate."""
    directive = current_directive(run)
    if directive is None:
        return ActionResult(False, "There is no directive to carry out.", DONE)
    review = _Review(run, open_project(run), await read_trace(run))
    for index, patch in enumerate(review.patches(directive), 1):
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

    def patches(self, directive: DesignSpecDirective) -> list[MakePatch]:
        """The directive's patches in their order, the one of its typed operations first; each is made when needed."""
        outright = [lambda patch=patch: patch for patch in directive.proposed_patches]
        planned = [lambda: planned_patch(self.project, directive, said_in(self.run))] if directive.operations else []
        return [*planned, *outright]

    async def settle(self, proposal_id: str, patch: MakePatch) -> GateRequest | None:
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

    async def _propose(self, proposal_id: str, make: MakePatch, stale: list[str] | None = None) -> PatchProposed | None:
        """Put a patch on the table against the document as it is now; one that does not fit is dropped."""
        document = self.project.document()
        try:
            patch = make()
            checked = check_patch(document, patch.as_json())
        except InvalidInput as error:
            await self.run.append(PatchDropped(proposal_id=proposal_id, reason=f"{error.message} {error.hint}".strip()))
            return None
        earlier = list(self.run.state.account.earlier.values())
        lost = await asyncio.to_thread(taken_back, self.project, checked.after, earlier)
        preview = preview_of(self.project, document, checked)
        proposal = PatchProposed(
            proposal_id=proposal_id,
            title=title_of(patch, checked.operations),
            operations=checked.operations,
            base_hash=self.project.document_hash,
            preview=preview | ({"takes_back": lost} if lost else {}),
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
        if isinstance(rebased, PatchConflict):
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
        return await self._propose(proposal.proposal_id, lambda: patch, differences)


def said_in(run: AgentRun) -> list[str]:
    """What the user said in the dialogue that the model sees, answers included."""
    spoken = [split_blocks(each.content)[0] for each in run.state.context.messages if each.role == "user"]
    return [text for text in spoken if text]


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
    run.defer(UserMessage(text=text, composed=True))
    return text
