"""The final answer: sealed by its hash before QA, compared after it, and given to the user as it was."""

import hashlib

from loopwright.kernel.errors import InvariantBroken
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.run import AgentRun
from loopwright.kernel.spec import ActionResult

SEAL = "seal"
GIVEN = "given"


def digest_of_answer(text: str) -> str:
    """SHA-256 (hex) of the answer's UTF-8 text."""
    return hashlib.sha256(text.strip().encode()).hexdigest()


async def deliver(run: AgentRun) -> ActionResult:
    """Give the sealed answer.

    Raises:
        InvariantBroken: the journal has another text than the one that was sealed.
    """
    answer = await sealed_answer(run)
    if digest_of_answer(answer) != run.state.context.pins.get(SEAL):
        raise InvariantBroken("seal: the final answer is not the one that was sealed before QA")
    return ActionResult(True, "The sealed answer was delivered.", GIVEN, text=answer)


async def sealed_answer(run: AgentRun) -> str:
    """The last answer of the stage `final`, out of the journal."""
    events = await run.services.journal.read(run.state.run_id)
    answers = (e.payload for e in reversed(events) if e.type == ModelResponse.type and e.payload["stage"] == "final")
    found = next(answers, None)
    return ModelResponse.model_validate(found).visible_text.strip() if found is not None else ""
