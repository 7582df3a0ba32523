"""What an organisation is about, by the overview that the job was given: its objects and its words."""

import re
from dataclasses import dataclass

from loopwright.agents.jobs.offline.files import read_whole
from loopwright.agents.jobs.offline.lexicon import BusinessObject, objects_in
from loopwright.agents.jobs.offline.replay import Reading
from loopwright.agents.jobs.offline.signs import language_of
from loopwright.agents.jobs.offline.view import View

OVERVIEWS = 3
"""Documents that are asked for business objects: an overview is short, and there is one."""
STEM = 6
"""Letters by which words are compared; what is shorter carries little meaning."""


@dataclass(frozen=True)
class Overview:
    """The objects, and the beginnings of the words, of the overviews that name objects; empty where there is none."""

    objects: tuple[BusinessObject, ...] = ()
    stems: frozenset[str] = frozenset()
    language: str = "unknown"

    @property
    def known(self) -> bool:
        """Whether there is an overview."""
        return bool(self.objects)

    def is_foreign(self, text: str) -> bool:
        """Whether a text has no word in common with the overview, though it is in the same language.

        A text in another language tells nothing by its words, so it is never foreign.
        """
        return self.known and language_of(text) == self.language and not stems_of(text) & self.stems


def read_overviews(view: View) -> Reading[Overview]:
    """What the job's documents say of the organisation."""
    objects: list[BusinessObject] = []
    texts = []
    for path in overview_paths(view):
        text = (yield from read_whole(path)) or ""
        found = objects_in(text)
        if found:
            objects += found
            texts.append(text)
    whole = "\n".join(texts)
    return Overview(tuple(objects), stems_of(whole), language_of(whole))


def overview_paths(view: View) -> list[str]:
    """The documents that may be overviews."""
    return [path for path in view.documents if path.lower().endswith((".md", ".txt"))][:OVERVIEWS]


def stems_of(text: str) -> frozenset[str]:
    """The beginnings of a text's longer words."""
    return frozenset(word[:STEM] for word in re.findall(r"[^\W\d_]{6,}", text.lower()))
