"""What the offline model writes into the product doc: section patches in a fenced block of its text."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.pages.contracts import SectionOp, SectionPatch
from loopwright.agents.pages.offline.studio.contracts import AppPlan
from loopwright.agents.pages.offline.wording import excerpt

Answers = Mapping[str, str | list[str]]

ARROW = " → "
SEPARATOR = " · "
ASSUMED = " (assumed)"
"""What follows an answer that the user did not give."""

ANSWERS_SECTION = "overview.answers"
"""Its name begins with a word that makes the section part of every prompt."""

_LINE = re.compile(rf"^- (.+?){ARROW}(.+)$", re.MULTILINE)
_LOOK = re.compile(r"^- (Mode|Brand colours|Style): (.+)$", re.MULTILINE)
_HEX = re.compile(r"#[0-9A-Fa-f]{6}\b")


def _section(system: str, name: str) -> str:
    """The lines of a section of the product doc as a system message shows it: a heading, then a list."""
    found = re.search(rf"^#+ {re.escape(name)}\b[^\n]*\n((?:- [^\n]*(?:\n|\Z))*)", system, re.MULTILINE)
    return found[1] if found else ""


def with_patches(text: str, patches: Sequence[SectionPatch]) -> str:
    """The text with the patches in a fenced block behind it; without any it stays as it is."""
    if not patches:
        return text
    sections = [patch.model_dump(exclude={"sources"}) for patch in patches]
    body = json.dumps({"sections": sections}, ensure_ascii=False, indent=1)
    return f"{text}\n\n```product-doc\n{body}\n```"


def overview(plan: AppPlan) -> SectionPatch:
    """What the app is, for whom, and in the user's own words."""
    lines = [
        f"**{plan.app_name}**" + (f" – {plan.tagline}" if plan.tagline else ""),
        f"- Product type: {plan.product_type}",
        *([f"- Audience: {plan.audience}"] if plan.audience else []),
        *([f"- Features: {', '.join(plan.features)}"] if plan.features else []),
        f"- The user's words: “{excerpt(plan.brief, 2_000)}”",
    ]
    return SectionPatch(name="overview", title="Overview", content="\n".join(lines))


def interview(answers: Answers, assumed: Answers | None = None, op: SectionOp = "set") -> list[SectionPatch]:
    """The user's answers, word for word, and what was assumed where they left it open; none without either."""
    lines = [f"- {question}{ARROW}{_shown(answer)}" for question, answer in answers.items()]
    lines += [f"- {question}{ARROW}{_shown(answer)}{ASSUMED}" for question, answer in (assumed or {}).items()]
    if not lines:
        return []
    return [SectionPatch(name=ANSWERS_SECTION, title="What the user answered", op=op, content="\n".join(lines))]


def recorded_answers(system: str) -> dict[str, str | list[str]]:
    """The answers of an interview that the product doc in the system message holds, assumed ones too.

    After a compaction, or in a later run, they are no longer in the dialogue.
    """
    found: dict[str, str | list[str]] = {}
    for question, answer in _LINE.findall(_section(system, ANSWERS_SECTION)):
        said = answer.removesuffix(ASSUMED).strip()
        found[question] = said.split(SEPARATOR) if SEPARATOR in said else said
    return found


@dataclass(frozen=True, slots=True)
class Look:
    """The look of the app as far as it was chosen; what is empty is the product type's own."""

    mode: str | None = None
    colors: tuple[str, ...] = ()
    style_words: tuple[str, ...] = ()


def brand_style(look: Look, source: str = "") -> SectionPatch:
    """The look; `source` tells where it comes from when it is not from words."""
    lines = [
        *([f"- Mode: {look.mode}"] if look.mode else []),
        f"- Brand colours: {', '.join(look.colors) if look.colors else 'those of the product type'}",
        *([f"- Style: {', '.join(look.style_words)}"] if look.style_words else []),
        *([f"- Source: {source}"] if source else []),
    ]
    return SectionPatch(name="brand_style", title="Brand style", content="\n".join(lines))


def recorded_look(system: str) -> Look:
    """The look that the product doc in the system message holds, in the words of `brand_style`."""
    found = {key: value.strip() for key, value in _LOOK.findall(_section(system, "brand_style"))}
    words = tuple(word.strip() for word in found.get("Style", "").split(",") if word.strip())
    return Look(found.get("Mode"), tuple(_HEX.findall(found.get("Brand colours", ""))), words)


def page_list(pages: Sequence[tuple[str, str, str]]) -> SectionPatch:
    """The pages as (slug, title, description)."""
    lines = [f"- **{title}** (`{slug}`): {description}" for slug, title, description in pages]
    return SectionPatch(name="pages", title="Pages", content="\n".join(lines))


def data_section(data_model: Any) -> list[SectionPatch]:
    """The entities of a data model with their fields; none when there is no model."""
    entities = data_model.get("entities") if isinstance(data_model, dict) else None
    if not isinstance(entities, dict) or not entities:
        return []
    lines = [f"- **{name}**: {', '.join(_fields(entity))}" for name, entity in entities.items()]
    return [SectionPatch(name="data", title="Data", content="\n".join(lines))]


def _fields(entity: Any) -> list[str]:
    fields = entity.get("fields") if isinstance(entity, dict) else None
    return [str(each.get("name", "")) for each in fields if isinstance(each, dict)] if isinstance(fields, list) else []


def _shown(answer: str | list[str]) -> str:
    text = SEPARATOR.join(answer) if isinstance(answer, list) else answer
    return " ".join(text.split())
