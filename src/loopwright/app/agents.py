"""The registry of agents: each folder of `loopwright.agents` is one, found by its name."""

import pkgutil
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from loopwright.kernel.errors import NotFound
from loopwright.kernel.playbook import OfflineReply, OfflineRequest, Playbook
from loopwright.kernel.spec import AgentSpec


@cache
def agent_names() -> tuple[str, ...]:
    """All agents; nothing of them is imported."""
    package = import_module("loopwright.agents")
    return tuple(sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg))


@cache
def agent(name: str) -> AgentSpec:
    """The agent's spec: `AGENT` in its `spec.py`.

    Raises:
        NotFound: there is no agent of this name.
    """
    if name not in agent_names():
        raise NotFound(f"There is no agent {name!r}.", hint="The agents are: " + ", ".join(agent_names()) + ".")
    spec: AgentSpec = import_module(f"loopwright.agents.{name}.spec").AGENT
    return spec


@dataclass(frozen=True)
class LazyPlaybook:
    """The offline playbook of an agent (`PLAYBOOK` in its `offline`), imported when it has to answer."""

    name: str
    module: str

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """Answer by the agent's rules."""
        playbook: Playbook = import_module(self.module).PLAYBOOK
        return playbook.answer(request)


def playbooks() -> list[Playbook]:
    """The offline playbooks of all agents, and the kernel's own."""
    kernel = LazyPlaybook("kernel", "loopwright.kernel.offline")
    return [kernel, *(LazyPlaybook(name, f"loopwright.agents.{name}.offline") for name in agent_names())]
