"""What the offline model says to the user: Markdown templates in `replies/`, filled strictly."""

import re
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

PACKAGE = "loopwright.agents.pages.offline"


def say(name: str, **values: Any) -> str:
    """A reply for the user; every one says that no language model wrote it.

    Raises:
        jinja2.UndefinedError: the template uses a value that was not given.
    """
    environment = _environment()
    signature = environment.get_template("signature.md").render().strip()
    text = environment.get_template(f"{name}.md").render(signature=signature, **values)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(_source),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - Markdown for a chat, whose reader escapes it
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _source(name: str) -> str:
    return resources.files(PACKAGE).joinpath("replies", name).read_text(encoding="utf-8")


def enumeration(words: list[str] | tuple[str, ...]) -> str:
    """Words as a sentence has them: `a, b and c`."""
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), *words[-1:]])


def excerpt(text: str, length: int = 300) -> str:
    """The text on one line, cut at a word when it is longer."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[:length].rsplit(" ", 1)[0] + " …"
