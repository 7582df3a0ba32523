"""What the goal is about: what is left of the text when all the rest is understood, in the user's own capitals."""

import re
from dataclasses import dataclass

from loopwright.agents.planner.offline.reading import TAKEN, Reading

MOST_SUBJECT = 80
MOST_HAVES = 8
LEAST_LETTERS = 3


@dataclass
class Subject:
    """`title` is the goal in the user's words, `subject` its object: `Learn Spanish`, `Spanish`."""

    title: str
    subject: str
    place: str | None = None
    must_haves: tuple[str, ...] = ()


def read_subject(reading: Reading) -> Subject:
    """Take musts and place, then trim what stands around the subject."""
    musts = _musts(reading)
    place = _place(reading)
    title, subject = _title_and_subject(reading)
    return Subject(title, subject, place, musts)


def _title_and_subject(reading: Reading) -> tuple[str, str]:
    """The first stretch of words that says something, and what its verb is about."""
    raw = reading.language.raw
    opener = re.match(raw["openers"], reading.left)
    position = opener.end() if opener else 0
    first = ("", "")
    while position < len(reading.left):
        cut = re.compile(raw["cut_words"]).search(reading.left, position)
        end = cut.start() if cut else len(reading.left)
        lead = re.match(raw["lead_words"], reading.left[position:end].lstrip())
        begin = position + len(reading.left[position:end]) - len(reading.left[position:end].lstrip())
        begin += lead.end() if lead else 0
        title = _trimmed(reading, begin, end)
        if sum(char.isalpha() for char in title) >= LEAST_LETTERS:
            inner = begin
            for _ in range(2):
                verb = re.match(raw["verbs"], reading.left[inner:end])
                inner += verb.end() if verb else 0
            found = title, _trimmed(reading, inner, end) if inner > begin else title
            if found[1]:
                return found
            first = first if first[0] else found
        position = max(end, cut.end() if cut else end)
    return first


def _trimmed(reading: Reading, start: int, end: int) -> str:
    """The words of a stretch without what dangles at its ends."""
    tail = re.search(reading.language.raw["tail_words"], reading.left[start:end])
    if tail is not None:
        end = start + tail.start()
    words = reading.text[start:end].strip(" ,.;:!?-–()\"'“”")
    if len(words) <= MOST_SUBJECT:
        return words
    return words[:MOST_SUBJECT].rsplit(" ", 1)[0] if " " in words[:MOST_SUBJECT] else words[:MOST_SUBJECT]


def _musts(reading: Reading) -> tuple[str, ...]:
    found: list[str] = []
    for pattern in reading.language.patterns("must_haves"):
        for match in list(pattern.finditer(reading.left))[:MOST_HAVES]:
            found.append(reading.original(match, "what"))
            reading.blank(match)
    return tuple(dict.fromkeys(found))[:MOST_HAVES]


def _place(reading: Reading) -> str | None:
    for words, place in reading.language.table("home").items():
        if reading.take(rf"\b{re.escape(words)}\b") is not None:
            return str(place)
    for match in re.finditer(reading.language.raw["place"], reading.text):
        start, end = match.span("what")
        if TAKEN not in reading.left[start:end] and not re.fullmatch(r"[A-C][12]", match["name"]):
            return match["name"]
    return None
