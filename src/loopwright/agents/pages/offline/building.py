"""How the offline model makes a new app: ask, analyse, design, generate, check, repair, tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.pages.interview.questions import Facts, adaptive_questions
from loopwright.agents.pages.offline.intents import is_continuation
from loopwright.agents.pages.offline.product_doc import (
    LOOK,
    Answers,
    Call,
    Look,
    brand_style,
    check_and_repair,
    data_section,
    enumeration,
    give_up,
    interview,
    overview,
    page_list,
    problems_of,
    recorded_answers,
    say,
    with_patches,
)
from loopwright.agents.pages.offline.reading import Reading, find_json
from loopwright.agents.pages.offline.studio.archetypes import plan_app
from loopwright.agents.pages.offline.studio.contracts import AppPlan, Question
from loopwright.agents.pages.offline.studio.interview import as_question
from loopwright.kernel.account.reading import language_of
from loopwright.kernel.gates import QuestionItem
from loopwright.kernel.offline import OfflineReply

# Questions to the user, in the shape of the `ask_user` tool.


def ask(questions: Sequence[Question], text: str) -> OfflineReply:
    """A move that asks these questions and nothing else: calls beside a question are not run."""
    return OfflineReply(text, [("ask_user", {"questions": [as_item(question) for question in questions]})])


def as_item(question: Question) -> dict[str, Any]:
    """A question of the studio as the tool takes it, with the answer that the studio would assume as its default."""
    default = list(question.default) if isinstance(question.default, tuple) else question.default
    item = QuestionItem(
        question=question.question,
        type=question.type,
        options=list(question.options) or None,
        context=question.context or None,
        default=default or None,
    )
    return item.model_dump(exclude_none=True)


BRIEF_LENGTH = 20_000
"""How much of a brief is read, in characters."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page to be made."""

    slug: str
    title: str
    description: str


def build(reading: Reading) -> OfflineReply:
    """The next move of a run that makes a new app; which one follows from what the dialogue shows as done."""
    brief = brief_of(reading)
    answers = reading.answers
    known = recorded_answers(reading.system) if answers is None else answers | reading.assumed
    questions = () if answers is not None or known else _questions(reading, brief)
    if questions:
        return ask(questions, "Before I start, I would like to know a little more. Skip what does not matter to you.")
    plan = plan_app(brief, known)
    pages = pages_to_make(reading, plan)
    return (
        _analyse(reading, plan, known)
        or _design(reading, plan)
        or _generate(reading, plan, pages)
        or check_and_repair(reading, [page.slug for page in pages])
        or _tell(reading, plan, pages)
    )


def brief_of(reading: Reading) -> str:
    """What the app is to be: the request, or the earlier requests when the user only says to go on."""
    if not is_continuation(reading.message):
        return reading.message[:BRIEF_LENGTH]
    earlier = [message for message in reading.earlier if not is_continuation(message)]
    return ("\n".join(earlier) or reading.message)[:BRIEF_LENGTH]


def _questions(reading: Reading, brief: str) -> tuple[Question, ...]:
    """What is worth asking: nothing where the brief says enough, unless the user wants to be asked."""
    state = reading.state
    if state.generate_now or reading.done:
        return ()
    return tuple(as_question(asked) for asked in adaptive_questions(Facts(brief), state.interview))


def _analyse(reading: Reading, plan: AppPlan, answers: Answers) -> OfflineReply | None:
    """First of all: what kind of app it is, and the style of the user's images beside it."""
    tried = reading.calls_of("analyze_brief")
    planned = bool(reading.state.planned_pages) or reading.state.design_system
    if (planned and not tried) or reading.succeeded("analyze_brief") or reading.spent("analyze_brief"):
        return None
    calls: list[Call] = [LOOK] if tried else []
    if not reading.calls_of("extract_style"):
        calls += [("extract_style", {"image_url": image}) for image in reading.images]
    arguments = {"user_request": plan.brief}
    if not tried:  # the second attempt is the plainest one
        arguments["conversation_summary"] = summary_of(plan, answers)
    calls.append(("analyze_brief", arguments))
    text = f"I plan **{plan.app_name}**: {enumeration([page.title for page in plan.pages])}."
    if calls[0][0] == "extract_style":
        text += " First I look at the style of your images."
    patches = [] if tried else [overview(plan), *interview(reading.answers or {}, reading.assumed)]
    return OfflineReply(with_patches(text, patches), calls)


def summary_of(plan: AppPlan, answers: Answers) -> str:
    """What is known beside the brief, for `analyze_brief`: answers and what the rules read out of both."""
    lines = [f"{question} {', '.join(a) if isinstance(a, list) else a}" for question, a in answers.items()]
    lines.append(f'The app is called "{plan.app_name}".')
    if plan.pages != plan_app(plan.brief).pages:  # the analysis finds by itself what the brief alone says
        lines.append(f"Pages: {', '.join(page.title for page in plan.pages)}.")
    return "\n".join(lines)


def pages_to_make(reading: Reading, plan: AppPlan) -> list[Page]:
    """The pages that `analyze_brief` suggested or the session has planned, else those of the rules' own plan.

    All links point at planned pages, so what is planned is what has to be made.
    """
    described = {key: page.description for page in plan.pages for key in (page.slug, page.title.lower())}
    suggested = _analysis(reading).get("suggested_pages")
    entries = suggested if isinstance(suggested, list) else []
    found = [each for each in entries if isinstance(each, dict) and each.get("slug") and each.get("title")]
    found = found or [page.model_dump() for page in reading.state.planned_pages]
    pages = [
        Page(
            each["slug"],
            each["title"],
            described.get(each["slug"])
            or described.get(each["title"].lower())
            or each.get("description")
            or each["title"],
        )
        for each in found
    ]
    return pages or [Page(page.slug, page.title, page.description) for page in plan.pages]


def _analysis(reading: Reading) -> dict[str, Any]:
    done = reading.succeeded("analyze_brief")
    found = find_json(done.output) if done else None
    return found if isinstance(found, dict) else {}


def _design(reading: Reading, plan: AppPlan) -> OfflineReply | None:
    """Then the design system; without one no page is begun."""
    if reading.state.design_system or reading.succeeded("create_design_system"):
        return None
    tried = reading.calls_of("create_design_system")
    if reading.spent("create_design_system"):
        return give_up(reading, tried[-1])
    tokens = extracted_tokens(reading)
    theme = plan.theme
    mode = theme.mode or tokens.get("mode")  # what nobody chose is left to the subject's own look
    look = Look(mode, theme.brand_colors or _token_colors(tokens), theme.style_words, theme.ground)
    if tried:  # the second attempt does without what may have been refused
        return OfflineReply(
            "I try the design system once more, plainly.", [LOOK, design_call(reading, Look(), plan.product_type)]
        )
    chosen = [mode, *look.style_words, f"accent {enumeration(look.colors[:2])}" if look.colors else ""]
    text = f"The look: {', '.join(filter(None, chosen)) or 'what suits the subject'}."
    patch = brand_style(look, enumeration(reading.images) if tokens else "")
    return OfflineReply(with_patches(text, [patch]), [design_call(reading, look, plan.product_type, tokens)])


def design_call(
    reading: Reading, look: Look, product_type: str = "app", tokens: Mapping[str, Any] | None = None
) -> Call:
    """The call that makes the design system in this look; `tokens` are those of an image.

    The product type is the one that the analysis has found; `product_type` stands in where it is not known.
    """
    style: dict[str, Any] = {**(tokens or {}), "mode": look.mode, "style_words": list(look.style_words)}
    if look.ground:
        style["colors"] = {**style.get("colors", {}), "background": look.ground}
    found = _analysis(reading).get("product_type") or reading.state.product_type
    arguments: dict[str, Any] = {"product_type": found if isinstance(found, str) and found else product_type}
    if style := {key: value for key, value in style.items() if value}:
        arguments["style_tokens"] = style
    if look.colors:
        arguments["brand_colors"] = list(look.colors)
    return "create_design_system", arguments


def extracted_tokens(reading: Reading) -> dict[str, Any]:
    """The style tokens of the first image whose style could be read."""
    for call in reading.calls_of("extract_style"):
        found = None if call.failed else find_json(call.output)
        if isinstance(found, dict):
            tokens = found.get("style_tokens", found)
            return tokens if isinstance(tokens, dict) else {}
    return {}


def _token_colors(tokens: Mapping[str, Any]) -> tuple[str, ...]:
    colors = tokens.get("colors")
    named = [colors.get(key) for key in ("primary", "secondary", "accent")] if isinstance(colors, dict) else []
    return tuple(dict.fromkeys(color for color in named if isinstance(color, str) and color.startswith("#")))


def _generate(reading: Reading, plan: AppPlan, pages: Sequence[Page]) -> OfflineReply | None:
    """All missing pages in one answer, so that they are made side by side, and a check of each behind them."""
    missing = [
        page for page in pages if page.slug not in reading.slugs and not reading.spent("generate_page", page.slug)
    ]
    if not missing:
        return None
    again = any(reading.calls_of("generate_page", page.slug) for page in missing)
    calls: list[Call] = [
        ("generate_page", {"slug": page.slug, "title": page.title, "description": page.description}) for page in missing
    ]
    calls += [("validate_html", {"slug": page.slug}) for page in missing]
    names = enumeration([page.title for page in missing])
    if again:
        return OfflineReply(f"I try {names} once more.", [LOOK, *calls])
    patches = [
        page_list([(page.slug, page.title, page.description) for page in pages]),
        *data_section(_analysis(reading).get("data_model")),
    ]
    return OfflineReply(with_patches(f"Now the pages: {names}.", patches), calls)


def _tell(reading: Reading, plan: AppPlan, pages: Sequence[Page]) -> OfflineReply:
    made = [page for page in pages if page.slug in reading.slugs]
    if not made:
        return give_up(reading, reading.calls_of("generate_page")[-1])
    design = reading.succeeded("create_design_system")
    colors = design.arguments.get("brand_colors", []) if design else []
    tokens = design.arguments.get("style_tokens", {}) if design else {}
    style = ", ".join(filter(None, [plan.theme.mode or tokens.get("mode"), *plan.theme.style_words, *colors[:2]]))
    problems = problems_of(reading, [page.slug for page in pages])
    name = reading.state.app_name or _analysis(reading).get("app_name") or plan.app_name
    return OfflineReply(
        say(
            "built",
            language_of(plan.brief),
            app_name=name,
            tagline=plan.tagline,
            made=made,
            style=style,
            problems=problems,
        )
    )
