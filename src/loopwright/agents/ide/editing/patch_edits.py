"""What a patch comes to: one edit for each file that it touches."""

from collections.abc import Sequence

from loopwright.agents.ide.editing.edits import Edit
from loopwright.agents.ide.editing.patch_format import FilePatch
from loopwright.agents.ide.editing.patch_sets import Sources
from loopwright.agents.ide.editing.patching import apply_hunks
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound


class PatchEdits:
    """Collects the edits of a patch; a file that it names twice is edited twice, and written once."""

    def __init__(self, sources: Sources) -> None:
        """Take what the patch is made for."""
        self._sources = sources
        self._edits: dict[str, Edit] = {}
        self.notes: list[str] = []

    @property
    def edits(self) -> Sequence[Edit]:
        """One for each path, in the order in which the patch names them."""
        return [edit for edit in self._edits.values() if edit.before is not None or edit.after is not None]

    def add(self, patch: FilePatch) -> None:
        """Apply what a patch says of one file.

        Raises:
            InvalidInput: it does not fit, or a path cannot be used.
            NotFound: the file is not there.
            Conflict: a file that it makes is there already.
        """
        old = self._sources.check(patch.old) if patch.old is not None else None
        new = self._sources.check(patch.new) if patch.new is not None else None
        before = self._text(old) if old is not None else ""
        if new is not None and new != old and self._present(new) is not None:
            raise Conflict(f"The patch makes {new!r}, which is there already.", hint="Change it instead.")
        applied = apply_hunks(new or old or "", before, patch.hunks)
        self.notes += applied.notes
        if new is None and patch.hunks and applied.text:
            raise InvalidInput(
                f"The patch deletes {old!r}, but does not know all of its lines.", hint="Use delete_file."
            )
        if old is not None and old != new and not patch.copies:
            self._put(old, None, None)
        if new is not None:
            mode = self._sources.mode(old) if old is not None and old != new else None
            self._put(new, applied.text.encode("utf-8"), patch.mode if patch.mode is not None else mode)

    def _text(self, path: str) -> str:
        if path not in self._edits:
            return self._sources.text(path)
        data = self._edits[path].after
        if data is None:
            raise NotFound(f"The patch changes {path!r} after it has taken it away.", hint="Send the parts in order.")
        return data.decode("utf-8")

    def _present(self, path: str) -> bytes | None:
        return self._edits[path].after if path in self._edits else self._sources.read(path)

    def _put(self, path: str, data: bytes | None, mode: int | None) -> None:
        earlier = self._edits.get(path)
        before = earlier.before if earlier is not None else self._sources.read(path)
        self._edits[path] = Edit(path, before, data, mode)
