"""What a stage asks of the model, and what must hold of every request."""

from collections.abc import Sequence

from pydantic import BaseModel

from loopwright.kernel.answer_form import answer_format
from loopwright.kernel.errors import InvariantBroken
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest, RequestLabels
from loopwright.kernel.run import AgentRun


def stage_request(run: AgentRun, messages: Sequence[Message]) -> ModelRequest:
    """The model request of the current stage."""
    stage, decision, form, told = run.stage, run.decision, answer_form(run), told_tools(run)
    callable_now = decision.offered - stage.resting(run) or decision.offered
    return ModelRequest(
        messages=messages,
        tools=run.toolbox.registry.schemas(told),
        tier=stage.tier,
        model=stage.model,
        max_tokens=_longest(run, short=not decision.offered and form is None),
        response_format=answer_format(form) if form is not None else None,
        fields_told=bool(getattr(form, FIELDS_TOLD, False)),
        may_answer=not decision.offered or stage.may_answer(run),
        callable_now=None if told == callable_now else callable_now,
        task=run.state.task,
        labels=request_labels(run, tool_count=len(decision.offered)),
    )


FIELDS_TOLD = "fields_told"
"""The attribute of an answer's class that is true where the stage's prompt says what its fields are."""
SMALL_CALL, SMALL_TEXT = 1_500, 600
"""The most tokens that a small model may answer with: its calls are short, and what is longer only repeats itself."""


def _longest(run: AgentRun, *, short: bool) -> int:
    if run.profile != "small":
        return run.stage.max_tokens
    return min(run.stage.max_tokens, SMALL_TEXT if short else SMALL_CALL)


def request_labels(run: AgentRun, *, stage: str | None = None, tool_count: int = 0) -> RequestLabels:
    """The labels that every model request carries."""
    return RequestLabels(
        conversation_id=run.state.session_id,
        run_id=run.state.run_id,
        mode=run.mode,
        stage=stage or run.state.stage,
        tool_count=tool_count,
        reasoning=run.decision.reasoning != "none",
    )


def answer_form(run: AgentRun) -> type[BaseModel] | None:
    """The form of the stage's structured answer; none where the user wants reasoning, which is read out of text."""
    stage = run.stage
    reasoned = run.decision.reasoning != "none" and stage.reasoning_parser is not None
    if reasoned or stage.answer is None:
        return None
    return stage.answer if isinstance(stage.answer, type) else stage.answer(run)


def told_tools(run: AgentRun) -> frozenset[str]:
    """The tools that the model is told of, whether or not the stage lets it call them.

    They are the same in all stages of a run, so that its requests begin with the same bytes; agents that tell of their
    tools stage by stage repeat them where the dialogue holds calls, for no endpoint takes those without.
    """
    offered = run.decision.offered
    if run.spec.tools_by_stage or run.spec.stage_prompt is None:
        spoken_of = not offered and any(message.tool_calls for message in run.state.context.messages)
        return _all_offered(run) if spoken_of else offered
    return _all_offered(run)


def _all_offered(run: AgentRun) -> frozenset[str]:
    stages = (stage.name for stage in run.spec.stages if stage.action is None)
    return frozenset().union(*(decision.offered for decision in run.decisions(*stages)))


# What must hold of every model request, checked always and not only in tests (spec 002, 9.2).
#
# A broken one is a defect of the program: the run ends, and nothing is sent.


def check_request(run: AgentRun, request: ModelRequest) -> None:
    """Check that mode, reasoning and tools of a request are what the user and the policy say.

    Raises:
        InvariantBroken: naming the invariant.
    """
    decision = run.decision
    wanted = "chat" if run.state.options.get("mode") == "chat" else "agent"
    if request.labels.mode != wanted:
        raise InvariantBroken(f"mode: the request says {request.labels.mode!r}, the user chose {wanted!r}")
    allowed = set(decision.offered) & set(run.toolbox.registry.names)
    told = set(request.tools.names)
    offers = told if request.callable_now is None else told & request.callable_now
    open_now = allowed - run.stage.resting(run) <= offers <= allowed and bool(offers) == bool(allowed)
    if not open_now or request.labels.tool_count != len(decision.offered):
        raise InvariantBroken(f"tools: the request offers {sorted(offers)}, the policy {sorted(allowed)}")
    reasoning = decision.reasoning
    if request.labels.reasoning != (reasoning != "none"):
        raise InvariantBroken(f"reasoning: the request says {request.labels.reasoning}, the policy {reasoning!r}")
    marks = run.spec.reasoning_marks
    sent, prompt = request.messages[0].content if request.messages else "", run.state.context.system
    # What follows the stage's prompt (pins, the summary) quotes the dialogue: a file that was read demands nothing.
    system = (prompt if sent.startswith(prompt) else sent) + run.state.told
    if reasoning != "none" and marks and marks[reasoning] not in system:
        raise InvariantBroken(
            f"reasoning: the prompt of stage {run.state.stage!r} does not demand the {reasoning} format"
        )
    if reasoning == "none" and any(mark in system for mark in marks.values()):
        raise InvariantBroken(
            f"reasoning: the prompt of stage {run.state.stage!r} demands what the user has not asked for"
        )
