"""One change of the document on disk, so that a crash leaves the old or the new, never half.

The order of the steps: the intent (`patches/.intent.json`, the record to be), the new version in `spec_history/`, the
record in `patches/`, `spec.json` itself, and the intent is taken away. Whoever takes the lock next and finds an intent
completes the change when its version is there, and removes what there is of it when not.
"""

from collections.abc import Callable
from typing import Any

from loopwright.agents.designspec.project.files import ProjectFiles
from loopwright.agents.designspec.project.hashing import document_hash
from loopwright.agents.designspec.project.ledger import MAX_RECORD_BYTES, read_record
from loopwright.agents.designspec.project.record import ChangeRecord
from loopwright.agents.designspec.project.spec_text import MAX_SPEC_BYTES, read_spec, write_spec
from loopwright.kernel.errors import InvalidInput, Misconfigured

SPEC = "spec.json"
INTENT = "patches/.intent.json"
STEPS = ("begun", "intent", "version", "record", "spec", "done")
"""What a change has reached; a test may end the process at each."""


class Changer:
    """Writes changes, and sets right what a crash has left. For who holds the project's lock."""

    def __init__(self, files: ProjectFiles, on_step: Callable[[str], None]) -> None:
        self.files = files
        self.on_step = on_step

    def change(self, record: ChangeRecord, document: dict[str, Any]) -> None:
        """Make the document the project's, with its record. A spec that somebody else wrote keeps its own form.

        Raises:
            Misconfigured: the disk does not take it; the project is as it was.
        """
        text = record.model_dump_json(indent=2) + "\n"
        made = [INTENT]
        self.on_step("begun")
        try:
            self.files.replace(INTENT, text)
            self.on_step("intent")
            self.files.create(record.version_path, write_spec(document))
            made.insert(0, record.version_path)
            self.on_step("version")
            self.files.create(record.path, text)
            made.insert(1, record.path)
            self.on_step("record")
            if not self._spec_is(record.new_hash):
                self.files.replace(SPEC, write_spec(document))
        except OSError as error:
            # Left alone, the next one to open the project would complete what the caller is told has failed.
            self._discard(made)
            raise Misconfigured(
                f"The change could not be written into {self.files.root}: {error.strerror}.",
                hint="Make room or rights there, and approve it again.",
            ) from error
        self.on_step("spec")
        self.files.remove(INTENT)
        self.on_step("done")

    def recover(self) -> ChangeRecord | None:
        """Complete or remove a change that a crash has cut off; answer it when it was completed."""
        for folder in ("", "patches", "spec_history", "reports"):
            self.files.sweep(folder or ".")
        if not self.files.exists(INTENT):
            return None
        try:
            record = read_record(self.files.read(INTENT, MAX_RECORD_BYTES))
        except ValueError as error:
            raise InvalidInput(f"{INTENT} is damaged: {error}.", hint="Look at it and remove it.") from error
        if not self.files.exists(record.version_path):
            self._discard([record.path, INTENT])
            return None
        if not self.files.exists(record.path):
            self.files.create(record.path, record.model_dump_json(indent=2) + "\n")
        if not self.files.exists(SPEC) or self._spec_is(record.old_hash):
            self.put_back(record)
        self.files.remove(INTENT)
        return record

    def put_back(self, record: ChangeRecord) -> None:
        """Make `spec.json` what it was after the change."""
        self.files.replace(SPEC, self.files.read(record.version_path, MAX_SPEC_BYTES))

    def _spec_is(self, wanted: str) -> bool:
        """Whether `spec.json` is the version of this hash; what cannot be read is somebody's edit, and none."""
        try:
            return document_hash(read_spec(self.files.read(SPEC, MAX_SPEC_BYTES), SPEC)) == wanted
        except InvalidInput:
            return False

    def _discard(self, made: list[str]) -> None:
        """Remove a change. The version goes first and the intent last: in between, `recover` removes the rest."""
        for relative in made:
            self.files.remove(relative)
