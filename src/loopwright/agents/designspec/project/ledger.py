"""The chain of changes, and every version that there was."""

import json
from typing import Any

from pydantic import ValidationError

from loopwright.agents.designspec.project.files import ProjectFiles
from loopwright.agents.designspec.project.record import RECORD_NAME, ChangeRecord
from loopwright.agents.designspec.project.spec_text import MAX_SPEC_BYTES, read_spec
from loopwright.agents.designspec.project.stamps import is_stamp
from loopwright.kernel.errors import InvalidInput, NotFound

MAX_RECORD_BYTES = 40_000_000


class Ledger:
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
