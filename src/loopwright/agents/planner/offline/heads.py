"""The head of a goal: its verb, and what that is done to. A family of goals is meant only where the head names it."""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache

from loopwright.agents.planner.account.dates import SITUATION, Phrase
from loopwright.kernel.account.reading.lexicon import lexicon

CLAUSES = re.compile(
    r"[,;:!?，。；：！？、\n]|(?<!\d)\.(?!\d)|(?<=\d{4})\.(?=\s)"
    r"|\b(?:so that|because|while|who|which|weil|damit|während)\b"
)
BESIDE = re.compile(
    r"\b(?:for|about|on|with)\b|\b(?:in|at|of|from|to|into|around|behind|near|beside|under|inside)"
    r"(?= (?:the|my|our|an?|his|her|their)\b)"
)
"""Behind it stands what is not the thing itself: what it is good for or about, with whom, and where."""
ITS_DAY = re.compile(
    r"\b(?:is|are|takes place|ist|sind|findet)\s+(?:on|am|im|in)\s+(?:the\s+)?(?:[a-zäöü]+\s+)?\d", re.I
)
"""What tells the day of an event: for it the plan is made, unless something else is asked for."""
MOST_CLAUSES = 8
SOME_DAY = date(2000, 1, 3)
VAGUE = frozenset(
    ("ready", "fit", "set", "started", "good", "better", "well", "back", "going", "serious", "involved", "hard")
)
"""What goes with a verb without being its object: "get ready for", "start well"."""
OBLIGED = re.compile(
    r"\b(?:have|has|need|needs|want|wants|going) to\b|\bwould like\b|\b(?:will|möchte|muss|soll)\b|想|要|打算"
)
KIND_OF_WORK = re.compile(
    r"(?:lessons?|class(?:es)?|courses?|practi[cs]e|training|plan|planning|projects?|prep|preparations?|routine|habits?|skills?|"
    r"basics|studies|exercises?|sessions?|programme?|bed|beds)$"
)
"""Behind a noun these say only that it is worked on: guitar lessons are about the guitar, a guitar case is not."""
NO_NOUN = re.compile(
    r"(?:\w+(?:ly|ing)|next|this|last|now|soon|again|better|well|full|part|online|outdoors|(?:every|some)\w*|"
    r"(?:day|week|month|year|evening|morning|night|afternoon|weekend|weekday|time)s?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)$"
)
GOES_ON = re.compile(
    r"(?:s?(?:training|lauf|vorbereitung|unterricht|stunden?|kurs|planung|feier|arbeit|termin|tag|projekt)|ung|ier)\w*|\w{0,3}"
)
"""How a German word may go on behind a cue and still mean it; another compound is another thing."""
DONE_TO = (
    "sell|buy|repair|fix|restore|translate|photograph|film|catalogue?|digiti[sz]e|insure|clean|clear|sort|donate|review|index|"
    "inventory|describe|draw|sketch|paint|visit"
)
"""Verbs of which no family of goals is the object."""
MADE = (
    "knit|crochet|bake|cook|weave|carve|make|build|rebuild|craft|construct|design|compose|write|publish|open|launch|create|"
    "sew|print|produce|stage|perform|tune|move|edit"
)
"""What these bring about is no practice: who builds a guitar does not learn to play it."""
ARTICLE = r"an?|the|my|our|his|her|their|\d+|two|three|four|some"
GERMAN_DONE = re.compile(
    r"(?:ver|ein|an|ab|auf|um)?(?:kauf|stimm|reparier|transportier|bau|schreib|übersetz|restaurier|putz|näh|bastel|entwerf|mal|druck)(?:en|n)$"
)


def head_of(text: str) -> str:
    """The first clause that names what is to be reached, and not only a time or somebody's situation."""
    clauses = [clause.strip() for clause in CLAUSES.split(text)[:MOST_CLAUSES]]
    for place, clause in enumerate(clauses):
        dated = ITS_DAY.search(clause) is not None and not any(map(_begins_with_a_verb, clauses[place + 1 :]))
        if dated or _asks(clause):
            return clause
    return text


def _begins_with_a_verb(clause: str) -> bool:
    return bool(clause) and lexicon("en").has("verbs", clause.split()[0])


def _asks(clause: str) -> bool:
    """Whether a clause says more than when, and tells of nobody's situation."""
    said = Phrase(clause.title(), SOME_DAY, opening=False)  # months are names
    for day in said.days():
        said.take_day(day)
    tells = SITUATION.search(clause) is not None and OBLIGED.search(clause) is None
    return not tells and any(not word.isdigit() for word in said.whole)


def prefixes_of(head: str) -> Iterator[str]:
    """The head up to each word that leads aside, until it names an object: what is behind that is another thing."""
    for match in BESIDE.finditer(head):
        yield head[: match.start()]
        if has_object(head[: match.start()]):
            return
    yield head


def has_object(words: str) -> bool:
    """Whether words hold more than a verb."""
    content = [word for word in Phrase(words, SOME_DAY, opening=False).content if word not in VAGUE]
    if content and lexicon("en").has("verbs", content[0]):
        content = content[1:]
    return bool(content)


def is_meant(head: str, cue: re.Match[str], *, practice: bool, language: str) -> bool:
    """Whether what a cue has found is what the head is about, and not a part of another thing's name."""
    if language == "zh":
        return True
    if language == "de":
        tail = re.match(r"[^\W\d_]*", head[cue.end() :])
        compound = tail is not None and GOES_ON.fullmatch(tail.group()) is None
        return not compound and not (practice and GERMAN_DONE.search(head))
    verb = _verb_before(head, cue)
    denied = f"(?:{DONE_TO}|{MADE})" if practice else f"(?:{DONE_TO})"
    if verb and re.fullmatch(rf"{denied}(?:s|ing)?", verb):
        return False
    if practice and _makes_one(head, cue):
        return False
    return _is_verb(head, cue) or not _names_another(head[cue.end() :])


def _makes_one(head: str, cue: re.Match[str]) -> bool:
    """Whether the cue is a verb by which one thing comes about: "sew a coat" is no practice."""
    verb = re.fullmatch(rf"(?:.* )?(?:{DONE_TO}|{MADE}|run)(?:n?ing)?", cue.group())
    learnt = re.search(r"\b(?:learn|better|practi[cs]e|practi[cs]ing)\b", head[: cue.start()])
    return verb is not None and learnt is None and re.match(rf" (?:{ARTICLE}) ", head[cue.end() :]) is not None


def _verb_before(head: str, cue: re.Match[str]) -> str:
    """The verb whose object the cue is, with an article between them; none where the cue has the verb itself."""
    match = re.search(rf"\b([a-z]+) (?:{ARTICLE})(?: [\w'’-]+){{0,3}} $", f"{head[: cue.start()].rstrip()} ")
    return match[1] if match is not None else ""


def _is_verb(head: str, cue: re.Match[str]) -> bool:
    """Whether the cue ends with a verb: what follows it is its object."""
    last = ([word for word in cue.group().split() if re.fullmatch(ARTICLE, word) is None] or [""])[-1]
    opens = re.search(r"(?:^|\b(?:to|and|i|we|please|me|us|can|will)) $|^$", f"{head[: cue.start()].strip()} ".lstrip())
    return opens is not None and lexicon("en").has("verbs", last)


def _names_another(rest: str) -> bool:
    """Whether the noun that was found is only the first half of a name: "garden railway", "wedding cake"."""
    match = re.match(r" ([a-z]{3,})(?![\w'’-])", rest)
    if match is None or match[1] in _small() or NO_NOUN.match(match[1]):
        return False
    return KIND_OF_WORK.match(match[1]) is None


@cache
def _small() -> frozenset[str]:
    words = lexicon("en")
    names = (
        "function",
        "preposition",
        "adjunct",
        "and",
        "or",
        "but",
        "determiner",
        "particle",
        "auxiliary",
        "question",
    )
    return frozenset().union(*(words.sets[name] for name in names))
