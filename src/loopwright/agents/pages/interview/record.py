"""What a session remembers of its interview, in its metadata: answers, what was assumed, what was changed later."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.agents.pages.interview.decisions import decision_of

KEY = "interview"
"""The metadata's key."""

MOST_ANSWERS = 200
"""Answers that are remembered; the oldest go first."""


class Answered(BaseModel):
    """An answer. `assumed` says that the user left it open and a default was taken; `run_id` is where it was asked."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    answer: str | list[str]
    assumed: bool = False
    decides: str | None = None
    run_id: str | None = None


class InterviewRecord(BaseModel):
    """The interview of a session so far.

    `changed` are answers that the user changed while a run waited for others, and that no model has heard of yet.
    `quiet_run` is the run in which the user wants no more questions. `struck` are the questions of the newest batch
    that were not asked, with the reason, under the call that wanted to ask them.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    answers: dict[str, Answered] = Field(default_factory=dict)
    changed: dict[str, str | list[str]] = Field(default_factory=dict)
    quiet_run: str | None = None
    struck: dict[str, dict[str, str]] = Field(default_factory=dict)

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> "InterviewRecord":
        """The record in a session's metadata; what was edited from outside beyond recognition counts as none."""
        try:
            return cls.model_validate(metadata.get(KEY) or {})
        except ValidationError:
            return cls()

    def plain(self) -> dict[str, str | list[str]]:
        """The answers by question, assumed ones too."""
        return {question: given.answer for question, given in self.answers.items()}

    def with_answers(
        self, answers: Mapping[str, str | list[str]], *, assumed: bool = False, run_id: str | None = None
    ) -> "InterviewRecord":
        """The record with more answers; a newer one replaces the old one about the same question or decision.

        Questions about decisions are worded differently each time, so an answer about the name replaces all others
        about the name.
        """
        merged = dict(self.answers)
        for question, answer in answers.items():
            decides = decision_of(question)
            same = [old for old, given in merged.items() if decides is not None and given.decides == decides]
            for old in same:
                del merged[old]
            merged.pop(question, None)
            merged[question] = Answered(answer=answer, assumed=assumed, decides=decides, run_id=run_id)
        return self.model_copy(update={"answers": dict(list(merged.items())[-MOST_ANSWERS:])})

    def to_metadata(self) -> dict[str, Any]:
        """What is stored."""
        return {KEY: self.model_dump(mode="json", exclude_defaults=True)}
