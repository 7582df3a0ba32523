"""How a tool asks the model: one JSON object in, one usable answer out, and one retry that says what was wrong."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from loopwright.agents.pages.ports import PagesServices
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.tools import ToolContext

T = TypeVar("T")

CUT_OFF = "Your answer was cut off at the length limit. Send it again, whole and shorter."
SALVAGED = "The model's answer was cut off at its length limit: what came whole was taken, the rest is missing."
KEPT_OF_A_CUT_ANSWER = 2_000


@dataclass(frozen=True)
class Unusable:
    """Why an answer cannot be used, said so that the model can repair it."""

    reason: str


Reader = Callable[[str], T | Unusable]
Salvage = Callable[[str], str | None]


def nothing_whole(text: str) -> None:
    """Of answers that are good for nothing unless they are whole."""


async def ask_model(
    ctx: ToolContext[PagesServices],
    prompt: str,
    material: Mapping[str, Any],
    read: Reader[T],
    *,
    max_tokens: int,
    grammar: Mapping[str, Any] | None = None,
    salvage: Salvage = nothing_whole,
    salvage_at_once: bool = False,
    notes: list[str] | None = None,
) -> T | Unusable:
    """Put the material to the model under a prompt, and read its answer; an unusable one is sent back once.

    Args:
        ctx: the call that asks.
        prompt: the rendered system prompt.
        material: sent as one JSON object; its bytes must be the same when the tool runs again after a crash, so that
            the answer is found in the journal.
        read: takes the answer apart.
        max_tokens: bound of each answer.
        grammar: a JSON schema for models that need one (`ModelRequest`).
        salvage: makes something whole of an answer that was cut off; used where the second one is cut off as well.
        salvage_at_once: what is missing of a cut-off answer can be made up for, so that no second one is needed.
        notes: takes a word on an answer of which only the whole part was taken.
    """
    messages = [Message.system(prompt), Message.user(json.dumps(material, ensure_ascii=False))]
    response = await ctx.llm_client.complete(ModelRequest(messages, max_tokens=max_tokens, grammar=grammar))
    notes = [] if notes is None else notes
    answer = _read(response, read, salvage if salvage_at_once else nothing_whole, notes)
    if not isinstance(answer, Unusable):
        return answer
    ctx.event_emitter.progress("The answer could not be used; asking again.", reason=answer.reason)
    said = response.text if response.finish_reason != "length" else response.text[:KEPT_OF_A_CUT_ANSWER] + " …"
    messages = [*messages, Message.assistant(said), Message.user(answer.reason)]
    again = await ctx.llm_client.complete(ModelRequest(messages, max_tokens=max_tokens, grammar=grammar))
    return _read(again, read, salvage, notes)


def _read(response: ModelResponse, read: Reader[T], salvage: Salvage, notes: list[str]) -> T | Unusable:
    if response.finish_reason != "length":
        return read(response.text)
    whole = salvage(response.text)  # half an answer may read like a whole one, so it is never read as it is
    rescued = read(whole) if whole is not None else Unusable(CUT_OFF)
    if isinstance(rescued, Unusable):
        return Unusable(CUT_OFF)
    notes.append(SALVAGED)
    return rescued
