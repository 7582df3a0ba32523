"""What a brief says, to hold against it what somebody else says of it."""

import re
from functools import cached_property

from loopwright.agents.pages.domain.grammar import lexicon, table

HAN = re.compile(r"[\u3400-\u9fff]")
WORDS = re.compile(r"[\w'’-]+")
SHORTEST = 3
"""Letters of the shortest word that tells something by its stem."""
SAME_STEM = 5
"""Letters that two words begin with, and that are enough for both to be forms of one."""
ENDING = 3
"""Letters by which forms of one word may differ at their ends."""


class Said:
    """The words of a brief."""

    def __init__(self, text: str, language: str) -> None:
        self._lexicon = lexicon(language)
        self.text = " ".join(text.lower().split())
        self.words = {word for word in WORDS.findall(self.text) if not HAN.search(word)}
        self.signs = "".join(HAN.findall(self.text))

    def share(self, phrase: str) -> float:
        """The share (0 to 1) of what a phrase says by stems of the brief's words; 0 where it says nothing."""
        parts = self._telling(phrase)
        return sum(map(self._has, parts)) / len(parts) if parts else 0.0

    def literally(self, phrase: str) -> bool:
        """Whether each word and figure of the phrase stands in the brief; a plural may stand for one of many."""
        words = [word for word in WORDS.findall(phrase.lower()) if not HAN.search(word)]
        signs = re.findall(f"{HAN.pattern}+", phrase)
        return bool(words or signs) and all(map(self._stands, words)) and all(each in self.signs for each in signs)

    def missing_figures(self, phrase: str) -> bool:
        """Whether the phrase has a figure that the brief has not."""
        return any(figure not in self._figures for figure in re.findall(r"\d+", phrase))

    @cached_property
    def _figures(self) -> frozenset[str]:
        return frozenset(re.findall(r"\d+", self.text))

    def _telling(self, phrase: str) -> list[str]:
        """What of a phrase says something of this app: words without small ones, or pairs of Chinese signs."""
        words = [
            word
            for word in WORDS.findall(phrase.lower())
            if not HAN.search(word)
            and (len(word) >= SHORTEST or word.isdigit())
            and not any(self._lexicon.whole(name, word) for name in ("articles", "prepositions", "and"))
        ]
        for run in re.findall(f"{HAN.pattern}+", phrase):
            words += [run[at : at + 2] for at in range(len(run) - 1)] or [run]
        return words

    def _has(self, part: str) -> bool:
        if HAN.search(part):
            return part in self.signs
        return part in self.words or (not part.isdigit() and any(same_stem(part, word) for word in self.words))

    def _stands(self, word: str) -> bool:
        return word in self.words or any(
            one.removesuffix("s") == other.removesuffix("s")
            for one in (word,)
            for other in self.words
            if len(one) > SHORTEST and not one.isdigit()
        )


def same_stem(one: str, other: str) -> bool:
    """Whether two words are forms or compounds of one: "vaccines" and "vaccination", "Termin" and "Terminbuchung"."""
    if min(len(one), len(other)) < SHORTEST:
        return False
    if one == other or (len(one) >= SAME_STEM and one in other) or (len(other) >= SAME_STEM and other in one):
        return True
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    if shared >= SAME_STEM:
        return True
    return shared >= SHORTEST and max(len(one), len(other)) - shared <= ENDING


def stems_shared(one: str, other: str) -> int:
    """How many words of two phrases are forms of one another; Chinese by pairs of signs."""
    if HAN.search(one) or HAN.search(other):
        mine, theirs = ("".join(HAN.findall(each)) for each in (one, other))
        return sum(mine[at : at + 2] in theirs for at in range(len(mine) - 1))
    others = WORDS.findall(other.lower())
    return sum(any(same_stem(word, each) for each in others) for word in WORDS.findall(one.lower()) if len(word) > 2)


def is_structure(title: str, language: str) -> bool:
    """Whether a title names what any app may have, such as settings or help."""
    labels = table("labels")[language]
    return title.strip().lower() in {str(labels[key]).lower() for key in NEUTRAL}


NEUTRAL = ("Home", "Settings", "About", "Help", "Activity", "Profile", "Search", "Main", "Start", "Today", "More")
