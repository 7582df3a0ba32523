"""Sentences of legal and technical prose in German and English, with their lead-ins and where they stand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.agents.jobs.candidates.flows import flows_of
from loopwright.agents.jobs.candidates.vocabulary import vocabulary
from loopwright.agents.jobs.documents import Document

STOP = re.compile(r"[.!?…]+[\"'”“»«’)\]]*(?=\s+[\"'„“»«‚‘(\[]*[A-ZÄÖÜ0-9§•])")
"""The end of a sentence, if the word before it is no abbreviation."""
WORD_BEFORE = re.compile(r"[^\s(\[„“\"]+$")
ORDINAL = re.compile(r"\d{1,2}$")
LONGEST_BRACKET = 600
"""Characters; a bracket that does not close within them was opened by mistake, and hides no end of a sentence."""
LONGEST_WORD = 100
"""Characters before a full stop that are looked at; each look must cost the same, however long the text is."""
LONGEST = 1_200
"""Characters of a sentence; what goes on longer is no sentence, and is cut between words so that it can be searched."""
LONGEST_LEAD_IN = 700
UNFINISHED = (":", ",")


Places = tuple[tuple[int, int, int], ...]
"""Page, start and end in the page's text, of each part."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or an item of a list.

    `places` are where it stands, more than one where a page parts it. `lead_in` is the sentence that opens the list,
    for the first sentence of an item; `leads` says that it is one.
    """

    text: str
    places: Places
    section: str
    example: bool
    is_item: bool = False
    lead_in: str = ""
    lead_places: Places = ()
    leads: bool = False


def sentences_of(document: Document) -> Iterator[Sentence]:
    """All sentences of a document in their order, without headings and table of contents."""
    flows = [*flows_of(document)]
    lead_in = ""
    lead_places: Places = ()
    for place, flow in enumerate(flows):
        followed_by_item = place + 1 < len(flows) and flows[place + 1].is_item
        spans = split(flow.text)
        if not flow.is_item:
            last = flow.text[slice(*spans[-1])] if spans else ""
            lead_in = last if followed_by_item and _opens_a_list(last) else ""
            lead_places = flow.places(*spans[-1]) if lead_in else ()
        for number, (start, end) in enumerate(spans):
            yield Sentence(
                text=flow.text[start:end],
                places=flow.places(start, end),
                section=flow.section,
                example=flow.example,
                is_item=flow.is_item,
                lead_in=lead_in if flow.is_item and number == 0 else "",
                lead_places=lead_places if flow.is_item and number == 0 else (),
                leads=not flow.is_item and bool(lead_in) and number == len(spans) - 1,
            )


def split(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text begin and end; what lies between them is white space."""
    found: list[tuple[int, int]] = []
    begin = 0
    for stop in STOP.finditer(text):
        if stop.start() < begin or not _ends_a_sentence(text, begin, stop):
            continue
        found += _trimmed(text, begin, stop.end())
        begin = stop.end()
    return found + _trimmed(text, begin, len(text))


def _trimmed(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    """The span without white space around it, in parts if it is too long."""
    found = []
    while begin < end:
        if text[begin].isspace():
            begin += 1
            continue
        stop = end
        if end - begin > LONGEST:
            stop = text.rfind(" ", begin, begin + LONGEST) + 1 or begin + LONGEST
        found.append((begin, begin + len(text[begin:stop].rstrip())))
        begin = stop
    return found


def _ends_a_sentence(text: str, begin: int, stop: re.Match[str]) -> bool:
    if text[stop.start()] != ".":
        return not _inside_brackets(text, begin, stop.end())
    before = WORD_BEFORE.search(text, max(begin, stop.start() - LONGEST_WORD), stop.start())
    word = before[0] if before else ""
    rest = text[stop.end() : stop.end() + LONGEST_WORD].lstrip()
    known = vocabulary()
    if stop.end() == stop.start() + 1:  # no bracket or quotation mark closes behind the full stop
        if len(word) == 1 and word.isalpha():
            return False
        if word.lower().rstrip(".") in known.abbreviations and not known.begins_sentence(rest):
            return False
        number_at = stop.start() - len(word)
        before_number = text[max(begin, number_at - LONGEST_WORD) : number_at]
        if ORDINAL.fullmatch(word) and (known.is_month(rest) or known.is_before_ordinal(before_number)):
            return False
    return not _inside_brackets(text, begin, stop.end())


def _inside_brackets(text: str, begin: int, end: int) -> bool:
    """Whether a bracket is open there, and closes soon."""
    begin = max(begin, end - LONGEST_BRACKET)
    depth = text.count("(", begin, end) - text.count(")", begin, end)
    return depth > 0 and ")" in text[end : end + LONGEST_BRACKET]


def _opens_a_list(sentence: str) -> bool:
    """A lead-in ends with a colon, or does not end at all."""
    if len(sentence) > LONGEST_LEAD_IN:
        return False
    return sentence.endswith(UNFINISHED) or sentence[-1:].isalnum()
