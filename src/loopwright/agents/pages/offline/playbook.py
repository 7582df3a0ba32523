"""The pages agent without a language model: rules that answer every request of its loop and of its tools."""

from collections.abc import Callable, Mapping

from loopwright.agents.pages.offline.amending import amend, changed_answers
from loopwright.agents.pages.offline.building import build
from loopwright.agents.pages.offline.conversation import plain_answer
from loopwright.agents.pages.offline.nested import design_system, edited_page, new_page
from loopwright.agents.pages.offline.reading import Reading, UnreadableRequest
from loopwright.agents.pages.offline.refining import refine
from loopwright.agents.pages.offline.wishes import understand
from loopwright.kernel.playbook import OfflineReply, OfflineRequest

NEW_PROJECT = "new-project"
STAGES = (NEW_PROJECT, "refinement", "multi-page")


class PagesPlaybook:
    """Stateless: everything is read from the request, so a run goes on after a crash, a compaction or a long pause."""

    name = "pages"

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """Answer one request; what cannot be answered by rules is said in words, without a call."""
        nested = NESTED.get(request.prompt)
        try:
            if nested is not None:
                return nested(request)
            if request.prompt not in STAGES:
                return OfflineReply(text=f"The offline model has no rules for {request.task}.")
            reply = next_move(request.prompt, Reading.of(request.messages))
        except UnreadableRequest as error:
            return OfflineReply(text=f"The offline model works by rules and cannot read this request: {error}.")
        missing = sorted({name for name, _ in reply.tool_calls if name not in request.tools})
        if missing:
            return OfflineReply(text=f"To go on I would need tools that are not available here: {', '.join(missing)}.")
        return reply


def next_move(stage: str, reading: Reading) -> OfflineReply:
    """What the agent does next in its main loop."""
    new = stage == NEW_PROJECT
    if not new and (changes := changed_answers(reading)):
        return amend(reading, changes)
    wish = understand(reading.wish, has_pages=not new, targeted=bool(reading.targets))
    if not reading.done:
        plain = plain_answer(reading, wish)
        if plain is not None:
            return plain
    return build(reading) if new or wish.kind == "continue" else refine(reading, wish)


NESTED: Mapping[str, Callable[[OfflineRequest], OfflineReply]] = {
    "design-system": design_system,
    "generate-page": new_page,
    "edit-page": edited_page,
}
"""The model calls that tools make, by the name of their prompt."""
