"""The domain of an app as a model reads it in a brief: one schema for small and for large models."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.pages.domain.sample_data import singular
from loopwright.kernel.answer_form import closed_schema

Short = Annotated[str, Field(max_length=40)]
Line = Annotated[str, Field(max_length=90)]

BlockKind = Literal[
    "list", "form", "shop", "cart", "people", "news", "gallery", "map", "calendar", "week", "checklist", "board",
    "progress", "chart", "limits", "split", "calculator", "timer", "player", "chat", "poll", "quiz", "game", "swipe",
    "seating", "favourites", "points", "qr", "code", "signature", "switches", "phone", "address", "links", "figure",
    "about",
]  # fmt: skip
"""What a part of a page may be; each has a template."""

Language = Literal["en", "de", "fr", "es", "zh"]
"""The languages that the templates speak."""


class _Read(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Thing(_Read):
    """Something that the app shows or keeps: what one sees of each, and examples that the brief names."""

    name: Short
    fields: Annotated[list[Short], Field(max_length=6)]
    examples: Annotated[list[Line], Field(max_length=6)]


class Part(_Read):
    """A part of a page: entries with the same title stand on the same page; `thing` may be empty."""

    title: Short
    kind: BlockKind
    thing: Short


class Proposal(_Read):
    """What a model says that an app consists of.

    Each list may be empty: nothing is asked for that a brief may not say.
    """

    name: Short
    language: Language
    things: Annotated[list[Thing], Field(max_length=6)]
    actions: Annotated[list[Line], Field(max_length=8)]
    pages: Annotated[list[Part], Field(max_length=12)]

    def thing(self, name: str) -> Thing | None:
        """The thing of this name, in whatever case and number."""
        wanted = singular(name.strip().lower(), self.language)
        return next((each for each in self.things if singular(each.name.lower(), self.language) == wanted), None)


def told_schema() -> dict[str, Any]:
    """The schema as a tool's parameter: without the bounds, of which a model that breaks one is told."""
    told: dict[str, Any] = _plain(closed_schema(Proposal.model_json_schema()))
    return told


def _plain(node: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in node.items() if key not in _BOUNDS}
    return {key: _plain(value) if isinstance(value, Mapping) else value for key, value in kept.items()}


_BOUNDS = frozenset({"maxLength", "maxItems", "description"})

EMPTY = Proposal(name="", language="en", things=[], actions=[], pages=[])


def once(texts: Sequence[str]) -> list[str]:
    """The texts that say something, each once, in their order."""
    return [text for text in dict.fromkeys(" ".join(text.split()) for text in texts) if text]
