"""What in a brief only asks for a page, and what it says of the page by that: its name, its owner, what it is about."""

import re
from dataclasses import dataclass, replace

from loopwright.agents.pages.domain.clauses import SMALL_END, bare

_PAGE = r"(?:(?:web|home)?pages?|one-pager|web ?site|site|screen|(?:web)?seiten?)"
_FEW = (
    r"colou?rful|friendly|elegant|modern|bright|bunte[nrm]?|schlichte[nrm]?|freundliche[nrm]?|moderne[nrm]?|"
    r"our|my|unsere[nr]?|meine[nr]?|an?|one|the|this|that|just|only|single|simple|small|little|short|nice|plain|"
    r"new|quick|1|"
    r"(?:k?eine|der|die|diese|einzige|einzelne|einfache|kleine|schöne|kurze|neue|übersichtliche|unsere)[nrm]?"
)
PAGE = re.compile(
    rf"(?:\b(?:on|auf|in|into|as|als|through|via|über)\s+)?(?:\b(?:{_FEW})\s+)*(?:\b{_PAGE}\b|\b(?:one|single|"
    rf"1)[- ]page\b)|"
    r"(?:\b(?:eine?[nrm]?)\s+)?\beinseitige[rsn]?\b",
    re.I,
)
"""A page, and the words that count or praise it."""
_REQUEST = re.compile(
    r"\b(?:ask(?:s|ed)?|gets?|bekommt|bekommen|is there|are there|gibt es|wants?|needs?|(?:would|'d) (?:like|love|"
    r"want)|like|please|make|"
    r"build|create|"
    r"design|write|put together|put|"
    r"set up|give|do|should have|should|could|can|help|have|let'?s|bitte|brauch\w*|benötig\w*|möcht\w*|wünsch\w*|"
    r"hätten?|"
    r"will|wollen|würden?|mach\w*|bau\w*|erstell\w*|gestalt\w*|entwirf|schreib\w*|soll\w*|kannst|könnt\w*|suche\w*)\b",
    re.I,
)
_FILLING = re.compile(
    r"^(?:[\s,]*\b(?:i|you|he|she|we|they|this|that|there|people|everyone|everybody|others|me|us|to|find|see|have|show|"
    r"put|all|also|be|up|together|for (?:this|that|it)|so|then|now|just|quickly|able|hi|hello|hey|hallo|man|wir|ich|er|"
    r"sie|es|uns|mir|gern|gerne?|deshalb|daher|dafür|darüber|dringend|davon|dazu|doch|mal|alle|leute|das|zu|und|"
    r"and)\b)+[\s,]*$|"
    r"^(?:[\s,]*\b(?:you|me|us|people|everyone|everybody|others|to|find|see|know|about|have|show|put|up|together|"
    r"gern|gerne|man|"
    r"wir|ich|"
    r"er|sie|uns|mir|deshalb|daher|dafür|dringend|doch|mal|i|he|she|they)\b)+[\s,]*",
    re.I,
)
"""Words of a request that name nothing."""
_IT = re.compile(r"^(?:it|them|that|this|these|those|es|das|sie|dies)$", re.I)
_MEANT = re.compile(
    r"\b((?:when|what|where|how|who|wann|was|wo|wie|wer)\b.+)$|\b(?:the|our|der|die|das|"
    r"unser\w*)\s+((?:[\w'’-]+\s*){1,3})$"
)
"""What "it" is about, at the end of the statement before: a question, or a thing."""
_ENDS = re.compile(r"(?:.*\s)?(?:an?|our|the|eine?[nrms]?|unser\w*|der|die|das|den)\s+((?:[\w'’-]+\s*){1,3})$", re.I)
"""The thing at the end of a statement: "we are holding a bake sale"."""
_SPAN = re.compile(r"\d|(?:day|week|month|year|times?|tag|woche|monat|jahr)s?$", re.I)
_BORDER = re.compile(r",\s+(?:(?:and|so|und|also|but|aber|deshalb|daher)\s+)?|\s+(?:and|und|so)\s+", re.I)
_WHO = (
    "people|everyone|everybody|anyone|visitors|customers|guests|parents|members|neighbou?rs|students|children|"
    "kids|friends|"
    "families|players|volunteers|leute|jeder|alle|eltern|gäste|mitglieder|kunden|kundinnen|nachbarn|schüler|"
    "kinder|freunde|"
    "familien|besucher"
)
_RELATIVE = re.compile(
    r"^[\s,]*(?:(?:on|in|by|with) which|where|that|which|so that|so|auf (?:der|welcher)|in der|mit der|wo|die|"
    r"welche|damit)\b\s*",
    re.I,
)
_JOINT = re.compile(
    r"^[\s,]*(?:together\s+)?(?:(?:should|must|has to|needs to|soll|sollen|muss)\b\s*)?(?:with|for|of|about|on|to|"
    r"showing|listing|telling|"
    r"saying|mit|"
    r"für|über|zum?|zur|von|vom|show|list|have|contain|say)\b\s*",
    re.I,
)
_SHALL = re.compile(
    r"^[\s,]*(?:sollen|soll|should|muss|müssen)\s+(?=(?:show|tell|list|say|have|explain|zeigen|sagen)\b|sich\b|"
    r"people\b|man\b|\w+ (?:can|be)\b)",
    re.I,
)
_PEOPLE_CAN = re.compile(r"^(?:[\w'’-]+\s+){0,3}?(?:can|could|may|kann|können|darf|dürfen)\s+(?:then\s+)?", re.I)
_PEOPLE = re.compile(
    rf"^(?:(?:i|we|you|they|man|wir|ich|(?:(?:the|our|my|die|unsere|meine)\s+)?(?:{_WHO}))\s+"
    r"(?:(?:everything|all|alles)\s+)?)+",
    re.I,
)
_PEOPLE_DO = re.compile(
    rf"^(\S.*?)\s+(?:{_WHO})\s+(?:can|could|should|may|können|sollen|dürfen)\s+(?:be able to\s+)?(.+)$", re.I
)
"""What a page is for, and what people do on it: "the run people should register"."""
_SEE = re.compile(
    r"^(?:knows?|wissen|see|find|read|look up|view|check when|sehen|finden|lesen|nachlesen)\b[\s,]*", re.I
)
_SHOWS = re.compile(
    r"^(?:shows?|lists?|tells?|says?|gives?|has|contains?|displays?|explains?|zeigt|hat|sagt|enthält|auflistet)\b\s*"
    r"(?:(?:us|me|them|you|everyone|uns|mir|allen)\b\s*|(?:[\w'’-]+\s+){1,2}(?=(?:what|when|where|how|who|was|"
    r"wann|wo|wie)\b))*",
    re.I,
)
_TRAILING = re.compile(
    r"[\s,]*\b(?:(?:that |this |it )?would (?:be|help|do)\b.*|wäre\b.*|please|bitte|"
    r"for (?:me|us|them)|"
    r"für (?:mich|uns)|"
    r"(?:finden|sehen|lesen|zeigen|zeigt|steht|stehen|anzeigt|auflistet|informieren|kann|können)(?:\s+(?:kann|"
    r"können|soll|sollen|"
    r"wollen))?)\s*$",
    re.I,
)
MOST_OF_A_NAME = 6
"""Words."""


@dataclass(frozen=True)
class Announced:
    """A sentence that asks for a page.

    `before` is a statement that stands in front, `owner` whose page it is, `topic` what it is about or what is done on
    it, `rest` what follows the colon.
    """

    before: str
    owner: str
    topic: str
    rest: str


def announced(sentence: str) -> Announced | None:
    """What a sentence says of the page that it asks for; None where it asks for none."""
    head, colon, rest = sentence.partition(": ")
    found = PAGE.search(head)
    if found is None and colon and PAGE.search(rest):
        later = announced(rest)
        return later and replace(later, before=f"{head}, {later.before}".strip(" ,"))
    if found is None:
        return None
    left, right = head[: found.start()].strip(), head[found.end() :]
    before, chunk = _request_in(left)
    owner, about = _parted(chunk)
    if len(owner.split()) > 2 * MOST_OF_A_NAME:  # a statement, and nobody's name
        before, owner = ", ".join(each for each in (before, owner) if each), ""
    topic = _topic(
        re.sub(r"^\s+(?:of (?:its|their|my|our) own|(?:for|für) (?:me|us|him|her|them|mich|uns|ihn|sie))\b", "", right)
    )
    if _IT.match(topic) or (_IT.match(about) and not topic):
        meant = _MEANT.search(before)
        about, topic = "", (meant[1] or meant[2] or "").strip() if meant else ""
        before = "" if meant and meant[1] else before
    if people := _PEOPLE_DO.match(topic):
        owner, topic = owner or people[1], people[2]
    if re.match(r"(?:for|für)\s", about, re.I):
        owner, about = about, ""
    if topic and about:
        owner = owner or about
    about = "" if _IT.match(about) else about
    if not (owner or topic or about) and (ends := _ENDS.search(before)) and not _SPAN.search(ends[1]):
        topic = ends[1]
    return Announced(before.strip(" ,"), _owner(owner), topic or bare(about), rest)


def _request_in(left: str) -> tuple[str, str]:
    """What stands before a page, cut into a statement and the request itself."""
    if ended := re.search(r"[\s,]+(?:and|und|so)$", left):
        return left[: ended.start()], ""
    for border in reversed(list(_BORDER.finditer(left))):
        chunk = left[border.end() :]
        asks = _REQUEST.search(chunk)
        if not asks and not _FILLING.fullmatch(chunk):
            continue
        owner = _FILLING.sub("", chunk[: asks.start()] if asks else "").strip()
        if not owner or "," in border[0] or _IT.match(owner):
            return left[: border.start()], chunk
    return "", left


def _parted(chunk: str) -> tuple[str, str]:
    """Who asks, and what is said between the asking and the page."""
    asks = list(_REQUEST.finditer(chunk))
    if not asks:
        return "", _filled(chunk)
    owner = chunk[: asks[0].start()]
    after = chunk[asks[0].end() :]
    while again := _REQUEST.match(_filled(after)):
        after = _filled(after)[again.end() :]
    # Who asks somebody for a page is not whose page it is.
    owner = "" if asks[0][0].lower().startswith("ask") else owner
    return _filled(owner), SMALL_END.sub("", _filled(after))


def _filled(text: str) -> str:
    return _FILLING.sub("", text).strip(" ,")


def _owner(text: str) -> str:
    """Whose page it is, without what leads to it and who asks: "for our party we"."""
    text = re.sub(r"^(?:for|für|at|bei|in|im)\s+", "", text, flags=re.I)
    text = re.sub(r"[\s,]+(?:i|we|ich|wir|they|sie)$", "", text, flags=re.I)
    text = bare(text.strip(" ,"))
    return "" if _IT.match(text) else text


def _topic(right: str) -> str:
    """What a page is about, without "that shows us", "on which people can see"."""
    relative = _RELATIVE.match(right)
    text = right[relative.end() :] if relative else _SHALL.sub("", right)
    if relative:
        can = _PEOPLE_CAN.match(text) or _PEOPLE.match(text)
        text = _SEE.sub("", text[can.end() :]) if can else _SHOWS.sub("", text)
    else:
        joint = _JOINT.match(text)
        text = text[joint.end() :] if joint else text
        text = _SEE.sub("", _SHOWS.sub("", text.lstrip(" ,")))
    while trailing := _TRAILING.search(text):
        text = text[: trailing.start()]
    return text.strip(" ,")
