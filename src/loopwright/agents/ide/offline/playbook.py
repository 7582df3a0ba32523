"""The ide agent without a language model: rules that answer in every stage."""

import json
import re
from collections.abc import Callable, Mapping, Sequence

from loopwright.agents.ide.offline.dialogue import Dialogue
from loopwright.agents.ide.offline.reasoning import demanded, macro, micro
from loopwright.agents.ide.offline.request import read_request
from loopwright.agents.ide.offline.review import review
from loopwright.agents.ide.offline.script import Outcome, Progress, follow, in_turn
from loopwright.agents.ide.offline.wish import Wish
from loopwright.kernel.playbook import OfflineReply, OfflineRequest

WORKING_TOOLS = frozenset(
    {
        "apply_patch", "checkpoint_list", "checkpoint_restore", "create_file", "delete_file", "index_add_memory",
        "index_delete_memory", "rename_symbol", "replace_in_file", "run_command",
    }
)  # fmt: skip
"""What the stages of the work offer; the stages that judge it offer nothing, and look at it all the same."""
ROOT = re.compile(r"^The project's root is (/.+)\.$", re.MULTILINE)
TAG = re.compile(r"<(?=\s*/?\s*ide_reasoning)", re.IGNORECASE)
NOT_FINISHED = "The work did not come to its end."


class IdePlaybook:
    """Stateless: everything is read from the request, so the same request always gets the same answer."""

    name = "ide"

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """Answer one request; what cannot be done by rules is said in words."""
        stage = STAGES.get(request.prompt)
        if stage is None:
            return OfflineReply(text=f"The offline model has no rules for {request.task}.")
        system = "\n".join(message.content for message in request.messages if message.role == "system")
        dialogue = Dialogue.of(request.messages)
        reply = stage(request, dialogue, read_request(dialogue.request), demanded(system))
        root = ROOT.search(system)
        # Programs name files by their whole paths; people and the report want those of the project.
        return OfflineReply(reply.text.replace(f"{root[1]}/", ""), reply.tool_calls) if root else reply


def _warmup(request: OfflineRequest, dialogue: Dialogue, wishes: Sequence[Wish], reasoning: str | None) -> OfflineReply:
    words = f"First comes a look at {wishes[0].plan.research}. The aim: {'; '.join(wish.aim for wish in wishes)}."
    return _reply(words, macro(dialogue.request, wishes) if reasoning == "macro" else "")


def _work(request: OfflineRequest, dialogue: Dialogue, wishes: Sequence[Wish], reasoning: str | None) -> OfflineReply:
    progress = _progress(wishes, dialogue, frozenset(request.tools))
    block = _micro(progress, wishes, reasoning)
    lacking = sorted({step.name for step in progress.upcoming} - set(request.tools))
    if lacking:
        return _reply(f"This needs tools that are not offered here: {', '.join(lacking)}.", block)
    if progress.outcome is None:
        return OfflineReply(block, tuple((step.name, step.arguments) for step in progress.upcoming))
    return _reply(progress.outcome.words, block)


def _delivery(
    request: OfflineRequest, dialogue: Dialogue, wishes: Sequence[Wish], reasoning: str | None
) -> OfflineReply:
    progress = _progress(wishes, dialogue, WORKING_TOOLS)
    missing = [NOT_FINISHED] if progress.outcome is None else list(progress.outcome.missing)
    check = {
        "state": "NEEDS_WORK" if missing else "DONE",
        "missing": [line[:300] for line in missing[:20]],
        "reason": "The tools have not shown everything that was asked for."
        if missing
        else "The results of the tools show that everything asked for is there.",
    }
    return _reply(json.dumps(check, ensure_ascii=False), _micro(progress, wishes, reasoning))


def _final(request: OfflineRequest, dialogue: Dialogue, wishes: Sequence[Wish], reasoning: str | None) -> OfflineReply:
    progress = _progress(wishes, dialogue, WORKING_TOOLS)
    block = _micro(progress, wishes, reasoning)
    if progress.outcome is not None:
        return _reply(progress.outcome.words, block)
    made = "\n".join(f"- {step.shown}" for unit in dialogue.units for step in unit.steps)
    return _reply(f"{NOT_FINISHED} These calls were made:\n{made or '- none'}", block)


def _qa(request: OfflineRequest, dialogue: Dialogue, wishes: Sequence[Wish], reasoning: str | None) -> OfflineReply:
    look = follow(review(dialogue), dialogue.units[dialogue.reviewed_from :])
    work = _progress(wishes, Dialogue(dialogue.request, dialogue.work), WORKING_TOOLS)
    done = work.outcome is not None and not work.outcome.missing
    block = micro(look, wishes, done=done) if reasoning == "micro" else ""
    if look.outcome is None:
        return OfflineReply(block, tuple((step.name, step.arguments) for step in look.upcoming))
    return _reply(json.dumps(look.outcome, ensure_ascii=False), block)


def _progress(wishes: Sequence[Wish], dialogue: Dialogue, offered: frozenset[str]) -> Progress[Outcome]:
    return follow(in_turn(wish.work(offered) for wish in wishes), dialogue.units)


def _micro(progress: Progress[Outcome], wishes: Sequence[Wish], reasoning: str | None) -> str:
    done = progress.outcome is not None and not progress.outcome.missing
    return micro(progress, wishes, done=done) if reasoning == "micro" else ""


def _reply(words: str, reasoning: str) -> OfflineReply:
    """An answer in words; a tag that these quote is no tag of the answer."""
    plain = TAG.sub("‹", words)
    return OfflineReply(f"{reasoning}\n\n{plain}" if reasoning else plain)


Stage = Callable[[OfflineRequest, Dialogue, Sequence[Wish], str | None], OfflineReply]
STAGES: Mapping[str, Stage] = {
    "chat": _work,
    "warmup": _warmup,
    "act": _work,
    "tool_followup": _work,
    "delivery_check": _delivery,
    "final": _final,
    "qa_review": _qa,
}
"""The rules of each stage, by the name of its prompt."""

PLAYBOOK = IdePlaybook()
