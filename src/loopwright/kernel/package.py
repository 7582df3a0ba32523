"""What a distribution brings under the entry point group `loopwright.agents`: an agent, and all that belongs to it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from loopwright.kernel.errors import Misconfigured

if TYPE_CHECKING:
    from loopwright.kernel.spec import AgentSpec

NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")


@dataclass(frozen=True)
class Command:
    """A command of the `loopwright` program: where its Click command, or its Typer app or function is, and its line."""

    target: str
    help: str


@dataclass(frozen=True)
class AgentPackage:
    """An agent, and where everything is that it brings; all but names and texts are import paths, `module:NAME`.

    A package is declared in a module that imports nothing heavy: what the paths name is imported when it is used.

    Args:
        name: lower case, as in `loopwright runs list`.
        title: for people.
        description: one line that says what the agent does.
        spec: an `AgentSpec`, or its import path.
        offline: a `Playbook`, by which the built-in offline model plays the agent.
        services: an asynchronous context manager over the running application, which gives what tools get as `ctx.db`.
        tables: a module that defines the agent's tables on the shared metadata; without migrations, those that are
            missing are made as they stand there.
        migrations: a package of Alembic revisions that make these tables; the agent then requires Alembic.
        routers: FastAPI routers of its own.
        open_paths: where requests need no token, since the routes below check one of their own.
        commands: commands of the `loopwright` program, by name.
        ending: a function that tells a run's last line (a mapping) in lines for people.
        gate_views: functions that tell the details of a kind of gate in lines for people, by the kind.
        settings: a `PackageSettings` class.
        requires: modules that must be importable, without which the agent cannot work.
        extra: what to install where one of them is missing.
        entry: how its runs are begun, where a message alone is not enough: it may then not come in as loose options.
        home_names: files and folders that the agent keeps in the installation's folder.
    """

    name: str
    title: str
    description: str
    spec: "str | AgentSpec"
    offline: str | None = None
    services: str | None = None
    tables: str | None = None
    migrations: str | None = None
    routers: Sequence[str] = ()
    open_paths: Sequence[str] = ()
    commands: Mapping[str, Command] = field(default_factory=dict)
    ending: str | None = None
    gate_views: Mapping[str, str] = field(default_factory=dict)
    settings: str | None = None
    requires: Sequence[str] = ()
    extra: str | None = None
    entry: str = ""
    home_names: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Check the name.

        Raises:
            Misconfigured: it is none.
        """
        if not NAME.fullmatch(self.name):
            raise Misconfigured(
                f"An agent cannot be called {self.name!r}.",
                hint="Use at most 40 small letters, digits and hyphens, a letter first.",
            )

    def missing(self) -> list[str]:
        """The required modules that cannot be imported here."""
        return [name for name in self.requires if find_spec(name) is None]

    @property
    def install(self) -> str:
        """The command that installs what is missing."""
        return "pip install " + (f'"{self.extra}"' if self.extra else " ".join(self.missing()))

    def check(self) -> None:
        """Refuse to be used where something is missing.

        Raises:
            Misconfigured: a required module is not installed; the hint says what to install.
        """
        missing = self.missing()
        if missing:
            raise Misconfigured(
                f"The agent {self.name} needs {', '.join(missing)}.", hint=f"Install it: {self.install}"
            )

    def load(self, path: str) -> Any:
        """What one of the paths names.

        Raises:
            Misconfigured: a required module is missing, or there is no such thing.
        """
        self.check()
        return load(path, self.name)


def load(path: str, agent: str) -> Any:
    """What `module:NAME` names.

    Raises:
        Misconfigured: there is no such module, or no such name in it.
    """
    module, _, name = path.partition(":")
    try:
        return getattr(import_module(module), name) if name else import_module(module)
    except (ImportError, AttributeError) as error:
        raise Misconfigured(
            f"{path!r}, which the agent {agent} names, cannot be loaded: {error}.",
            hint=f"Install what is missing, or repair the package of {agent}.",
        ) from error
