"""Kinds of app within a product type: a chat is an app whose pages are conversations, not a catalogue."""

import re
from functools import cache, lru_cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from loopwright.agents.pages.brief.features import Feature, pages_in
from loopwright.agents.pages.brief.knowledge import GENERAL, Product
from loopwright.agents.pages.brief.language import Language
from loopwright.agents.pages.brief.slugs import HOME
from loopwright.agents.pages.brief.subject import read_subject
from loopwright.agents.pages.contracts import DataEntity, DataField, DataModel, SuggestedPage

LEAST_FEATURES = 2
"""With fewer, a brief names an extra rather than what the app consists of."""


_ALWAYS_KEPT = ("User",)

RECORD = DataEntity(
    fields=(
        DataField(name="id", type="string", required=True),
        DataField(name="title", type="string", required=True),
        DataField(name="date", type="string", required=True),
        DataField(name="note", type="string"),
        DataField(name="done", type="boolean"),
    ),
    primary_key="id",
)
"""What an entry of a listed thing holds, when the brief says no more of it than its name."""


class Wording(BaseModel):
    """A kind's tagline and pages in one language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tagline: str
    pages: tuple[SuggestedPage, ...]


class Kind(BaseModel):
    """A kind of app: the words that a brief's subject has, and what such an app usually consists of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    product_type: str
    subjects: str
    """A regular expression for what the brief asks for, in both languages."""
    en: Wording
    zh: Wording
    data_model: DataModel


@lru_cache(maxsize=256)
def kind_of(brief: str, product_type: str) -> Kind | None:
    """The kind that the brief's subject names, or None."""
    subject = read_subject(brief)
    text = f"{subject.phrase} {subject.topic}".lower()
    candidates = (kind for kind in kinds() if kind.product_type == product_type)
    return next((kind for kind in candidates if _pattern(kind.subjects).search(text)), None)


def told_by(brief: str, known: Product, language: Language) -> Product:
    """The product type as this brief has it.

    Its kind's pages and data replace the usual ones. An app of no product type and no kind consists of what the brief
    lists; the usual pages stand behind those.
    """
    kind = kind_of(brief, known.product_type)
    if kind is not None:
        wording = kind.zh if language == "zh" else kind.en
        return known.model_copy(
            update={"tagline": wording.tagline, "pages": wording.pages, "data_model": kind.data_model}
        )
    features = pages_in(brief)
    if known.product_type != GENERAL or len(features) < LEAST_FEATURES:
        return known
    entities = {name: known.data_model.entities[name] for name in _ALWAYS_KEPT}
    made = {each.entity: RECORD for each in features if each.keeps_entries}
    return known.model_copy(
        update={
            "pages": _with_features(known, features, language),
            "data_model": DataModel(entities={**made, **entities}),
        }
    )


def _description(feature: Feature, language: Language) -> str:
    """What the page of a feature is for."""
    if language == "zh":
        return f"{feature.name}：最新的在前，可以新增、编辑和删除。"
    return f"{feature.name}, newest first, with a form for the next one."


def _with_features(known: Product, features: tuple[Feature, ...], language: Language) -> tuple[SuggestedPage, ...]:
    usual = {page.slug: page for page in known.pages}
    home = usual.pop(HOME)
    made = {
        each.slug: SuggestedPage(slug=each.slug, title=each.title, description=_description(each, language))
        for each in features
    }
    later = sorted((page for slug, page in usual.items() if slug not in made), key=lambda page: page.slug != "profile")
    return (home, *made.values(), *later)


@cache
def kinds() -> tuple[Kind, ...]:
    """All kinds, by name."""
    folder = resources.files("loopwright.agents.pages.brief").joinpath("kinds")
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".json")), key=lambda entry: entry.name)
    return tuple(Kind.model_validate_json(entry.read_text(encoding="utf-8")) for entry in files)


@cache
def _pattern(subjects: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{subjects})(?![a-z])")
