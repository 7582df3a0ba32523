"""Questions to the user, in the shape of the `ask_user` tool."""

from collections.abc import Sequence
from typing import Any

from loopwright.agents.pages.offline.studio.contracts import Question
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.playbook import OfflineReply


def ask(questions: Sequence[Question], text: str) -> OfflineReply:
    """A move that asks these questions and nothing else: calls beside a question are not run."""
    return OfflineReply(text, [("ask_user", {"questions": [as_item(question) for question in questions]})])


def as_item(question: Question) -> dict[str, Any]:
    """A question of the studio as the tool takes it, with the answer that the studio would assume as its default."""
    default = list(question.default) if isinstance(question.default, tuple) else question.default
    item = QuestionItem(
        question=question.question,
        type=question.type,
        options=list(question.options) or None,
        context=question.context or None,
        default=default or None,
    )
    return item.model_dump(exclude_none=True)
