"""Questions whose answers change the result: about a vague brief, and about a feature."""

import re

from loopwright.agents.pages.brief.analysis import analyse_brief
from loopwright.agents.pages.brief.knowledge import GENERAL, product
from loopwright.agents.pages.brief.naming import find_app_name
from loopwright.agents.pages.offline.studio import resources
from loopwright.agents.pages.offline.studio.contracts import Question
from loopwright.agents.pages.offline.studio.theme import read_theme

AUDIENCE, PAGES, NAME, FEATURES = "who is it for", "which pages", "what is it called", "which features"
"""Words that mark a question, so that its answer is found again among the answers."""

ENOUGH_DETAILS = 2
"""So many of pages, look and name make a brief detailed."""

MAX_QUESTIONS = 5


def is_vague(brief: str) -> bool:
    """Whether the brief leaves open most of what the app depends on."""
    return _details(brief) < ENOUGH_DETAILS


def _details(brief: str) -> int:
    analysis, theme = analyse_brief(brief), read_theme(brief)
    told = (
        "key pages" not in analysis.missing,
        bool(theme.brand_colors or theme.mode),
        bool(theme.style_words),
        find_app_name(brief) is not None,
        len(brief.split()) >= 40,
    )
    return sum(told)


def questions_for(brief: str) -> tuple[Question, ...]:
    """Three to five questions for a vague brief, fewer for a detailed one: what is known is not asked."""
    analysis, theme = analyse_brief(brief), read_theme(brief)
    texts = resources.read_json("interview.json")
    questions = []
    if analysis.product_type == GENERAL:
        questions.append(_question(texts["purpose"]))
    if "target audience" in analysis.missing or is_vague(brief):
        questions.append(_question(texts["audience"]))
    if "key pages" in analysis.missing:
        questions.append(_pages_question(analysis.product_type, texts["pages"]))
    if not theme.style_words:
        questions.append(_question(texts["style"]))
    if not (theme.brand_colors or theme.mode):
        questions.append(_question(texts["colours"]))
    if find_app_name(brief) is None:
        named = Question(**{**texts["name"], "default": analysis.app_name})
        questions.append(named)
    return tuple(questions[:MAX_QUESTIONS])


def _question(text: dict[str, object]) -> Question:
    options = text.get("options")
    return Question(
        question=str(text["question"]),
        type=text["type"],  # type: ignore[arg-type]
        options=tuple(options) if isinstance(options, list) else (),
        context=str(text.get("context", "")),
        default=str(text.get("default", "")),
    )


def _pages_question(product_type: str, text: dict[str, str]) -> Question:
    pages = [page.title for page in product(product_type).pages[1:]]
    return Question(text["question"], "checkbox", tuple(pages), text["context"], tuple(pages[:4]))


def feature_questions(feature: str) -> tuple[Question, ...]:
    """One to three questions about a feature that could be meant in several ways; none when the wish says it all."""
    for known in resources.read_json("features.json"):
        if re.search(known["pattern"], feature, re.IGNORECASE):
            return tuple(_question(each) for each in known["questions"])
    texts = resources.read_json("interview.json")
    return () if len(feature.split()) > 14 else tuple(_question(each) for each in texts["feature"])
