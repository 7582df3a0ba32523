"""Sentences of legal and technical prose in German and English, with their lead-ins and where they stand."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from loopwright.agents.jobs.candidates.patterns import Grammar, Language, Nature, grammar_of, vocabulary
from loopwright.agents.jobs.documents import Block, Document
from loopwright.agents.jobs.documents.layout import SUSPENDING

# Which paragraphs tell an example: what they say happened is not a demand.

LABEL = re.compile(r"(?:Beispiele?|Examples?)\s*(?:\d{1,3}\s*)?(?::|$)", re.IGNORECASE)


class ExampleWatch:
    """Sees block after block.

    A label by itself (`Example 3:`) opens an example that lasts to the next heading or numbered paragraph; a label with
    text behind it opens one of that paragraph and its items.
    """

    def __init__(self) -> None:
        """No example has begun."""
        self.in_example = False
        self._one_paragraph = False

    def see(self, block: Block) -> None:
        """Take the next block in."""
        label = LABEL.match(block.text)
        if label is not None and block.kind != "heading":
            self.in_example = True
            self._one_paragraph = bool(block.text[label.end() :].strip())
        elif block.kind == "heading" or (block.kind == "paragraph" and (block.marker or self._one_paragraph)):
            self.in_example = False


# Runs of text as they were written: paragraphs and items, put together again where a page or column parts them.

FINISHED = (".", "!", "?", ":", ";")
CLOSING = "\"'”“»«’)]}"
SHORTEST_OPEN = 40
"""Characters; a shorter paragraph without a full stop is complete as it is: a title, a cell of a table."""


@dataclass(frozen=True, slots=True)
class FlowSpan:
    """A part of a flow: `length` characters from `at` in its text are those from `start` in the text of a page."""

    at: int
    page: int
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Flow:
    """A paragraph or an item, with where its characters stand.

    `section` is the heading above, `example` says whether it tells an example.
    """

    text: str
    pieces: tuple[FlowSpan, ...]
    is_item: bool
    section: str
    example: bool

    def places(self, start: int, end: int) -> tuple[tuple[int, int, int], ...]:
        """Where `text[start:end]` stands: page, start and end in the page's text, for each page or block."""
        found = []
        for piece in self.pieces:
            first, last = max(start, piece.at), min(end, piece.at + piece.length)
            if first < last:
                offset = piece.start - piece.at
                found.append((piece.page, first + offset, last + offset))
        return tuple(found)


@dataclass(slots=True)
class _Growing:
    blocks: list[tuple[int, Block]]
    section: str
    example: bool
    text: str = field(default="", init=False)

    def flow(self) -> Flow:
        """The blocks as one text; a word that a page break parts is whole again."""
        text = ""
        pieces: list[FlowSpan] = []
        for (page, block), (_, following) in pairwise([*self.blocks, self.blocks[-1]]):
            last = block is self.blocks[-1][1]
            words = block.text if last or not _parts_a_word(block, following) else block.text[:-1]
            pieces.append(FlowSpan(len(text), page, block.start, len(words)))
            text += words if last or len(words) < len(block.text) else f"{words} "
        return Flow(text, tuple(pieces), self.blocks[0][1].kind == "item", self.section, self.example)


def flows_of(document: Document) -> Iterator[Flow]:
    """The flows in their order; headings and the table of contents are none."""
    growing: _Growing | None = None
    section = ""
    watch = ExampleWatch()
    for page in document.pages:
        for block in page.blocks:
            watch.see(block)
            if block.kind in ("heading", "contents"):
                section = block.text if block.kind == "heading" else section
                # A heading at the top of a page ends what the page before left open; so does one in the text.
                if growing is not None:
                    yield growing.flow()
                growing = None
            elif growing is not None and _goes_on(growing.blocks, page.number, block):
                growing.blocks.append((page.number, block))
            else:
                if growing is not None:
                    yield growing.flow()
                growing = _Growing([(page.number, block)], section, watch.in_example)
    if growing is not None:
        yield growing.flow()


def _goes_on(blocks: Sequence[tuple[int, Block]], page: int, block: Block) -> bool:
    """Whether a block is the rest of the one before."""
    last_page, last = blocks[-1]
    if block.marker or block.kind != "paragraph" or last.text.rstrip(CLOSING).endswith(FINISHED):
        return False
    if block.text[0].islower():
        return len(last.text) >= SHORTEST_OPEN or last.text.endswith("-") or page != last_page
    between_items = last.kind == "item" and last.text.endswith(",")
    return page != last_page and len(last.text) >= SHORTEST_OPEN and not between_items


def _parts_a_word(block: Block, following: Block) -> bool:
    first = following.text.split(" ", 1)[0]
    return (
        block.text.endswith("-")
        and block.text[-2:-1].isalpha()
        and first[0].islower()
        and first.lower() not in SUSPENDING
    )


STOP = re.compile(r"[.!?…]+[\"'”“»«’)\]]*(?=\s+[\"'„“»«‚‘(\[]*[A-ZÄÖÜ0-9§•])")
"""The end of a sentence, if the word before it is not an abbreviation."""
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


# How sure it is that a sentence states a requirement, and why.

SUREST = 0.99
CORROBORATION = 0.03
"""What each further pattern adds that would do by itself."""
ENOUGH = 0.6
INHERITED = 0.97
"""Of the lead-in's sureness goes over to an item that states nothing by itself."""
EXAMPLE = 0.2
"""What is taken away within an example: a duty may stand there, but mostly a story does."""
FEWEST_WORDS = 3
SHOWN_WORDS = 6
EMPHASIS = str.maketrans("", "", "*`")
"""Marks of Markdown, which may stand around single words."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`indicator` are the words that state it, `reasons` the names of what spoke for and against.

    `sure`: they state it by a convention of the document's genre, so nothing is left to judge; `inherited`: they stand
    in the sentence that opens the list.
    """

    confidence: float
    nature: Nature
    indicator: str
    reasons: tuple[str, ...]
    sure: bool = False
    inherited: bool = False


def judge(sentence: Sentence, language: Language, *, leads_too: bool = False) -> Judgement | None:
    """The judgement on a sentence; None if no pattern is in it nor, for an item, in its lead-in.

    A lead-in is judged with its items, and by itself only with `leads_too`.
    """
    if sentence.leads and not leads_too:
        return None
    grammar = grammar_of(language)
    own = _judged(sentence.text, grammar) if len(sentence.text.split()) >= FEWEST_WORDS else None
    if sentence.lead_in:
        inherited = _judged(sentence.lead_in, grammar)
        if inherited is not None and (own is None or own.confidence < inherited.confidence * INHERITED):
            reasons = (*inherited.reasons, "item of a list")
            confidence = round(inherited.confidence * INHERITED, 2)
            own = replace(inherited, confidence=confidence, reasons=reasons, inherited=True)
    if own is None or not sentence.example:
        return own
    confidence = max(round(own.confidence - EXAMPLE, 2), 0.0)
    return replace(own, confidence=confidence, reasons=(*own.reasons, "− in an example"))


def _judged(text: str, grammar: Grammar) -> Judgement | None:
    plain = text.translate(EMPHASIS)
    found = [(pattern, match) for pattern in grammar.patterns if (match := pattern.regex.search(plain))]
    if not found:
        return None
    best, match = max(found, key=lambda pair: pair[0].strength)
    others = [pattern for pattern, _ in found if pattern is not best and pattern.strength >= ENOUGH]
    confidence = best.strength + CORROBORATION * len(others)
    reasons = [pattern.name for pattern in (best, *others)]
    for doubt in grammar.doubts:
        if doubt.regex.search(plain) and not (doubt.unless and doubt.unless.search(plain)):
            confidence -= doubt.weight
            reasons.append(f"− {doubt.name}")
    sureness = round(min(max(confidence, 0.0), SUREST), 2)
    return Judgement(sureness, best.nature, _shortened(match[0]), tuple(reasons), sure=best.sure)


def _shortened(indicator: str) -> str:
    """The words that state it, without what stands between them."""
    words = indicator.split()
    return " ".join(words if len(words) <= SHOWN_WORDS else [words[0], "…", *words[-2:]])
