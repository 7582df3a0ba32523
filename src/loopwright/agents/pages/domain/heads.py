"""The sentence of a brief that says what is to be made: where it begins and ends, and whether there is one."""

import re

from loopwright.agents.pages.domain.features import kind_of_block
from loopwright.agents.pages.domain.grammar import Lexicon, said, stripped
from loopwright.agents.pages.domain.hours import with_time
from loopwright.agents.pages.domain.kept.measures import figure_asked
from loopwright.agents.pages.domain.restating import without_bullets

_USER_STORY = re.compile(
    r"(?:^|(?<=[.!?]))([\s*•-]*)(?:As (?:an?|the) [^\n,.]{2,60}?,?\s+(?=I\b)|"
    r"Como [^\n,.]{2,40}?,?\s+(?=(?:quiero|necesito)\b)|En tant que? [^\n,.]{2,60}?,?\s+(?=je\b)|"
    r"作为[^，。\n]{1,8}，我?(?=想|希望|要|需要)|"
    r"Als [^\n,.]{2,60}?,?\s+(?P<verb>möchte|will|kann|brauche)\s+(?P<who>ich)\b)",
    re.I | re.M,
)
"""The role with which a user story begins ("As a user I want …"); the app has no feature for it."""
_GREETING = re.compile(
    r"^\W*(?:(?:hi|hello|hey|good (?:morning|day|evening)|hallo|moin|servus|guten (?:tag|morgen|abend)|bonjour|bonsoir|"
    r"salut|hola|buen[oa]s(?: días| tardes)?)(?: (?:there|all|everyone|zusammen|team|à tous|a todos))?\s*[,.!:]+\s*|"
    r"(?:你好|您好)[，,。！!]*)+",
    re.I,
)
"""With what a message begins that greets, and says nothing of an app."""
FIRST_PERSON = re.compile(
    r"^(?:(?:i|we|my|it's|it is|this is|there (?:is|are)|the objective|ich|wir|je|nous|yo|somos|tenemos)\b|我是)", re.I
)


def without_address(brief: str) -> str:
    """A brief without its greeting, and without the roles with which its user stories begin."""
    brief = _USER_STORY.sub(lambda found: found[1] + " ".join(filter(None, (found["who"], found["verb"]))), brief)
    return _GREETING.sub("", brief)


def restated(brief: str, words: Lexicon) -> str:
    """A brief with its passives, user stories and clauses of having said as lists of things: "orders with a number".

    What begins with a user story names no app, and gets a head that says nothing of it.
    """
    story = _USER_STORY.match(brief.strip())
    brief = without_bullets(brief)
    for pattern, new in words.words.get("restating", ()):
        brief = re.sub(pattern, new, brief, flags=re.I | re.M if words.spaced else 0)
    if story is None:
        return brief
    return "App. " + re.sub(r"(?:^|(?<=[.\n] )|(?<=\n))[a-z]", lambda found: found[0].upper(), brief.strip())


def asks_for_app(text: str, words: Lexicon) -> bool:
    """Whether a later sentence asks for the app again: "Build a calendar application to …"."""
    found = re.match(rf"(?:{words.words['lead']})", text, re.I)
    return bool(found and found.end() > 2 and re.search(rf"\b(?:{words.words['frame']})\b", text[:80], re.I))


def is_story(text: str, words: Lexicon) -> bool:
    """Whether a first sentence only tells of those who want the app: "our club has two kilns"."""
    lead = re.match(rf"(?:{words.words['lead']})", text, re.I)
    telling = re.search(words.words["telling"], text)
    told = (telling is not None and telling.start() > 0) or re.match(r"(?:i|we|our|ich|wir|somos|nous)\b", text, re.I)
    return not (lead and lead.end()) and frame_of(text, words) is None and bool(told)


_WHO_WE_ARE = re.compile(
    r"(?:we are|we['’]re|wir sind|somos|nous sommes|(?:i|we|our \w+|the \w+) runs?|(?:i|we) (?:own|manage)|"
    r"(?:ich|wir) betreiben?)\s+",
    re.I,
)


def told_of(text: str, name: str, words: Lexicon) -> tuple[str, str]:
    """What a first sentence tells of its people, and the app that it wants: "we run X and need a rota app"."""
    wanted = re.search(
        rf"\b(?:{words.words['wanting']})\s+(?P<app>(?:[\w-]+\s+){{0,3}}?(?:{words.words['frame']})\b.*)", text, re.I
    )
    found = _WHO_WE_ARE.match(text)
    story = without_name(text[found.end() : wanted.start() if wanted else None], name, words) if found else ""
    story = re.sub(r"\s*\b(?:and|und|y|et)(?:\s+(?:we|i|wir|ich|nous))?\s*$", "", story.strip(" ,")).strip(" ,")
    return stripped(story, words), wanted["app"] if wanted else ""


def frame_of(head: str, words: Lexicon) -> re.Match[str] | None:
    """The word that only says that it is an app, where more follows by a preposition or nothing does."""
    if not words.spaced:
        return re.match(words.words["frame"], head)
    ends = rf"(?=\s+(?:{words.words['prepositions']}|{words.words['modals']}|{words.words['label']})\b|\s*$|\s*[:,])"
    return re.match(rf"(?:{words.words['frame']}){ends}\s*", head, re.I)


def head_end(words: Lexicon) -> str:
    """What ends the words that say what the app is."""
    if not words.spaced:
        return r"[，,：:]|(?<=应用)|(?<=小程序)|(?<=网站)|(?<=平台)"
    modals = words.words["modals"]
    starts = {
        "en": "where|that|which|to|so that|with",
        "de": "in der|mit der|mit dem|mit|wo|die|der|um",
        "fr": "où|qui|avec|pour que",
        "es": "donde|que|con",
    }
    return rf",\s+|\s+(?=(?:{starts[words.language]})\b)|\s+(?=(?:{modals})\b)"


def without_name(head: str, name: str, words: Lexicon) -> str:
    """The words that say what the app is without its name."""
    if not name:
        return head
    label = words.words["label"]
    marks = r"[„“”\"«»「」『』《》‚‘’]?"
    without = re.sub(
        rf",?\s*(?:(?:{label})\s*)?{marks}\s?{re.escape(name)}\s?{marks}(?:['’]s)?",
        " ",
        head,
        count=1,
        flags=re.I,
    )
    without = re.sub(
        r"\b(?:for|of|für|von|pour|de|para)\s+(?:the|die|den|la|le|el)?[\s.]*(?=$|in\b)",
        " ",
        " ".join(without.split()),
    )
    return " ".join(without.split())


def is_told(text: str, words: Lexicon) -> bool:
    """Whether a sentence tells a story and asks for nothing."""
    if words.spaced and re.match(words.words["stated"], text, re.I):
        return False
    if re.match(rf"(?:{words.words['until_now']})" + (r"(?!\w)" if words.spaced else ""), text, re.I):
        return True
    if not words.spaced:
        return bool(re.match(r"^我(?:是|们是)", text))
    if re.search(r"[:(]", text) or re.search(words.words["asking"], text, re.I):
        return False
    if with_time(text, words) is not None:
        return False
    told = said(text, words)
    who = told.actor.split()[-1:] if told.verb else []
    if (figure_asked(text)) or (who and any(words.whole("people", each) for each in who)):
        return False  # what somebody does, or wants to know
    begins = told.verb and text.lower().split()[0] == told.verb.split()[0]
    if begins or (told.verb and told.actor and " " not in told.actor):  # "note down …", "staff add found items"
        return False
    if re.search(words.words["telling"], text, re.I):
        return True
    return bool(FIRST_PERSON.match(text)) and kind_of_block(text) == ""
