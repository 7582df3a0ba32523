"""Patterns of words. Their cost grows with the text times the alternatives; there is nothing to backtrack into."""

from itertools import pairwise

from loopwright.kernel.errors import InvalidInput

MAX_ALTERNATIVES = 50


class LinePattern:
    """Plain text in which `*` stands for anything within a line and `|` parts alternatives; `.*` counts as `*`."""

    def __init__(self, pattern: str, *, case_sensitive: bool = False) -> None:
        """Take the pattern apart.

        Raises:
            InvalidInput: it has no words, or more than 50 alternatives.
        """
        self._fold = (lambda text: text) if case_sensitive else str.lower
        wanted = [part.strip(" ") if "|" in pattern else part for part in pattern.replace(".*", "*").split("|")]
        self._alternatives = [
            [self._fold(piece) for piece in part.split("*") if piece] for part in wanted if part.strip("* ")
        ]
        if not self._alternatives:
            raise InvalidInput(f"The pattern {pattern!r} has no words.", hint="Give the words to look for.")
        if len(self._alternatives) > MAX_ALTERNATIVES:
            raise InvalidInput(
                f"More than {MAX_ALTERNATIVES} alternatives were given.", hint="Search in several calls."
            )

    def find(self, line: str) -> int | None:
        """Where the first alternative that stands in the line begins, or None."""
        folded = self._fold(line)
        places = [place for pieces in self._alternatives if (place := _find(pieces, folded)) is not None]
        return min(places, default=None)


def _find(pieces: list[str], text: str) -> int | None:
    """The first place of each piece after the one before: if any order fits, this one does."""
    places = [text.find(pieces[0])]
    for before, piece in pairwise(pieces):
        if places[-1] < 0:
            return None
        places.append(text.find(piece, places[-1] + len(before)))
    return places[0] if places[-1] >= 0 else None
