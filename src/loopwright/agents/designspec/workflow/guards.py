"""What the controller checks before a directive is put to the user."""

from loopwright.agents.designspec.document.checking import require_spec
from loopwright.agents.designspec.workflow.proposals import check_patches
from loopwright.agents.designspec.workflow.rooms import open_project
from loopwright.agents.designspec.workflow.trace import current_directive
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.run import AgentRun

MAX_ROUNDS = 5
"""How often one message of the user may lead to questions."""


async def patches_fit(run: AgentRun) -> str | None:
    """Patches must apply to the document as it is, and leave it valid."""
    directive = current_directive(run)
    if directive is None:
        return None
    reason = check_patches(open_project(run).document(), directive)
    if reason is None:
        return None
    return f"Your patches were not put to the user. {reason}\nSend the whole directive again, mended."


async def spec_can_run(run: AgentRun) -> str | None:
    """A run needs a document that is complete and valid."""
    try:
        require_spec(open_project(run).document())
    except InvalidInput as error:
        return f"The document cannot be run yet. {error.message} {error.hint}".rstrip()
    return None


async def asks_no_more_than_enough(run: AgentRun) -> str | None:
    """A model that asks round after round has to decide."""
    if run.state.stage_entries.get("waiting_answers", 0) >= MAX_ROUNDS:
        return f"You have asked {MAX_ROUNDS} times. Decide with what you know, say what you assumed, and go on."
    return None
