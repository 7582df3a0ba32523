"""From what a user said of an app to claims that can be measured; a statement with unknown words stays unread."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from loopwright.agents.pages.account.deeds import deeds_in, functions_in, kinds_of
from loopwright.agents.pages.account.fields_said import has_each
from loopwright.agents.pages.account.kept_said import kept_claim
from loopwright.agents.pages.account.looks_said import NAMES, coloured, ground, is_main_colour, toned
from loopwright.agents.pages.account.vocabulary import (
    AUDIENCE,
    BEYOND,
    CALCULATES,
    CAN,
    CHOOSES,
    CONDITION,
    CONTAINER,
    ENTERS,
    EVENT,
    FIELD_OF_EACH,
    FORM,
    GETS,
    IS_SHOWN,
    KINDS,
    LANGUAGES,
    LIVE,
    MEASURED,
    NAMED,
    NEW_NAME,
    ONE_PAGE,
    PAGE,
    PASSIVE,
    PLACED,
    PLACES,
    POINTING,
    READS,
    REMOVING,
    RENAME,
    TASTE,
    TICKING,
    TRANSLATING,
    UNTIL_NOW,
    WITHOUT,
    WORKED_OUT,
    pieces,
    word,
    words_of,
)
from loopwright.kernel.account import Assumed, Claim, Reading, Statement
from loopwright.kernel.account.reading import Token, hard_tokens

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun


# Where in its message a statement stands: among fields, with what is entered or comes out, or in a list.

Role = Literal["", "field", "input", "choice", "result", "item"]
_SENTENCE = re.compile(r"[.!?;。！？；](?=\s|$)|\n")
_WITH = re.compile(r"^\s*(?:with|mit)\s+", re.I)
_FIELD_WORDS = 5


@dataclass(frozen=True)
class Place:
    """What a statement is among those of its message; `own` are its words without a head that it shares with others.

    A `task` stands in a list of what is to be ticked off: it is read, and nobody does it on the page.
    """

    role: Role = ""
    own: str = ""
    task: bool = False


def places_of(statements: Sequence[Statement], message: str) -> Mapping[str, Place]:
    """The places of the statements of one message, by their ids."""
    ends = [found.start() for found in _SENTENCE.finditer(message)]
    groups: dict[int, list[Statement]] = {}
    for each in sorted(statements, key=lambda one: one.parts[-1]):
        groups.setdefault(sum(end <= each.parts[-1][0] for end in ends), []).append(each)
    calculates = bool(CALCULATES.search(message))
    found: dict[str, Place] = {}
    for group in groups.values():
        own = [message[slice(*each.parts[-1])] for each in group]
        enters, gets = (any(verb.search(each.text) for each in group) for verb in (ENTERS, GETS))
        types = any(ENTERS.search(CHOOSES.sub(" ", each.text)) for each in group)
        calculating = (types and gets) or (calculates and enters)
        roles = _calculating(group, own) if calculating else _listed(group, own, message)
        found |= {
            each.id: Place(role, text, role == "item" and bool(TICKING.search(message)))
            for each, role, text in zip(group, roles, own, strict=True)
        }
    return found


def _calculating(group: Sequence[Statement], own: Sequence[str]) -> list[Role]:
    """A verb holds for what follows it; one at the end of a German list for what stands before it as well."""
    roles: list[Role] = [
        ("" if PAGE.search(each.text) else _role_of(text)) for each, text in zip(group, own, strict=True)
    ]
    first = next((at for at, role in enumerate(roles) if role), len(roles))
    now: Role = ""
    if first < len(roles) and _role_of(own[first].split()[-1]):
        now = roles[first]
    for at, each in enumerate(group):
        if not PAGE.search(each.text):
            now = roles[at] = roles[at] or now or _role_of(each.text)
    return roles


def _role_of(text: str) -> Role:
    if CHOOSES.search(text):
        return "choice"
    if ENTERS.search(text):
        return "input"
    return "result" if GETS.search(text) else ""


def _listed(group: Sequence[Statement], own: Sequence[str], message: str) -> list[Role]:
    """After a form come its fields; after a colon, or where several have the same length, the things of a list."""
    roles: list[Role] = []
    form = False
    for each, text in zip(group, own, strict=True):
        begins = each.parts[-1][0]
        acts = READS.fullmatch(text) or any(deed.start == 0 for deed in deeds_in(text.strip()))
        form = bool(FORM.search(each.text) and not PAGE.search(each.text)) or (form and not acts)
        is_field = form and len(text.split()) <= _FIELD_WORDS and bool(_WITH.search(text) or "field" in roles)
        told = FORM.search(text) and re.search(r"\b(?:with|mit|for|für)\s+\S", text)
        colon = ":" in message[max(0, message.rfind(".", 0, begins)) : begins]
        roles.append("field" if is_field or told else "item" if colon else "")
    return roles


# Claims of statements by where they stand: items with their prices, fields, what is entered and what comes out.

MOST_WORDS = 8
_AMOUNTS = ("money", "number", "quantity", "length", "duration")
_LABELS = ("number", "colour", "all", "name", "literal", "abbreviation")


def claim_at(place: Place, text: str) -> Claim | None:
    """The claim of a field, of something that is entered or chosen, or of what comes out of it."""
    tokens = hard_tokens(place.own)
    if len(hard_tokens(text)) > len(tokens):
        return None
    if place.role == "field":
        named = FORM.search(place.own)
        words = words_of(place.own[named.end() :] if named else place.own)
        return Claim(check="field", arguments={"field": words}) if words and not tokens else None
    if place.role == "result":
        rest = CALCULATES.sub(_kept, GETS.sub(" ", _without(place.own, tokens)))
        each = [token.text for token in tokens if token.kind == "all"]
        words, values = words_of(rest), [token.text for token in tokens if token.kind != "all"]
        said = {"words": words, "values": values, **({"each": each} if each else {})}
        return Claim(check="given_out", arguments=said) if words or values else None
    figures = [token for token in tokens if token.kind == "number"]
    words = words_of(ENTERS.sub(" ", _without(place.own, figures)))
    if figures and place.role == "input":  # a figure that nobody enters is told on the page
        others = [token.text for token in tokens if token not in figures and token.kind == "all"]
        values = [*(token.text for token in figures), *others]
        return Claim(check="beside", arguments={"words": [w for w in words if w not in others], "values": values})
    choices = [token.text for token in figures]
    return Claim(check="entered", arguments={"words": words, "choices": choices}) if words or choices else None


def beside_of(text: str, own: str, *, listed: bool) -> Claim | None:
    """The claim of something with its price or amount; in a list also of a number of things ("12 eggs")."""
    tokens = hard_tokens(own)
    figures = [token for token in tokens if token.kind == "number"]
    if (
        not figures
        or any(token.kind not in _LABELS for token in tokens)
        or {t.text for t in hard_tokens(text)} - {t.text for t in tokens}
    ):
        return None
    types = {value.type for token in figures for value in token.values}
    counted = "count" in types
    words = words_of(_without(own, [token for token in tokens if token.kind in ("number", "all")]))
    begins = any(each.start == 0 for each in deeds_in(own.strip()))
    if begins or CAN.search(own) or PAGE.search(own) or KINDS.search(own) or len(words) > MOST_WORDS:
        return None
    if not types <= {*_AMOUNTS, "count"} or (counted and not listed) or not (words or listed):
        return None
    if any(not any(sign.isdigit() for sign in token.text) for token in figures):
        return None  # a number in words counts what there is, and is no price
    values = [token.text for token in tokens if token.kind in ("number", "all")]
    return Claim(check="beside", arguments={"words": words, "values": values})


def _kept(found: re.Match[str]) -> str:
    text = found[0]
    return text if text.lower().startswith(("how", "wie")) else " "


def _without(text: str, tokens: Sequence[Token]) -> str:
    for token in sorted(tokens, key=lambda each: -each.start):
        text = f"{text[: token.start]} {text[token.end :]}"
    return text


_NAMES = NAMES
_SHOWN = (*_NAMES, "date", "time", "weekday", "number", "calendar")
_WORKING = re.compile(r"(?<!\w)(?:works? out|calculates?|converts?|splits?|shows?)(?!\w)", re.I)
_RELATIVE = re.compile(r"(?:who|which|that|whose)\s+(?:must|may|can|should|is|are|has|have)\b(?!.*\?)", re.I)
_PER = frozenset({"per", "each", "every", "pro", "je", "par", "por", "chaque", "cada", "每"})
_CLOSED = re.compile(r"closed|geschlossen", re.I)
_HOUR = re.compile(r"\d\s*(?:uhr|o'clock|am|pm|h)$", re.I)
_KIND_OF_PAGE = re.compile(r"(?:an? |the |eine |une |una )?(?:landing[- ]?page|home[- ]?page|web ?site|web ?app)", re.I)
WHAT_IT_IS = "what kind of app it is"
FRAME_ONLY = "it asks for nothing by itself"
FOR_WHOM = "whom it is for; no part of the app"
_RELATIONS = {"<=": "<=", ">=": ">=", "==": "=="}


async def is_fresh(run: "AgentRun") -> bool:
    """Whether there is no page yet."""
    return not any((run.output_dir / "pages").glob("*.html"))


async def read_claims(run: "AgentRun", statements: Sequence[Statement]) -> Mapping[str, Reading]:
    """The claims that statements make of the pages, by their ids; what cannot be measured is left out."""
    told = [*run.state.account.statements.values(), *statements]
    places: dict[str, Place] = {}
    for number in {each.message for each in statements}:
        whole = {each.id: each for each in told if each.message == number}
        places |= places_of(list(whole.values()), run.state.said[number])
    read: dict[str, Reading] = {}
    for each in statements:
        if claim := claim_of(each, places.get(each.id), fresh=each.message in run.state.account.fresh):
            read[each.id] = _of_page(claim, run.state.said[each.message][: each.parts[-1][0]])
        elif each.message in run.state.account.fresh and (claim := kept_claim(each)):
            read[each.id] = claim
        elif not each.hard and _KIND_OF_PAGE.fullmatch(each.text.strip()):
            read[each.id] = Assumed(WHAT_IT_IS)
        elif not each.hard and (each.kind == "person" or AUDIENCE.match(each.text)):
            read[each.id] = Assumed(FOR_WHOM)
        elif not each.hard and each.kind != "context" and not words_of(CAN.sub(" ", each.text)):
            read[each.id] = Assumed(FRAME_ONLY)
    several = [found for found in read.values() if isinstance(found, Claim) and is_main_colour(found)]
    if len(several) > 1:  # one of them is the main colour, and all are to be seen
        for key, found in read.items():
            if isinstance(found, Claim) and is_main_colour(found):
                read[key] = found.model_copy(update={"arguments": {**found.arguments, "where": "some"}})
    return read


def _of_page(claim: Claim, before: str) -> Claim:
    """The claim, of a page instead of the app, where the name that it gives follows the word for one."""
    if claim.check != "titled" or not re.search(rf"(?:{PAGE.pattern})\s*$", before, re.I):
        return claim
    return Claim(check="page", arguments={"page": pieces(claim.arguments["name"])})


def claim_of(statement: Statement, place: Place | None = None, *, fresh: bool = False) -> Claim | None:
    """What one statement claims, or None where no check measures all of it.

    `fresh` says that there is no app yet: then "remove plants" is something that people do with it.
    """
    text = IS_SHOWN.sub("", statement.text)
    tokens = [token for token in hard_tokens(text) if len(statement.parts) == 1 or token.text in statement.hard]
    if (
        _KIND_OF_PAGE.fullmatch(text.strip())
        or (statement.kind == "question" and not _RELATIVE.match(text))
        or (statement.kind == "context" and not tokens)
    ):
        return None
    if place is not None and place.role not in ("", "item"):
        return claim_at(place, text)
    people_remove = fresh and REMOVING.search(text) is not None
    for read in (_renamed, _language, _counted, _absent, ground, toned, coloured, _ticked, has_each):
        claim = read(text, tokens) if not (people_remove and read is _absent) else None
        if claim is not None:
            return claim
    if not fresh and (REMOVING.search(text) or RENAME.search(text)):
        return None
    untold = EVENT.search(text) or BEYOND.search(text) or UNTIL_NOW.match(text)
    if untold or (CONDITION.match(text) and not deeds_in(text)):
        return None  # what happens in time, under a condition or outside of the app no page shows by its words
    if claim := _measured(text, tokens):
        return claim
    own = place.own if place is not None and place.own else text
    listed = place is not None and place.role == "item"
    if claim := beside_of(text, own, listed=listed):
        return claim
    if _RELATIVE.match(text) and tokens and all(token.kind == "negation" for token in tokens):
        words, said = words_of(_without(text, tokens)), [token.text for token in tokens]
        return Claim(check="visible", arguments={"words": words, "values": said, "not_open": said}) if words else None
    if any(token.kind not in _SHOWN and not _allowed(statement, token, listed=listed) for token in tokens):
        return None
    if any(
        value.type not in ("date", "time", "weekday", "number", "calendar") and not _at_day(token, tokens)
        for token in tokens
        for value in token.values
        if token.kind not in _NAMES
    ):
        return None  # an amount is kept by counting or calculating, never by its figure standing somewhere
    if (statement.kind == "person" or AUDIENCE.match(text)) and not tokens:
        return None  # whom an app suits is not seen by a word
    return _shown(text, tokens, own, task=place is not None and place.task)


def _measured(text: str, tokens: Sequence[Token]) -> Claim | None:
    """The claim of a figure that comes of what people do, or of what changes by itself."""
    live, figure = LIVE.search(text), MEASURED.search(FIELD_OF_EACH.sub(" ", text))
    check = "lives" if live else "follows"
    if not (live or figure) or (figure is None and deeds_in(text)) or any(t.kind == "number" for t in tokens):
        return None
    rest = _without((LIVE if live else MEASURED).sub(lambda found: " " * len(found[0]), text), tokens)
    words = words_of(GETS.sub(" ", CAN.sub(" ", rest)))[:MOST_WORDS]
    values = [token.text for token in tokens if token.kind != "all"]
    each = [token.text for token in tokens if token.kind == "all"]
    if not (words or values):
        return None
    said = {"words": words, "values": values, **({"live": live[0]} if live else {"each": each} if each else {})}
    return Claim(check=check, arguments=said)


def _allowed(statement: Statement, token: Token, *, listed: bool) -> bool:
    """Whether a word that orders is only part of when something is ("the next meeting"), or of a thing's name."""
    if token.kind in ("superlative", "position", "all"):
        return listed or statement.kind == "date"
    if token.kind == "negation":
        return _CLOSED.match(token.text) is not None
    return token.kind == "order" and token.code in ("from", "until") and statement.kind in ("date", "order")


def _at_day(token: Token, tokens: Sequence[Token]) -> bool:
    """Whether a figure is an hour: it says so, or stands beside a day or a time."""
    days = any(each.kind in ("date", "time", "weekday") for each in tokens)
    return token.kind == "number" and (days or _HOUR.search(token.text) is not None)


def _renamed(text: str, tokens: Sequence[Token]) -> Claim | None:
    names = [token for token in tokens if token.kind in _NAMES]
    rest = [token for token in tokens if token.kind not in _NAMES and token.kind != "all"]
    if not RENAME.search(text) or len(names) != 2 or rest:
        return None
    between = text[names[0].end : names[1].start]
    if not NEW_NAME.search(f" {between.strip('»”“’ ')} "):
        return None
    return Claim(check="renamed", arguments={"old": names[0].text, "new": names[1].text, "scope": "everywhere"})


def _language(text: str, tokens: Sequence[Token]) -> Claim | None:
    for code, names in LANGUAGES.items():
        found = word(names).search(text)
        if found is None:
            continue
        rest = TRANSLATING.sub(" ", text)
        left = words_of(word(names).sub(" ", rest))
        others = [token for token in tokens if token.text not in found[0] and token.kind != "all"]
        if not left and not others:
            return Claim(check="language", arguments={"language": code, "named": found[0]})
    return None


def _counted(text: str, tokens: Sequence[Token]) -> Claim | None:
    if claim := _one_page(text, tokens):
        return claim
    bare = text
    values = [value for token in tokens for value in token.values if value.type == "count"]
    limits = [token for token in tokens if token.kind == "limit"]
    if len(values) != 1 or not PAGE.search(text) or any(t.kind not in ("number", "limit") for t in tokens):
        return None
    for token in tokens:
        bare = bare.replace(token.text, " ")
    bare = PAGE.sub(" ", bare)
    codes = {_RELATIONS.get(token.code) for token in limits} or {"=="}
    whole = float(values[0].value)
    if words_of(bare) or len(codes) != 1 or None in codes or whole % 1 or not 1 <= whole <= 99:
        return None
    if not PAGE.search(str(values[0].unit)) and not PAGE.search(text[values[0].end :][:12]):
        return None
    return Claim(check="pages", arguments={"relation": codes.pop(), "count": int(whole)})


def _one_page(text: str, tokens: Sequence[Token]) -> Claim | None:
    """A single page, and what it is about."""
    counts = [token for token in tokens if token.kind == "number" and PAGE.search(token.text)]
    others = [token for token in tokens if token not in counts]
    alone = ONE_PAGE.search(text) is not None or any(value.value == 1 for token in counts for value in token.values)
    if not alone or len(counts) > 1 or any(token.kind not in (*_NAMES, "calendar") for token in others):
        return None
    rest = ONE_PAGE.sub(" ", text)
    for token in tokens:
        rest = rest.replace(token.text, " ")
    about = [*words_of(_WORKING.sub(" ", PAGE.sub(" ", rest))), *(token.text for token in others)]
    if CAN.search(rest) or len(about) > MOST_WORDS:
        return None
    said = {"about": about} if about else {}
    return Claim(check="pages", arguments={"relation": "==", "count": 1, **said})


def _ticked(text: str, tokens: Sequence[Token]) -> Claim | None:
    """That things can be ticked off."""
    if not TICKING.search(text) or any(token.kind != "all" for token in tokens):
        return None
    return Claim(check="ticked", arguments={"each": True} if tokens else {})


def _absent(text: str, tokens: Sequence[Token]) -> Claim | None:
    begun = REMOVING.search(text) or WITHOUT.search(text)
    if begun is None:
        return None
    others = [token for token in tokens if token.kind not in ("negation", "literal", "name")]
    if others or len([token for token in tokens if token.kind == "negation"]) > 1:
        return None
    rest = text[begun.end() :]
    words = words_of(KINDS.sub(" ", PAGE.sub(" ", rest)))
    said = {"absent": words, **({"page": True} if PAGE.search(rest) else {})}
    return Claim(check="absent", arguments=said) if 1 <= len(words) <= 3 else None


def _shown(text: str, tokens: Sequence[Token], own: str = "", *, task: bool = False) -> Claim | None:
    """What is to be seen, or, where people are to do something, to be answered."""
    every = tokens
    literal = [token for token in tokens if token.kind not in ("superlative", "position", "order", "all", "negation")]
    each = [token.text for token in tokens if token.kind == "all"]
    closed = [word for token in tokens if token.kind == "negation" for word in pieces(token.text)[:1]]
    bounds: dict[str, list[str]] = {name: said for name, said in (("each", each), ("not_open", closed)) if said}
    for token in tokens:
        after = next((each.text for each in literal if each.start >= token.end), "")
        if token.kind == "order" and after:
            bounds["since" if token.code == "from" else "until"] = [after]
        elif token.kind == "order" and (word_after := re.match(r"\s+([\w'’-]+)", text[token.end :])):
            bounds["since" if token.code == "from" else "until"] = [word_after[1]]
    values = [token.text for token in literal]
    rest = text
    for token in sorted([*literal, *(t for t in tokens if t.kind == "all")], key=lambda one: -one.start):
        rest = f"{rest[: token.start]} {rest[token.end :]}"
    tokens = literal
    if NAMED.search(rest) and len(values) == 1 and tokens[0].kind in _NAMES and not PAGE.search(rest):
        words = words_of(NAMED.sub(" ", rest))
        return Claim(check="titled", arguments={"name": values[0], "words": words}) if len(words) <= 4 else None
    if not task and (claim := _taking(text, own or text, every)):
        return claim
    if seen := READS.fullmatch(text):
        text = seen["seen"] or seen["gesehen"]
        return _shown(text, hard_tokens(text), task=True)
    if CAN.search(text) or PASSIVE.match(text) or WORKED_OUT.search(text):
        return None
    if PAGE.search(rest) and PLACED.search(rest):
        return None
    if PAGE.search(rest):
        title = [*words_of(PAGE.sub(" ", rest)), *values]
        plain = all(token.kind in _NAMES for token in tokens)
        return Claim(check="page", arguments={"page": title}) if title and plain and len(title) <= 4 else None
    words = words_of(CONTAINER.sub(" ", rest))
    if kinds_of(text.strip(" .,:;").lower()) and not values:
        return None  # a verb by itself says nothing of what is done
    figures = any(token.kind == "number" for token in tokens)
    dated = any(token.kind in ("date", "time", "weekday") or _at_day(token, tokens) for token in tokens)
    if not (words or values) or (figures and not words and not dated) or len(words) > MOST_WORDS:
        return None
    if (
        TASTE.search(text)
        or POINTING.search(rest)
        or (not words_of(word(PLACES["main"]).sub(" ", rest)) and not values)
    ):
        return None
    return Claim(check="visible", arguments={"words": words, "values": values, **bounds})


def _taking(text: str, own: str, tokens: Sequence[Token]) -> Claim | None:
    """What people do, from its verb on: who does it stands before, or, where the verb is last, what it is done to."""
    values = [token.text for token in tokens if token.text.lower() not in _PER]
    if own != text and (found := deeds_in(own)) and found[0].start == 0 and not (set(values) - _texts(own)):
        text = own  # its own verb, and no use for the one that it shares with others
    text = CAN.sub(lambda said: said[0] if said[0].isascii() else " " * len(said[0]), text)
    found = deeds_in(text)
    functions = [] if found else functions_in(text) if not PAGE.search(text) else []
    if not found and not functions:
        return None
    done = [text[each.start : each.end] for each in found] or functions
    about = text
    if found and text[found[0].end :].strip(" .,:;"):
        about = text[found[0].start :]
    per = [
        after[1] for token in tokens if (after := re.match(r"\s*(\w+)", text[token.end :])) and token.text not in values
    ]
    for each in [*done, *values, *(_PER if per else ())]:
        about = re.sub(rf"(?<!\w){re.escape(each)}(?!\w)" if each.isascii() else re.escape(each), " ", about)
    words = [each for each in words_of(CAN.sub(" ", about)) if not PAGE.fullmatch(each)]
    if functions and not any(each.startswith(("link", "lien", "enlace")) for each in functions):
        words += functions
    if not (words or values) or len(words) > MOST_WORDS:
        return None
    said = {
        "words": words,
        "done": done,
        **{name: given for name, given in (("values", values), ("each", per)) if given},
    }
    return Claim(check="taking", arguments=said)


def _texts(text: str) -> set[str]:
    return {token.text for token in hard_tokens(text)}
