"""Agents that a test defines, made known to an open application."""

from loopwright.app.agents import register
from loopwright.app.loopwright import Loopwright
from loopwright.kernel.package import AgentPackage
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.run import Toolbox
from loopwright.kernel.spec import AgentSpec
from loopwright.models.answer import repair_arguments


def introduce(app: Loopwright, name: str, spec: AgentSpec, *, prompts: str = "") -> None:
    """Make an agent known as it is: what the installation sets is not put upon it."""
    register(AgentPackage(name=name, title=name, description="An agent of a test.", spec=spec))
    repository = PromptRepository({name: prompts} if prompts else {})
    app.toolboxes[name] = Toolbox.of(spec, repository, repair_arguments)
