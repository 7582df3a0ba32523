"""From wishes to a directive: the one JSON object that the agent's model answers with."""

from collections.abc import Mapping, Sequence
from typing import Any

from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.offline.draft import Draft
from loopwright.agents.designspec.offline.pack import Pack
from loopwright.agents.designspec.offline.quantities import UnusableQuantity
from loopwright.agents.designspec.offline.understanding import understand
from loopwright.agents.designspec.offline.wishes.wish import Phase, Wish

TITLE = 160
LONGEST_ANSWER = 15_000
_CONTEXT = {
    "need_full_spec": True,
    "why": "The change needs the whole document, and the context holds its summary only.",
}


def plan(wishes: Sequence[Wish], pack: Pack, given: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The directive that fulfils the wishes.

    Args:
        wishes: what `understand` has read, in the order of their phases.
        pack: what is known of the design.
        given: the user's answers by question.

    Returns:
        A directive. While a question is open, nothing is proposed: the answer may change all of it.
    """
    needs_document = any(wish.phase != Phase.ASKING for wish in wishes)
    if pack.spec is None and (needs_document or pack.summary.get("components")):
        if not pack.expanded:
            return {"assistant_message": "", "context_requests": dict(_CONTEXT), "confidence": 0.9}
        return directive("I cannot see the document, and I change nothing that I do not see.", confidence=0.2)
    draft = Draft.of(pack, given, lambda text: understand(text, pack))
    for wish in wishes:
        try:
            wish.plan(draft)
        except UnusableQuantity as refused:
            draft.refused.append(str(refused))
    _drop_what_is_invalid(draft)
    return _directive(draft)


def _drop_what_is_invalid(draft: Draft) -> None:
    """Take the proposal back when the document would have an error that it does not have now, and say which."""
    if not draft.operations:
        return
    known = {(issue.code, issue.pointer) for issue in check_document(draft.pack.spec or {}).errors}
    fresh = [issue for issue in check_document(draft.document).errors if (issue.code, issue.pointer) not in known]
    if fresh:
        wanted = "; ".join(draft.told)
        reasons = " ".join(f"{issue.message} {issue.hint}".strip() for issue in fresh[:3])
        draft.refused.append(f"I could {wanted}, but then the document would be invalid. {reasons}")
        draft.operations, draft.told, draft.assumed, draft.run_request = [], [], [], None


def directive(
    message: str,
    *,
    questions: Sequence[Mapping[str, Any]] = (),
    patch: Sequence[Mapping[str, Any]] = (),
    title: str = "",
    run: Mapping[str, Any] | None = None,
    confidence: float = 0.9,
) -> dict[str, Any]:
    """A directive with everything that its schema knows."""
    return {
        "assistant_message": message[:LONGEST_ANSWER],
        "questions": list(questions),
        "proposed_patches": [{"title": title, "operations": list(patch)}] if patch else [],
        "run_request": dict(run) if run else None,
        "context_requests": None,
        "confidence": confidence,
        "requires_approval": True,
        "stop": False,
    }


def _directive(draft: Draft) -> dict[str, Any]:
    questions = draft.questions[:1]
    blocked = bool(draft.refused)
    run = None if questions or (blocked and draft.run_request and not draft.patch) else draft.run_request
    parts = [*draft.answers]
    if questions:
        parts.append(questions[0].question)
        if draft.told:
            parts.append("With the answer I propose the rest of what you asked for.")
    else:
        if draft.told:
            parts.append(_listed("I propose to:" if draft.patch else "It is so already:", draft.told))
        if draft.assumed and draft.patch:
            parts.append("Assumed: " + "; ".join(dict.fromkeys(draft.assumed)) + ".")
    if draft.refused:
        parts.append("\n".join(draft.refused))
        if not draft.told and not draft.answers and not questions:
            parts.append("Nothing is changed. Say “help” for what I understand.")
    if not (parts or run):
        parts.append("That is how it is already; there is nothing to change.")
    if run:
        until = run["run_until"]
        stages = "the whole pipeline" if until == "full" else f"the pipeline up to `{until}`"
        parts.append(f"{'Then I run' if draft.told else 'I run'} {stages}, once you say yes.")
    elif draft.run_request and not questions:
        parts.append("I do not run it while that is open.")
    asked = [
        {"id": each.id, "question": each.question, "why_needed": each.why_needed, "default": each.default or None}
        for each in questions
    ]
    confidence = 0.3 if blocked and not draft.told else 0.6 if questions or blocked else 0.8 if draft.assumed else 0.95
    return directive(
        "\n\n".join(parts),
        questions=asked,
        patch=[] if questions else draft.patch,
        title=_title(draft.told),
        run=run,
        confidence=confidence,
    )


def _title(told: Sequence[str]) -> str:
    text = "; ".join(told)
    text = text if len(text) <= TITLE else text[:TITLE].rsplit(" ", 1)[0] + " …"
    return text[:1].upper() + text[1:]


def _listed(head: str, lines: Sequence[str]) -> str:
    return "\n".join([head, *(f"- {line}" for line in lines)])
