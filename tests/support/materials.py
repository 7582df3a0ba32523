"""What a system prompt quotes of the user's own: prompt sizes are counted without it."""

import re

from loopwright.agents.ide.project import FILES_HEAD

FILES = re.compile(rf"\n\n{FILES_HEAD}\n.*?(?=\n\n## |\Z)", re.DOTALL)


def without_files(prompt: str) -> str:
    """The prompt without the files that a budget of their own bounds."""
    return FILES.sub("", prompt)
