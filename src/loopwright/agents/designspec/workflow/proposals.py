"""Patches on their way: checked before anyone is asked, asked about one by one, applied once."""

from dataclasses import dataclass
from typing import Any

from loopwright.agents.designspec.contracts import DesignSpecDirective, ProposedPatch
from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.patches.apply import apply_patch
from loopwright.agents.designspec.patches.describe import describe_patch
from loopwright.agents.designspec.patches.inverse import invert_patch
from loopwright.agents.designspec.patches.pointers import resolve_ids
from loopwright.agents.designspec.patches.protected import check_protected
from loopwright.agents.designspec.pipeline.preview import preview_change
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.kernel.errors import InvalidInput

SHOWN_ISSUES = 6

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
            error that it does not have now.
    """
    resolved = resolve_ids(document, operations)
    check_protected(resolved)
    after = apply_patch(document, resolved)
    known = {(issue.code, issue.pointer) for issue in check_document(document).errors}
    fresh = [issue for issue in check_document(after).errors if (issue.code, issue.pointer) not in known]
    if fresh:
        lines = [f"- {issue.pointer}: {issue.message} {issue.hint}".rstrip() for issue in fresh[:SHOWN_ISSUES]]
        raise InvalidInput("With this patch the document would be invalid:\n" + "\n".join(lines))
    return CheckedPatch(resolved, invert_patch(document, resolved), after)


def check_patches(document: dict[str, Any], directive: DesignSpecDirective) -> str | None:
    """Why a directive's patches cannot be put to the user, or None: each is tried on the outcome of those before it."""
    for index, patch in enumerate(directive.proposed_patches):
        try:
            document = check_patch(document, patch.as_json()).after
        except InvalidInput as error:
            return f"/proposed_patches/{index}: {error.message} {error.hint}".rstrip()
    return None


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
