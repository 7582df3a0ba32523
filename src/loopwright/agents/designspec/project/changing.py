"""One change of the document on disk, so that a crash leaves the old or the new, never half.

The order of the steps: the intent (`patches/.intent.json`, the record to be), the new version in `spec_history/`, the
record in `patches/`, `spec.json` itself, and the intent is taken away. Whoever takes the lock next and finds an intent
completes the change when its version is there, and removes what there is of it when not.
"""

import hashlib
import json
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from loopwright.agents.designspec.document.domains import MOST_CHARACTERS
from loopwright.agents.designspec.document.loading import load_text
from loopwright.agents.designspec.project.files import RECORD_NAME, ChangeRecord, ProjectFiles, is_stamp
from loopwright.kernel.errors import InvalidInput, Misconfigured, NotFound

# `spec.json` as text.

MAX_SPEC_BYTES = 4 * MOST_CHARACTERS
"""UTF-8 has at most four bytes for a character."""


def write_spec(document: Any) -> str:
    """The document as people like to read it; a very large one without indents, so that it can be read again."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if len(text) <= MOST_CHARACTERS:
        return text
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def read_spec(text: str, place: str) -> dict[str, Any]:
    """The document that the text holds.

    Raises:
        InvalidInput: it is not a JSON object, has a member twice, or passes the limits of documents.
    """
    return load_text(text, place)


# The chain of changes, and every version that there was.

MAX_RECORD_BYTES = 40_000_000


class ChangeChain:
    """Reads `patches/` and `spec_history/`. Records never change, so each is read once."""

    def __init__(self, files: ProjectFiles) -> None:
        self.files = files
        self.damaged: dict[str, str] = {}
        """Records that cannot be read, and why: they are told, and take no part in the chain."""
        self._known: dict[str, ChangeRecord] = {}

    def records(self) -> list[ChangeRecord]:
        """All changes, oldest first."""
        names = self._names()
        for name in names:
            if name not in self._known and name not in self.damaged:
                try:
                    self._known[name] = read_record(self.files.read(f"patches/{name}", MAX_RECORD_BYTES))
                except (InvalidInput, ValidationError, ValueError) as error:
                    self.damaged[name] = str(error).partition("\n")[0]
        return [self._known[name] for name in names if name in self._known]

    def newest(self) -> ChangeRecord | None:
        """The last change."""
        records = self.records()
        return records[-1] if records else None

    def of_proposal(self, proposal_id: str) -> ChangeRecord | None:
        """The first change that this proposal has made."""
        return next((record for record in self.records() if record.proposal_id == proposal_id), None)

    def last_stamp(self) -> str | None:
        """The latest stamp of any change, damaged ones too."""
        names = self._names()
        return names[-1].partition("_")[0] if names else None

    def _names(self) -> list[str]:
        found = [match for name in self.files.names("patches") if (match := RECORD_NAME.fullmatch(name))]
        return [match.group() for match in found if is_stamp(match.group(1))]

    def version(self, version_hash: str) -> dict[str, Any]:
        """The document that had this hash.

        Raises:
            NotFound: there was none, or its file is gone.
        """
        for record in reversed(self.records()):
            if record.new_hash == version_hash and self.files.exists(record.version_path):
                return read_spec(self.files.read(record.version_path, MAX_SPEC_BYTES), record.version_path)
        raise NotFound(f"There is no version {version_hash!r} in spec_history.")


def read_record(text: str) -> ChangeRecord:
    """The record that the text holds.

    Raises:
        ValueError: it holds none.
    """
    return ChangeRecord.model_validate(json.loads(text))


# The fingerprint of a document as it is written, units and all (`spec_hash` is that of what it means).


def document_hash(document: Any) -> str:
    """First 16 hex digits of SHA-256 over the sorted compact JSON of the raw document.

    Raises:
        ValueError: a number in it is not finite.
    """
    compact = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(compact.encode()).hexdigest()[:16]


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
                hint="Free disk space or set the rights there, and approve it again.",
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
