"""The analysis of a brief as `analyze_brief` gives it."""

import re

from loopwright.agents.pages.brief.knowledge import (
    MOST_READ,
    find_app_name,
    in_language,
    language_of,
    product,
    propose_app_name,
)
from loopwright.agents.pages.brief.scenario import detect_scenario, likeliest_type, rank_scenarios
from loopwright.agents.pages.brief.sitemap import named_pages, suggest_pages, wanted_page_count
from loopwright.agents.pages.contracts import BriefAnalysis
from loopwright.agents.pages.domain.app_model import AppModel
from loopwright.agents.pages.domain.ready import data_model_of, is_built_from_brief, model_of, suggested_pages
from loopwright.agents.pages.interview.questions import Facts, open_questions

_SAID = {
    "app name": r"$^",  # asked of find_app_name
    "target audience": r"\b(?:for|aimed at|audience|users?|customers?|guests?|visitors?|students?|kids|children|parents"
    r"|teams?|people who|beginners?|professionals?)\b|用户|客户|面向|针对|年轻人|学生|家长",
    "visual style": r"\b(?:dark|light|minimal\w*|modern|playful|bold|elegant|classic|retro|vintage|warm|cool|pastel"
    r"|colou?rful|style|theme|look|accent|red|blue|green|yellow|orange|purple|pink|teal|brown|black|white|gold|beige)\b"
    r"|#[0-9a-fA-F]{3,6}\b|风格|颜色|深色|浅色|简约|配色|主题|色",
    "key features": r"\b(?:featur\w+|able to|can|should|lets?|allow\w*|include\w*|including|with|so that|track\w*"
    r"|order\w*|book\w*|search\w*|save\w*|upload\w*|filter\w*)\b|功能|可以|支持|包括",
}


_SUMMARY_NAME = re.compile(r'^The app is called "(?P<name>[^"\n]+)"\.', re.MULTILINE)
LIST_HITS, BLOCK_HITS = 0.62, 0.91
"""How often a plain list, and any other kind of block, is what a part of a brief asked for: 10 of 16 and 30 of 33 on
the development briefs, judged by hand (docs/decisions/0040)."""


_LISTS_PAGES = re.compile(r"^(?:Pages:|Which pages\b|页面[:：]|[^\n]{0,8}哪些页面).*$", re.MULTILINE)
"""Lines of a summary that name pages: "Explore" and "Calendar" are pages of anything and tell no kind of app."""


def analyse_brief(text: str, conversation_summary: str = "") -> BriefAnalysis:
    """All that rules can tell of a request; what was said before it (`conversation_summary`) helps to decide."""
    text, conversation_summary = text[:MOST_READ], conversation_summary[:MOST_READ]
    everything = f"{text}\n{conversation_summary}".strip()
    subject = f"{text}\n{_LISTS_PAGES.sub('', conversation_summary)}".strip()
    match = detect_scenario(subject)
    language = language_of(text)
    known = in_language(product(likeliest_type(subject)), language)
    name = find_app_name(text) or find_app_name(conversation_summary)
    if is_built_from_brief(text):
        return _of_its_own(text, everything)
    return BriefAnalysis(
        product_type=known.product_type,
        scenario=match.name,
        confidence=match.confidence,
        app_name=name or propose_app_name(text, known),
        tagline=known.tagline,
        suggested_pages=suggest_pages(everything, known),
        data_model=known.data_model,
        missing=missing_details(everything),
        language=language,
        alternatives=tuple(match.name for match in rank_scenarios(subject) if match.name != known.product_type)[:3],
        questions=open_questions(Facts(brief=everything)),
    )


def _of_its_own(text: str, everything: str) -> BriefAnalysis:
    """The analysis of a brief whose app is built from its own words."""
    named = _SUMMARY_NAME.search(everything)
    model = model_of(text, named["name"] if named else "")
    listed = named_pages(_of_summary(everything, text))
    pages = suggested_pages(model_of(text, model.name, tuple(listed)) if listed else model)
    return analysis_of(model, text, everything).model_copy(update={"suggested_pages": pages})


def analysis_of(model: AppModel, text: str, everything: str) -> BriefAnalysis:
    """The analysis of a brief of which it is known what its app consists of.

    `confidence` is the share of its parts for which a kind of block was found. What the app is tells its type, and no
    word of what it has: a food bank that weighs its donations is nothing for fitness.
    """
    parts = [block.kind for block in model.blocks()]
    understood = sum(LIST_HITS if kind == "list" else BLOCK_HITS for kind in parts)
    total = len(parts) + len(model.neutral)
    return BriefAnalysis(
        product_type=likeliest_type(model.subject or model.name),
        scenario=detect_scenario(text).name,
        confidence=round(understood / total, 2) if total else 0.0,
        app_name=model.name,
        tagline=model.subject or model.name,
        suggested_pages=suggested_pages(model),
        data_model=data_model_of(model),
        missing=missing_details(everything),
        language="zh" if model.language == "zh" else "en",
        alternatives=(),
        questions=open_questions(Facts(brief=everything)),
    )


def _of_summary(everything: str, text: str) -> str:
    """What the summary says behind the brief."""
    return everything[len(text) :]


def missing_details(text: str) -> tuple[str, ...]:
    """What the text does not say of the things worth asking about, the most important first."""
    missing = [] if rank_scenarios(text) else ["product type"]
    if not named_pages(text) and wanted_page_count(text) is None:
        missing.append("key pages")
    said = {detail: re.search(pattern, text, re.IGNORECASE) is not None for detail, pattern in _SAID.items()}
    said["app name"] = find_app_name(text) is not None
    return (*missing, *(detail for detail, given in said.items() if not given))
