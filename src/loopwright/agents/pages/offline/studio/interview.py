"""Questions whose answers change the result: about a vague brief, and about a feature."""

import re
from collections.abc import Mapping

from loopwright.agents.pages.contracts import BriefQuestion
from loopwright.agents.pages.interview.questions import MAX_QUESTIONS, Facts, is_vague, open_questions, worded
from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.contracts import Question

__all__ = ["as_question", "feature_questions", "is_vague", "questions_for"]


def questions_for(
    brief: str, most: int = MAX_QUESTIONS, sections: Mapping[str, str] | None = None
) -> tuple[Question, ...]:
    """The questions that are worth asking about a brief: what it, or the product doc, says is not asked."""
    return tuple(as_question(question) for question in open_questions(Facts(brief, sections=sections or {}), most))


def as_question(asked: BriefQuestion) -> Question:
    """A question of the interview in the studio's shape; its context says which decision it makes."""
    return Question(asked.question, asked.type, asked.options, worded(asked), asked.default)


def feature_questions(feature: str) -> tuple[Question, ...]:
    """One to three questions about a feature that could be meant in several ways; none when the request says it all."""
    for known in resources.read_json("features.json"):
        if re.search(known["pattern"], feature, re.IGNORECASE):
            return tuple(_question(each) for each in known["questions"])
    texts = resources.read_json("interview.json")
    return () if len(feature.split()) > 14 else tuple(_question(each) for each in texts["feature"])


def _question(text: dict[str, object]) -> Question:
    options = text.get("options")
    return Question(
        question=str(text["question"]),
        type=text["type"],  # type: ignore[arg-type]
        options=tuple(options) if isinstance(options, list) else (),
        context=str(text.get("context", "")),
        default=str(text.get("default", "")),
    )
