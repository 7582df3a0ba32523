"""What is wrong with a patch."""

from loopwright.kernel.errors import InvalidInput


class PatchError(InvalidInput):
    """An operation that cannot be applied.

    Args:
        reason: what is wrong, as a clause without a full stop.
        index: the operation's place in the patch, from 0; None when the patch as a whole is at fault.
        operation: what it is called, like `replace /meta/seed`.
        pointer: the JSON pointer of the culprit.
        hint: what exists there, or what to write instead.
    """

    def __init__(
        self, reason: str, *, index: int | None = None, operation: str = "", pointer: str = "", hint: str = ""
    ) -> None:
        """Put the place before the reason."""
        place = f"The patch: {reason}." if index is None else f"Operation {index} ({operation}): {reason}."
        super().__init__(place, hint=hint)
        self.index = index
        self.pointer = pointer
        self.reason = reason
