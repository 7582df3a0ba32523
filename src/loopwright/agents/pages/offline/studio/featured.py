"""Apps that consist of what their briefs list: each thing has a page of entries, and the home page leads to them."""

import re
from collections.abc import Sequence
from typing import Any

from loopwright.agents.pages.brief.features import Feature, pages_in
from loopwright.agents.pages.brief.kinds import LEAST_FEATURES
from loopwright.agents.pages.brief.language import Language
from loopwright.agents.pages.offline.studio import resources

HOME_TEMPLATES = "records"
"""The folder of the home page that leads to entries."""

_PURPOSE = re.compile(
    r"\b(?:app|application|site|website|prototype|tool|platform)s?\s+(?P<purpose>(?:for|to|that|where|about|which)\s.+?)"
    r"(?:[.;:!?\n]|,?\s+with\s|,\s|$)",
    re.IGNORECASE,
)
_NOTES: dict[Language, tuple[str, str, str]] = {
    "en": ("All as it should be.", "Look closer next time.", "Took longer than planned, but done."),
    "zh": ("一切正常。", "下次再仔细看看。", "比计划久一点，但完成了。"),
}
_ENTRIES: dict[Language, Feature] = {
    "en": Feature("Entries", "Entries", "entries", "Entry"),
    "zh": Feature("记录", "记录", "entries", "记录"),
}
_CATEGORY: dict[Language, dict[str, str]] = {
    "en": {"id": "all", "name": "Everything", "icon": "sparkle"},
    "zh": {"id": "all", "name": "全部", "icon": "sparkle"},
}
_MOTIFS = ("orbs", "tiles", "bauhaus", "arches", "strata", "stones", "dunes", "sprout")
_TIMES = ("9:30", "11:00", "16:00", "18:30")
_DAYS_AGO = (0, 3, 9)


def featured(brief: str, language: Language) -> dict[str, Any]:
    """The content that a brief itself gives an app of no product type.

    Every listed thing begins with three entries, so that its page can be judged before anybody has typed. Where the
    brief lists too little, there is one list for all, for a page that may be added later.
    """
    made: dict[str, Any] = {}
    purpose = _PURPOSE.search(brief)
    if purpose is not None:
        text = purpose["purpose"].strip()
        made["hero"] = {"text": f"Made {text}." if text.lower().startswith(("for", "to")) else f"One app {text}."}
    features = pages_in(brief)
    if len(features) < LEAST_FEATURES:
        features = (_ENTRIES[language],)
    else:
        made["templates"] = HOME_TEMPLATES
    records = {each.entity: _first_entries(each, language) for each in features if each.keeps_entries}
    made |= {"features": [_shown(feature) for feature in features], "records": records}
    if "templates" not in made:
        return made
    made |= {"icons": _icons(features), "events": _events(features), "history": _history(records)}
    return {**made, "categories": [_CATEGORY[language]], "items": _items(features)}


def _items(features: Sequence[Feature]) -> list[dict[str, Any]]:
    """The listed things as cards, for the pages that any app may have: a list, a search, favourites."""
    return [
        {
            "id": feature.slug,
            "name": feature.name,
            "text": feature.title,
            "category": "all",
            "tags": [],
            "motif": _MOTIFS[place % len(_MOTIFS)],
            "hue": (210 + 47 * place) % 360,
            "tone": "day",
        }
        for place, feature in enumerate(features)
    ]


def _icons(features: Sequence[Feature]) -> dict[str, str]:
    """An icon for each page, by the words of its name."""
    table: dict[str, str] = resources.read_json("feature_icons.json")
    found = {
        feature.slug: next((icon for words, icon in table.items() if re.search(words, feature.name.lower())), None)
        for feature in features
    }
    return {slug: icon for slug, icon in found.items() if icon}


def _events(features: Sequence[Feature]) -> list[dict[str, Any]]:
    """What the calendar shows: a day for each listed thing, and for what a calendar is said to be of."""
    things = [feature.singular if feature.keeps_entries else feature.of for feature in features]
    named = [thing for thing in things if thing]
    return [
        {"title": thing, "time": _TIMES[place % len(_TIMES)], "place": "", "day": 2 * place}
        for place, thing in enumerate(named)
    ]


def _history(records: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    first = [entries[0] for entries in records.values()]
    return [{"title": entry["title"], "text": entry["note"], "when": "", "icon": "check"} for entry in first]


def _shown(feature: Feature) -> dict[str, Any]:
    return {
        "name": feature.name,
        "title": feature.title,
        "slug": feature.slug,
        "singular": feature.singular,
        "entity": feature.entity,
        "kept": feature.keeps_entries,
    }


def _first_entries(feature: Feature, language: Language) -> list[dict[str, Any]]:
    entries = zip(_DAYS_AGO, _NOTES[language], strict=True)
    count = len(_DAYS_AGO)
    return [
        {
            "id": f"{feature.slug}-{count - place}",
            "title": f"{feature.singular} {count - place}",
            "daysAgo": days,
            "note": note,
            "done": place == count - 1,
        }
        for place, (days, note) in enumerate(entries)
    ]
