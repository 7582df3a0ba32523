"""Which tasks of a plan some words name: by the titles that its calendar shows, in English, German and Chinese."""

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from loopwright.agents.planner.account.calendar_file import has_word, stem_of
from loopwright.agents.planner.account.dates import FILLERS, HAN
from loopwright.kernel.account.reading import language_of

LATIN = re.compile(r"[^\W\d_]+|\d+")
LEAST_ROOT, ENDING = 5, 3
"""Two words are forms of one where so many letters are the same, and no more than so many behind them differ."""
LEAST_HAN = 2
FRAME = frozenset(files(__package__).joinpath("frame.txt").read_text(encoding="utf-8").split())
"""Words that say what becomes of a task, beside those that say nothing by themselves."""
HAN_ENDS = re.compile(
    r"^[的了把将要得必须应该先再就也都那这个吧请给在被，,\s]+|[的了要得必须应该先再就也都吧，,。\s]+$"
)


@dataclass(frozen=True)
class Work:
    """A task as the calendar shows it, in the order of time."""

    title: str
    minutes: int = 0


@dataclass(frozen=True)
class Named:
    """What words name: the titles, and the words of these by which they are found again.

    `several` are different tasks that fit equally well; `unknown` the words that no title has.
    """

    titles: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    several: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    said: str = ""

    @property
    def sure(self) -> bool:
        """Whether one thing is named, and more of the words are its own than not: enough to take it away."""
        return bool(self.titles) and len(self.words) > len(self.unknown)


def find_named(said: str, titles: Iterable[str]) -> Named:
    """The tasks that the words name.

    A number must be in the title; other words may be missing from it where as many are there.
    """
    known = list(dict.fromkeys(titles))
    found = _by_signs(said, known) if HAN.search(said) else _by_words(said, known)
    return Named(found.titles, found.words, found.several, found.unknown, said.strip(" ,.;:，。"))


def find_all(said: str, titles: Iterable[str]) -> list[Named]:
    """The tasks that a list of words names: "the menu and the invitations" are two; one name may have an "and"."""
    known = list(titles)
    whole = find_named(said, known)
    parts = [
        part for part in re.split(r"\s*[,，、]\s*(?:and\s+|und\s+)?|\s+(?:and|und)\s+|[和与及]", said) if part.strip()
    ]
    if len(parts) < 2 or (whole.titles and not whole.unknown):
        return [whole]
    return [find_named(part, known) for part in parts if content_of(part)] or [whole]


def content_of(said: str) -> list[str]:
    """The words that may name something."""
    if HAN.search(said):
        kept = HAN_ENDS.sub("", said)
        return [kept] if kept else []
    return [
        word
        for word in LATIN.findall(said)
        if (word.casefold() not in FILLERS | FRAME and len(word) > 1) or word.isdigit()
    ]


def words_of(title: str) -> tuple[str, ...]:
    """The words by which a new task is found again: all of its title, for it has no other name."""
    return (
        (title,)
        if HAN.search(title)
        else tuple(word for word in LATIN.findall(title) if len(word) > 2 or word.isdigit())
    )


def _by_words(said: str, titles: Sequence[str]) -> Named:
    tokens = list(dict.fromkeys(content_of(said)))
    if all(token.isdigit() for token in tokens):
        return Named(unknown=tuple(tokens))  # "task 2" is a place in a list, and no title
    hits: dict[str, dict[str, str]] = {}
    for title in titles:
        held = {token: own for token in tokens if (own := _form_in(title, token))}
        if held and all(token in held for token in tokens if token.isdigit()):
            hits[title] = held
    if not hits:
        return Named(unknown=tuple(tokens))
    weight = {title: sum(_weight(token, said) for token in held) for title, held in hits.items()}
    best = [title for title in hits if weight[title] == max(weight.values())]
    same = [title for title in best if set(hits[title]) == set(hits[best[0]])]
    if len(same) < len(best):
        behind = [title for title in best if not _leads(title, hits[title].values())]
        same = [title for title in behind if set(hits[title]) == set(hits[behind[0]])] if behind else []
        if not same or len(same) < len(behind):
            return Named(several=tuple(best))
    words = tuple(hits[same[0]].values())
    same = [title for title in same if all(has_word(title, word) for word in words)]
    verbs = language_of(said) == "de"  # German nouns have a capital letter: other words say what is done
    unknown = (token for token in tokens if token not in hits[same[0]] and not (verbs and token.islower()))
    return Named(tuple(same), words, unknown=tuple(unknown))


def _weight(token: str, said: str) -> int:
    """A noun says more than a verb: German writes it with a capital letter, and so are names."""
    return 3 if token.isdigit() or (token[0].isupper() and not said.startswith(token)) else 2


def _leads(title: str, words: Iterable[str]) -> bool:
    """Whether the words are no more than the verb with which a title begins, or a German one ends."""
    own = LATIN.findall(title)
    verb = own[-1] if own and own[-1][0].islower() and own[-1].endswith("n") and not title.isascii() else own[0]
    return [*words] == [verb]


def _form_in(title: str, token: str) -> str:
    """The word of a title that is a form of another word, or has it as a part; nothing where none is."""
    if token.isdigit():
        return token if re.search(rf"(?<![\d/]){token}(?![\d/])", title) else ""
    own: list[str] = LATIN.findall(title)
    for word in own:
        if has_word(word, token):
            return word
    joined = [(word, word) for word in own] + [(one, one + other) for one, other in itertools.pairwise(own)]
    return next((word for word, whole in joined if _same_root(stem_of(token), stem_of(whole))), "")


def _same_root(one: str, other: str) -> bool:
    """Whether two words are forms of one ("wiring", "wire"; "Datenauswertung", "Daten auswerten"), or one ends so."""
    shared = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return (shared >= LEAST_ROOT and max(len(one), len(other)) - shared <= ENDING) or (
        len(one) >= LEAST_ROOT and other.endswith(one)
    )


def _by_signs(said: str, titles: Sequence[str]) -> Named:
    """Chinese has no spaces: the longest part of what was said that a title has."""
    (kept,) = content_of(said) or ("",)
    parts = {title: longest_common(kept, title) for title in titles}
    longest = max(map(len, parts.values()), default=0)
    if longest < min(LEAST_HAN, len(kept) or LEAST_HAN) or longest * 2 < len(kept):
        return Named(unknown=(kept,) if kept else ())
    best = [title for title in titles if len(parts[title]) == longest]
    words = {parts[title] for title in best}
    if len(words) > 1:
        return Named(several=tuple(best))
    return Named(
        tuple(best), tuple(words), unknown=() if longest == len(kept) else (kept,) if longest * 2 <= len(kept) else ()
    )


def longest_common(one: str, other: str) -> str:
    """The longest piece of the one that the other has too."""
    found = ""
    for start in range(len(one)):
        while start + len(found) < len(one) and one[start : start + len(found) + 1] in other:
            found = one[start : start + len(found) + 1]
    return found
