"""Patches on their way: checked before anyone is asked, asked about one by one, applied once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.designspec.contracts import DesignSpecDirective, ProposedPatch
from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.document.validation import Issue
from loopwright.agents.designspec.operations.forms import unsaid
from loopwright.agents.designspec.operations.planning import plan_operations
from loopwright.agents.designspec.patches import (
    apply_patch,
    check_protected,
    describe_patch,
    invert_patch,
    resolve_ids,
)
from loopwright.agents.designspec.pipeline.preview import preview_change
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.kernel.errors import InvalidInput

SHOWN_ISSUES = 6
TITLE = 190
"""Characters of a patch's title."""

Operations = list[dict[str, Any]]


@dataclass(frozen=True)
class CheckedPatch:
    """A patch that applies and leaves a document no worse than it was."""

    operations: Operations
    inverse: Operations
    after: dict[str, Any]


def check_patch(document: dict[str, Any], operations: Operations) -> CheckedPatch:
    """Try a patch on a document.

    Raises:
        InvalidInput: a pointer leads nowhere, the patch touches what is protected, or the document would have an
            error or a field without effect that it does not have now.
    """
    resolved = resolve_ids(document, operations)
    check_protected(resolved)
    after = apply_patch(document, resolved)
    known = {(issue.code, issue.pointer) for issue in check_document(document).issues}
    fresh = [
        issue for issue in check_document(after).issues if _stops(issue) and (issue.code, issue.pointer) not in known
    ]
    if fresh:
        lines = [f"- {issue.pointer}: {issue.message} {issue.hint}".rstrip() for issue in fresh[:SHOWN_ISSUES]]
        raise InvalidInput("With this patch the document would be invalid:\n" + "\n".join(lines))
    return CheckedPatch(resolved, invert_patch(document, resolved), after)


def _stops(issue: Issue) -> bool:
    """A field that is not known would be approved and have no effect: it counts as an error of the proposal."""
    return issue.severity == "error" or issue.code == "UNKNOWN_FIELD"


def check_patches(project: ProjectFolder, directive: DesignSpecDirective) -> str | None:
    """Why a directive's patches cannot be put to the user, or None: each is tried on the outcome of those before it."""
    try:
        proposed_document(project, directive)
    except InvalidInput as error:
        return f"{error.message} {error.hint}".rstrip()
    return None


def proposed_document(project: ProjectFolder, directive: DesignSpecDirective) -> dict[str, Any]:
    """The document as the directive's patches would leave it.

    Raises:
        InvalidInput: one of them does not fit; of several patches the message begins with its place.
    """
    document = project.document()
    if directive.operations:
        document = check_patch(document, planned_patch(project, directive).as_json()).after
    for index, patch in enumerate(directive.proposed_patches):
        try:
            document = check_patch(document, patch.as_json()).after
        except InvalidInput as error:
            raise InvalidInput(f"/proposed_patches/{index}: {error.message}", hint=error.hint) from error
    return document


def planned_patch(project: ProjectFolder, directive: DesignSpecDirective, said: Sequence[str] = ()) -> ProposedPatch:
    """The one patch that the directive's typed operations make of the document as it is.

    Its title says first which sizes the user (`said`) has not given.

    Raises:
        InvalidInput: one of them does not fit; the message says which, and why in figures.
    """
    history = [
        {"at": record.timestamp, "summary": record.note, "inverse": record.inverse} for record in project.history()
    ]
    planned = plan_operations(project.document(), directive.changes, history)
    if planned.refused:
        raise InvalidInput(" ".join(planned.refused))
    taken = unsaid(said, directive.changes)
    told = "; ".join(
        [*([f"not said by you: {', '.join(taken)}"] if taken else []), *planned.told]
        + [f"assumed: {each}" for each in dict.fromkeys(planned.assumed)]
    )
    shown = told if len(told) <= TITLE else told[:TITLE].rsplit(" ", 1)[0] + " …"
    return ProposedPatch.model_validate({"title": shown[:1].upper() + shown[1:], "operations": planned.patch})


def title_of(patch: ProposedPatch, operations: Operations) -> str:
    """What a gate is called: the patch's own title, or what its operations do."""
    if patch.title.strip():
        return " ".join(patch.title.split())
    lines = describe_patch(operations)
    return lines[0] if len(lines) == 1 else f"{lines[0]} (and {len(lines) - 1} more)"


def preview_of(project: ProjectFolder, before: dict[str, Any], checked: CheckedPatch) -> dict[str, Any]:
    """What the user sees before the word is given: what changes, what runs again, what it will cost, how to undo."""
    preview = preview_change(before, checked.after, project.path).model_dump(mode="json")
    return {"changes": describe_patch(checked.operations), **preview, "inverse": checked.inverse}
