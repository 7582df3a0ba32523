"""What kind of request a message is: a few patterns over English sentences, the most particular first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.pages.offline.product_doc import enumeration, say
from loopwright.agents.pages.offline.reading import Reading
from loopwright.agents.pages.offline.removing import removal_in
from loopwright.agents.pages.requests.vocabulary import verb
from loopwright.kernel.offline import OfflineReply

Kind = Literal[
    "greeting", "question", "undo", "remove_page", "new_page", "new_app", "restyle", "feature", "continue", "edit"
]


@dataclass(frozen=True, slots=True)
class Intent:
    """A message, understood as far as rules go.

    `text` is the message without courtesies and `@slug` mentions; `subject` is what it is about: the topic of a
    new page, the page to remove.
    """

    kind: Kind
    text: str
    subject: str = ""


_COURTESY = re.compile(
    r"^(?:(?:hi|hello|hey|ok(?:ay)?|thanks|thank you|great|nice|cool|good|perfect|and|also|now|then|so|but|please|just)"
    r"\b[\s,.!:;–-]*|(?:can|could|would|will) (?:you|we)(?: please)? |i(?:'d| would) (?:like|love)(?: you)? to "
    r"|i want(?: you)? to |(?:how|what) about |let(?:'s| us) |what if (?:you|we) )+",
    re.IGNORECASE,
)
_MENTIONS = re.compile(r"(?:\b(?:on|in|at|for)\s+)?(?<![\w@])@[a-z0-9][a-z0-9-]*[:,]?\s*", re.IGNORECASE)
_WH_QUESTION = re.compile(r"^(?:what|which|who|whom|why|how)\b", re.IGNORECASE)
_ANY_QUESTION = re.compile(
    r"^(?:what|which|who|whom|why|how|when|where|is|are|am|do|does|did|can|could|should|would|will|has|have)\b.*\?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_GREETING = re.compile(
    r"^(?:(?:hi|hello|hey|howdy|moin|greetings|good (?:morning|afternoon|evening|day)|thanks|thank you|thx|ok(?:ay)?|"
    r"great|nice|cool|perfect|good|well done|wow|there|you|very|so|much|a lot|all|job|work)\b[\s,.!:;)(–-]*)+$",
    re.IGNORECASE,
)
_CONTINUE = re.compile(
    r"^(?:(?:please|just|ok(?:ay)?|yes|yeah|yep|now)[\s,.!]*)*(?:go on|go ahead|continue|carry on|proceed|resume|"
    r"try (?:it )?again|retry|do it|start|generate(?: (?:it|now))?|build it|make it|yes|yep|ok(?:ay)?)[\s.!]*$",
    re.IGNORECASE,
)
_UNDO = re.compile(
    r"^(?:(?:undo|redo|revert|roll(?:ing)?[ -]?back|restore|reinstate|go back|bring back|"
    r"(?:take|put|change|turn|bring|set|switch) "
    r"(?:it|that|this|them|everything|the (?:last )?changes?|the (?:old|previous|earlier) [\w -]{2,30}) back)\b|"
    r"(?:请|帮我)*(?:撤销|撤回|恢复|还原|回退|回滚|重做|改回|换回))",
    re.IGNORECASE,
)
_PLAIN = r"(?!(?:to|on|in|at|of|for|into|onto|every|each|all|from|with|the|this|that)\b)[\w&'’-]+\s+"
_NEW_PAGE = re.compile(
    r"^(?:(?P<verb>add|create|include|insert|make|generate|build|design|give (?:me|it|us))|i need|i want|we need|"
    r"it needs|there should be|need)\s+(?:me |us |it )?(?P<article>an?|another|one more|the|some)?\s*"
    rf"(?:new |extra |separate |second |third |own )*(?P<name>(?:{_PLAIN}){{0,4}})(?:page|screen)\b[\s,:–-]*"
    r"(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_TOPIC = re.compile(
    r"^(?:about|for|called|named|titled|with|where|that|which|showing|listing|to|of|on)\b\s*", re.IGNORECASE
)
_NAME = re.compile(r"(?-i:[A-ZÄÖÜÉ][\w&'’-]*(?: (?:and|&|[A-ZÄÖÜÉ][\w&'’-]*)){0,4})")
"""What a page may be called that is named right behind the word for one: “add a page Opening Hours”."""
_CALLED = re.compile(r"^(?:called|named|titled)\s+[\"“'‘]?([^\"”'’.,;:]+)", re.IGNORECASE)
_NEW_APP = re.compile(
    r"^(?:make|create|build|design|generate|i (?:need|want)|start)\s+(?:me |us )?(?:an?|another|a new|one more)\s+"
    r"(?:[\w&'’-]+\s+){0,6}(?:app|application|website|site|shop|store|prototype)\b(?!\s+(?:darker|lighter|bar|icon|name))",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"\b(?:headers?|headings?|titles?|headlines?|buttons?|footers?|nav(?:igation|bar)?|tabs?|bars?|menus?|cards?|text|"
    r"links?|icons?|badges?|hero|banners?|images?|pictures?|sections?|lists?|borders?|labels?|prices?|inputs?|forms?|"
    r"fields?|names?|paragraphs?|logos?|avatars?|chips?|searchbars?|search)\b",
    re.IGNORECASE,
)
_COLOR_WORDS = (
    r"red|orange|amber|yellow|lime|green|emerald|teal|cyan|blue|navy|indigo|violet|purple|magenta|pink|rose|brown|beige|"
    r"black|white|gr[ae]y|gold|coral|turquoise|crimson|burgundy|mint|olive|#[0-9a-f]{6}|#[0-9a-f]{3}"
)
_RESTYLE = re.compile(
    rf"\b(?:(?:dark|light|night|day)(?:er)?\s+(?:theme|mode|colou?rs?|design|look|style)|"
    rf"(?:brand|accent|primary|main|theme|app'?s?)\s+colou?rs?|colou?r (?:scheme|palette)|palette|theme|whole look|"
    rf"(?:everything|the (?:whole )?(?:app|design|look|style|site|colou?rs?)|it(?: all)?|all pages)\s+"
    rf"(?:\w+\s+){{0,2}}(?:{_COLOR_WORDS}|dark(?:er)?|light(?:er)?|bright(?:er)?|minimal|playful|bold(?:er)?|elegant|"
    rf"modern|classic|calm(?:er)?|warm(?:er)?|cool(?:er)?)|(?:use|switch to|go) (?:a |the )?(?:dark|light)\b|"
    rf"more (?:minimal|playful|bold|elegant|modern|classic|calm|warm|colou?rful)|"
    rf"(?:{_COLOR_WORDS})\s+(?:as (?:the |an? )?)?(?:accents?|theme|palette|brand))",
    re.IGNORECASE,
)
_FEATURE = re.compile(
    r"^(?:(?:add|include|integrate|implement|build|support|enable|i need|i want|we need|it needs)\b.*"
    r"\b(?:features?|functionality|functions?|options?|support|systems?|capabilit(?:y|ies)|program|modes?)\b|"
    r"(?:let|allow) (?:users?|people|customers?|visitors?|guests?|members?|me|us)\b|"
    r"(?:users?|people|customers?|visitors?|guests?|members?) (?:should|must|can|could|want|need)\b|"
    r"(?:add|include|integrate|implement|support|enable|i need|i want|we need|it needs)\s+(?:an?\s+|some\s+)?"
    r"(?:favou?rit(?:es?|ing)|wish ?lists?|log ?in|sign[ -]?(?:up|in)|accounts?|notifications?|reviews?|ratings?|"
    r"comments?|chat|messaging|payments?|checkout|loyalty|rewards?|points|bookings?|reservations?|sharing|coupons?|"
    r"discounts?|gamification|onboarding|subscriptions?|order tracking|tracking|history|filters?|search|"
    r"maps?)[\s.!]*$)",
    re.IGNORECASE | re.DOTALL,
)
_VAGUE_WORDS = 12
"""A feature request of more words says how it should work; it is carried out without questions."""


def is_continuation(text: str) -> bool:
    """Whether the message only says to go on."""
    return bool(_CONTINUE.match(text.strip()))


def understand(text: str, *, has_pages: bool, targeted: bool = False) -> Intent:
    """The kind of request.

    `has_pages` says whether there is an app to change; without one everything that is no question or greeting is the
    brief of a new one. `targeted` says that the user pointed at pages: what could be meant for all is then meant for
    these.
    """
    text = text.strip()
    if is_continuation(text):
        return Intent("continue", text)
    if _GREETING.match(text) or not text:
        return Intent("greeting", text)
    lines = (" ".join(_MENTIONS.sub(" ", line).split()) for line in text.splitlines())
    plain = "\n".join(line for line in lines if line)  # each line may be a request of its own
    plain = _COURTESY.sub("", plain, count=1).strip() or plain
    sentences = [s for s in re.split(r"(?<=[.!?])\s+", plain) if s]
    if sentences and all(_is_question(sentence) for sentence in sentences):
        return Intent("question", plain)
    if _UNDO.match(plain) or verb("undo").fullmatch(plain.rstrip(" .!。")):
        return Intent("undo", plain)
    if not has_pages:
        return Intent("new_app", text)
    return _change(plain, targeted)


def _is_question(sentence: str) -> bool:
    return bool(_ANY_QUESTION.match(sentence) or _WH_QUESTION.match(sentence))


def _change(plain: str, targeted: bool) -> Intent:
    removal = removal_in(plain)
    if not removal.rest and not removal.maybe and (removal.names or (removal.here and targeted)):
        return Intent("remove_page", plain, ", ".join(removal.names))
    page = _new_page(plain)
    if page is not None:
        return page
    if _NEW_APP.match(plain):
        return Intent("new_app", plain)
    if not targeted and _RESTYLE.search(plain) and not _PARTS.search(plain):
        return Intent("restyle", plain)
    if _FEATURE.match(plain) and len(plain.split()) <= _VAGUE_WORDS:
        return Intent("feature", plain, feature_of(plain))
    return Intent("edit", plain)


def _new_page(plain: str) -> Intent | None:
    match = _NEW_PAGE.match(plain)
    if match is None:
        return None
    verb, article, name = (match["verb"] or "").lower(), (match["article"] or "").lower(), match["name"].strip()
    rest = match["rest"].strip().rstrip(".!?")
    if verb in ("make", "design") and article == "the":
        return None  # “make the menu page darker” speaks of a page that exists
    if rest and not _TOPIC.match(rest) and not (not name and _NAME.fullmatch(rest)):
        return None  # “add a page number to …”
    called = _CALLED.match(rest)
    topic = called[1].strip() if called else name or _TOPIC.sub("", rest)
    return Intent("new_page", plain, topic) if topic else None


def feature_of(text: str) -> str:
    """What a feature request is about: “add a favorites feature” → `favorites`."""
    text = re.sub(
        r"^(?:let|allow)\s+\w+\s+(?:to\s+)?|^\w+\s+(?:should|must|can|could|want|need)\s+(?:to\s+)?(?:be able to\s+)?"
        r"|^(?:i|we|it)\s+(?:need|want)s?\s+|^\w+\s+",
        "",
        text,
        count=1,
        flags=re.IGNORECASE,
    )
    text = re.sub(r"^(?:(?:an?|the|some|new|also|support for)\s+)+", "", text, flags=re.IGNORECASE)
    text = re.sub(
        r"\s*\b(?:features?|functionality|functions?|options?|support|systems?|capabilit(?:y|ies))\b.*$",
        "",
        text,
        flags=re.IGNORECASE,
    )
    return text.strip(" .!?,:;")


def title_of(topic: str, words: int = 4) -> str:
    """A page's title for a topic: “about our small team in Kyiv” → `Our Small Team`."""
    cleaned = re.sub(r"^(?:the|a|an|some)\s+", "", " ".join(topic.split()), flags=re.IGNORECASE)
    cleaned = re.split(r"[.,;:(–]|\s(?:where|that|which|with|showing|so|and then|in|for)\s", cleaned)[0].strip()
    chosen = cleaned.split()[:words]
    return " ".join(word if any(c.isupper() for c in word) else word.capitalize() for word in chosen)


def slug_of(title: str) -> str:
    """A page's slug for its title, `[a-z0-9-]`, at most 40 characters; the empty text when nothing remains."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower().replace("’", "").replace("'", "")).strip("-")[:40].strip("-")


def mentioned_pages(text: str, pages: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The pages that a message names in words: “on the order page”, “in the Cart screen”, “home page”."""
    found = []
    for slug, title in pages:
        names = {slug.replace("-", " "), title.lower(), *(["home"] if slug == "index" else [])}
        pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        if re.search(
            rf"\b(?:{pattern})['’]?s?\s+(?:page|screen|view|tab)\b|\b(?:page|screen)\s+[\"“]?(?:{pattern})\b"
            rf"|\b(?:on|in|to|of|from)\s+(?:the\s+)?(?:{pattern})\s*(?:[.,!]|$)",
            text,
            re.IGNORECASE,
        ):
            found.append(slug)
    return tuple(found)


# Messages that need no tool: greetings, questions, and requests that none of the tools can fulfil.


def plain_answer(reading: Reading, intent: Intent) -> OfflineReply | None:
    """The answer to a message that asks for no work; None when there is work to do."""
    state = reading.state
    pages = page_names(reading)
    if intent.kind in ("greeting", "question") or (intent.kind == "continue" and _nothing_to_go_on_with(reading)):
        first = state.pages[-1].slug if state.pages else ""
        return OfflineReply(say("capabilities", app_name=app_name(reading), pages=pages, first=first))
    if intent.kind == "undo" and not pages:
        return OfflineReply(say("undo", pages=pages, reason=""))
    if intent.kind == "new_app" and state.pages:
        return OfflineReply(say("another_app", app_name=app_name(reading)))
    return None


def app_name(reading: Reading) -> str:
    """The app's name as the session knows it; the empty text when there is none yet."""
    return reading.state.app_name or (reading.state.pages[0].title if reading.state.pages else "")


def page_names(reading: Reading) -> str:
    """The existing pages for a sentence: “`index`, `menu` and `cart`”."""
    return enumeration([f"`{slug}`" for slug in reading.slugs])


def _nothing_to_go_on_with(reading: Reading) -> bool:
    """Whether “go on” has no object: nothing planned is missing, and no earlier message says what to make."""
    missing = [page for page in reading.state.planned_pages if page.slug not in reading.slugs]
    if reading.state.pages:
        return not missing
    return not missing and all(is_continuation(earlier) for earlier in reading.earlier)
