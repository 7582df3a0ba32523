"""From intents to a directive: the one JSON object that the agent's model answers with."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.offline.draft import Draft, Pack
from loopwright.agents.designspec.offline.intents.intent import Intent
from loopwright.agents.designspec.offline.intents.repairing import ExplainFailure
from loopwright.agents.designspec.offline.text import UnusableQuantity
from loopwright.agents.designspec.offline.understanding import understand

TITLE = 160
HEADS = {True: "I propose to:", False: "Nothing in the document would change by this:"}
LONGEST_ANSWER = 15_000
_CONTEXT = {
    "need_full_spec": True,
    "need_more_history": True,
    "why": "The rules work on the whole document.",
}


def plan(intents: Sequence[Intent], pack: Pack, given: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The directive that fulfils the intents.

    Args:
        intents: what `understand` has read, in the order of their phases.
        pack: what is known of the design.
        given: the user's answers by question.

    Returns:
        A directive. While a question is open, nothing is proposed: the answer may change all of it.
    """
    if pack.spec is None:
        if not pack.expanded:
            explains = any(isinstance(intent, ExplainFailure) for intent in intents)
            return {"assistant_message": "", "context_requests": _CONTEXT | {"need_last_run_report": explains}}
        return directive("I cannot see the document, and I change nothing that I do not see.")
    return directive_of(drafted(intents, pack, given))


def drafted(intents: Sequence[Intent], pack: Pack, given: Mapping[str, str] | None = None) -> Draft:
    """What the intents come to, as `plan` puts it into a directive; the pack has the whole document."""
    draft = Draft.of(pack, given, lambda text: understand(text, pack))
    for intent in intents:
        _plan_whole(intent, draft)
    _drop_what_is_invalid(draft)
    return draft


def _plan_whole(intent: Intent, draft: Draft) -> None:
    """Plan an intent; one that is refused leaves nothing behind that it had begun."""
    before = copy.deepcopy((draft.document, draft.operations, draft.assumed))
    told, refused = len(draft.told), len(draft.refused)
    try:
        intent.plan(draft)
    except UnusableQuantity as reason:
        draft.refused.append(str(reason))
    if len(draft.refused) > refused and len(draft.told) == told:
        draft.document, draft.operations, draft.assumed = before


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
) -> dict[str, Any]:
    """A directive with everything that its schema knows."""
    return {
        "assistant_message": message[:LONGEST_ANSWER],
        "questions": list(questions),
        "proposed_patches": [{"title": title, "operations": list(patch)}] if patch else [],
        "run_request": dict(run) if run else None,
        "context_requests": None,
        "requires_approval": True,
        "stop": False,
    }


def directive_of(draft: Draft) -> dict[str, Any]:
    """The directive of a draft: its patch and run, or its first question while one is open."""
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
            parts.append(_listed(HEADS[bool(draft.patch)], draft.told))
        if draft.assumed and draft.patch:
            parts.append("Assumed: " + "; ".join(dict.fromkeys(draft.assumed)) + ".")
    if draft.refused:
        parts.append("\n".join(draft.refused))
        if not draft.told and not draft.answers and not questions:
            parts.append("Nothing is changed. Say “help” for what I understand.")
    if not (parts or run):
        parts.append("I find nothing in this that would change the document.")
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
    return directive(
        "\n\n".join(parts),
        questions=asked,
        patch=[] if questions else draft.patch,
        title=_title(draft.told),
        run=run,
    )


def _title(told: Sequence[str]) -> str:
    text = "; ".join(told)
    text = text if len(text) <= TITLE else text[:TITLE].rsplit(" ", 1)[0] + " …"
    return text[:1].upper() + text[1:]


def _listed(head: str, lines: Sequence[str]) -> str:
    return "\n".join([head, *(f"- {line}" for line in lines)])
