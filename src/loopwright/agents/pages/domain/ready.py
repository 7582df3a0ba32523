"""Whether an app is built from its brief's own words, and the plan and data model of one that is."""

import json
import re
from calendar import month_name
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib import resources

from loopwright.agents.pages.brief.details import find_date, find_names, find_place, find_role
from loopwright.agents.pages.brief.knowledge import GENERAL, in_language, language_of, product, products
from loopwright.agents.pages.brief.scenario import likeliest_type, read_subject
from loopwright.agents.pages.brief.sitemap import without_page_list
from loopwright.agents.pages.contracts import DataEntity, DataField, DataModel, SuggestedPage
from loopwright.agents.pages.domain.app_model import RECORD_KINDS, AppModel
from loopwright.agents.pages.domain.app_reader import read_app, says_anything
from loopwright.agents.pages.domain.arranging import page_of_title
from loopwright.agents.pages.domain.facts import is_said_by, literals_of
from loopwright.agents.pages.domain.grammar import before_preposition, language_read, lexicon
from loopwright.agents.pages.domain.own_words import own_words
from loopwright.agents.pages.domain.roles import before_audience, is_audience

COVERED = 0.8
"""So much of what a brief asks for must stand in a ready line of business for it to be drawn."""

_SENTENCE_END = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMs)[.!?](?=\s|$)|[\n。！？]")

_CHOSEN = re.compile(r"^(?:What kind of app is it\?|这是哪一类应用？)\s*(?P<kind>[^\n]+)$", re.MULTILINE)


@cache
def _titles() -> frozenset[str]:
    """What the interview calls the ready lines of business."""
    known = [each for each in products().values() if each.product_type != GENERAL]
    return frozenset(title for each in known for title in (each.title, in_language(each, "zh").title))


@lru_cache(maxsize=128)
def is_built_from_brief(brief: str, chosen: str = "") -> bool:
    """Whether the app is built from the brief's own words: no ready line of business has what it asks for.

    Args:
        brief: the stored brief; where the user has chosen a kind of app in the interview, it says so.
        chosen: the kind that was chosen, where the brief does not hold it yet.
    """
    told = own_words(brief)
    answer = _CHOSEN.search(brief)
    chosen = chosen or (answer["kind"].strip() if answer else "")
    if not told.strip() or chosen in _titles():
        return False
    kind = likeliest_type(told)
    if not says_anything(told):
        return kind != GENERAL and not _is_named(told, kind)
    if kind == GENERAL or language_read(told) not in ("en", "zh"):
        return True
    return not _is_named(told, kind) or _coverage(told, kind) < COVERED


def _is_named(brief: str, product_type: str) -> bool:
    """Whether the first sentence calls the app what the product type is called, and not a word somewhere behind it."""
    first = _SENTENCE_END.split(brief.strip(), maxsplit=1)[0].lower()
    names = product(product_type).keywords.strong
    english = rf"(?<![a-z])(?:{'|'.join(map(re.escape, names.en))})"
    if any(name in first for name in names.zh):
        return True
    phrase = read_subject(first).phrase
    subject = re.search(rf"{re.escape(phrase)}(?:\s+\w+)?", first) if phrase else None
    # Elsewhere than in what is asked for, it has to be a noun of its own: "wall for wedding DJ Marlow" is no wedding.
    inside = re.search(rf"{english}(?![a-z])", subject[0] if subject else first)
    return inside is not None or re.search(rf"{english}(?=\s*(?:[^\w\s]|$))", first) is not None


def _coverage(brief: str, product_type: str) -> float:
    """The share of what a brief asks for that the ready content of a product type has words for."""
    language = language_of(brief)
    known = in_language(product(product_type), language)
    filled = _filled(product_type, brief)
    ready = f"{known.model_dump_json()} {_content(product_type, language, brief)} {filled}".lower()
    model = read_app(without_page_list(brief), filled=False)
    words = lexicon(model.language)
    said = [*_subject_of(model), *(before_audience(block.title, words) for block in model.blocks())]
    said += [field.label for block in model.blocks() for field in block.fields if field.label.lower() in brief.lower()]
    named = [str(each["name"]).lower() for block in model.blocks() for each in block.records]
    if any(name not in ready for name in named if name in brief.lower()):
        return 0.0
    if any(token.text.lower() not in ready for token in literals_of(brief)):
        return 0.0
    phrases = [phrase for phrase in said if phrase]
    strong = (*known.keywords.strong.en, *known.keywords.strong.zh)
    phrases = [each for each in phrases if not (each == model.subject and any(word in each.lower() for word in strong))]
    if not phrases:
        return 1.0
    return sum(_is_in(phrase, ready, brief) for phrase in phrases) / max(1, len(phrases))


def _filled(product_type: str, brief: str) -> str:
    """What of the brief the ready content has places for: the people, the day, the place, what somebody does."""
    text = _product_text(product_type)
    places = set(json.loads(text).get("details", {}))
    names = find_names(brief)
    said = [*names] if "names" in places else []
    when = find_date(brief) if "when" in places else None
    if when is not None:
        said += [month_name[when["month"]], str(when.get("year", "")), f"{when['month']}月{when['day']}日"]
        said += [token.text for token in literals_of(brief) if is_said_by(token, when)]
    if "place" in places:
        said.append(find_place(brief) or "")
    if "names" in places and '"role"' in text:
        said.append(find_role(brief, names) or "")
    return " ".join(said)


@cache
def _product_text(product_type: str) -> str:
    file = resources.files("loopwright.agents.pages").joinpath(
        "offline", "studio", "data", "products", f"{product_type}.json"
    )
    return file.read_text(encoding="utf-8") if file.is_file() else "{}"


def _subject_of(model: AppModel) -> list[str]:
    """What the app is, without the people whom it is for."""
    words = lexicon(model.language)
    head, rest = before_preposition(model.subject, words)
    for_whom = is_audience(rest, words) or words.inside("people", re.sub(r"s\b", "", rest)) is not None
    return [each for each in (head, "" if for_whom else rest) if each]


def _content(product_type: str, language: str, brief: str) -> str:
    """All that the ready content of a product type says, with that of the subject that the brief begins with."""
    data = resources.files("loopwright.agents.pages").joinpath("offline", "studio", "data")
    folder = data if language == "en" else data.joinpath("languages", language)
    files = [data.joinpath("archetypes.json"), folder.joinpath("products", f"{product_type}.json")]
    topics = data.joinpath("topics", product_type)
    lead = re.split(r"[,.;:!?\n，。：]|\s(?:with|that|which|where|to)\s", brief.lower(), maxsplit=1)[0]
    named: list[tuple[int, str]] = []
    for topic in topics.iterdir() if topics.is_dir() else ():
        told = json.loads(topic.read_text(encoding="utf-8"))
        words = re.compile(rf"(?<![a-z])(?:{told['words']})(?![a-z])")
        found = words.search(lead if told.get("lead_only") else brief.lower())
        if found is not None:
            named.append((found.start(), topic.name))
    for _, name in sorted(named)[:1]:
        files = [topics.joinpath(name), *files, folder.joinpath("topics", product_type, name)]
    return " ".join(each.read_text(encoding="utf-8") for each in files if each.is_file())


def _is_in(phrase: str, ready: str, brief: str) -> bool:
    words = lexicon(language_read(brief))
    if not words.spaced:
        signs = [phrase[at : at + 2] for at in range(len(phrase) - 1)]
        return sum(sign in ready for sign in signs) * 2 >= len(signs)
    # British and American spelling are one: "favourites" are the "favorites" of a ready line of business.
    spelled, content = (text.replace("our", "or") for text in (phrase.lower(), ready))
    stems = [word[:6] for word in re.findall(r"[\w'-]{3,}", spelled) if not words.whole("articles", word)]
    found = [stem in content for stem in stems]
    return not stems or (found[-1] and 2 * sum(found) >= len(found))


def model_of(brief: str, app_name: str = "", sitemap: Sequence[tuple[str, str]] = ()) -> AppModel:
    """The app's model, on the pages that are planned; pages that were added to its own get a block of their own."""
    told = own_words(brief)
    model = read_app(told)
    if app_name:
        model = replace(model, name=app_name)
    own = {page.slug for page in model.pages}
    planned = [slug for slug, _ in sitemap]
    if planned and 2 * len([slug for slug in planned if slug in own]) < len(planned):
        return read_app(told, app_name, tuple(sitemap))
    added = [page_of_title(slug, title, model.language) for slug, title in sitemap if slug not in own]
    return AppModel(model.name, model.language, model.subject, (*model.pages, *added), model.neutral)


def suggested_pages(model: AppModel) -> tuple[SuggestedPage, ...]:
    """The pages as the plan has them; a description is made of the blocks' titles."""
    return tuple(
        SuggestedPage(
            slug=page.slug,
            title=page.title,
            description=" · ".join(block.title for block in page.blocks) or model.subject or page.title,
        )
        for page in model.pages
    )


def data_model_of(model: AppModel) -> DataModel:
    """The things of an app as entities of a data model."""
    types = {"number": "number", "money": "number", "year": "number"}
    entities = {}
    for block in model.blocks():
        if block.kind in RECORD_KINDS:
            names = {
                each.key: types.get(each.kind, "string") for each in block.fields if each.key not in ("id", "name")
            }
            fields = [DataField(name=key, type=kind) for key, kind in names.items() if re.fullmatch(r"[a-z]\w*", key)]
            base = [
                DataField(name="id", type="string", required=True),
                DataField(name="name", type="string", required=True),
            ]
            entities[block.entity] = DataEntity(fields=(*base, *fields), primary_key="id")
    return DataModel(entities=entities)
