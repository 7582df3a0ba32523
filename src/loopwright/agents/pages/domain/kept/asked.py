"""Parts of a sentence that name no thing of an app: figures of what is kept, ratings, what is asked of people."""

import re
from functools import cache

from loopwright.agents.pages.domain.features import ENTITY_KINDS, Feature, capital, kind_of_block
from loopwright.agents.pages.domain.grammar import Lexicon, Said, table
from loopwright.agents.pages.domain.sentence import SentenceState

MOST_TITLE = 64
"""Characters of what a figure is called."""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{table('measures')[name]})", re.I)


def ranks(text: str, features: list[Feature], words: Lexicon) -> bool:
    """Whether a part asks who has the most of something: a figure for each of them."""
    if _pattern("most").match(text) is None:
        return False
    features.append(Feature("figure", capital(text[:MOST_TITLE]), str(words.words["labels"]["Entry"]), text))
    return True


def reads_figure(text: str, told: Said, state: SentenceState, features: list[Feature], words: Lexicon) -> bool:
    """Whether a part asks for a figure, for a rating of things, or only for what people have to do, and is read now."""
    if _pattern("must").search(text) and (_pattern("left").search(state.sentence) or not told.object):
        return True
    lists = [each for each in features if each.kind in ENTITY_KINDS and not each.fixed]
    rating = _pattern("rating")
    rates = rating.fullmatch(told.verb or told.object) or (not words.spaced and rating.match(told.object))
    if lists and rates:
        return _rates(told, lists, words)
    if not (words.spaced or told.verb) and lists and words.whole("verbs", told.object):  # what is done with the last
        lists[-1].action = lists[-1].action or told.object
        return True
    looks = _looks(told, state, words)
    asked = told.object if told.verb and not words.whole("questions", told.object or "-") else text
    plain = re.sub(r"^(?:the|an?|der|die|das|la|le|el)\s+", "", asked, flags=re.I) or asked
    begins = _pattern("figure").match(plain) is not None or bool(
        not words.spaced and _pattern("figure").search(plain) and (_pattern("sure").search(text) or looks)
    )
    begins = begins or re.search(r"\w total(?:e|es)?$", plain, re.I) is not None
    if _pattern("counts").match(asked) and looks:
        begins, plain = True, asked
    most = _pattern("most").match(text) or _pattern("most").match(plain)
    shows = told.verb and words.whole("reading", told.verb) and _pattern("span").search(plain)
    entered = told.verb and any(words.whole(name, told.verb) for name in ("logging", "filling", "forming"))
    if entered and (begins or _pattern("counts").match(told.object)):
        return _enters(plain, told, state, features, words)
    if not (begins or most or shows):
        return False
    if not most and not looks and features[state.before :]:
        return False  # one more of what each thing of this sentence has
    if not most and (state.beside is not None or state.form is not None or state.enumerates or state.by_field):
        return False
    title = capital(plain if len(plain) <= MOST_TITLE else plain[:MOST_TITLE].rsplit(" ", 1)[0])
    whole = f"{plain}\n{state.sentence}" if _pattern("left").search(plain) else text if most else plain
    features.append(Feature("figure", title, str(words.words["labels"]["Entry"]), whole, told.actor, told.verb))
    state.verb = told.verb or state.verb
    return True


def _looks(told: Said, state: SentenceState, words: Lexicon) -> bool:
    """Whether a part says that something is looked at."""
    return any(words.whole(name, told.verb or state.verb or "-") for name in ("reading", "showing"))


def _rates(told: Said, lists: list[Feature], words: Lexicon) -> bool:
    """Whether things are rated: each then has a rating."""
    labels = table("labels")[words.language]
    named = [each for each in lists if each.noun.lower() in told.object.lower()]
    last = (named or lists)[-1]
    target = next(each for each in lists if each.noun.lower() == last.noun.lower())
    target.fields.setdefault(labels["Rating"], ())
    return True


def _enters(question: str, told: Said, state: SentenceState, features: list[Feature], words: Lexicon) -> bool:
    """How much people enter of something: a field of the form that the sentence has, else of a form of its own."""
    last = features[-1] if features else None
    if last is not None and last.kind == "form" and state.verb:
        last.fields[capital(question)] = ()
        return True
    if last is not None and features[state.before :] and words.whole("one", last.verb or "-"):
        features.append(_chosen(last, words))  # what is picked first is booked with it
        features[-1].fields[capital(question)] = ()
        return True
    found = _pattern("amount").match(question)
    plain = _pattern("whose").sub("", question[found.end() :] if found else question).strip()
    labels = words.words["labels"]
    title = capital(f"{plain} {told.verb}" if words.language == "de" else f"{told.verb} {plain}")
    made = Feature("form", title, plain, question, told.actor, told.verb)
    made.fields = {capital(question): (), str(labels["Date"]): ()}
    features.append(made)
    state.verb = told.verb
    return True


def _chosen(thing: Feature, words: Lexicon) -> Feature:
    """The form in which one of the things of a list is chosen; the list is called by its things then."""
    form = Feature("form", thing.title, thing.title, thing.text, thing.actor, thing.verb)
    form.fields = {capital(thing.noun): (), **thing.fields}
    noun = capital(thing.noun)
    thing.title, thing.action, thing.verb = f"{noun}s" if words.language == "en" else noun, "", ""
    thing.fields = {}
    return form


def thing_that_shows(text: str, words: Lexicon) -> str:
    """What shows something, where a part says that it does: the plan of "a shift plan shows who helps"."""
    found = re.match(rf"(?P<thing>[\w -]{{3,40}}?) {_pattern('shows').pattern}\b", text, re.I) if words.spaced else None
    return found["thing"] if found and kind_of_block(found["thing"]) else text
