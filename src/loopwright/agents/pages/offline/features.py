"""A wish for a feature: ask how it is meant, then give it its place."""

import re

from loopwright.agents.pages.offline.additions import NewPage, existed_before, make_and_link
from loopwright.agents.pages.offline.editing import adds_hearts, edit, pages_meant, rehearse
from loopwright.agents.pages.offline.product_doc import Answers, interview, recorded_answers, with_patches
from loopwright.agents.pages.offline.questions import ask
from loopwright.agents.pages.offline.reading import Reading
from loopwright.agents.pages.offline.studio.interview import feature_questions
from loopwright.agents.pages.offline.wishes import Wish, slug_of, title_of
from loopwright.kernel.playbook import OfflineReply

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


def add_feature(reading: Reading, wish: Wish) -> OfflineReply:
    """The next move of a wish for a feature: questions, then an edit of the home page or a page of its own.

    Where the rules know no such thing for the home page, it gets a page all the same; favourites bring their hearts to
    every page that shows something to save.
    """
    answers, state = reading.answers, reading.state
    questions = feature_questions(wish.text)
    if questions and not reading.done and not state.generate_now and state.interview is not False:
        return ask(questions, f"Before I add {wish.subject or 'that'}, I would like to know how you mean it.")
    asked = [question.question for question in questions]
    recorded = {question: a for question, a in recorded_answers(reading.system).items() if question in asked}
    given = recorded if answers is None else answers | reading.assumed
    only_asked = all(call.name == "ask_user" for call in reading.done)
    patches = interview(answers or {}, reading.assumed, "append") if only_asked else []
    move = _place(reading, wish, given)
    return OfflineReply(with_patches(move.text, patches), move.tool_calls) if move.tool_calls else move


def _place(reading: Reading, wish: Wish, answers: Answers) -> OfflineReply:
    title = feature_title(wish)
    slug = slug_of(title)
    hearts = HEARTS if title == "Favorites" and not _says(answers, _DETAIL_ONLY) else ""
    if hearts and existed_before(reading, slug):
        return edit(reading, hearts, reading.slugs, adds_hearts)
    if not slug or existed_before(reading, slug):
        return edit(reading, wish.text, (slug,) if slug else pages_meant(reading, wish.text))
    if _says(answers, _ON_HOME) and "index" in reading.slugs:
        on_home = _on_home(reading, wish, hearts)
        if on_home is not None:
            return on_home
    return make_and_link(reading, NewPage(slug, title, with_answers(wish.text, answers), hearts))


def _on_home(reading: Reading, wish: Wish, hearts: str) -> OfflineReply | None:
    """The edit of the home page, or None when the rules know nothing to do there."""
    if reading.calls_of("generate_page"):
        return None  # it has got its own page already
    instructions = hearts or wish.text
    outcome = rehearse(reading, "index", instructions)
    if outcome is not None and not outcome.changed and not reading.calls_of("edit_page"):
        return None
    return edit(reading, instructions, ("index",))


def feature_title(wish: Wish) -> str:
    """The name of a page for the feature."""
    known = next((name for pattern, name in _NAMES if pattern.search(wish.subject)), None)
    return known or title_of(wish.subject)


def with_answers(text: str, answers: Answers) -> str:
    """A wish with what the user answered about it."""
    lines = [f"{question} {', '.join(a) if isinstance(a, list) else a}" for question, a in answers.items()]
    return "\n".join([text, *lines])


def _says(answers: Answers, pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(text) for a in answers.values() for text in ([a] if isinstance(a, str) else a))
