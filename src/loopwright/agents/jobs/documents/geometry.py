"""Lines with their places on a page, in points from its lower left corner, and what their places say."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from loopwright.agents.jobs.documents.lines import Line

PARAGRAPH_GAP = 1.2
"""Times the usual distance of lines; more space than this parts paragraphs."""
LARGER = 1.12
"""Times the body's size; what is larger is set as a heading."""
SURE = 2.0
"""Times the size; so much must have been left on a line, beyond the next word, to say that it was ended by hand."""
INDENT = 6.0
"""Points that a line must stand further to the left than the one before to open a paragraph."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that stand close together on one line. `size` is the height of the font in points."""

    text: str
    left: float
    right: float
    size: float
    bold: bool

    def with_word(self, word: "Piece") -> "Piece":
        """The piece with a word added behind; it is bold if all its words are."""
        return replace(self, text=f"{self.text} {word.text}", right=word.right, bold=self.bold and word.bold)


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """The pieces of one line, from left to right, and the height of its baseline."""

    parts: tuple[Piece, ...]
    baseline: float

    def without(self, places: set[int]) -> "PlacedLine":
        """The line without some of its pieces."""
        return replace(self, parts=tuple(part for place, part in enumerate(self.parts) if place not in places))


@dataclass(frozen=True, slots=True)
class Body:
    """How most of a document is set: size of the letters and distance of the baselines, in points."""

    size: float
    pitch: float


def body_of(pages: Sequence[Sequence[PlacedLine]]) -> Body:
    """The commonest size, by letters, and the commonest distance of lines."""
    sizes: Counter[float] = Counter()
    steps: Counter[float] = Counter()
    for page in pages:
        for line in page:
            for part in line.parts:
                sizes[round(part.size, 1)] += len(part.text)
        for above, below in pairwise(page):
            steps[round(above.baseline - below.baseline, 0)] += 1
    down = {step: count for step, count in steps.items() if step > 1}
    size = sizes.most_common(1)[0][0] if sizes else 0.0
    return Body(size, max(down, key=lambda step: down[step]) if down else 1.2 * size)


def lines_of(page: Sequence[PlacedLine], body: Body) -> Iterator[Line]:
    """The lines of a page with what their places say: what stands apart, is set as a heading, or in the margin."""
    before: Line | None = None
    above: PlacedLine | None = None
    for placed in page:
        line = _line(placed, body)
        if above is None or before is None:
            line = replace(line, apart=True)
        else:
            step = above.baseline - placed.baseline
            ended = _broken_by_hand(above, placed)
            outdented = not before.apart and _text_left(above, before) - placed.parts[0].left > INDENT
            apart = not 0 < step <= PARAGRAPH_GAP * body.pitch or line.strong != before.strong or outdented or ended
            line = replace(line, apart=apart or bool(line.number))
        yield line
        before, above = line, placed


def _line(placed: PlacedLine, body: Body) -> Line:
    first, rest = placed.parts[0], placed.parts[1:]
    number = first.text if rest and first.text.isdecimal() and first.text.isascii() and len(first.text) <= 4 else ""
    words = rest if number else placed.parts
    strong = all(part.bold or part.size > LARGER * body.size for part in words)
    return Line(" ".join(part.text for part in words), strong=strong, number=number)


def _broken_by_hand(above: PlacedLine, below: PlacedLine) -> bool:
    """Whether the first word below would have fitted above: the column is at least as wide as the line below."""
    last, first = above.parts[-1], below.parts[0]
    word = first.text.split(" ", 1)[0]
    width = (first.right - first.left) * len(word) / len(first.text)
    return last.right + width + SURE * last.size < below.parts[-1].right and not last.text.endswith("-")


def _text_left(placed: PlacedLine, line: Line) -> float:
    return placed.parts[1 if line.number else 0].left
