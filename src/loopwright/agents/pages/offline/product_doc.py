"""What the offline model writes into the product doc: section patches in a fenced block of its text."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from loopwright.agents.pages.contracts import SectionOp, SectionPatch
from loopwright.agents.pages.offline.reading import ATTEMPTS, Done, Reading
from loopwright.agents.pages.offline.studio.contracts import AppPlan
from loopwright.agents.pages.requests.vocabulary import sentence
from loopwright.kernel.account.reading import language_of
from loopwright.kernel.offline import OfflineReply

# What the offline model says to the user: Markdown templates in `replies/`, filled strictly.

PACKAGE = "loopwright.agents.pages.offline"


def say(name: str, language: str = "en", **values: Any) -> str:
    """A reply for the user; every one says that no language model wrote it.

    Args:
        name: the template; where there is one in the user's language, that is taken.
        language: of the user, `en`, `de`, `fr`, `es` or `zh`.
        **values: what the template is filled with.

    Raises:
        jinja2.UndefinedError: the template uses a value that was not given.
    """
    environment = _environment()
    signature = environment.select_template([f"signature.{language}.md", "signature.md"]).render().strip()
    text = environment.select_template([f"{name}.{language}.md", f"{name}.md"]).render(signature=signature, **values)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def say_changed(
    request: str,
    headline: str,
    changes: Sequence[str],
    problems: Sequence[str],
    *,
    versions: bool = True,
    offers: Sequence[str] = (),
    **values: str,
) -> str:
    """The reply that tells what a message has changed, in the language of the message.

    Args:
        request: the user's message.
        headline: the name of its first sentence in `requests/replies.json`.
        changes: what was changed, a line each.
        problems: what did not work.
        versions: whether to say that earlier versions are kept.
        offers: what could be done next.
        **values: what the first sentence names.
    """
    language = language_of(request)
    first = sentence(language, headline, **values)
    return say(
        "changed", language, headline=first, changes=changes, problems=problems, versions=versions, offers=offers
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(_source),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - Markdown for a chat, whose reader escapes it
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _source(name: str) -> str | None:
    file = resources.files(PACKAGE).joinpath("replies", name)
    return file.read_text(encoding="utf-8") if file.is_file() else None


def enumeration(words: list[str] | tuple[str, ...]) -> str:
    """Words as a sentence has them: `a, b and c`."""
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), *words[-1:]])


def excerpt(text: str, length: int = 300) -> str:
    """The text on one line, cut at a word when it is longer."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[:length].rsplit(" ", 1)[0] + " …"


# Checks after every change, one attempt to repair what they find, and the honest end when something keeps failing.

REPAIR = "Repair what the validation reports:"
"""How the instructions of an edit begin that follows from a check."""

REPORT_LENGTH = 6_000
"""How much of a report stands in the instructions of the edit that repairs, in characters."""

Call = tuple[str, Mapping[str, Any]]

LOOK: Call = ("list_pages", {})
"""How a second attempt begins that is not about the text of one page."""


def check_and_repair(reading: Reading, slugs: Sequence[str]) -> OfflineReply | None:
    """Check the pages that were not checked since they were written; repair once what a check reports."""
    present = [slug for slug in slugs if slug in reading.slugs]
    faulty = {slug: report for slug in present if (report := _report(reading, slug)) and not report.failed}
    repair = [
        (slug, report.output)
        for slug, report in faulty.items()
        if "not valid" in report.output and not _repaired(reading, slug)
    ]
    if repair:
        calls: list[Call] = [
            ("edit_page", {"slug": slug, "edit_instructions": f"{REPAIR}\n{report[:REPORT_LENGTH]}"})
            for slug, report in repair
        ]
        calls += [("validate_html", {"slug": slug}) for slug, _ in repair]
        return OfflineReply(f"The check found something in {enumeration([s for s, _ in repair])}; I repair it.", calls)
    unchecked = [slug for slug in present if _report(reading, slug) is None and not _checked_in_vain(reading, slug)]
    if unchecked:
        return OfflineReply("I check the pages.", [("validate_html", {"slug": slug}) for slug in unchecked])
    return None


def _repaired(reading: Reading, slug: str) -> bool:
    return any(is_repair(call) for call in reading.calls_of("edit_page", slug))


def is_repair(call: Done) -> bool:
    """Whether an edit follows from a check and not from the user's request."""
    return str(call.arguments.get("edit_instructions", "")).startswith(REPAIR)


def _report(reading: Reading, slug: str) -> Done | None:
    """The newest check of a page, unless the page was written after it."""
    for call in reversed(reading.done):
        if call.slug == slug and call.name == "validate_html":
            return call
        if call.slug == slug and call.name in ("generate_page", "edit_page") and not call.failed:
            return None
    return None


def _checked_in_vain(reading: Reading, slug: str) -> bool:
    return len([call for call in reading.calls_of("validate_html", slug) if call.failed]) >= ATTEMPTS


def problems_of(reading: Reading, slugs: Sequence[str]) -> list[str]:
    """What the user has to know: pages that could not be made, that fail their check, images that could not be read."""
    problems = []
    for slug in slugs:
        report = _report(reading, slug)
        if slug not in reading.slugs:
            last = reading.calls_of("generate_page", slug)[-1:]
            problems.append(
                f"`{slug}` could not be made: {excerpt(last[0].output)}" if last else f"`{slug}` is missing."
            )
        elif report is not None and (report.failed or "not valid" in report.output):
            problems.append(f"`{slug}`: {excerpt(report.output)}")
    unread = [call for call in reading.calls_of("extract_style") if call.failed]
    return problems + [
        f"The style of {excerpt(str(call.arguments.get('image_url')), 80)} could not be read." for call in unread
    ]


def give_up(reading: Reading, last: Done) -> OfflineReply:
    """The honest end when something that everything else needs has failed twice."""
    made = enumeration([f"`{slug}`" for slug in reading.slugs])
    return OfflineReply(say("gave_up", tool=last.name, error=excerpt(last.output), made=made))


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
    ground: str | None = None
    """The background that was asked for."""


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
    """The entities of a data model, as `analyze_brief` tells it, with their fields; none when there is no model."""
    entities = data_model.get("entities") if isinstance(data_model, dict) else None
    if not isinstance(entities, dict) or not entities:
        return []
    lines = [
        f"- **{name}**: {', '.join(map(str, fields))}" for name, fields in entities.items() if isinstance(fields, list)
    ]
    return [SectionPatch(name="data", title="Data", content="\n".join(lines))]


def _shown(answer: str | list[str]) -> str:
    text = SEPARATOR.join(answer) if isinstance(answer, list) else answer
    return " ".join(text.split())
