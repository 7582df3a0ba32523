"""Prompts are Markdown with `{{variables}}`, strict in both directions."""

import re
from collections.abc import Mapping, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from loopwright.kernel.errors import Misconfigured

VARIABLE = re.compile(r"\{\{\s*([a-z_]+)\s*\}\}")


class PromptRepository:
    """Finds a prompt by `agent/name`: project folder before installation folder before the packaged default.

    The folders in `overrides` hold `agent/name.md`, the first one wins. `packages` names, per agent, the Python package
    that holds its `prompts/` folder.
    """

    def __init__(self, packages: Mapping[str, str], overrides: Sequence[Path] = ()) -> None:
        """Take the places; nothing is read before it is asked for."""
        self._packages = {"kernel": "loopwright.kernel", **packages}
        self._overrides = tuple(overrides)

    def under(self, folder: Path) -> "PromptRepository":
        """The same prompts, under those of another folder (`agent/name.md`)."""
        return PromptRepository(self._packages, (folder, *self._overrides))

    def source(self, name: str) -> str:
        """The prompt's text with its variables unfilled.

        Raises:
            Misconfigured: no place has it.
        """
        agent, _, leaf = name.partition("/")
        places: list[Path | Traversable] = [folder / agent / f"{leaf}.md" for folder in self._overrides]
        if agent in self._packages:
            places.append(resources.files(self._packages[agent]).joinpath("prompts", f"{leaf}.md"))
        for place in places:
            if place.is_file():
                return place.read_text(encoding="utf-8").strip()
        raise Misconfigured(f"There is no prompt {name!r}.", hint=f"Looked at: {', '.join(map(str, places))}")

    def render(self, name: str, /, **variables: str) -> str:
        """The prompt with its variables filled; its first line names the task for logs and for the offline model.

        Raises:
            Misconfigured: a variable is missing, or one is given that the prompt does not use.
        """
        text = self.source(name)
        wanted = set(VARIABLE.findall(text))
        if wanted != set(variables):
            missing, unused = sorted(wanted - set(variables)), sorted(set(variables) - wanted)
            raise Misconfigured(
                f"Prompt {name!r} does not fit its variables: missing {missing or 'none'}, unused {unused or 'none'}."
            )
        return f"[task: {name}]\n" + VARIABLE.sub(lambda match: variables[match[1]], text)
