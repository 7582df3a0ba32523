"""Which questions are worth asking: about what is open, and only where the answer would change the plan."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from loopwright.agents.pages.brief.features import read_theme
from loopwright.agents.pages.brief.knowledge import (
    GENERAL,
    MOST_READ,
    Language,
    find_app_name,
    in_language,
    language_of,
    product,
    products,
)
from loopwright.agents.pages.brief.scenario import (
    UNKNOWN,
    detect_scenario,
    likeliest_type,
    rank_scenarios,
    without_negations,
)
from loopwright.agents.pages.brief.sitemap import named_pages, wanted_page_count
from loopwright.agents.pages.contracts import BriefQuestion
from loopwright.agents.pages.domain.app_reader import count_parts
from loopwright.agents.pages.domain.own_words import own_words
from loopwright.agents.pages.domain.ready import is_built_from_brief
from loopwright.agents.pages.interview.plan import Answers, Decision, by_decision, compare_plans, make_plan
from loopwright.agents.pages.interview.tables import read_data

# Which decisions are made already: by the brief, by earlier answers, or by the product doc.

_AUDIENCE = re.compile(
    r"\b(?:aimed at|audience|made for|meant for|designed for)\b"
    r"|\bfor\s+(?:(?:a|an|the|my|our|busy|small|young|old|older|retired|new|all|every|two|pregnant|indie|amateur|local)\s+)*"
    r"(?:[\w'-]+\s+)?(?:users?|customers?|guests?|visitors?|students?|kids|children|parents|famil(?:y|ies)|teams?|people"
    r"|beginners?|professionals?|seniors?|teens?|teenagers?|adults?|women|men|couples|workers|employees|freelancers"
    r"|developers|designers|patients|members|vegans|owners|runners|travell?ers|hikers|lovers|fans|volunteers|everyone)\b"
    r"|面向|针对|给(?:老人|孩子|学生|家长|女朋友|妈妈|爸爸)|(?:家庭|学生|儿童|亲子|年轻人|老年人|上班族|新员工|团队|新手)(?:使用|专用|的|自)?",
    re.IGNORECASE,
)
_SECTIONS: Mapping[str, Decision] = {
    "audience": "audience",
    "target": "audience",
    "persona": "audience",
    "user": "audience",
    "colour": "colours",
    "color": "colours",
    "feature": "features",
    "data": "data",
}
"""A section of the product doc whose name has such a word says what was decided."""


@dataclass(frozen=True)
class Facts:
    """What is known of a project before a question is asked.

    `sections` is the product doc, name → content.
    """

    brief: str = ""
    answers: Answers = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)

    def known(self) -> dict[Decision, str]:
        """The decisions that are made, each with where that is said: `brief`, `answers` or the section's name."""
        made: dict[Decision, str] = dict.fromkeys(decided_by_brief(self.brief), "brief")
        for name, content in self.sections.items():
            made |= dict.fromkeys(_decided_by_section(name, content), name)
        return made | dict.fromkeys(by_decision(self.answers), "answers")


def decided_by_brief(brief: str) -> tuple[Decision, ...]:
    """What the user's own words settle; what they do not want settles nothing."""
    brief = brief[:MOST_READ]
    text = without_negations(brief)
    theme = read_theme(text)
    known = detect_scenario(text).name != UNKNOWN or _says_what_it_has(brief)
    settled: dict[Decision, bool] = {
        "product_type": known,
        "purpose": known,
        "audience": _AUDIENCE.search(text) is not None,
        "pages": bool(named_pages(text)) or wanted_page_count(text) is not None,
        "style": bool(theme.style_words),
        "colours": bool(theme.brand_colors or theme.mode),
        "name": find_app_name(brief) is not None,
    }
    return tuple(decision for decision, given in settled.items() if given)


def _says_what_it_has(brief: str) -> bool:
    """Whether the brief names enough parts for an app to be built from its words."""
    told = own_words(brief)
    return is_built_from_brief(told) and count_parts(told) >= ENOUGH_PARTS


def _decided_by_section(name: str, content: str) -> tuple[Decision, ...]:
    if not content.strip() or name.startswith("pages."):
        return ()
    found: list[Decision] = [decision for word, decision in _SECTIONS.items() if word in name]
    if name == "pages":
        found.append("pages")
    if any(word in name for word in ("style", "brand", "design", "look")):
        theme = read_theme(content)
        found += ["colours"] if theme.brand_colors or theme.mode else []
        found += ["style"] if theme.style_words else []
    return tuple(found)


ENOUGH_PARTS = 2
"""Parts that a brief must name for its kind of app to be no question."""

MAX_QUESTIONS = 5
"""Three to five questions in one batch are enough (spec 000, 1b.1)."""

ENOUGH_DETAILS = 2
"""So many of pages, colours, style and name make a brief detailed; so does a long text."""

LONG_BRIEF = 40
"""Words of a brief that counts as one more detail; Chinese is counted by signs, two to a word."""

GUESSES = 4
"""Product types that are offered where the brief leaves the type open."""


def is_vague(brief: str) -> bool:
    """Whether the brief leaves open most of what the app depends on."""
    brief = brief[:MOST_READ]
    decided = decided_by_brief(brief)
    words = len(brief.split()) + len([sign for sign in brief if "\u3400" <= sign <= "\u9fff"]) // 2
    details = sum(decision in decided for decision in ("pages", "colours", "style", "name"))
    return details + (words >= LONG_BRIEF) < ENOUGH_DETAILS


def open_questions(facts: Facts, most: int = MAX_QUESTIONS) -> tuple[BriefQuestion, ...]:
    """The questions whose answers would change the plan most, the weightiest first; what is known is left out.

    What a question changes is computed: the plan is made under each of its options (for open questions, under answers
    of different kinds); a question under which all plans are alike is not asked.
    """
    known = facts.known()
    weighted = []
    for question in _candidates(facts):
        if question.decides in known:
            continue
        if weight := effect_of(question, facts):
            weighted.append((weight, question))
    first = [pair for pair in weighted if pair[1].decides in ("product_type", "purpose")]
    rest = sorted((pair for pair in weighted if pair not in first), key=lambda pair: -pair[0])
    return tuple(question for _, question in [*first, *rest][:most])


def effect_of(question: BriefQuestion, facts: Facts) -> int:
    """How much the plan changes at most between two answers to a question; 0 when no answer changes anything."""
    answers: list[str | list[str]] = [*(question.options or _probes(question))]
    if question.type == "checkbox":
        answers = [*([option] for option in question.options), list(question.options)]
    plans = [make_plan(facts.brief, {**facts.answers, question.question: answer}) for answer in answers]
    return max((compare_plans(plans[0], plan).weight for plan in plans[1:]), default=0)


def adaptive_questions(facts: Facts, interview: bool | None = None) -> tuple[BriefQuestion, ...]:
    """As many questions as the brief deserves: none where it is detailed, up to five where it is vague.

    Args:
        facts: what is known.
        interview: what the user asked for: True asks at most two about a detailed brief, False nothing at all.
    """
    if interview is False:
        return ()
    if is_vague(facts.brief):
        return open_questions(facts)
    return open_questions(facts, 2) if interview else ()


def _candidates(facts: Facts) -> Sequence[BriefQuestion]:
    language = language_of(facts.brief)
    plan = make_plan(facts.brief, facts.answers)
    texts = _texts(language)
    other = texts["product_type"]["other"]
    known = in_language(product(plan.product_type), language)
    planned = tuple(page.title for page in plan.pages[1:])
    pages = tuple(dict.fromkeys([*planned, *(page.title for page in known.pages[1:])]))
    kinds = _kinds(facts.brief, language)
    made = [
        # Who does not answer has not said "a shop": the app stays what the brief says of it.
        _question("product_type", texts, language, options=(*kinds, other), default=other),
        _question("pages", texts, language, options=pages, default=planned),
        *(_question(decides, texts, language) for decides in ("colours", "style", "audience")),
        _question("name", texts, language, default=plan.app_name),
    ]
    if plan.product_type == GENERAL:
        made.insert(1, _question("purpose", texts, language))
    return made


def _question(decides: str, texts: Mapping[str, Any], language: Language, **given: Any) -> BriefQuestion:
    text = texts[decides]
    values = {"options": tuple(text.get("options", ())), "default": text.get("default", "")} | given
    return BriefQuestion(
        question=text["question"],
        type=text["type"],
        decides=decides,
        effect=text["effect"],
        language=language,
        **values,
    )


def _kinds(brief: str, language: Language) -> tuple[str, ...]:
    """The titles of the likeliest product types; of the most usual ones where nothing points anywhere."""
    ranked = [match.name for match in rank_scenarios(brief[:MOST_READ])]
    likely = [] if (guess := likeliest_type(brief[:MOST_READ])) == GENERAL else [guess]
    usual = [name for name in ("ecommerce", "booking", "landing", "portfolio") if name in products()]
    names = list(dict.fromkeys([*likely, *ranked, *usual]))[:GUESSES]
    return tuple(in_language(product(name), language).title for name in names)


def _probes(question: BriefQuestion) -> Sequence[str]:
    probes: Sequence[str] = _texts(question.language)[question.decides].get("probes", ())
    return probes


@cache
def _texts(language: Language) -> Mapping[str, Any]:
    texts: Mapping[str, Any] = read_data("questions.json")[language]
    return texts


def worded(question: BriefQuestion) -> str:
    """What the user is shown beside a question: the decision that it makes."""
    return f"决定：{question.effect}。" if question.language == "zh" else f"Decides: {question.effect}."
