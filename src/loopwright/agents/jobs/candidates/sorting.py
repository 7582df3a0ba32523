"""What kind of requirement a sentence states, how important it is, and which rules concern it."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, get_args

from loopwright.agents.jobs.candidates.patterns import Nature

RequirementType = Literal["functional", "compliance", "constraint", "non_functional"]
Priority = Literal["high", "medium", "low"]
Topic = Literal["gobd", "gdpr", "law", "quality", "security"]


@dataclass(frozen=True, slots=True)
class Sorting:
    """Where a requirement belongs."""

    req_type: RequirementType
    priority: Priority
    gobd_relevant: bool
    gdpr_relevant: bool


def sorting_of(text: str, around: str, nature: Nature) -> Sorting:
    """Sort a requirement.

    Args:
        text: the requirement.
        around: its section and the document's title, which say what the rules around it are about.
        nature: how it is stated.
    """
    gobd = _speaks_of("gobd", f"{text}\n{around}")
    gdpr = _speaks_of("gdpr", f"{text}\n{around}")
    binding = nature in ("obligation", "prohibition", "demand")
    req_type: RequirementType = "functional"
    if gobd or gdpr or _speaks_of("law", text):
        req_type = "compliance"
    elif nature in ("prohibition", "condition"):
        req_type = "constraint"
    elif _speaks_of("quality", text):
        req_type = "non_functional"
    priority: Priority = "medium"
    if nature in ("recommendation", "permission"):
        priority = "low"
    elif binding and (req_type == "compliance" or _speaks_of("security", text)):
        priority = "high"
    return Sorting(req_type, priority, gobd, gdpr)


def _speaks_of(topic: Topic, text: str) -> bool:
    return _topics()[topic].search(text) is not None


@cache
def _topics() -> dict[Topic, re.Pattern[str]]:
    text = resources.files(__package__).joinpath("topics.toml").read_text(encoding="utf-8")
    words = tomllib.loads(text)
    topics: tuple[Topic, ...] = get_args(Topic)
    return {topic: re.compile("|".join(words[topic]), re.IGNORECASE) for topic in topics}
