"""The parts of the document that no proposal may change."""

from loopwright.agents.designspec.patches.apply import Operations
from loopwright.agents.designspec.patches.errors import PatchError
from loopwright.agents.designspec.patches.limits import check_operations, name_operation
from loopwright.agents.designspec.patches.places import split_pointer

PROTECTED = ("schema",)
"""Top members that say which format the document has: changing them would change what all the rest means."""


def check_protected(operations: Operations) -> None:
    """Refuse a proposal that touches the document as a whole or its `schema`; tests may look at them.

    Raises:
        PatchError: naming the operation.
    """
    check_operations(operations)
    for index, operation in enumerate(operations):
        changed = {"test": (), "move": ("from", "path")}.get(operation["op"], ("path",))
        for member in changed:
            tokens = split_pointer(operation[member])
            if not tokens:
                reason, hint = "a proposal may not replace the whole document", "Change the parts that differ."
            elif tokens[0] in PROTECTED:
                reason, hint = f"/{tokens[0]} says which format the document has and stays as it is", ""
            else:
                continue
            name = name_operation(operation)
            raise PatchError(reason, index=index, operation=name, pointer=operation[member], hint=hint)
