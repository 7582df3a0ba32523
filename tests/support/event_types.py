"""All event types that the kernel and the agents know."""

import importlib
import pkgutil

import loopwright.agents
from loopwright.kernel.events import KERNEL_PAYLOADS, Payload


def event_types() -> set[str]:
    """The types of the kernel's and of all agents' events."""
    for module in pkgutil.walk_packages(loopwright.agents.__path__, "loopwright.agents."):
        if module.name.endswith(".events"):
            importlib.import_module(module.name)
    found = {cls.type for cls in _subclasses(Payload) if cls.__module__.startswith("loopwright.")}
    assert found >= set(KERNEL_PAYLOADS)
    return found


def _subclasses(cls: type[Payload]) -> list[type[Payload]]:
    return [each for sub in cls.__subclasses__() for each in (sub, *_subclasses(sub))]
