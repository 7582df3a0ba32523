"""Sentences of a message, with the languages that each may be of, and what stands in quotation marks."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from loopwright.kernel.account.reading.lexicon import (
    LANGUAGES,
    SENTENCE_END,
    Lexicon,
    Phrase,
    Word,
    languages_of,
    lexicons,
    says_something,
    scan,
    tags,
)

_QUOTED = re.compile(
    r"“([^“”\n]{1,300})”|„([^“”„\n]{1,300})[“”]|«\s?([^«»\n]{1,300}?)\s?»|»([^«»\n]{1,300})«|‹([^‹›\n]{1,300})›"
    r"|「([^「」\n]{1,300})」|『([^『』\n]{1,300})』|《([^《》\n]{1,300})》|`([^`\n]{1,300})`"
    r"|(?<![\w\"])\"([^\"\n]{1,300})\"(?!\w)|(?<![\w'])'([^'\n]{1,200}(?:\w'\w[^'\n]{0,200})?)'(?!\w)"
    r"|(?<!\w)‘([^‘’\n]{1,300})’(?!\w)"
)
_BULLET = re.compile(r"[ \t]*(?:[-*•·–—▪‣]|\(?\d{1,2}[.)]|\(?[a-z]\))[ \t]+")
LONGEST_LINE = 150
"""Words of a sentence; a longer one is cut, so that reading stays linear in the length of the message."""
SHOUTED = 0.6
"""With so large a share of words in capitals a sentence is shouted or a heading, and capitals tell nothing."""
TITLE = 0.8
"""With so large a share of words that begin with a capital a sentence is written like a title."""
SHORT_WORDS = 4
"""A sentence of fewer words takes the languages of its message: so few tell little."""


@dataclass(frozen=True)
class Line:
    """A sentence or a line of a list."""

    words: Sequence[Word]
    languages: tuple[str, ...]

    @cached_property
    def norms(self) -> list[str]:
        """The words as they are looked up."""
        return [word.norm for word in self.words]

    @cached_property
    def lexicons(self) -> list[Lexicon]:
        """The tables of its languages."""
        return lexicons(self.languages)

    @cached_property
    def last(self) -> Mapping[str, int]:
        """The last index of each word."""
        return {word.text: index for index, word in enumerate(self.words)}

    @cached_property
    def shouted(self) -> bool:
        """Whether it is written in capitals."""
        words = [word for word in self.words if word.kind == "word" and len(word.text) > 3]
        return len(words) > 3 and sum(word.text.isupper() for word in words) > SHOUTED * len(words)

    @cached_property
    def titled(self) -> bool:
        """Whether it is written like a title, each word with a capital."""
        words = [word for word in self.words if word.kind == "word" and len(word.text) > 3]
        return len(words) > 4 and sum(word.text[0].isupper() for word in words) > TITLE * len(words)

    def may_be(self, code: str) -> bool:
        """Whether the sentence may be of a language; one of no known language may be of any."""
        return not self.languages or code in self.languages

    @cached_property
    def phrases(self) -> list[list[Phrase]]:
        """The phrases of its languages that stand at each word, the longest of each language first."""
        return [
            [phrase for known in self.lexicons for phrase in known.phrases.at(self.norms, index)]
            for index in range(len(self.words))
        ]

    def phrases_at(self, index: int) -> Sequence[Phrase]:
        """The phrases that stand at a word."""
        return self.phrases[index] if 0 <= index < len(self.words) else ()

    def phrase_at(self, index: int, kind: str) -> Phrase | None:
        """The longest phrase of a kind that stands at a word."""
        longest: Phrase | None = None
        for phrase in self.phrases_at(index):
            if phrase.kind == kind and (longest is None or len(phrase.words) > len(longest.words)):
                longest = phrase
        return longest

    @cached_property
    def tags(self) -> Mapping[str, frozenset[str]]:
        """The names of the sets that a word is in, in any of its languages."""
        return tags(self.languages or LANGUAGES)

    def has_norm(self, norm: str, name: str) -> bool:
        """Whether a word as it is looked up is in the set."""
        return name in self.tags.get(norm, ())

    def has(self, index: int, *names: str) -> bool:
        """Whether the word is in one of the sets, in one of the languages."""
        if not 0 <= index < len(self.words):
            return False
        found = self.tags.get(self.norms[index])
        return found is not None and not found.isdisjoint(names)


def quoted_ranges(message: str) -> list[tuple[int, int]]:
    """The ranges between quotation marks, the marks left out."""
    found = []
    for match in _QUOTED.finditer(message):
        start, end = match.span(match.lastindex or 0)
        if message[start:end].strip():
            found.append((start, end))
    return found


def read_lines(message: str) -> list[Line]:
    """The sentences of a message in order; no word is left out of them but the marks of lists."""
    words = scan(message)
    whole = languages_of(words)
    quoted = quoted_ranges(message)
    starts = [start for start, _ in quoted]
    bullets = _bullets(message)
    bullet = bullets.get(0, -1)
    lines: list[Line] = []
    current: list[Word] = []
    for index, word in enumerate(words):
        at = bisect_right(starts, word.start) - 1
        inside = at >= 0 and word.end <= quoted[at][1]
        if len(current) >= LONGEST_LINE or (not inside and current and _begins_line(message, current[-1], word)):
            lines.append(_line(current, whole))
            current = []
        if "\n" in message[words[index - 1].end if index else 0 : word.start]:
            bullet = bullets.get(message.rfind("\n", 0, word.start) + 1, -1)
        if word.end > bullet:
            current.append(word)
        if not inside and current and _ends(words, index, current, whole):
            lines.append(_line(current, whole))
            current = []
    return [*lines, _line(current, whole)] if current else lines


def _line(words: list[Word], whole: tuple[str, ...]) -> Line:
    few = sum(word.kind == "word" for word in words) < SHORT_WORDS and not any(word.kind == "han" for word in words)
    return Line(tuple(words), whole if few else languages_of(words, whole))


def _bullets(message: str) -> dict[int, int]:
    """Where the mark of a list's item ends, by the start of its line; a number alone at the start is no list."""
    found: dict[int, int] = {}
    numbered: list[int] = []
    place = 0
    while place >= 0:
        match = _BULLET.match(message, place)
        if match:
            found[place] = match.end()
            if any(sign.isdigit() for sign in match[0]):
                numbered.append(place)
        after = message.find("\n", place)
        place = after + 1 if after >= 0 else -1
    if len(numbered) == 1:
        del found[numbered[0]]
    return found


def _begins_line(message: str, last: Word, word: Word) -> bool:
    """Whether a line break before the word ends the sentence: a wrapped line goes on in lower case."""
    between = message[last.end : word.start]
    if "\n" not in between:
        return False
    return between.count("\n") > 1 or not word.text[0].islower() or last.text in (":", ".", "!", "?", ";")


def _ends(words: Sequence[Word], index: int, current: Sequence[Word], languages: tuple[str, ...]) -> bool:
    """Whether the sentence ends with the word of this number."""
    word = words[index]
    if word.text in SENTENCE_END:
        # "?!" and "..." end once.
        return index + 1 == len(words) or words[index + 1].text not in SENTENCE_END
    if word.text != "." or len(current) < 2:
        return False
    if index + 1 == len(words):
        return True
    before, after = words[index - 1], words[index + 1]
    if after.start == word.end or before.end != word.start:
        return after.text != "." and before.end == word.start and after.kind == "han"
    if before.kind == "word" and (
        len(before.text) == 1 or any(k.has("abbreviations", before.norm) for k in lexicons(languages))
    ):
        return False
    german = not languages or "de" in languages
    if before.kind == "number" and len(before.text) <= 2 and german and after.kind == "word":
        return False
    return not after.text[0].islower() or before.kind != "word"


# What opens a message and asks for nothing by itself: pleasantries, "I want", "make me an app that".

_ARTICLES = ("a", "an", "the", "ein", "eine", "einen", "un", "une", "una", "one", "some")


def frame_words(line: Line, *, first: bool) -> set[int]:
    """The indices of the frame's words in a sentence; an opening ("an app for") only in the first of a message."""
    inside: set[int] = set()
    index = 0
    opened = False
    while index < len(line.words):
        if not line.words[index].speaks:
            index += 1
            continue
        phrase = line.phrase_at(index, "frame")
        if phrase is None:
            break
        if not first and _asks(phrase.words):
            break
        inside.update(range(index, index + len(phrase.words)))
        index += len(phrase.words)
        opened = True
    inside |= polite_words(line)
    if first:
        inside |= _opening(line, index, opened)
    return inside


def frames(lines: Sequence[Line]) -> list[set[int]]:
    """The frame of each sentence; none at all where the message has nothing else."""
    found = []
    first = True
    said = False
    for line in lines:
        frame = frame_words(line, first=first)
        rest = [
            index
            for index, word in enumerate(line.words)
            if index not in frame and says_something(word, line.languages)
        ]
        said = said or bool(rest)
        first = first and not rest
        found.append(frame)
    return found if said else [set() for _ in lines]


def _asks(words: Sequence[str]) -> bool:
    """Whether the opening is a verb that asks ("make"): later in a message it belongs to what is asked."""
    return len(words) == 1 and words[0] in (
        "make",
        "build",
        "create",
        "mach",
        "mache",
        "bau",
        "baue",
        "crea",
        "haz",
        "fais",
    )


NO_PLEASE = "帖柬假客"
"""Behind 请 these make a word of it: an invitation, leave, a treat."""


def polite_words(line: Line) -> set[int]:
    """The indices of pleasantries, wherever they stand: "lies bitte", "thank you"."""
    inside: set[int] = set()
    for index in range(len(line.words)):
        phrase = line.phrase_at(index, "polite")
        after = line.words[index + 1].text[:1] if index + 1 < len(line.words) else ""
        if line.words[index].text == "请" and after and after in NO_PLEASE:
            continue
        if phrase:
            inside.update(range(index, index + len(phrase.words)))
    return inside


def _opening(line: Line, index: int, opened: bool) -> set[int]:
    """The opening "(make me) an app", only where something follows that says what the app is."""
    place = index
    while place < len(line.words) and line.norms[place] in ("me", "us", "mir", "uns"):
        place += 1
    article = place < len(line.words) and line.norms[place] in _ARTICLES
    place += article
    if not (article or opened) or not line.has(place, "frame_nouns"):
        return set()
    while line.has(place, "frame_nouns"):
        place += 1
    glued = place
    if glued < len(line.words) and line.words[glued].text == ",":
        glued += 1
    if not line.has(glued, "frame_glue", "adjunct", "relative"):
        return set()
    # What follows the noun keeps its preposition: "for students" is one statement.
    return set(range(index, glued))
