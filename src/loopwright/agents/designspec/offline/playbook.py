"""The designspec agent without a language model: rules that answer every request with a directive."""

import json
import re
from typing import Any

from loopwright.agents.designspec.offline.conversation import Conversation
from loopwright.agents.designspec.offline.pack import Pack, UnreadableRequest
from loopwright.agents.designspec.offline.planning import directive, plan
from loopwright.agents.designspec.offline.understanding import understand
from loopwright.agents.designspec.offline.wording import reply
from loopwright.kernel.playbook import OfflineReply, OfflineRequest

TURN, EXPANDED = "turn", "turn_expanded"


class DesignSpecPlaybook:
    """Stateless: everything is read from the request, so the same request always gets the same answer."""

    name = "designspec"

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """Answer one request with a directive; what cannot be answered by rules is said in one too."""
        return OfflineReply(text=json.dumps(self._directive(request), ensure_ascii=False))

    def _directive(self, request: OfflineRequest) -> dict[str, Any]:
        if request.prompt not in (TURN, EXPANDED):
            return directive(f"The offline model has no rules for {request.task}.", confidence=0.0)
        system = "\n".join(message.content for message in request.messages if message.role == "system")
        try:
            pack = Pack.read(system, expanded=request.prompt == EXPANDED)
        except UnreadableRequest as error:
            return directive(f"The offline model works by rules and cannot read this request: {error}.", confidence=0.0)
        talk = Conversation.of(request.messages)
        if talk.complaint:
            answer = _apology(talk.complaint)
        elif not talk.wish.strip():
            answer = directive(reply("capabilities"), confidence=0.5)
        else:
            answer = plan(understand(talk.wish, pack), pack, talk.given)
        if talk.first and answer["assistant_message"]:
            answer["assistant_message"] += "\n\n" + reply("signature")
        return answer


def _apology(complaint: str) -> dict[str, Any]:
    """What is said when the controller refuses a directive: the same rules would only give the same one again."""
    reason = re.sub(r"\s*Send the whole directive again, mended\.\s*$", "", complaint.partition("\n")[2] or complaint)
    shown = reason if len(reason) <= 1_200 else reason[:1_200] + " …"
    return directive(
        "Sorry, what I wanted to propose does not work here, and my rules have nothing better; nothing is changed. The "
        f"reason is:\n\n{shown}\n\nCould you say it differently, or with other sizes?",
        confidence=0.2,
    )
