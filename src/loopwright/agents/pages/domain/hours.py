"""When something is, as a part of a brief says it: the rehearsals of "rehearsals on Thursdays at 19:30"."""

import re

from loopwright.agents.pages.domain.features import Feature, capital
from loopwright.agents.pages.domain.grammar import Lexicon, stripped
from loopwright.agents.pages.domain.sample_data import singular
from loopwright.kernel.account.reading import hard_tokens

MOST_NAMED = 5
"""Words of what has a day or a time; more of them tell what somebody does then."""
_JOINTS = re.compile(
    r"(?:\s|^)(?:is|are|takes? place|starts?|meets?|every|each|on|at|from|ist|sind|findet|finden|immer|jeden?|am|um|ab|"
    r"von|est|sont|ont lieu|a lieu|le|les|chaque|tous|à|de|es|son|cada|el|los|las|a|en|:)\s*$|(?:是|在|于|为)$",
    re.I,
)


_ORDINAL = re.compile(
    r"(?<!\w)(?:(?:every|each|jeden|jeder|am|chaque|cada|el|le|the) )*(?:first|second|third|last|ersten?|zweiten?|"
    r"dritten?|letzten?|premier|deuxième|dernier|primer|segundo|último)\s+$|每?月?第[一二三四]个$",
    re.I,
)
"""Which weekday of the month: it belongs to the time."""


def with_time(text: str, words: Lexicon) -> tuple[str, str] | None:
    """What a part of a brief names and when that is, by a weekday or an hour; None where it says neither."""
    tokens = [each for each in hard_tokens(text) if any(one.type in ("weekday", "time") for one in each.values)]
    if not tokens or tokens[0].values[0].type not in ("weekday", "time"):
        return None
    start = min(each.start for each in tokens)
    ordinal = _ORDINAL.search(text[:start])
    start = ordinal.start() if ordinal else start
    named, joint = text[:start], ""
    while named != joint:
        joint, named = named, _JOINTS.sub("", named.rstrip(" ,:"))
    named = stripped(named, words)
    if len(named.split()) > MOST_NAMED:
        return None
    return named, text[start:].strip()


def told_hours(named: str, when: str, words: Lexicon) -> Feature:
    """A list of the days and times of something, which nobody keeps but those who said them."""
    noun = singular(named, words.language)
    return Feature("list", capital(named), noun, named, examples=[capital(when)], fixed=True)
