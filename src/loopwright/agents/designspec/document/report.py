"""What the check of a document tells."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.designspec.document.spec import DesignSpec

Severity = Literal["error", "incomplete", "warning"]


class Issue(BaseModel):
    """One thing to say about a document.

    An `error` makes the document invalid; `incomplete` names what is still to be added before it can run, and does
    not stop the writing of it; a `warning` stops nothing. `pointer` leads into the document as the user wrote it.
    """

    model_config = ConfigDict(frozen=True)

    code: str
    severity: Severity
    pointer: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        """One line for people."""
        return f"{self.pointer or '/'}: {self.message}" + (f" {self.hint}" if self.hint else "")


class DocumentReport(BaseModel):
    """The check's outcome. Without errors there is a `spec`, in metres, and its hash.

    `scaled` has the pointers of the numbers that were turned into metres, which only happens once, here.
    """

    model_config = ConfigDict(frozen=True)

    issues: list[Issue] = Field(default_factory=list)
    input_units: str = "m"
    scaled: list[str] = Field(default_factory=list)
    spec_hash: str = ""
    spec: DesignSpec | None = Field(default=None, exclude=True)

    @property
    def ok(self) -> bool:
        """Whether the document is valid; it may still be incomplete."""
        return not self.errors

    @property
    def complete(self) -> bool:
        """Whether it could run."""
        return not self.errors and not self.incomplete

    @property
    def errors(self) -> list[Issue]:
        """What makes it invalid."""
        return self._of("error")

    @property
    def incomplete(self) -> list[Issue]:
        """What a run still needs."""
        return self._of("incomplete")

    @property
    def warnings(self) -> list[Issue]:
        """What should be looked at."""
        return self._of("warning")

    @property
    def normalisation(self) -> str:
        """What was done about units, in a sentence."""
        if self.input_units == "m":
            return "All lengths are in metres already."
        return f"{len(self.scaled)} numbers were turned from {self.input_units} into metres."

    def for_json(self) -> dict[str, Any]:
        """The report as it is stored and sent."""
        return self.model_dump(mode="json") | {
            "ok": self.ok,
            "complete": self.complete,
            "normalisation": self.normalisation,
        }

    def _of(self, severity: Severity) -> list[Issue]:
        return [issue for issue in self.issues if issue.severity == severity]
