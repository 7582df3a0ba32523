"""How a run begins: the user's switches choose its first stage."""

from loopwright.agents.ide.contracts import IdeOptions
from loopwright.agents.ide.project import project_of
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.run import AgentRun


async def choose_stage(run: AgentRun) -> str:
    """Chat answers; Agent works, and plans first where the user wants reasoning.

    Raises:
        InvalidInput: the project's root is no folder any more.
    """
    if not run.output_dir.is_dir():
        raise InvalidInput(f"{run.output_dir} is not a folder.", hint="Name the project with --root.")
    options = IdeOptions.model_validate(run.state.options)
    await project_of(run).refresh()
    if options.mode == "chat":
        return "chat"
    return "warmup" if options.reasoning else "act"
