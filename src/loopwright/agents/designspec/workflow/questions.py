"""Questions of the model to the user, through a gate; the answers go back to the model."""

from loopwright.agents.designspec.contracts import DesignSpecDirective, Question
from loopwright.agents.designspec.workflow.trace import current_directive
from loopwright.kernel.asking import answer_to
from loopwright.kernel.events import UserMessage
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult
from loopwright.kernel.tools import GateRequest

ANSWERED, DONE = "answered", "done"


async def ask_questions(run: AgentRun) -> ActionResult | GateRequest:
    """Ask what the directive wants to know, then let the model go on with the answers."""
    directive = current_directive(run)
    if directive is None or not directive.questions:
        return ActionResult(True, "There was nothing to ask.", DONE)
    request = GateRequest("questions", directive.assistant_message[:200], questions=question_items(directive))
    answer = answer_to(run, request)
    if answer is None:
        return request
    lines = [f"{question} – {given or '(no answer)'}" for question, given in answer["answers"].items()]
    unasked = [item.question for item in request.questions if item.question not in answer["answers"]]
    lines += [f"{question} – (no answer)" for question in unasked]
    run.defer(UserMessage(text="\n".join(lines)))  # stored together with the end of this action, or not at all
    return ActionResult(True, "The user has answered.", ANSWERED)


def question_items(directive: DesignSpecDirective) -> tuple[QuestionItem, ...]:
    """The directive's questions as gates ask them; two with the same text are asked once."""
    items = {question.question: _item(question) for question in directive.questions}
    return tuple(items.values())


def _item(question: Question) -> QuestionItem:
    default = "" if question.default is None else str(question.default)
    return QuestionItem(
        question=question.question, type="text", context=question.why_needed or None, default=default or None
    )
