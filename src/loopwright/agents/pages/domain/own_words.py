"""The user's own words in a stored brief: without questions, answers and what the agent wrote beside them."""

import re

_BESIDE = re.compile(
    r"\n\n(?=[^\n]{3,160}[?？])|\n\n(?=The app is called \")|\n(?=The app is called \"[^\n]*\"\.)|\n(?=Pages: [^\n]*$)",
    re.M,
)


def own_words(brief: str) -> str:
    """What the user wrote, up to the first question of an interview or remark of the agent."""
    return _BESIDE.split(brief, maxsplit=1)[0].strip()
