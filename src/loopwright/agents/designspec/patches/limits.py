"""Limits on patches and on what they make: nobody needs more, and hostile ones do."""

import json
import math
from typing import Any

from loopwright.agents.designspec.patches.errors import PatchError
from loopwright.agents.designspec.patches.places import split_pointer
from loopwright.kernel.errors import InvalidInput

MAX_OPERATIONS = 200
MAX_COPIES = 20
MAX_POINTER_LENGTH = 1_000
MAX_DEPTH = 64
MAX_DOCUMENT_BYTES = 2_000_000
MAX_PATCH_BYTES = 2 * MAX_DOCUMENT_BYTES
"""An inverse carries what its patch threw away: never more than a document, and the operations around it."""

OPERATION_MEMBERS = {
    "add": ("path", "value"),
    "remove": ("path",),
    "replace": ("path", "value"),
    "move": ("from", "path"),
    "copy": ("from", "path"),
    "test": ("path", "value"),
}


def check_value(value: Any) -> int:
    """Check a JSON value and answer its size as compact UTF-8 JSON, in bytes.

    Raises:
        PatchError: it is nested too deeply, no JSON, not finite, or no valid Unicode.
    """
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            break
    else:
        raise PatchError(f"it is nested more than {MAX_DEPTH} levels deep")
    try:
        return len(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode())
    except UnicodeEncodeError as error:
        raise PatchError("a text in it is no valid Unicode") from error


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise PatchError("an object in it has a member whose name is no string")
        return [*value.keys(), *value.values()]
    if isinstance(value, list):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        raise PatchError(f"a number in it is not finite ({value})")
    if isinstance(value, int) and abs(value).bit_length() > 1_023:
        raise PatchError("a whole number in it is too large")
    if value is not None and not isinstance(value, str | int | float):
        raise PatchError(f"it holds a Python {type(value).__name__}, which is no JSON")
    return []


def check_document(document: Any) -> None:
    """Check what a patch has made.

    Raises:
        PatchError: it is no JSON, too deep or too large.
    """
    size = check_value(document)
    if size > MAX_DOCUMENT_BYTES:
        raise PatchError(
            f"the document would have {size / 1e6:.1f} MB; at most {MAX_DOCUMENT_BYTES / 1e6:.0f} MB are taken",
            hint="Large data belongs into files that the document names.",
        )


def check_operations(operations: Any) -> None:
    """Check the form of a patch: types, members, pointers' lengths, numbers and sizes.

    Raises:
        PatchError: naming the first operation that is not as RFC 6902 wants it, or the limit that is passed.
    """
    if not isinstance(operations, list):
        raise PatchError("a patch is an array of operations", hint='Like [{"op": "add", "path": "/a", "value": 1}].')
    if len(operations) > MAX_OPERATIONS:
        raise PatchError(f"it has {len(operations)} operations; at most {MAX_OPERATIONS} are taken")
    copies = 0
    total = 0
    for index, operation in enumerate(operations):
        total += _check_operation(operation, index)
        copies += operation["op"] == "copy"
    if copies > MAX_COPIES:
        raise PatchError(f"it has {copies} copy operations; at most {MAX_COPIES} are taken")
    if total > MAX_PATCH_BYTES:
        raise PatchError(f"it has {total / 1e6:.1f} MB; at most {MAX_PATCH_BYTES / 1e6:.0f} MB are taken")


def _check_operation(operation: Any, index: int) -> int:
    if not isinstance(operation, dict) or not all(isinstance(key, str) for key in operation):
        raise PatchError("an operation is an object", index=index, operation=type(operation).__name__)
    kind = operation.get("op")
    if not isinstance(kind, str) or kind not in OPERATION_MEMBERS:
        known = ", ".join(OPERATION_MEMBERS)
        raise PatchError("its `op` is none of RFC 6902", index=index, operation=str(kind)[:40], hint=f"Use {known}.")
    pointers = [operation.get(member) for member in ("path", "from") if member in OPERATION_MEMBERS[kind]]
    name = name_operation(operation)
    for member in OPERATION_MEMBERS[kind]:
        if member not in operation:
            raise PatchError(f"it lacks the member `{member}`", index=index, operation=name)
    for pointer in pointers:
        if not isinstance(pointer, str):
            raise PatchError("a pointer must be a string", index=index, operation=name)
        if len(pointer) > MAX_POINTER_LENGTH:
            reason = f"a pointer has {len(pointer)} characters; at most {MAX_POINTER_LENGTH} are taken"
            raise PatchError(reason, index=index, operation=name)
        try:
            split_pointer(pointer)
        except InvalidInput as error:
            reason = error.message.removesuffix(".")
            raise PatchError(reason, index=index, operation=name, pointer=pointer, hint=error.hint) from error
    try:
        return sum(check_value(operation[member]) for member in operation)
    except PatchError as error:
        path = str(operation["path"])
        raise PatchError(error.reason, index=index, operation=name, pointer=path, hint=error.hint) from error


def name_operation(operation: dict[str, Any]) -> str:
    """What an operation is called in messages, like `move /a → /b`."""
    ends = [str(operation[member]) for member in ("from", "path") if member in operation]
    if operation.get("op") not in ("move", "copy"):
        ends = ends[-1:]
    return f"{operation.get('op')} " + " → ".join(end[:100] or '""' for end in ends)
