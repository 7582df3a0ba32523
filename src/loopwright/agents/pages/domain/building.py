"""The pages of an app, made of its domain without another word from the model."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from loopwright.agents.pages.asking import Unusable
from loopwright.agents.pages.brief.features import read_theme
from loopwright.agents.pages.brief.knowledge import language_of
from loopwright.agents.pages.brief.sitemap import HOME, wanted_page_count
from loopwright.agents.pages.contracts import PageEntry
from loopwright.agents.pages.controlled_work import Work
from loopwright.agents.pages.design.check import standard_sheet
from loopwright.agents.pages.domain.app_model import to_data
from loopwright.agents.pages.domain.app_reader import says_anything
from loopwright.agents.pages.domain.entering import (
    A_PAGE_HEADS,
    ADDS,
    BACKGROUND,
    DARK,
    DARK_LOOK,
    ENGLISH,
    GERMAN,
    HEADINGS,
    ON_A_PAGE,
    PALER,
    TEXT,
    Asked,
    Input,
    Outline,
    read_calculation,
)
from loopwright.agents.pages.domain.facts import left_out
from loopwright.agents.pages.domain.formulas import Calculation, Formula, checked_formula, names_of, usual_formula
from loopwright.agents.pages.domain.joining import Joined, by_titles, join, supported_things
from loopwright.agents.pages.domain.outline import outline_of
from loopwright.agents.pages.domain.proposal import EMPTY, Proposal
from loopwright.agents.pages.domain.rendering import parts_of, render_page
from loopwright.agents.pages.domain.said import WORDS, Said
from loopwright.agents.pages.domain.sections import facts_of, outlined, short_title, title_of, words_in
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.tools.build_pages import draw_app
from loopwright.agents.pages.tools.design import save_sheet
from loopwright.agents.pages.tools.writing import Draft, frame_of, save_page
from loopwright.kernel.account.reading import read_values
from loopwright.kernel.account.reading.values import near_hue
from loopwright.kernel.answer_form import answer_format
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.tools import ToolContext

# The look that a brief asks for, by its own words: colours, and what is dark or has a colour behind it.

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
    """Colours by name: in the standard shade where that is near to what the name says, else as the name says."""
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
    """The standard shade of a colour, between both where it is much darker than what the name says."""
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


# Small questions to the model: what is this app about, and by which formula does it calculate?

MAX_TOKENS = 900
MOST_READ = 4_000
"""Characters of the brief that the model is shown."""


Answer = TypeVar("Answer", bound=BaseModel)
Taken = TypeVar("Taken")


async def ask_domain(ctx: ToolContext[PagesServices], brief: str) -> Proposal | Unusable:
    """The domain as the model reads it."""
    return await _ask(ctx, "pages/domain", brief[:MOST_READ], Proposal, lambda answer: answer)


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


KEPT_OF_BRIEF = 4_000
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
    plan = EMPTY if isinstance(found, Unusable) else found
    alone, lang = is_one_page(brief), spoken_in(brief)
    outline = outline_of(brief) if alone and lang != "zh" else Outline()
    if outline.is_empty:
        if not plan.things and not says_anything(brief):
            work.remarks.append("What the app is about could not be read from the brief in one answer.")
            return False
        await _of_plan(work, join(by_titles(plan), brief, alone=alone), brief)
        return True
    name = named(plan.name, outline, brief, lang)
    if name == plan.name and not Said(brief, lang).literally(name):
        work.remarks.append(f"Taken without your word: the name “{name}”.")
    page = PageEntry(slug=HOME, title=name)
    await _note(work, brief, name, [page])
    await _style(work, look_of(brief, outline))
    await _save(work, page, await _of_outline(work, brief, plan.model_copy(update={"name": name}), outline, lang), lang)
    return True


async def _of_plan(work: Work, joined: Joined, brief: str) -> None:
    """The pages of a plan, drawn in neutral blocks; what of it the brief does not say is told."""
    model = joined.model
    pages = [PageEntry(slug=page.slug, title=page.title) for page in model.pages]
    await _note(work, brief, model.name, pages, to_data(model))
    built = await draw_app(work.context("build_pages", {"pages": len(pages)}), model, brief)
    work.made += built.made
    work.failed |= built.failed
    if joined.invented:
        work.remarks.append(f"Taken without your word: {'; '.join(joined.invented)}.")


async def _note(
    work: Work, brief: str, name: str, pages: Sequence[PageEntry], model: Mapping[str, Any] | None = None
) -> None:
    await work.run.services.sessions.update(
        work.run.state.session_id,
        metadata={
            "brief": brief[:KEPT_OF_BRIEF],
            "product_type": "app",
            "app_name": name,
            "planned_pages": [page.model_dump() for page in pages],
            "app_model": model,
        },
    )


async def _style(work: Work, look: Look) -> None:
    project = await work.project()
    if not project.css:
        told = {"colors": list(look.colours), "dark": look.dark, "ground": look.ground}
        sheet = standard_sheet(look.colours, dark=look.dark, ground=look.ground, headings=look.headings)
        await save_sheet(work.context("standard_sheet", told), project, sheet)


async def _of_outline(work: Work, brief: str, plan: Proposal, outline: Outline, lang: str) -> Content:
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
    parts = outlined(outline, calculation, notes, lang, plan.name)
    if ADDS.search(brief) and not (outline.calculation or outline.form):
        parts += parts_of(supported_things(plan, Said(brief, lang)))
    if gaps := left_out(brief, [*parts, plan.name]):
        parts.append(facts_of(gaps, words_in(lang)))
    return Content(parts, calculation.script if calculation else "")


async def _save(work: Work, page: PageEntry, content: Content, lang: str) -> None:
    frame = frame_of(page, [page], app_name=page.title, lang=lang)
    draft = Draft(page.slug, page.title, render_page(frame, content.parts, content.formula), "generate", page.title)
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
    said = [word for word in words if len(word) > 3 and word in WORDS.findall(brief.lower())]
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
