"""What must hold of every model request, checked always and not only in tests (spec 002, 9.2).

A broken one is a defect of the program: the run ends, and nothing is sent.
"""

from loopwright.kernel.errors import InvariantBroken
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.run import AgentRun


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
