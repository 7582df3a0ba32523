"""Whether a whole page may be rewritten, and whether an edit is one in disguise.

The words that count are the user's own: what a model writes into a tool's arguments justifies nothing.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from loopwright.agents.pages.compliance.skeleton import read_skeleton
from loopwright.agents.pages.editing.regions import Region, Revision

MAXIMUM_SHARE = 0.6
"""The share of a page's body that an edit may replace; with more of it, it is a rewrite."""

SMALL_BODY = 500
"""Characters of a body below which every change is a large one, so that shares say nothing."""

KEPT_SHARE = 0.2
"""A region that keeps less than this share of its length counts as taken away rather than replaced."""

OPTION = "rewrite_pages"
"""The run option by which a caller allows rewrites: true, or a list of slugs."""


@dataclass(frozen=True, slots=True)
class Asker:
    """What the user said and chose for this run, and the pages there are: title by slug.

    `instructions` are those of the call, in the model's words; they may explain that something is taken away.
    """

    message: str
    options: Mapping[str, Any]
    titles: Mapping[str, str]
    instructions: str = ""

    def wants_rewrite(self, slug: str) -> bool:
        """Whether the user asked, in their own words or by option, that this page be written anew."""
        allowed = self.options.get(OPTION)
        if allowed is True or (isinstance(allowed, list | tuple) and slug in allowed):
            return True
        return any(self._means(clause, slug) for clause in _clauses(self.message) if _says(clause, "rewrite"))

    def wants_removal(self) -> bool:
        """Whether something is meant to be taken away, or to make room for something else."""
        return any(_says(clause, "remove") for clause in _clauses(f"{self.message}\n{self.instructions}"))

    def wants_all_texts(self) -> bool:
        """Whether the user asked for other words everywhere, as a translation has them."""
        return any(_says(clause, "translate") for clause in _clauses(self.message))

    def wants_way_back(self) -> bool:
        """Whether the user asked for something older: to undo, to redo, to bring something back."""
        return any(_says(clause, "way_back") for clause in _clauses(self.message))

    def _means(self, clause: str, slug: str) -> bool:
        """Whether a clause is about this page: it names it, or all pages, or there is no other."""
        targets = self.options.get("target_pages") or ()
        if slug in targets or len(self.titles) == 1 or _says(clause, "everything"):
            return True
        names = [slug, slug.replace("-", " "), self.titles.get(slug, ""), *(["home"] if slug == "index" else [])]
        lowered = clause.lower()
        return any(_names(lowered, name.lower()) for name in names if name)


def replaced_share(revision: Revision, regions: Sequence[Region], *, removal_is_wanted: bool) -> float:
    """Which share of the old page's body the edit replaced, from 0 to 1; what it only added does not count.

    Args:
        revision: the page before and after.
        regions: the proven ones, as sharp as they were found.
        removal_is_wanted: the user asked for something to be taken away, so that does not count either.
    """
    skeleton = read_skeleton(revision.before)
    start = skeleton.head_end if skeleton.body is None else skeleton.body.end
    end = skeleton.end if skeleton.body_close is None else skeleton.body_close.start
    if end - start < SMALL_BODY:
        return 0.0
    replaced = 0
    for region in regions:
        length = region.end - region.start
        is_removal = region.new_end - region.new_start < KEPT_SHARE * length
        if not (is_removal and removal_is_wanted):
            replaced += max(0, min(region.end, end) - max(region.start, start))
    return replaced / (end - start)


def _clauses(message: str) -> list[str]:
    """The message cut where one wish may end, so that “don't redo the menu, rewrite the cart” is two."""
    return [clause for clause in re.split(r"[.;!?\n,，。；！？、]+|\bbut\b|但是|但", message) if clause.strip()]


def _says(clause: str, kind: str) -> bool:
    """Whether a clause has such words, and no word before them that says the opposite."""
    found = _pattern(kind).search(clause)
    return found is not None and _pattern("not").search(clause[: found.start()]) is None


def _names(clause: str, name: str) -> bool:
    if name.isascii():
        return re.search(rf"(?<![a-z0-9-]){re.escape(name)}(?![a-z0-9-])", clause) is not None
    return name in clause


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    words = json.loads(resources.files(__package__).joinpath("wishes.json").read_text(encoding="utf-8"))[kind]
    latin = "|".join(words["en"])
    return re.compile(rf"\b(?:{latin})\b|{'|'.join(words['zh'])}", re.IGNORECASE)
