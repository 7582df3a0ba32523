"""The pages agent without a language model: rules that answer every request of its loop and of its tools."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from loopwright.agents.pages.offline.amending import amend, changed_answers
from loopwright.agents.pages.offline.building import ask, build, design_call
from loopwright.agents.pages.offline.editing import (
    NewPage,
    add_page,
    adds_hearts,
    bare_summary,
    edit,
    existed_before,
    go_back,
    make_and_link,
    pages_meant,
    rehearse,
)
from loopwright.agents.pages.offline.intents import Intent, plain_answer, slug_of, title_of, understand
from loopwright.agents.pages.offline.product_doc import (
    LOOK,
    Answers,
    Call,
    Look,
    brand_style,
    check_and_repair,
    enumeration,
    excerpt,
    give_up,
    interview,
    is_repair,
    problems_of,
    recorded_answers,
    recorded_look,
    say,
    say_changed,
    with_patches,
)
from loopwright.agents.pages.offline.reading import Done, Reading, UnreadableRequest
from loopwright.agents.pages.offline.removing import pages_to_go, remove_pages
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.details import read_json
from loopwright.agents.pages.offline.studio.editing import edit_page
from loopwright.agents.pages.offline.studio.editing.source import to_english
from loopwright.agents.pages.offline.studio.interview import feature_questions
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.offline.studio.theme import read_theme
from loopwright.agents.pages.parsing.edits import Inexpressible, blocks_between, render
from loopwright.agents.pages.promises.app_pages import subject_words
from loopwright.agents.pages.requests.meaning import Page
from loopwright.agents.pages.requests.phrases import clauses
from loopwright.agents.pages.requests.reading import read_requests
from loopwright.agents.pages.requests.vocabulary import group, left_over, verb
from loopwright.kernel.offline import OfflineReply, OfflineRequest
from loopwright.kernel.policy import MORE_TOOLS

# What the offline model does when a change would break a promise: ask for its withdrawal, or say what is in the way.

WRITERS = ("edit_page", "generate_page", "create_design_system", "change_app")

_REFUSAL = re.compile(r"^Error: .{0,200}\bbreaks the promises? ", re.DOTALL)
_NAMED = re.compile(r"\b(P[1-9][0-9]*) “([^”]*)”")
_WITHDRAW = re.compile(
    r"^(?:withdraw|take back|give up|drop|cancel|forget)\s+(?:the\s+)?(?:promises?\s+)?"
    r"(P\d+(?:(?:\s*,\s*|\s*,?\s+and\s+)P\d+)*)\s*[.!]?$|^(?:撤回|取消)(?:承诺)?\s*(P\d+)\s*[。！]?$",
    re.IGNORECASE,
)
_REQUEST = 4_000
"""Characters of a message that the tool takes."""
_REASON = 400
"""Characters of the request that stand in a withdrawal's reason."""


def withdrawal_asked_for(reading: Reading) -> OfflineReply | None:
    """The next move where the user asks for a promise to be withdrawn, in so many words; None for other requests."""
    asked = _WITHDRAW.match(reading.message)
    if asked is None:
        return None
    done = reading.calls_of("withdraw_promise")
    if not done:
        names = (asked[1] or asked[2]).upper()
        return OfflineReply("", [("withdraw_promise", {"promise_id": names, "reason": reading.message[:_REASON]})])
    told = excerpt(done[-1].output.replace(" Now make the change that the user asked for.", ""))
    return OfflineReply(say("withdrawn", told=told))


def promises_in_the_way(reading: Reading, message: str) -> OfflineReply | None:
    """The next move where changes were refused because of promises; None where none was."""
    refused = _refused(reading)
    if not refused:
        return None
    withdrawals = reading.calls_of("withdraw_promise")
    if withdrawals and not withdrawals[-1].failed:
        again = [call for call in refused if call.step < withdrawals[-1].step]
        if again:
            calls: list[Call] = [(call.name, call.arguments) for call in again]
            calls += [("validate_html", {"slug": call.slug}) for call in again if call.slug]
            return OfflineReply("Now I make the change.", calls)
    named = _named(refused)
    asked_before = {name for call in withdrawals for name in _names_in(call.arguments)}
    about = [name for name, words in named.items() if name not in asked_before and _speaks_of(message, words)]
    if about and set(named) - asked_before == set(about):
        arguments = {"promise_id": ", ".join(about), "reason": message[:_REASON]}
        text = "That is the contrary of something that you asked for earlier; I ask whether it may go."
        return OfflineReply(text, [("withdraw_promise", arguments)])
    return _tell(reading, refused, kept=bool(withdrawals) and withdrawals[-1].failed)


def _refused(reading: Reading) -> list[Done]:
    """The newest attempt at each change, where it was refused because of a promise."""
    newest: dict[tuple[str, str], Done] = {}
    for call in reading.done:
        if call.name in WRITERS and not is_repair(call):
            newest[call.name, call.slug] = call
    return [call for call in newest.values() if _REFUSAL.match(call.output)]


def _named(refused: Sequence[Done]) -> dict[str, str]:
    """The promises that refusals name, each with the words that tell what it is about: its request and its checks."""
    words: dict[str, str] = {}
    for call in refused:
        for name, request in _NAMED.findall(call.output):
            findings = [line for line in call.output.splitlines() if line.startswith(f"{name}:")]
            expected = " ".join(line.partition("; found ")[0] for line in findings)
            words[name] = f"{words.get(name, '')} {request} {expected}"
    return words


def _speaks_of(message: str, words: str) -> bool:
    return bool(subject_words(message) & subject_words(words))


def _names_in(arguments: Mapping[str, object]) -> list[str]:
    return re.findall(r"P[1-9][0-9]*", str(arguments.get("promise_id", "")))


def _tell(reading: Reading, refused: Sequence[Done], *, kept: bool) -> OfflineReply:
    promises = {name: request for call in refused for name, request in _NAMED.findall(call.output)}
    places = {call.slug for call in refused}
    written = [call for call in reading.done if call.name in WRITERS and not call.failed and call.slug not in places]
    changed = enumeration(list(dict.fromkeys(f"`{call.slug}`" for call in written if call.slug)))
    lines = [f"{name}: “{request}”" for name, request in promises.items()]
    return OfflineReply(say("promises", changed=changed, kept=kept, promises=lines, names=enumeration(list(promises))))


# A request for a feature: ask how it is meant, then give it its place.

HEARTS = "Add hearts for favourites"

_NAMES = (
    (re.compile(r"\bfavou?rit|\bwish ?list|\bbookmark|\bsave\b", re.IGNORECASE), "Favorites"),
    (re.compile(r"\bsearch|\bfind\b", re.IGNORECASE), "Search"),
    (re.compile(r"\breview|\brat(?:e|ings?)\b|\btestimonial", re.IGNORECASE), "Reviews"),
    (re.compile(r"\bloyalty|\brewards?\b|\bpoints\b|\bstamps?\b", re.IGNORECASE), "Rewards"),
    (re.compile(r"\bbook|\breserv|\bappointment", re.IGNORECASE), "Booking"),
    (re.compile(r"\bchat|\bmessag", re.IGNORECASE), "Messages"),
    (re.compile(r"\blog ?in|\bsign[ -]?(?:in|up)|\baccounts?\b", re.IGNORECASE), "Account"),
    (re.compile(r"\bnotif|\balerts?\b|\breminders?\b", re.IGNORECASE), "Notifications"),
)
"""How pages for well-known features are called; other features are called by their own words."""

_ON_HOME = re.compile(r"\bhome page\b", re.IGNORECASE)
_DETAIL_ONLY = re.compile(r"\bdetail page\b", re.IGNORECASE)


def add_feature(reading: Reading, intent: Intent) -> OfflineReply:
    """The next move of a request for a feature: questions, then an edit of the home page or a page of its own.

    Where the rules know no such thing for the home page, it gets a page all the same; favourites bring their hearts to
    every page that shows something to save.
    """
    answers, state = reading.answers, reading.state
    questions = feature_questions(intent.text)
    if questions and not reading.done and not state.generate_now and state.interview is not False:
        return ask(questions, f"Before I add {intent.subject or 'that'}, I would like to know how you mean it.")
    asked = [question.question for question in questions]
    recorded = {question: a for question, a in recorded_answers(reading.system).items() if question in asked}
    given = recorded if answers is None else answers | reading.assumed
    only_asked = all(call.name == "ask_user" for call in reading.done)
    patches = interview(answers or {}, reading.assumed, "append") if only_asked else []
    move = _place(reading, intent, given)
    return OfflineReply(with_patches(move.text, patches), move.tool_calls) if move.tool_calls else move


def _place(reading: Reading, intent: Intent, answers: Answers) -> OfflineReply:
    title = feature_title(intent)
    slug = slug_of(title)
    hearts = HEARTS if title == "Favorites" and not _says(answers, _DETAIL_ONLY) else ""
    if hearts and existed_before(reading, slug):
        return edit(reading, hearts, reading.slugs, adds_hearts)
    if not slug or existed_before(reading, slug):
        return edit(reading, intent.text, (slug,) if slug else pages_meant(reading, intent.text))
    if _says(answers, _ON_HOME) and "index" in reading.slugs:
        on_home = _on_home(reading, intent, hearts)
        if on_home is not None:
            return on_home
    return make_and_link(reading, NewPage(slug, title, with_answers(intent.text, answers), hearts))


def _on_home(reading: Reading, intent: Intent, hearts: str) -> OfflineReply | None:
    """The edit of the home page, or None when the rules know nothing to do there."""
    if reading.calls_of("generate_page"):
        return None  # it has got its own page already
    instructions = hearts or intent.text
    outcome = rehearse(reading, "index", instructions)
    if outcome is not None and not outcome.changed and not reading.calls_of("edit_page"):
        return None
    return edit(reading, instructions, ("index",))


def feature_title(intent: Intent) -> str:
    """The name of a page for the feature."""
    known = next((name for pattern, name in _NAMES if pattern.search(intent.subject)), None)
    return known or title_of(intent.subject)


def with_answers(text: str, answers: Answers) -> str:
    """A request with what the user answered about it."""
    lines = [f"{question} {', '.join(a) if isinstance(a, list) else a}" for question, a in answers.items()]
    return "\n".join([text, *lines])


def _says(answers: Answers, pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(text) for a in answers.values() for text in ([a] if isinstance(a, str) else a))


def design_system(request: OfflineRequest) -> OfflineReply:
    """Task `pages/design-system`: the whole CSS in a fence."""
    asked = payload_of(request)
    tokens = asked.get("style_tokens") or {}
    said = read_theme(asked.get("brief") or "")
    css = render_design_system(
        asked.get("product_type") or "",
        style_tokens=tokens,
        brand_colors=tuple(asked.get("brand_colors") or ()) or said.brand_colors,
        app_name=asked.get("app_name") or "",
        style_words=tuple(tokens.get("style_words") or said.style_words),
        mode=tokens.get("mode") or said.mode,
        brief=asked.get("brief") or "",
    )
    return OfflineReply(f"```css\n{css.strip()}\n```")


def new_page(request: OfflineRequest) -> OfflineReply:
    """Task `pages/generate-page`: the complete document in a fence."""
    asked = payload_of(request)
    sections = asked.get("sections") or {}
    html = render_page(
        PageRequest(
            slug=asked["slug"],
            title=asked["title"],
            description=asked.get("description") or "",
            product_type=asked.get("product_type") or "",
            app_name=asked.get("app_name") or "",
            sitemap=tuple(SitemapEntry(page["slug"], page["title"]) for page in asked.get("sitemap") or ()),
            brief=asked.get("brief") or "",
            data_model=asked.get("data_model"),
            notes="\n".join(str(text) for text in sections.values()),
        )
    )
    return OfflineReply(f"```html\n{html.strip()}\n```")


def edited_page(request: OfflineRequest) -> OfflineReply:
    """Task `pages/edit-page`: minimal SEARCH/REPLACE blocks, or a sentence that says why there are none."""
    asked = payload_of(request)
    html = asked["html"]
    outcome = edit_page(html, asked["instructions"])
    try:
        blocks = blocks_between(html, outcome.html) if outcome.changed else []
    except Inexpressible as error:
        return OfflineReply(f"I left the page as it is: {error}.")
    return OfflineReply(f"{render(blocks)}\n\n{bare_summary(outcome)}".strip())


def payload_of(request: OfflineRequest) -> dict[str, Any]:
    """The JSON object that the tool sent; corrections that follow it change nothing about what is wanted.

    Raises:
        UnreadableRequest: the first user message is not a JSON object.
    """
    text = next((message.content for message in request.messages if message.role == "user"), "")
    try:
        payload = json.loads(text)
    except ValueError as error:
        raise UnreadableRequest("the first user message is not JSON") from error
    if not isinstance(payload, dict):
        raise UnreadableRequest("the first user message is not a JSON object")
    return payload


def refine(reading: Reading, intent: Intent) -> OfflineReply:
    """The next move of a run that changes an app."""
    about_promises = withdrawal_asked_for(reading) or promises_in_the_way(reading, intent.text)
    if about_promises is not None:
        return about_promises
    if intent.kind == "undo":
        return go_back(reading, intent)
    meant = pages_to_go(reading, intent.text)
    if intent.kind == "remove_page" or meant.slugs or meant.unknown or reading.calls_of("delete_page"):
        asked_all = all(reading.calls_of("delete_page", slug) for slug in meant.slugs)
        if meant.rest and asked_all and not reading.calls_of("change_app"):
            return change_app(reading, Intent("edit", meant.rest))
        return remove_pages(reading, intent.text, meant)
    if reading.calls_of("change_app") or _understood(reading, intent):
        return change_app(reading, intent)
    if intent.kind == "new_page":
        return add_page(reading, intent)
    if is_known_section(intent.text):
        return edit(reading, intent.text, pages_meant(reading, intent.text))
    if intent.kind == "feature":
        return add_feature(reading, intent)
    if intent.kind == "restyle":
        restyled = _restyle(reading, intent)
        if restyled is not None:
            return restyled
    return change_app(reading, intent)


FACTS = ("Opening hours", "Contact", "Map")
"""Sections that state facts: what the user has not said is not made up."""
_SECTION = re.compile(r"\b(?:sections?|blocks?)\b|部分|板块|模块", re.IGNORECASE)


def is_known_section(text: str) -> bool:
    """Whether a message asks for a section that the rules can make, and for nothing else."""
    if len(clauses(text)) != 1 or verb("add").search(text) is None:
        return False
    bare = _SECTION.sub(" ", verb("add").sub(" ", text))
    for known in read_json("additions.json"):
        if known["name"] in FACTS:
            continue
        said = to_english(text) or bare
        if re.search(known["pattern"], said, re.IGNORECASE):
            rest = re.sub(known["pattern"], " ", bare, flags=re.IGNORECASE)
            return to_english(text) is not None or not left_over(group("home").sub(" ", rest))
    return False


def _understood(reading: Reading, intent: Intent) -> bool:
    """Whether a clause of the message asks for an effect that can be looked at, or is known and refused by name."""
    pages = [Page(page.slug, page.title) for page in reading.state.pages]
    return any(each.effect is not None or each.why == "filter_by" for each in read_requests(intent.text, pages))


def change_app(reading: Reading, intent: Intent) -> OfflineReply:
    """The next move of a request to change what is there: one call, and what it tells."""
    done = reading.calls_of("change_app")
    if not done or (done[-1].failed and len(done) == 1 and not _refused(reading)):
        arguments: dict[str, Any] = {"request": intent.text[:_REQUEST]}
        if reading.targets:
            arguments["pages"] = list(reading.targets)
        return OfflineReply("", [("change_app", arguments)])
    if done[-1].failed:
        return give_up(reading, done[-1])
    return OfflineReply(say("told", told=done[-1].output))


def _restyle(reading: Reading, intent: Intent) -> OfflineReply | None:
    """A new design system: all pages share it, so one call changes them all. None when no new look is recognised."""
    theme = read_theme(intent.text)
    if not (theme.mode or theme.brand_colors):  # a style word alone is a change that is measured, or is refused
        return None
    done = reading.succeeded("create_design_system")
    if done is None:
        tried = reading.calls_of("create_design_system")
        if reading.spent("create_design_system"):
            return give_up(reading, tried[-1])
        before = recorded_look(reading.system)
        look = Look(
            theme.mode or before.mode,
            theme.brand_colors or before.colors,
            theme.style_words or before.style_words,
        )
        text = with_patches("I make the design system anew; every page uses it.", [] if tried else [brand_style(look)])
        return OfflineReply(text, [*([LOOK] if tried else []), design_call(reading, look)])
    checked = check_and_repair(reading, reading.slugs)
    if checked is not None:
        return checked
    wanted = [theme.mode or "", *theme.brand_colors, *theme.style_words]
    change = f"the design system: {', '.join(word for word in wanted if word)}"
    problems = problems_of(reading, reading.slugs)
    pages = enumeration(reading.slugs)
    return OfflineReply(say_changed(intent.text, "new_look", [change], problems, versions=False, pages=pages))


NEW_PROJECT = "new-project"
READING = frozenset({"list_pages", "validate_html"})
WRITING = frozenset({"analyze_brief", "change_app", "extract_style", "restore_page", "delete_page", "withdraw_promise"})
STAGES = (NEW_PROJECT, "refinement", "multi-page")


class PagesPlaybook:
    """Stateless: everything is read from the request, so a run goes on after a crash, a compaction or a long pause."""

    name = "pages"

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """Answer one request; what cannot be answered by rules is said in words, without a call."""
        nested = NESTED.get(request.prompt)
        try:
            if nested is not None:
                return nested(request)
            if request.prompt not in STAGES:
                return OfflineReply(text=f"The offline model has no rules for {request.task}.")
            reply = next_move(request.prompt, Reading.of(request.messages))
        except UnreadableRequest as error:
            return OfflineReply(text=f"The offline model works by rules and cannot read this request: {error}.")
        missing = sorted({name for name, _ in reply.tool_calls} - _callable(request.tools))
        if missing:
            return OfflineReply(text=f"To go on I would need tools that are not available here: {', '.join(missing)}.")
        return reply


def _callable(told: Collection[str]) -> frozenset[str]:
    """The tools that may be called: also those that are not told first, where there is a way to get them."""
    more = MORE_TOOLS in told
    reading = READING if more else frozenset()
    return frozenset(told) | reading | (WRITING if more and "edit_page" in told else frozenset())


def next_move(stage: str, reading: Reading) -> OfflineReply:
    """What the agent does next in its main loop."""
    new = stage == NEW_PROJECT
    intent = understand(reading.message, has_pages=not new, targeted=bool(reading.targets))
    if not new and (changes := changed_answers(reading, plain_words=not _understood(reading, intent))):
        return amend(reading, changes)
    if not reading.done:
        plain = plain_answer(reading, intent)
        if plain is not None:
            return plain
    return build(reading) if new or intent.kind == "continue" else refine(reading, intent)


NESTED: Mapping[str, Callable[[OfflineRequest], OfflineReply]] = {
    "design-system": design_system,
    "generate-page": new_page,
    "edit-page": edited_page,
}
"""The model calls that tools make, by the name of their prompt."""
