"""Apply a JSON Patch to a document."""

import copy
from typing import Any

from jsonpatch import JsonPatch, JsonPatchException, JsonPatchTestFailed
from jsonpointer import JsonPointerException

from loopwright.agents.designspec.patches.errors import PatchError
from loopwright.agents.designspec.patches.limits import check_document, check_operations, name_operation
from loopwright.agents.designspec.patches.places import explain_missing, look_up, split_pointer

Operations = list[dict[str, Any]]


def apply_patch(document: Any, operations: Operations) -> Any:
    """The document after the operations; the one that is given stays as it is.

    Args:
        document: any JSON value; a designspec is an object.
        operations: as RFC 6902 has them.

    Raises:
        PatchError: naming the operation at fault, its pointer, what is wrong, and what exists there.
    """
    check_operations(operations)
    result = copy.deepcopy(document)
    for index, operation in enumerate(operations):
        result = apply_operation(result, operation, index)
    check_document(result)
    return result


def apply_operation(document: Any, operation: dict[str, Any], index: int) -> Any:
    """Apply one checked operation, changing the document in place; answer the document (a new one at the root).

    Raises:
        PatchError: it cannot be applied.
    """
    try:
        result = JsonPatch([operation]).apply(document, in_place=True)
    except (JsonPatchException, JsonPointerException) as error:
        raise _explain(document, operation, index, error) from error
    if operation["op"] == "copy":
        _check_growth(result, operation, index)
    return result


def _check_growth(document: Any, operation: dict[str, Any], index: int) -> None:
    # Each copy may double the document: twenty of them would fill the memory before the result is looked at.
    try:
        check_document(document)
    except PatchError as error:
        name, path = name_operation(operation), operation["path"]
        raise PatchError(error.reason, index=index, operation=name, pointer=path, hint=error.hint) from error


def _explain(document: Any, operation: dict[str, Any], index: int, error: Exception) -> PatchError:
    """Say it in the document's words: the libraries name the token, but neither the place nor what is there."""

    def told(reason: str, pointer: str, hint: str = "") -> PatchError:
        return PatchError(reason, index=index, operation=name_operation(operation), pointer=pointer, hint=hint)

    for member in {"add": (), "move": ("from",), "copy": ("from",)}.get(operation["op"], ("path",)):
        missing = explain_missing(document, split_pointer(operation[member]))
        if missing:
            return told(missing[0], operation[member], missing[1])
    tokens = split_pointer(operation["path"])
    missing = explain_missing(document, tokens[:-1])
    if missing:
        return told(missing[0], operation["path"], f"Add the outer part first. {missing[1]}")
    if isinstance(error, JsonPatchTestFailed):
        return told("the value there is another one than the tested", operation["path"], _shown_value(document, tokens))
    missing = explain_missing(document, tokens)
    if missing and not isinstance(look_up(document, tokens[:-1]), dict):
        return told(missing[0], operation["path"], "To append to an array, end the pointer with /-.")
    return told(str(error) or type(error).__name__, operation["path"])


def _shown_value(document: Any, tokens: list[str]) -> str:
    text = repr(look_up(document, tokens))
    return f"There is {text}." if len(text) <= 200 else ""
