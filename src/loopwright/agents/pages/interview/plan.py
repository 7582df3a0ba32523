"""The plan that a brief and the answers make: everything that an answer can change."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.agents.pages.brief.features import ThemeRequest, read_theme
from loopwright.agents.pages.brief.knowledge import (
    GENERAL,
    MOST_READ,
    Language,
    Product,
    find_app_name,
    in_language,
    language_of,
    product,
    products,
    propose_app_name,
)
from loopwright.agents.pages.brief.scenario import likeliest_type
from loopwright.agents.pages.brief.sitemap import HOME, MAX_PAGES, is_chinese_title, slugify, suggest_pages
from loopwright.agents.pages.context.terms import words
from loopwright.agents.pages.contracts import SuggestedPage
from loopwright.agents.pages.domain.app_reader import read_app
from loopwright.agents.pages.domain.own_words import own_words
from loopwright.agents.pages.domain.ready import is_built_from_brief, suggested_pages
from loopwright.agents.pages.interview.tables import read_data

# The decisions that an interview is about, and which of them a question asks for.

Decision = Literal["product_type", "purpose", "audience", "pages", "features", "style", "colours", "name", "data"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)

Answers = Mapping[str, str | list[str]]
"""Answers by the text of their question."""

_ASKS: Mapping[Decision, re.Pattern[str]] = {
    "name": re.compile(
        r"\bwhat(?:'s| is| should)?\b.*\b(?:called|name)\b|\bname of\b|\bname (?:should|do|would)\b|\bbe named\b"
        r"|名字|名称|叫什么",
        re.I,
    ),
    "audience": re.compile(
        r"\bwhom?\b.*\b(?:for|audience|users?|customers?|use)\b|\b(?:target )?(?:audience|users?)\b"
        r"|给谁|面向|用户是谁|目标用户|谁用",
        re.I,
    ),
    "pages": re.compile(
        r"\b(?:which|what|how many)\b.*\b(?:pages|screens|sections)\b|\bkey pages\b|哪些页面|几个页面", re.I
    ),
    "colours": re.compile(
        r"\bcolou?rs?\b|\bpalette\b|\b(?:dark|light) (?:or (?:dark|light)|mode|theme)\b|颜色|配色|深色还是|主色", re.I
    ),
    "style": re.compile(r"\bstyle\b|\blook and feel\b|\baesthetic\b|\bvisual\b|\bmood\b|\bvibe\b|风格|外观", re.I),
    "features": re.compile(
        r"\b(?:which|what)\b.*\b(?:features|functions|functionality)\b|\bkey features\b|哪些功能", re.I
    ),
    "product_type": re.compile(
        r"\b(?:what|which) (?:kind|type|sort) of (?:app|product|site|website)\b|\bproduct type\b"
        r"|哪一?类应用|什么类型|什么应用",
        re.I,
    ),
    "purpose": re.compile(
        r"\bwhat should (?:people|users|it)\b.*\b(?:able to )?do\b|\bpurpose\b|能在应用里做什么|做什么用", re.I
    ),
    "data": re.compile(r"\b(?:what|which)\b.*\b(?:data|information|content)\b|哪些数据|什么数据", re.I),
}
_ORDER: tuple[Decision, ...] = (
    "product_type",
    "purpose",
    "name",
    "audience",
    "pages",
    "features",
    "colours",
    "style",
    "data",
)

_WHOLE_APP: str = read_data("whole_app_words.json")
_GENERIC = frozenset(words(_WHOLE_APP))
_GENERIC_CHINESE = re.compile("|".join(sorted(re.findall(r"[\u3400-\u9fff]+", _WHOLE_APP), key=len, reverse=True)))
"""Words that a question about a decision of the whole app is made of; any other word makes it more particular."""


def decision_of(question: str) -> Decision | None:
    """The decision that a question is about, in whichever words; None when it is about something of its own."""
    return next((decision for decision in _ORDER if _ASKS[decision].search(question)), None)


def particulars_of(question: str) -> frozenset[str]:
    """The stems in a question that a question about the whole app would not have: "delete", "button"."""
    return frozenset(words(_GENERIC_CHINESE.sub(" ", question))) - _GENERIC


def by_decision(answers: Answers) -> dict[Decision, str]:
    """The answers by the decision that they make, several choices joined by commas; the last word stands."""
    made: dict[Decision, str] = {}
    for question, answer in answers.items():
        decision = decision_of(question)
        text = ", ".join(answer) if isinstance(answer, list | tuple) else str(answer)
        if decision is not None and text.strip():
            made[decision] = text.strip()
    return made


# What a session remembers of its interview, in its metadata: answers, what was assumed, what was changed later.

KEY = "interview"
"""The metadata's key."""

MOST_ANSWERS = 200
"""Answers that are remembered; the oldest go first."""


class Answered(BaseModel):
    """An answer. `assumed` says that the user left it open and a default was taken; `run_id` is where it was asked."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    answer: str | list[str]
    assumed: bool = False
    decides: str | None = None
    run_id: str | None = None


class InterviewRecord(BaseModel):
    """The interview of a session so far.

    `changed` are answers that the user changed while a run waited for others, and that no model has heard of yet.
    `quiet_run` is the run in which the user wants no more questions. `struck` are the questions of the newest batch
    that were not asked, with the reason, under the call that wanted to ask them.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    answers: dict[str, Answered] = Field(default_factory=dict)
    changed: dict[str, str | list[str]] = Field(default_factory=dict)
    quiet_run: str | None = None
    struck: dict[str, dict[str, str]] = Field(default_factory=dict)

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> "InterviewRecord":
        """The record in a session's metadata; what was edited from outside beyond recognition counts as none."""
        try:
            return cls.model_validate(metadata.get(KEY) or {})
        except ValidationError:
            return cls()

    def plain(self) -> dict[str, str | list[str]]:
        """The answers by question, assumed ones too."""
        return {question: given.answer for question, given in self.answers.items()}

    def with_answers(
        self, answers: Mapping[str, str | list[str]], *, assumed: bool = False, run_id: str | None = None
    ) -> "InterviewRecord":
        """The record with more answers; a newer one replaces the old one about the same question or decision.

        Questions about decisions are worded differently each time, so an answer about the name replaces all others
        about the name.
        """
        merged = dict(self.answers)
        for question, answer in answers.items():
            decides = decision_of(question)
            same = [old for old, given in merged.items() if decides is not None and given.decides == decides]
            for old in same:
                del merged[old]
            merged.pop(question, None)
            merged[question] = Answered(answer=answer, assumed=assumed, decides=decides, run_id=run_id)
        return self.model_copy(update={"answers": dict(list(merged.items())[-MOST_ANSWERS:])})

    def to_metadata(self) -> dict[str, Any]:
        """What is stored."""
        return {KEY: self.model_dump(mode="json", exclude_defaults=True)}


# A changed answer in plain words: "actually make it dark", "I meant for families", 改成深色.

MOST_WORDS = 14
"""A longer message says more than that an answer was meant otherwise."""

_NAME = re.compile(
    r"\b(?:call it|name it|rename (?:it|the app) (?:to|as)"
    r"|(?:the )?(?:app(?:'s)? )?name (?:is|should be)|it(?:'s| is| should be)"
    r" called)\s+[\"“'‘]?(?P<name>[^\"”’\n,;!?]{1,40}?)[\"”'’]?(?:\s+instead)?[.!]?\s*$"
    r"|(?:改名(?:为|叫|成)?|名字(?:改成|改为|换成|叫)|应该叫)\s*[“\"《「]?(?P<zh>[^”\"》」，。！\n]{1,20})",
    re.IGNORECASE,
)
_AUDIENCE = re.compile(
    r"\b(?:i|we) meant (?:it |this )?(?:to be )?for\s+(?P<audience>[^\n.;!?]{2,60})"
    r"|\b(?:actually|no|sorry|wait)\b[\s,]+(?:it(?:'s| is|'s meant| is meant| should be)|this is|that's)?\s*(?:meant )?"
    r"for\s+(?P<said>[^\n.;!?]{2,60})|(?:其实|应该)?是?(?:给|面向)(?P<zh>[^，。！\n]{1,20}?)(?:用的?|的)[。！]?$",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"^\W*(?:(?:no|wait|sorry|hmm|oh|ok|well)\b[\s,.!]*)*(?:actually|i meant|i mean|on second thought|rather|instead"
    r"|changed? my mind|let's (?:make|have|go))\b|\binstead[.!]?$",
    re.IGNORECASE,
)
_MARK_ZH = re.compile(
    r"^(?:请|帮我|还是|其实|不，|不对，)*(?:整体|全部|应用|颜色|配色|主题|风格)?(?:改成|换成|改为|换为|变成|用)"
)
_PART = re.compile(
    r"\b(?:header|heading|title|button|footer|nav\w*|tab|bar|menu|card|text|link|icon|banner|image|section|list|page"
    r"|screen|field|form|badge|logo|price)s?\b|按钮|标题|页头|导航|卡片|图片|页面|文字|链接|列表",
    re.IGNORECASE,
)


def read_correction(message: str) -> dict[str, str]:
    """The answers that a message changes, by the questions that the interview would ask; empty for any other request.

    A message about one part of a page ("make the button dark") is an edit and changes no answer.
    """
    text = message.strip()
    if len(text.split()) > MOST_WORDS or len(text) > 120:
        return {}
    made: dict[Decision, str] = {}
    if (name := _NAME.search(text)) is not None and not _PART.search(text[: name.start()]):
        made["name"] = (name["name"] or name["zh"]).strip()
    elif _PART.search(text):
        return {}
    elif (audience := _AUDIENCE.search(text)) is not None:
        made["audience"] = (audience["audience"] or audience["said"] or audience["zh"]).strip()
    elif _MARK.search(text) or _MARK_ZH.search(text):
        theme = read_theme(text)
        if theme.mode or theme.brand_colors:
            made["colours"] = ", ".join([*([f"{theme.mode} theme"] if theme.mode else []), *theme.brand_colors])
        if theme.style_words:
            made["style"] = ", ".join(theme.style_words)
    texts: Mapping[str, Mapping[str, str]] = read_data("questions.json")[language_of(text)]
    return {texts[decision]["question"]: answer for decision, answer in made.items()}


_CHOICES = re.compile(r"\s*[,、，;；]\s*")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is going to be built. `look` is empty where the product type's own look is taken."""

    product_type: str
    app_name: str
    audience: str
    look: ThemeRequest
    pages: tuple[SuggestedPage, ...]
    features: tuple[str, ...] = ()
    tagline: str = ""
    language: Language = "en"


def make_plan(brief: str, answers: Answers | None = None) -> Plan:
    """The plan: the answers win over the brief, the brief over what is usual for the product type."""
    brief, made = brief[:MOST_READ], by_decision(answers or {})
    language = language_of(brief)
    chosen_type = chosen_product(brief, made.get("product_type", ""), made.get("purpose", ""))
    known = in_language(chosen_type, language)
    pages = suggest_pages(brief, known)
    own = read_app(own_words(brief)) if is_built_from_brief(brief, made.get("product_type", "")) else None
    if own is not None:
        known = known.model_copy(update={"tagline": own.subject or own.name})
        pages = suggested_pages(own)
    chosen = _listed(made.get("pages", ""))
    return Plan(
        product_type=known.product_type,
        app_name=made.get("name") or (own.name if own else find_app_name(brief)) or propose_app_name(brief, known),
        audience=made.get("audience", ""),
        look=read_look(
            brief, [text for decision, text in made.items() if decision != "pages"], made.get("audience", "")
        ),
        pages=tuple(chosen_pages(pages, known, chosen) if chosen else pages),
        features=tuple(_listed(made.get("features", ""))),
        tagline=known.tagline,
        language=language,
    )


def chosen_product(brief: str, chosen: str = "", purpose: str = "") -> Product:
    """The product type that was chosen by its title, else that of the brief, else that of the purpose."""
    if chosen:
        for known in products().values():
            if chosen.lower() in (known.product_type, known.title.lower(), in_language(known, "zh").title):
                return known
        brief = f"{chosen}\n{brief}"
    found = likeliest_type(brief)
    if found == GENERAL and purpose:
        found = likeliest_type(purpose)
    return product(found)


def read_look(brief: str, answers: Sequence[str], audience: str) -> ThemeRequest:
    """The look: what the answers say, else the brief, else for the style what suits the audience."""
    asked, said = read_theme("\n".join(answers)), read_theme(brief)
    suits = next((style for word, style in _audiences().items() if word in audience.lower()), "")
    return ThemeRequest(
        mode=asked.mode or said.mode,
        brand_colors=asked.brand_colors or said.brand_colors,
        style_words=asked.style_words or said.style_words or ((suits,) if suits else ()),
        ground=asked.ground or said.ground,
    )


def chosen_pages(suggested: Sequence[SuggestedPage], known: Product, chosen: Sequence[str]) -> list[SuggestedPage]:
    """The pages that the user chose by their titles, with the home page before them."""
    usual = {page.title.lower(): page for page in (*known.pages, *suggested)}
    pages = {HOME: suggested[0]}
    for title in chosen:
        slug = slugify(title) or (f"page-{len(pages) + 1}" if is_chinese_title(title) else "")
        about = f"{title}。" if is_chinese_title(title) else f"{title} of the app."
        page = usual.get(title.lower()) or (SuggestedPage(slug=slug, title=title, description=about) if slug else None)
        if page is not None and page.slug != HOME:
            pages.setdefault(page.slug, page)
    return list(pages.values())[:MAX_PAGES]


def _listed(text: str) -> list[str]:
    return [item for item in _CHOICES.split(text) if item]


@cache
def _audiences() -> dict[str, str]:
    found: dict[str, str] = read_data("audiences.json")
    return found


# What differs between two plans, and how much of the work each difference asks for.

Part = Literal["product_type", "name", "look", "pages", "features"]


@dataclass(frozen=True, slots=True)
class PlanDifference:
    """What a changed answer changes; everything that is empty or None stays as it is.

    Only what differs is made anew: a look by `create_design_system`, a name by an edit of the pages that show it, pages
    by `generate_page` and by links to them. Another product type is another app: its pages replace the old plan.
    """

    product_type: str | None = None
    renamed: tuple[str, str] | None = None
    """The old and the new name."""
    look: ThemeRequest | None = None
    added: tuple[SuggestedPage, ...] = ()
    removed: tuple[SuggestedPage, ...] = ()
    features: tuple[str, ...] = ()
    audience: str | None = None
    """A new audience; what it changes of the look stands in `look`."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """What has to be made anew, by name."""
        found: list[Part] = []
        found += ["product_type"] if self.product_type else []
        found += ["name"] if self.renamed else []
        found += ["look"] if self.look else []
        found += ["pages"] if self.added or self.removed else []
        found += ["features"] if self.features else []
        return tuple(found)

    @property
    def weight(self) -> int:
        """How much of the app is made anew, in pages: a name touches every page a little, a look all at once."""
        weight = 8 if self.product_type else 0
        weight += len(self.added) + len(self.removed) + len(self.features)
        weight += 3 if self.look else 0
        return weight + (2 if self.renamed else 0)


def compare_plans(before: Plan, after: Plan) -> PlanDifference:
    """What has to be made anew when the plan turns from one into the other."""
    old, new = {page.slug for page in before.pages}, {page.slug for page in after.pages}
    return PlanDifference(
        product_type=after.product_type if after.product_type != before.product_type else None,
        renamed=(before.app_name, after.app_name) if after.app_name != before.app_name else None,
        look=after.look if after.look != before.look else None,
        added=tuple(page for page in after.pages if page.slug not in old),
        removed=tuple(page for page in before.pages if page.slug not in new),
        features=tuple(feature for feature in after.features if feature not in before.features),
        audience=after.audience if after.audience != before.audience else None,
    )


# Answers that the user changes later: what differs, and how the agent is told of it.

OPENING = "I change my answers:"
"""How a message that changes answers begins; what follows it is one line per answer, then what that changes."""

FOLLOWS = "What this changes:"
ARROW = " → "

_LINE = re.compile(r"^- (?P<question>[^\n]{1,1000}?) → (?P<answer>[^\n]{1,2000})$", re.MULTILINE)


def difference(brief: str, before: Answers, changes: Answers) -> PlanDifference:
    """What of the plan differs once the changed answers stand."""
    return compare_plans(make_plan(brief, before), make_plan(brief, {**before, **changes}))


def message_of(brief: str, before: Answers, changes: Answers) -> str:
    """The message that tells the agent of changed answers and of nothing but what they change."""
    lines = [OPENING, *(f"- {question}{ARROW}{_shown(answer)}" for question, answer in changes.items()), "", FOLLOWS]
    return "\n".join([*lines, *consequences(difference(brief, before, changes))])


def consequences(differs: PlanDifference) -> Sequence[str]:
    """One line for each thing that is to be made anew, and the word that everything else stays."""
    lines = []
    if differs.product_type:
        lines.append(f"* the kind of app: it is to be a {differs.product_type} app; plan its pages anew")
    if differs.look:
        look = differs.look
        words = [look.mode or "", *look.brand_colors, *look.style_words]
        lines.append(
            f"* the look ({', '.join(word for word in words if word) or 'that of the subject'}): "
            "the design system is made anew, no page is"
        )
    if differs.renamed:
        lines.append(f"* the name: “{differs.renamed[0]}” becomes “{differs.renamed[1]}” where it stands; edits only")
    if differs.added and not differs.product_type:
        lines.append(f"* more pages: {', '.join(page.title for page in differs.added)}; make them and link them")
    if differs.removed and not differs.product_type:
        titles = ", ".join(page.title for page in differs.removed)
        lines.append(f"* pages that are no longer wanted: {titles}; say so at the end, and offer to delete them")
    if differs.features:
        lines.append(f"* more features: {', '.join(differs.features)}")
    if differs.audience is not None:
        lines.append(f"* the audience: {differs.audience}; only wording that does not suit it")
    return [*lines, "Keep everything else." if lines else "Nothing of the app: only remember it."]


def read_changes(message: str) -> dict[str, str | list[str]]:
    """The changed answers in a message that `message_of` has made; empty for any other message."""
    if not message.startswith(OPENING):
        return {}
    listed = message.partition(FOLLOWS)[0]
    return {match["question"]: match["answer"] for match in _LINE.finditer(listed)}


def _shown(answer: str | list[str]) -> str:
    return " ".join((", ".join(answer) if isinstance(answer, list) else answer).split())
