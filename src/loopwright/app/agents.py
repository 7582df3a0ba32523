"""The agents of this installation: what is installed under the entry point group `loopwright.agents`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from loopwright.kernel.errors import Conflict, LoopwrightError, Misconfigured, NotFound
from loopwright.kernel.package import AgentPackage, load

if TYPE_CHECKING:  # the program's help needs the declarations alone
    from loopwright.kernel.offline import OfflineReply, OfflineRequest, Playbook
    from loopwright.kernel.spec import AgentSpec

GROUP = "loopwright.agents"


@dataclass(frozen=True)
class BrokenPackage:
    """A package whose declaration cannot be loaded, and why; it does not keep the others from working."""

    name: str
    error: LoopwrightError


@cache
def _entry_points() -> dict[str, EntryPoint]:
    return {each.name: each for each in sorted(entry_points(group=GROUP), key=lambda each: each.name)}


_IN_PROCESS: dict[str, AgentPackage] = {}
"""Agents that no distribution brings: programs that define one and run it."""


def register(declared: AgentPackage) -> None:
    """Make an agent known in this process that is not installed; one registered before by this name is replaced.

    Raises:
        Conflict: another agent of this name is installed.
    """
    if declared.name in _entry_points() and _installed(declared.name).spec is not declared.spec:
        raise Conflict(
            f"There is an installed agent named {declared.name!r}.", hint="Give your agent another name: Agent('…', …)."
        )
    _IN_PROCESS[declared.name] = declared


def register_spec(spec: "AgentSpec") -> None:
    """Make an agent that is nothing but its spec known in this process; raises as `register`."""
    register(AgentPackage(name=spec.name, title=spec.title, description=spec.description, spec=spec))


def is_known(name: str) -> bool:
    """Whether an agent of this name is installed, or registered in this process."""
    return name in _IN_PROCESS or name in _entry_points()


def agent_names() -> tuple[str, ...]:
    """All agents; nothing of them is imported."""
    return tuple(sorted({*_entry_points(), *_IN_PROCESS}))


def package(name: str) -> AgentPackage:
    """The declaration of an agent.

    Raises:
        NotFound: there is no agent of this name.
        Misconfigured: its declaration cannot be loaded.
    """
    return _IN_PROCESS.get(name) or _installed(name)


@cache
def _installed(name: str) -> AgentPackage:
    """The declaration that an entry point names.

    Raises:
        NotFound: there is no agent of this name.
        Misconfigured: its declaration cannot be loaded.
    """
    entry = _entry_points().get(name)
    if entry is None:
        raise NotFound(f"There is no agent {name!r}.", hint="The agents are: " + ", ".join(agent_names()) + ".")
    try:
        declared = entry.load()
    except Exception as error:  # whatever a foreign module raises while it is imported
        raise Misconfigured(
            f"The agent {name} cannot be loaded from {entry.value}: {type(error).__name__}: {error}.",
            hint=f"Repair or uninstall {entry.dist.name if entry.dist else 'its package'}.",
        ) from error
    if not isinstance(declared, AgentPackage) and hasattr(declared, "spec"):  # an `Agent` alone
        spec = declared.spec()
        declared = AgentPackage(name=spec.name, title=spec.title, description=spec.description, spec=spec)
    if not isinstance(declared, AgentPackage) or declared.name != name:
        raise Misconfigured(
            f"{entry.value}, the entry point of {name}, is neither an Agent nor an AgentPackage of that name.",
            hint="Point the entry point to one whose name is the entry point's.",
        )
    return declared


def packages() -> list[AgentPackage]:
    """The declarations of all agents that can be loaded."""
    return [each for each in all_packages() if isinstance(each, AgentPackage)]


def all_packages() -> Sequence[AgentPackage | BrokenPackage]:
    """The declarations of all agents; those that cannot be loaded with the reason."""
    found: list[AgentPackage | BrokenPackage] = []
    for name in agent_names():
        try:
            found.append(package(name))
        except LoopwrightError as error:
            found.append(BrokenPackage(name, error))
    return found


def agent(name: str) -> "AgentSpec":
    """The agent's spec.

    Raises:
        NotFound: there is no agent of this name.
        Misconfigured: its package is broken, or needs something that is not installed.
    """
    declared = package(name)
    declared.check()
    if not isinstance(declared.spec, str):
        return declared.spec
    spec: AgentSpec = declared.load(declared.spec)
    return spec


def package_options(name: str) -> dict[str, Any]:
    """What the settings of an agent's package say about its runs.

    Raises:
        NotFound, Misconfigured: as `agent`; or a variable has an unusable value.
    """
    declared = package(name)
    return declared.load(declared.settings).load().options() if declared.settings else {}


@dataclass(frozen=True)
class LazyPlaybook:
    """An offline playbook, imported when it has to answer."""

    name: str
    find: "Callable[[], Playbook]"

    def answer(self, request: "OfflineRequest") -> "OfflineReply":
        """Answer by its rules."""
        return self.find().answer(request)


def playbooks() -> "list[Playbook]":
    """The offline playbooks of all agents, and the kernel's own."""
    kernel = LazyPlaybook("kernel", lambda: load("loopwright.kernel.offline:PLAYBOOK", "kernel"))
    return [kernel, *(LazyPlaybook(each.name, partial(_playbook, each)) for each in packages() if each.offline)]


def _playbook(declared: AgentPackage) -> "Playbook":
    found: Playbook = declared.load(declared.offline or "")
    return found
