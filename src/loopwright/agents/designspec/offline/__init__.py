"""What the designspec agent does without a language model: rules from plain English to directives."""

import json
import re
from typing import Any

from loopwright.agents.designspec.offline.conversation import Dialogue, reply
from loopwright.agents.designspec.offline.draft import Pack
from loopwright.agents.designspec.offline.planning import directive, plan, understand
from loopwright.kernel.messages import STATE, split_blocks
from loopwright.kernel.offline import OfflineReply, OfflineRequest
from loopwright.kits.dialogue import UnreadableRequest

TURN, EXPANDED = "turn", "turn_expanded"


class DesignSpecPlaybook:
    """Stateless: everything is read from the request, so the same request always gets the same answer."""

    name = "designspec"

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """Answer one request with a directive; what cannot be answered by rules is said in one too."""
        return OfflineReply(text=json.dumps(self._directive(request), ensure_ascii=False))

    def _directive(self, request: OfflineRequest) -> dict[str, Any]:
        if request.prompt not in (TURN, EXPANDED):
            return directive(f"The offline model has no rules for {request.task}.")
        talk = Dialogue.of(request.messages)
        if talk.reported:
            return directive(
                "The run is over; below is what it measured. Say “why did it fail” or “fix it” about failures."
            )
        try:
            pack = _pack(request)
        except UnreadableRequest as error:
            return directive(f"The offline model works by rules and cannot read this request: {error}.")
        if talk.complaint:
            answer = _apology(talk.complaint)
        elif not talk.request.strip():
            answer = directive(reply("capabilities"))
        else:
            answer = plan(understand(talk.request, pack), pack, talk.given)
        if talk.first and answer["assistant_message"]:
            answer["assistant_message"] += "\n\n" + reply("signature")
        return answer


def _pack(request: OfflineRequest) -> Pack:
    """What the request shows of the design: nothing at first, the whole document once it was asked for."""
    if request.prompt == TURN:
        return Pack()
    last = next((message for message in reversed(request.messages) if message.role == "user"), None)
    return Pack.read(split_blocks(last.content)[1].get(STATE, "") if last is not None else "", expanded=True)


def _apology(complaint: str) -> dict[str, Any]:
    """What is said when the controller refuses a directive: the same rules would only give the same one again."""
    reason = re.sub(
        r"\s*If a size of the user's does not fit, ask them about it with ask; else send .*$",
        "",
        complaint.partition("\n")[2] or complaint,
    )
    shown = reason if len(reason) <= 1_200 else reason[:1_200] + " …"
    return directive(
        "Sorry, what I wanted to propose does not work here, and my rules have nothing better; nothing is changed. The "
        f"reason is:\n\n{shown}\n\nCould you say it differently, or with other sizes?",
    )


PLAYBOOK = DesignSpecPlaybook()
"""The playbook that the offline model asks; it keeps nothing between two requests."""
