"""The longer texts that the offline model says: Markdown files in `replies/`."""

from collections.abc import Mapping
from functools import cache
from importlib import resources

PACKAGE = "loopwright.agents.designspec.offline"


@cache
def reply(name: str) -> str:
    """The text of this name."""
    return resources.files(PACKAGE).joinpath("replies", f"{name}.md").read_text(encoding="utf-8").strip()


@cache
def glossary() -> Mapping[str, str]:
    """The words that can be explained, `name/other name` to what it means."""
    lines = [
        line.removeprefix("- ").partition(": ") for line in reply("glossary").splitlines() if line.startswith("- ")
    ]
    return {name.lower(): text for name, _, text in lines}
