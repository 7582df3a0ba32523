"""The planner without a language model: rules that answer every stage with its next tool call."""

from loopwright.agents.planner.offline.stages import STAGES
from loopwright.agents.planner.offline.state import UnreadableRequest, View
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.playbook import OfflineReply, OfflineRequest


class PlannerPlaybook:
    """Stateless: everything is read from the request, so the same request always gets the same answer.

    It never loops: each tool is called once in a visit of a stage, and after a failure the stage ends with words.
    """

    name = "planner"

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """Answer one request; what cannot be answered by rules is said in words, without a call."""
        move = STAGES.get(request.prompt)
        if move is None:
            return OfflineReply(text=f"The offline model has no rules for {request.task}.")
        try:
            view = View.of(request.messages)
            if view.failure is not None:
                return OfflineReply(text=f"That did not work, and my rules have nothing better: {view.failure[:600]}")
            reply = move(view)
        except UnreadableRequest as error:
            return OfflineReply(text=f"The offline model works by rules and cannot read this request: {error}.")
        except InvalidInput as error:
            return OfflineReply(text=f"{error.message} {error.hint}".strip())
        missing = sorted({name for name, _ in reply.tool_calls if name not in request.tools})
        if missing:
            return OfflineReply(text=f"To go on I would need tools that are not available here: {', '.join(missing)}.")
        return reply


PLAYBOOK = PlannerPlaybook()
