"""Which questions are worth asking: about what is open, and only where the answer would change the plan."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from loopwright.agents.pages.brief.knowledge import GENERAL, MOST_READ, product, products
from loopwright.agents.pages.brief.language import Language, in_language, language_of
from loopwright.agents.pages.brief.scenario import likeliest_type, rank_scenarios
from loopwright.agents.pages.contracts import BriefQuestion
from loopwright.agents.pages.interview.difference import compare_plans
from loopwright.agents.pages.interview.known import Facts, decided_by_brief
from loopwright.agents.pages.interview.plan import make_plan
from loopwright.agents.pages.interview.tables import read_data

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
        interview: the user's own wish: True asks at most two about a detailed brief, False nothing at all.
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
