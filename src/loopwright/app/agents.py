"""The registry of agents: each folder of `loopwright.agents` is one, found by its name."""

import pkgutil
from functools import cache
from importlib import import_module
from typing import Any

from loopwright.kernel.errors import NotFound
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


def playbooks() -> list[Any]:
    """The offline playbooks of all agents (`PLAYBOOK` in their `offline`), the kernel's own first."""
    modules = ["loopwright.kernel.offline", *(f"loopwright.agents.{name}.offline" for name in agent_names())]
    return [import_module(module).PLAYBOOK for module in modules]
