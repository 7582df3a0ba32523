"""Which tasks the user means: by number, or by words of the title."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST_CANDIDATES = 4


@dataclass(frozen=True)
class Mention:
    """The ids that are meant; or, where several fit equally, the titles to choose from."""

    ids: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()


def mentioned(words: str, tasks: Sequence[Mapping[str, Any]], fillers: Sequence[str], number: str) -> Mention:
    """The tasks that the words name, numbers counted from one."""
    match = re.search(number, words)
    if match is not None:
        place = int(match["number"] or match["hash"]) - 1
        return Mention((str(tasks[place]["id"]),)) if 0 <= place < len(tasks) else Mention()
    said = _roots(words) - set(fillers)
    scored = [
        (len(said & _roots(str(task.get("title", "")))), str(task["id"]), str(task.get("title", ""))) for task in tasks
    ]
    best = max((score for score, _, _ in scored), default=0)
    if best == 0:
        return Mention()
    fitting = [(name, title) for score, name, title in scored if score == best]
    titles = tuple(dict.fromkeys(title for _, title in fitting))
    if len(titles) == 1:
        return Mention(tuple(dict.fromkeys(name for name, _ in fitting)))
    return Mention(candidates=titles[:MOST_CANDIDATES])


def _roots(words: str) -> set[str]:
    """The words without their endings, so that `exams` finds `exam`."""
    return {re.sub(r"(?:ing|es|s)$", "", word) if len(word) > 4 else word for word in re.findall(r"\w+", words.lower())}
