"""Agents that live in a Python file of the user's: loading them, and remembering where they are.

Who runs an agent from a file lets this installation know the file, so that `loopwright runs resume` and the server can
carry its runs on in another process. That loads the file, as `python FILE` would, with its `if __name__ == "__main__":`
left out. Nothing else is ever loaded: names come from `agents.json` in the home, which only the user's own processes
write, and never from a request.
"""

import hashlib
import importlib
import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from loopwright.app.agents import agent, is_known, register_spec
from loopwright.kernel.errors import InvalidInput, Misconfigured, NotFound
from loopwright.kernel.files import exclusive_lock, write_whole
from loopwright.kernel.spec import AgentSpec

FILE = "agents.json"
"""In the home: agent → its file, and the name that it has there."""


class Declared(Protocol):
    """An agent that is declared by an object, as `loopwright.Agent` is."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    def spec(self) -> AgentSpec:
        """What the kernel needs to know of it."""
        ...


@dataclass(frozen=True)
class AgentFile:
    """Where an agent is declared: at the top of this file, under this name."""

    file: Path
    variable: str


def find_agent(home: Path, name: str) -> AgentSpec:
    """The agent of this name: registered here, installed, or in the file that this home remembers.

    Raises:
        NotFound: there is none, or its file is gone or no longer has it.
        InvalidInput: its file cannot be loaded.
    """
    if not is_known(name):
        where = recall(home, name)
        if where is None:
            return agent(name)  # tells which agents there are
        register_spec(load_agent(where, name).spec())
    return agent(name)


def adopt(home: Path, target: str) -> str:
    """Make the agent in a file known here, and remember the file; gives the agent's name. The home must exist.

    Args:
        home: the installation's folder.
        target: `FILE.py`, or `FILE.py:VARIABLE` where the file declares several.

    Raises:
        NotFound: there is no such file, or no such agent in it.
        InvalidInput: the file cannot be loaded, or has several agents and none is named.
        Conflict: another agent of this name is installed.
    """
    declared, where = agent_in(target)
    register_spec(declared.spec())
    remember(home, declared.name, where)
    return declared.name


def where_declared(declared: Declared, module_name: str) -> AgentFile | None:
    """The file and the variable of an agent; None where it is not at the top of a module that has a file."""
    module = sys.modules.get(module_name)
    file = getattr(module, "__file__", None)
    names = (name for name, value in vars(module).items() if value is declared) if module is not None else iter(())
    variable = next(names, None)
    return AgentFile(Path(file).resolve(), variable) if file and variable else None


def remember(home: Path, agent_name: str, where: AgentFile) -> None:
    """Keep where the agent is; the home must exist.

    Raises:
        Misconfigured: what is kept cannot be read.
    """
    if recall(home, agent_name) == where:
        return
    with exclusive_lock(home / f"{FILE}.lock"):
        book = _read(home) | {agent_name: {"file": str(where.file), "variable": where.variable}}
        write_whole(home / FILE, json.dumps(book, indent=1, sort_keys=True).encode())


def recall(home: Path, agent_name: str) -> AgentFile | None:
    """Where the agent was when it was run last, or None.

    Raises:
        Misconfigured: what is kept cannot be read.
    """
    kept = _read(home).get(agent_name)
    return AgentFile(Path(kept["file"]), kept["variable"]) if kept else None


def _read(home: Path) -> dict[str, dict[str, str]]:
    try:
        book = json.loads((home / FILE).read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise Misconfigured(f"{home / FILE} cannot be read: {error}.", hint="Delete it; it is written anew.") from error
    if not isinstance(book, dict):
        raise Misconfigured(f"{home / FILE} holds no JSON object.", hint="Delete it; it is written anew.")
    return book


def load_agent(where: AgentFile, name: str) -> Declared:
    """The agent from its file.

    Raises:
        NotFound: the file is gone, or no longer declares the agent.
        InvalidInput: the file cannot be loaded.
    """
    if not where.file.is_file():
        raise NotFound(
            f"Agent {name!r} was run from {where.file}, which is gone.", hint="Put the file back, or cancel the run."
        )
    found = getattr(load_module(where.file), where.variable, None)
    if found is None or getattr(found, "name", None) != name:
        raise NotFound(
            f"{where.file} no longer declares the agent {name!r} as {where.variable!r}.",
            hint="Run the agent once from where it is now, or cancel the run.",
        )
    declared: Declared = found
    return declared


def agent_in(target: str) -> tuple[Declared, AgentFile]:
    """The agent that `FILE.py` or `FILE.py:VARIABLE` names.

    Raises:
        NotFound: there is no such file, or no such agent in it.
        InvalidInput: the file cannot be loaded, or has several agents and none is named.
    """
    path, _, variable = target.partition(":")
    file = Path(path).resolve()
    if not file.is_file():
        raise NotFound(f"There is no file {path}.", hint="Name a Python file that declares an agent: agent.py")
    found = {name: value for name, value in vars(load_module(file)).items() if _is_agent(value)}
    if variable and variable not in found:
        raise NotFound(f"{path} has no agent {variable!r}.", hint=f"It has: {', '.join(found) or 'none'}.")
    chosen = variable or next(iter(found), "")
    if not chosen:
        raise NotFound(f"{path} declares no agent.", hint="Write at its top level: agent = Agent('name', '…')")
    if not variable and len({id(value) for value in found.values()}) > 1:
        raise InvalidInput(
            f"{path} declares several agents: {', '.join(found)}.", hint=f"Name one of them: {path}:{chosen}"
        )
    return found[chosen], AgentFile(file, chosen)


def _is_agent(value: Any) -> bool:
    return not isinstance(value, type) and callable(getattr(value, "spec", None)) and hasattr(value, "instructions")


def load_module(file: Path) -> ModuleType:
    """The module in a file, loaded once; beside it, it finds what it would find if it were run.

    Raises:
        InvalidInput: it is not Python, or raises while it is loaded.
    """
    root, parts = file.parent, [file.stem]
    while (root / "__init__.py").is_file():
        parts.insert(0, root.name)
        root = root.parent
    loaded = next((m for m in list(sys.modules.values()) if _file_of(m) == file and m.__name__ != "__main__"), None)
    if loaded is not None:
        return loaded
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        return importlib.import_module(".".join(parts)) if len(parts) > 1 else _load_alone(file)
    except Exception as error:  # whatever the user's code raises: they are told which file, and see the traceback
        raise InvalidInput(
            f"{file} cannot be loaded: {type(error).__name__}: {error}", hint=f"Try: python {file}"
        ) from error


def _file_of(module: ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if isinstance(file, str) else None


def _load_alone(file: Path) -> ModuleType:
    """A file that is part of no package, under a name of its own: many are called `agent.py`."""
    name = f"agent_file_{hashlib.sha256(str(file).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InvalidInput(f"{file} is not a Python file.", hint="Name a file that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
