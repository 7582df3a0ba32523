"""The pages of an app, made of its domain without another word from the model."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from loopwright.agents.pages.asking import Unusable
from loopwright.agents.pages.brief.features import read_theme
from loopwright.agents.pages.brief.knowledge import language_of
from loopwright.agents.pages.brief.sitemap import HOME, named_pages, slugify, wanted_page_count
from loopwright.agents.pages.contracts import PageEntry
from loopwright.agents.pages.controlled_work import Work
from loopwright.agents.pages.design.check import house_sheet
from loopwright.agents.pages.domain.clauses import Clause, sentences_of
from loopwright.agents.pages.domain.entering import (
    A_PAGE_HEADS,
    ADDS,
    BACKGROUND,
    DARK,
    DARK_LOOK,
    ENGLISH,
    GERMAN,
    HEADINGS,
    LOOK,
    ON_A_PAGE,
    PALER,
    TEXT,
    Asked,
    Input,
    Outline,
    Row,
    read_calculation,
)
from loopwright.agents.pages.domain.formulas import Calculation, Formula, checked_formula, names_of, usual_formula
from loopwright.agents.pages.domain.outline import outline_of
from loopwright.agents.pages.domain.rendering import Domain, checked, parts_of, render_page, says, shared_out
from loopwright.agents.pages.domain.sections import facts_of, outlined, short_title, title_of, words_in
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.tools.design import save_sheet
from loopwright.agents.pages.tools.writing import Draft, frame_of, save_page
from loopwright.kernel.account.reading import Token, hard_tokens, read_values
from loopwright.kernel.account.reading.values.colours import near_hue
from loopwright.kernel.answer_form import answer_format
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.tools import ToolContext

# --------------------------------------------------------------------------------------------------------------------
# The look that a brief asks for, by its own words: colours, and what is dark or has a colour behind it.
# --------------------------------------------------------------------------------------------------------------------

DARKEST = 0.2
"""Lightness (0 to 1) below which a ground is dark, whatever its colour."""
PALE = 0.78
"""Lightness (0 to 1) above which a colour is hardly one."""
NEAR_LIGHTNESS = 0.25
"""Difference in lightness (0 to 1) up to which two shades count as the same colour."""


@dataclass(frozen=True)
class Look:
    """Colours of the app (hex, the main one first), and its ground."""

    colours: tuple[str, ...] = ()
    dark: bool = False
    ground: str | None = None
    headings: str | None = None


def look_of(brief: str, outline: Outline) -> Look:
    """What the clauses that say nothing but the look want; a colour's name in the list of a menu is none."""
    if outline.is_empty and not outline.look:
        theme = read_theme(brief)
        return Look(theme.brand_colors or _colours([brief]), theme.mode == "dark")
    subject = " ".join(word for word in outline.subject.split() if word.islower())
    grounds = [clause for clause in outline.look if BACKGROUND.search(clause)]
    others = [clause for clause in outline.look if clause not in grounds]
    dark = any(DARK.search(clause) for clause in grounds)
    dark = dark or (not grounds and any(DARK_LOOK.search(clause) for clause in others))
    # A pale ground is as pale as it was named; elsewhere a pale colour would not be seen as one.
    ground = next((each if _deeper(each) != each else _colours(grounds)[0] for each in _named(grounds)), None)
    if ground and dark and not _is_dark(ground):
        ground = "#" + "".join(f"{int(ground[at : at + 2], 16) * 4 // 10:02X}" for at in (1, 3, 5))
    elif ground and any(PALER.search(clause) for clause in grounds):
        ground = _paler(ground)
    headings = next(iter(_colours([clause for clause in others if HEADINGS.search(clause)])), None)
    others = [clause for clause in others if not TEXT.search(clause)]
    return Look(_colours(others) or _colours([subject]), dark, ground, headings)


def _colours(clauses: Sequence[str]) -> tuple[str, ...]:
    """Colours by name: in the house's shade where it is near to what the name says, else as the name says."""
    found: list[str] = []
    for clause in clauses:
        ours = list(read_theme(clause).brand_colors)
        said = [str(value.value) for value in read_values(clause) if value.type == "colour"]
        if len(ours) == len(said):
            found += [_shade(mine, named) for mine, named in zip(ours, said, strict=True)]
        else:
            found += ours or [_deeper(named) for named in said]
    return tuple(dict.fromkeys(colour.upper() for colour in found))[:3]


def _named(clauses: Sequence[str]) -> list[str]:
    return [str(value.value) for clause in clauses for value in read_values(clause) if value.type == "colour"]


def _is_dark(colour: str) -> bool:
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return max(parts) + min(parts) < 2 * 255 * DARKEST


def _paler(colour: str) -> str:
    return "#" + "".join(f"{(int(colour[at : at + 2], 16) + 3 * 255) // 4:02X}" for at in (1, 3, 5))


def _shade(ours: str, named: str) -> str:
    """The house's shade of a colour, between both where it is much darker than what the name says."""
    if not near_hue(named, ours):
        return named
    one, other = ([int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (ours, named))
    if abs(max(one) + min(one) - max(other) - min(other)) <= 2 * 255 * NEAR_LIGHTNESS:
        return ours
    return "#" + "".join(f"{(left + right) // 2:02x}" for left, right in zip(one, other, strict=True))


def _deeper(named: str) -> str:
    """A pale colour in a shade that is still seen as one beside a light ground."""
    parts = [int(named[at : at + 2], 16) for at in (1, 3, 5)]
    pale = max(parts) + min(parts) > 2 * 255 * PALE
    return "#" + "".join(f"{part * 4 // 5:02x}" for part in parts) if pale else named


# --------------------------------------------------------------------------------------------------------------------
# Small questions to the model: what is this app about, and by which formula does it calculate?
# --------------------------------------------------------------------------------------------------------------------

MAX_TOKENS = 900
MOST_READ = 4_000
"""Characters of the brief that the model is shown."""


Answer = TypeVar("Answer", bound=BaseModel)
Taken = TypeVar("Taken")


async def ask_domain(ctx: ToolContext[PagesServices], brief: str) -> Domain | Unusable:
    """The domain as the model reads it."""
    return await _ask(ctx, "pages/domain", brief[:MOST_READ], Domain, lambda answer: answer)


async def ask_formula(ctx: ToolContext[PagesServices], brief: str, asked: Asked) -> Calculation | Unusable:
    """The calculation that a brief asks for, by a formula that was checked."""
    told = f"\n\nNames: {names_of(asked.inputs)}" if asked.inputs else ""
    told += f"\nResult: {asked.result}" if asked.result else ""

    def check(answer: Formula) -> Calculation | str:
        inputs = asked.inputs or tuple(Input(name) for name in answer.inputs if name.strip())
        if strange := [each.label for each in inputs if each.name == "value"]:
            return f"{', '.join(strange)} is no name."
        whole = replace(asked, inputs=inputs, result=asked.result or answer.result)
        return checked_formula(answer.formula, whole, brief)

    return await _ask(ctx, "pages/formula", f"{brief[:MOST_READ]}{told}", Formula, check)


async def _ask(
    ctx: ToolContext[PagesServices],
    prompt: str,
    material: str,
    schema: type[Answer],
    check: Callable[[Answer], Taken | str],
) -> Taken | Unusable:
    """What is taken of the model's answer; it is asked once more with the complaint where nothing could be."""
    messages = [Message.system(ctx.prompts.render(prompt)), Message.user(material)]
    complaint = ""
    for _ in range(2):
        request = ModelRequest(messages, max_tokens=MAX_TOKENS, response_format=answer_format(schema), temperature=0.0)
        response = await ctx.llm_client.complete(request)
        if response.finish_reason == "length":
            complaint = "Your answer was cut off at its length limit. Answer again, shorter."
        else:
            try:
                taken = check(schema.model_validate(from_json(response.text)))
            except (ValueError, ValidationError) as error:
                taken = f"Your answer does not fit: {error}"[:600]
            if not isinstance(taken, str):
                return taken
            complaint = taken
        messages = [*messages, Message.assistant(response.text[:2_000] or "…"), Message.user(complaint)]
    return Unusable(complaint)


# --------------------------------------------------------------------------------------------------------------------
# What a brief says literally and no page shows: names, days, times, prices and amounts, as facts in its own words.
# --------------------------------------------------------------------------------------------------------------------

MOST_WORDS = 12
MOST_FACTS = 12
_SHOWN = ("name", "literal", "date", "time", "weekday", "number", "abbreviation")
_MARKUP = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]+>", re.S)
_PAGES = re.compile(r"page|screen|seite|tab|页|屏", re.I)


def left_out(brief: str, pages: Sequence[str]) -> list[Row]:
    """Facts for what none of the pages (HTML) shows of the brief's hard tokens."""
    shown = _plain(" ".join(unescape(_MARKUP.sub(" ", html)) for html in pages))
    found: list[Row] = []
    for sentence in sentences_of(brief):
        for clause in (Clause(sentence.head, sentence.head), *sentence.clauses):
            missing = [token for token in _tokens(clause.text) if _plain(token.text) not in shown]
            if not missing or LOOK.fullmatch(clause.text):
                continue
            if clause.value and clause.words <= MOST_WORDS:
                found.append(Row(clause.label, clause.value))
            else:
                found += [Row(token.text) for token in missing]
            shown += f" {_plain(clause.text)}"
    return list(dict.fromkeys(found))[:MOST_FACTS]


def _tokens(text: str) -> list[Token]:
    return [
        token
        for token in hard_tokens(text)
        if token.kind in _SHOWN
        and not (token.kind == "number" and not any(sign.isdigit() for sign in token.text))
        and not _PAGES.search(f"{token.text} {text[token.end : token.end + 8]}")
        and not (token.text.startswith("#") or (all(value.type == "colour" for value in token.values) and token.values))
    ]


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


KEPT_OF_BRIEF = 4_000
MOST_PAGES = 6
EMPTY = Domain(name="", colours=[], things=[], actions=[], screens=[])
_NO_NAMES = ("home", "page", "app", "seite", "one page", "eine seite")
_PLAIN = (
    r"(?:(?:single|simple|small|short|little|nice|plain|new|web|mobile|landing|einzelnen?|einzigen?|einfachen?|kleinen?|"
    r"kurzen?|neuen?|schönen?) )*(?:web)?(?:page|seite|one-pager)\b"
)
_A_PAGE = re.compile(
    rf"\b(?:an?|one|this|the|our|my|unsere[nr]?|meine[nr]?|eine[nrm]?|diese[rn]?|der|die|just a) {_PLAIN}|"
    r"\b(?:needs?|wants?|make|build|create|design|like|brauch\w*|möcht\w*|mach\w*|bau\w*|erstell\w*)\b"
    rf"(?: (?:me|us|mir|uns|gern|gerne))? (?:an?|eine) [\w-]+ {_PLAIN}",
    re.IGNORECASE,
)
"""A page that is spoken of; with a word that is not known before it, only where it is what is asked for."""
_MORE_THAN_A_PAGE = re.compile(
    r"\b(?:\w*apps?|applications?|\w*sites?|pages|screens?|tabs|\w*platform|portal|prototype|\w*seiten|anwendung|"
    r"home ?page|another page|second page)\b",
    re.IGNORECASE,
)
"""What a brief is about that has several pages, of which one that it names is only one."""


@dataclass(frozen=True)
class Content:
    """The sections of a page, and the formula by which it calculates."""

    parts: Sequence[str]
    formula: str = ""


async def build_domain(work: Work, brief: str) -> bool:
    """Make style sheet and pages of what the app is about; False where there is nothing to build."""
    found = await ask_domain(work.context("ask_domain", {"brief": brief}), brief)
    lang = spoken_in(brief)
    outline = outline_of(brief) if is_one_page(brief) and lang != "zh" else Outline()
    if (isinstance(found, Unusable) or not found.things) and outline.is_empty:
        work.remarks.append("What the app is about could not be read from the brief in one answer.")
        return False
    read = checked(EMPTY if isinstance(found, Unusable) else found, brief)
    domain = read.domain.model_copy(update={"name": named(read.domain.name, outline, brief, lang)})
    pages = pages_of(domain, brief)
    taken = [each for each in read.assumed if outline.is_empty or (domain.name == read.domain.name and "name" in each)]
    work.remarks += [f"Taken without your word: {'; '.join(taken)}."] if taken else []
    await work.run.services.sessions.update(
        work.run.state.session_id,
        metadata={
            "brief": brief[:KEPT_OF_BRIEF],
            "product_type": "app",
            "app_name": domain.name,
            "planned_pages": [page.model_dump() for page in pages],
        },
    )
    await _style(work, look_of(brief, outline))
    if outline.is_empty:
        contents = _of_domain(domain, pages, brief, lang)
    else:
        contents = {HOME: await _of_outline(work, brief, domain, outline, lang)}
    await _save(work, domain.name, pages, contents, lang)
    return True


async def _style(work: Work, look: Look) -> None:
    project = await work.project()
    if not project.css:
        told = {"colors": list(look.colours), "dark": look.dark, "ground": look.ground}
        sheet = house_sheet(look.colours, dark=look.dark, ground=look.ground, headings=look.headings)
        await save_sheet(work.context("house_sheet", told), project, sheet)


def _of_domain(domain: Domain, pages: Sequence[PageEntry], brief: str, lang: str) -> dict[str, Content]:
    """What each page of an app shows; what the brief says literally and no page shows stands on the first one."""
    shown = shared_out(domain, pages)
    parts = {page.slug: parts_of(domain, shown[page.slug], first=page.slug == HOME) for page in pages}
    said = [*(part for each in parts.values() for part in each), domain.name, *(page.title for page in pages)]
    if gaps := left_out(brief, said):
        parts[HOME].append(facts_of(gaps, words_in(lang)))
    return {slug: Content(each) for slug, each in parts.items()}


async def _of_outline(work: Work, brief: str, domain: Domain, outline: Outline, lang: str) -> Content:
    """What a page shows of what the brief itself says, and what it calculates."""
    calculation: Calculation | None = None
    notes: Sequence[str] = ()
    if outline.calculation:
        asked = read_calculation(outline.calculation)
        notes = asked.notes
        usual = usual_formula(asked, brief)
        answer: Calculation | Unusable | str = checked_formula(usual, asked, brief) if usual else ""
        if not isinstance(answer, Calculation):
            answer = await ask_formula(work.context("ask_formula", {"brief": brief}), brief, asked)
        if isinstance(answer, Unusable):
            work.remarks.append("No formula could be found for what is to be calculated, so nothing is.")
        else:
            calculation = answer
            work.remarks.append(f"Taken without your word: it calculates {answer.told}.")
    parts = outlined(outline, calculation, notes, lang, domain.name)
    if ADDS.search(brief) and not (outline.calculation or outline.form):
        parts += parts_of(domain.model_copy(update={"actions": []}), domain.things, first=True)
    if gaps := left_out(brief, [*parts, domain.name]):
        parts.append(facts_of(gaps, words_in(lang)))
    return Content(parts, calculation.script if calculation else "")


async def _save(work: Work, name: str, pages: Sequence[PageEntry], contents: Mapping[str, Content], lang: str) -> None:
    project = await work.project()
    for page in pages:
        frame = frame_of(page, project.sitemap(), app_name=name, lang=lang)
        html = render_page(frame, contents[page.slug].parts, contents[page.slug].formula)
        draft = Draft(page.slug, page.title, html, "generate", page.title)
        saved = await save_page(work.context("save_page", {"slug": page.slug}), await work.project(), draft)
        if saved.success:
            work.made.append(page.slug)
        else:
            work.failed[page.slug] = saved.error or saved.output


def spoken_in(brief: str) -> str:
    """The language of a brief, as an HTML page says it."""
    if language_of(brief) == "zh":
        return "zh"
    return "de" if len(GERMAN.findall(brief)) > len(ENGLISH.findall(brief)) else "en"


def named(proposed: str, outline: Outline, brief: str, lang: str) -> str:
    """The title: what the brief calls it or says that it is about, else the model's name for it, else what it does."""
    if outline.name or outline.subject:
        return short_title(outline.name or outline.subject)
    words = [word for word in proposed.lower().split() if word not in _NO_NAMES]
    said = [word for word in words if len(word) > 3 and says(brief, word)]
    if words and (outline.is_empty or 2 * len(said) >= len(words)):
        return proposed
    return title_of(outline, lang) or proposed or "App"


def is_one_page(brief: str) -> bool:
    """Whether a brief wants one page: it says so, or speaks of a page and of no app, site or further pages."""
    if wanted_page_count(brief) == 1 or ON_A_PAGE.search(brief) or A_PAGE_HEADS.match(brief):
        return True
    if wanted_page_count(brief) or _MORE_THAN_A_PAGE.search(brief):
        return False
    return _A_PAGE.search(brief) is not None


def pages_of(domain: Domain, brief: str) -> list[PageEntry]:
    """The pages: those that the brief lists, else as many of the domain's screens as it wants; the first is home."""
    alone = is_one_page(brief)
    listed = [] if alone else [title for _, title in named_pages(brief)]
    most = 1 if alone else wanted_page_count(brief) or MOST_PAGES
    pages = {HOME: PageEntry(slug=HOME, title=domain.name)}
    for title in listed or domain.screens:
        slug = slugify(title)
        if not slug or title.lower() == domain.name.lower():
            continue
        if slug in ("home", HOME):
            if most == 1:
                continue
            pages[HOME] = PageEntry(slug=HOME, title=title)
        elif len(pages) < most:
            pages.setdefault(slug, PageEntry(slug=slug, title=title))
    return list(pages.values())
