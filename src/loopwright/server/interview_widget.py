"""What spec 000's interview widget sends inside a message: answers to a batch of questions, or a wish about them."""

import json
import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.app.interviewing import ask_no_more, change_answers
from loopwright.app.loopwright import Loopwright
from loopwright.app.soul import Begun, SoulOrchestrator
from loopwright.kernel.errors import InvalidInput

BLOCK = re.compile(r"<INTERVIEW_ANSWERS>(?P<json>.*?)</INTERVIEW_ANSWERS>", re.DOTALL)


class WidgetAnswer(BaseModel):
    """One answer; the widget adds labels, which say the same for people."""

    model_config = ConfigDict(extra="ignore")

    question: str | None = None
    index: int | None = None
    value: str | list[str]
    other: str | None = None


class WidgetBlock(BaseModel):
    """The block: what is to be done with the batch, and its answers."""

    model_config = ConfigDict(extra="ignore")

    action: Literal["submit_batch", "skip_batch", "generate_now", "update_answers"]
    answers: list[WidgetAnswer] = Field(default_factory=list, max_length=100)

    def by_question(self) -> dict[str, Any]:
        """The answers by question text, or by index where only that is given.

        Raises:
            InvalidInput: an answer has neither.
        """
        found: dict[str, Any] = {}
        for answer in self.answers:
            if answer.question is None and answer.index is None:
                raise InvalidInput("An answer in the INTERVIEW_ANSWERS block names no question.")
            found[answer.question or str(answer.index)] = _value(answer)
        return found


def _value(answer: WidgetAnswer) -> str | list[str]:
    if not answer.other:
        return answer.value
    return [*answer.value, answer.other] if isinstance(answer.value, list) else answer.other


def read_widget(message: str) -> WidgetBlock | None:
    """The block in a message, or None where there is none.

    Raises:
        InvalidInput: there is such a block, and it cannot be read.
    """
    match = BLOCK.search(message)
    if match is None:
        return None
    try:
        return WidgetBlock.model_validate(json.loads(match["json"]))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInput(f"The INTERVIEW_ANSWERS block cannot be read: {where}: {first['msg']}.") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"The INTERVIEW_ANSWERS block cannot be read: {error}.") from error


async def answer_widget(soul: SoulOrchestrator, house: Loopwright, session_id: str | None, block: WidgetBlock) -> Begun:
    """Do what the block asks for.

    `submit_batch` answers the waiting run, `skip_batch` leaves everything to the agent's defaults, `generate_now` does
    so and lets the run ask nothing more, `update_answers` changes answers that were given, in a new run where none
    waits.

    Raises:
        InvalidInput, NotFound, Conflict: as answering, changing answers and starting a run do.
    """
    if block.action == "submit_batch":
        return await soul.resume(session_id, {"answers": block.by_question()})
    if block.action == "skip_batch":
        return await soul.resume(session_id, {"answers": {}})
    if session_id is None:
        raise InvalidInput(f"{block.action} needs the session's id.")
    if block.action == "generate_now":
        await ask_no_more(house, session_id)
        return await soul.resume(session_id, {"answers": block.by_question()})
    change = await change_answers(house, session_id, block.by_question())
    if change.run is not None:
        return await soul.start(change.run)
    if change.waiting is not None and not change.pending:  # what is pending stays pending, and is shown again
        return Begun(change.waiting.run, change.waiting.seq - 1)
    return await soul.resume(session_id, {"answers": change.pending})
