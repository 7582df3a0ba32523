"""Prompts: a part that is the same for the whole session, then what holds now."""

from loopwright.agents.designspec.context.context_builder import ContextBuilder
from loopwright.agents.designspec.context.pack import ContextPack
from loopwright.agents.designspec.contracts import ContextRequest
from loopwright.agents.designspec.events import ContextExpanded
from loopwright.agents.designspec.workflow.rooms import open_project
from loopwright.agents.designspec.workflow.trace import current_directive
from loopwright.kernel.events import ControllerMessage
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.run import AgentRun

GRANTED = "The context that you asked for is shown now. Answer my message with a directive."
PROMPTS = {"processing": "designspec/turn", "processing_expanded": "designspec/turn_expanded"}


class PromptBuilder:
    """Renders the system prompt: role, constraints and schema first, byte for byte the same in every turn."""

    def __init__(self, prompts: PromptRepository) -> None:
        """Take the installation's prompts."""
        self._prompts = prompts

    def build(self, stage: str, pack: ContextPack) -> str:
        """The prompt of a stage with its context."""
        rules = _without_task(self._prompts.render("designspec/rules"))
        context = self._prompts.render("designspec/context", mode=pack.mode, units=pack.units, pack=pack.text)
        return self._prompts.render(PROMPTS[stage], rules=rules, context=_without_task(context))


async def build_system_prompt(run: AgentRun) -> str:
    """The prompt of the run's stage; the expanded one grants what the last directive asked for."""
    builder = ContextBuilder(open_project(run))
    if run.state.stage != "processing_expanded":
        pack = builder.build_compact()
    else:
        directive = current_directive(run)
        request = directive.context_requests if directive is not None else None
        pack = builder.build_full(request or ContextRequest(need_full_spec=True))
        run.defer(ContextExpanded(granted=pack.granted, why=request.why if request is not None else ""))
        # Chat models answer a user's turn: after their own wish for context some would say nothing at all.
        run.defer(ControllerMessage(text=GRANTED, reason="context granted"))
    return PromptBuilder(run.toolbox.prompts).build(run.state.stage, pack)


def _without_task(rendered: str) -> str:
    return rendered.partition("\n")[2]
