"""From a message to intents, and from these to a directive: the one JSON object that the agent's model answers with."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.offline.draft import Draft, Pack
from loopwright.agents.designspec.offline.intents import Intent, Phase
from loopwright.agents.designspec.offline.intents.channels import read_channels, read_serpentine
from loopwright.agents.designspec.offline.intents.places import read_ridge
from loopwright.agents.designspec.offline.intents.port_changes import read_port_change, read_removal
from loopwright.agents.designspec.offline.intents.ports import NewPorts, read_network, read_ports
from loopwright.agents.designspec.offline.intents.repairing import ExplainFailure, read_channel_change, read_repairing
from loopwright.agents.designspec.offline.intents.runs import Answer, read_import, read_question, read_run
from loopwright.agents.designspec.offline.intents.settings import read_setting
from loopwright.agents.designspec.offline.intents.solids import MakeBody, read_shape
from loopwright.agents.designspec.offline.intents.spots import read_resize
from loopwright.agents.designspec.offline.text import LONGEST, UnusableQuantity, check_quantities, clauses, readable

MOST_INTENTS = 40
"""Intents of one message; each may add many things, and nobody writes more of them by hand."""

COURTESIES = ("thanks", "greeting")
"""Answered only when nothing else is said."""

Reader = Callable[[str], Intent | None]

READERS: tuple[Reader, ...] = (
    read_repairing,
    read_question,
    read_import,
    read_channel_change,
    read_removal,
    read_ridge,
    read_setting,
    read_serpentine,
    read_channels,
    read_port_change,
    read_ports,
    read_resize,
    read_network,
    read_shape,
    read_run,
)
"""The narrow ones first: what one of them takes, the later ones never see."""


@dataclass(frozen=True)
class RefusedClause:
    """A clause that cannot be fulfilled as it is written, and why."""

    reason: str
    phase: Phase = Phase.ASKING

    def plan(self, draft: Draft) -> None:
        """Say why."""
        draft.refused.append(self.reason)


@dataclass(frozen=True)
class Unknown:
    """A clause that no reader knows."""

    clause: str
    phase: Phase = field(default=Phase.ASKING)

    def plan(self, draft: Draft) -> None:
        """Say so, with the words themselves."""
        draft.refused.append(f"I did not understand “{self.clause[:120]}{'…' * (len(self.clause) > 120)}”.")


def understand(message: str, pack: Pack) -> list[Intent]:
    """The intents of a message in the order in which they are planned.

    Args:
        message: the user's words, of any length and content; only the first `LONGEST` characters are intents.
        pack: what is known of the design; a bare undo or fix is one only where there is something.

    Returns:
        At least one intent; what was not understood is among them.
    """
    if len(message) > LONGEST:
        return [
            RefusedClause(f"The message is too long for my rules: {len(message):,} characters; say it in {LONGEST:,}.")
        ]
    pieces = clauses(readable(message))
    if len(pieces) > MOST_INTENTS:
        return [
            RefusedClause(
                f"That is more than I do at once: {len(pieces)} requests; tell me up to {MOST_INTENTS} in a message."
            )
        ]
    read = [_read(clause) for clause in pieces]
    intents = _shared_places(_joined_bodies([intent for intent in read if intent is not None]))
    intents = [
        intent for intent in intents if not (isinstance(intent, Answer) and intent.topic in COURTESIES)
    ] or intents
    return sorted(intents, key=lambda intent: intent.phase) or [Unknown(readable(message))]


def _read(clause: str) -> Intent | None:
    if clause.lower() in ("let's start", "lets start", "let's begin", "please", "also", "ok", "okay", "and", "then"):
        return None
    try:
        check_quantities(clause)
        return next((intent for reader in READERS if (intent := reader(clause)) is not None), None) or Unknown(clause)
    except UnusableQuantity as refused:
        return RefusedClause(str(refused))


def _joined_bodies(intents: list[Intent]) -> list[Intent]:
    """`Another domain, a sphere of 10 mm`: a body without sizes and the one with them behind it are the same."""
    joined: list[Intent] = []
    for intent in intents:
        before = joined[-1] if joined else None
        if isinstance(intent, MakeBody) and isinstance(before, MakeBody) and not before.sizes.all and intent.sizes.all:
            joined[-1] = replace(intent, another=before.another or intent.another, name=before.name or intent.name)
        else:
            joined.append(intent)
    return joined


def _shared_places(intents: list[Intent]) -> list[Intent]:
    """`Two inlets and an outlet on top, all with radius 1 mm`: what the last says of place and size holds for all."""
    ports = [intent for intent in intents if isinstance(intent, NewPorts)]
    if len(ports) < 2:
        return intents
    last = ports[-1]
    return [
        intent.sharing(last) if isinstance(intent, NewPorts) and intent is not last else intent for intent in intents
    ]


# From intents to a directive: the one JSON object that the agent's model answers with.

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
