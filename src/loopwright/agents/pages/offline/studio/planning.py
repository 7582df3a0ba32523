"""From a brief and the user's answers to the plan of an app."""

from collections.abc import Mapping

from loopwright.agents.pages.brief.analysis import analyse_brief
from loopwright.agents.pages.brief.naming import find_app_name
from loopwright.agents.pages.brief.slugs import HOME, slugify
from loopwright.agents.pages.contracts import SuggestedPage
from loopwright.agents.pages.offline.studio.archetypes import infer_archetype
from loopwright.agents.pages.offline.studio.contracts import MAX_PAGES, AppPlan, PlannedPage, ThemeWishes
from loopwright.agents.pages.offline.studio.interview import AUDIENCE, FEATURES, NAME, PAGES
from loopwright.agents.pages.offline.studio.theme import read_theme

Answers = Mapping[str, object]


def plan_app(brief: str, answers: Answers | None = None) -> AppPlan:
    """The plan: product type, name, look and pages; the answers win over the brief, the brief over what is usual."""
    given = {question: _words(answer) for question, answer in (answers or {}).items()}
    analysis = analyse_brief(brief)
    theme = _theme(brief, given)
    name = _answer(given, NAME) or analysis.app_name
    pages = _pages(analysis.suggested_pages, _chosen(answers or {}, PAGES))
    return AppPlan(
        brief=brief,
        product_type=analysis.product_type,
        app_name=name,
        tagline=analysis.tagline,
        audience=_answer(given, AUDIENCE),
        theme=theme,
        page_count=len(pages),
        pages=tuple(
            PlannedPage(p.slug, p.title, p.description, infer_archetype(p.slug, p.title, p.description)) for p in pages
        ),
        features=tuple(_chosen(answers or {}, FEATURES)),
        named=bool(_answer(given, NAME)) or find_app_name(brief) is not None,
    )


def _theme(brief: str, given: Mapping[str, str]) -> ThemeWishes:
    asked, said = read_theme("\n".join(given.values())), read_theme(brief)
    return ThemeWishes(
        mode=asked.mode or said.mode,
        brand_colors=asked.brand_colors or said.brand_colors,
        style_words=asked.style_words or said.style_words,
    )


def _pages(suggested: tuple[SuggestedPage, ...], chosen: list[str]) -> list[SuggestedPage]:
    """The suggested pages, or those that the user chose by their titles with the home page before them."""
    if not chosen:
        return list(suggested)
    home = suggested[0]
    known = {page.title.lower(): page for page in suggested}
    pages = {home.slug: home}
    for title in chosen:
        page = known.get(title.lower()) or SuggestedPage(
            slug=slugify(title), title=title, description=f"{title} of the app."
        )
        if page.slug and page.slug != HOME:
            pages.setdefault(page.slug, page)
    return list(pages.values())[:MAX_PAGES]


def _answer(given: Mapping[str, str], marker: str) -> str:
    """The answer to the question that has these words in it; the question may have been worded by hand."""
    return next((answer for question, answer in given.items() if marker in question.lower()), "")


def _chosen(answers: Answers, marker: str) -> list[str]:
    for question, answer in answers.items():
        if marker in question.lower():
            items = answer if isinstance(answer, list | tuple) else str(answer).split(",")
            return [str(item).strip() for item in items if str(item).strip()]
    return []


def _words(answer: object) -> str:
    return ", ".join(map(str, answer)) if isinstance(answer, list | tuple) else str(answer)
