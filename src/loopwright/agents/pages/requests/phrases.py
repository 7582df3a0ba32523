"""A message cut into clauses that each ask for one thing of one element; what they share each of them says."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from loopwright.agents.pages.requests.meaning import MARKS, QUOTED, Page, is_style, style_tail
from loopwright.agents.pages.requests.reading_order import order_in
from loopwright.agents.pages.requests.vocabulary import HAN, any_of, group, left_over, named, verb, without, words

ADDRESS = re.compile(r"(?:https?://|www\.)[^\s,;()<>\"]*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
STOP = re.compile(r"(?<=[.!?;])(?<!\b\d\.)(?<!\b\d\d\.)\s+|[。；！？\n]+")
"""Where a sentence ends; a number with a point is a day ("1. bis 15. August") or counts."""
_SHORTENED = re.compile(r"(?<!\w)(?:(?:Dr|Mr|Mrs|Ms|St|Prof|Nr)\.|[^\W\d_]{2,}\.(?=\s+\d))")
"""Words with a point behind which a sentence goes on: "Mill Str. 36"."""
_KEPT = "\ue000{}\ue001"


@dataclass(frozen=True)
class Clause:
    """What is read as one request, and the part of the message that it was taken from."""

    text: str
    said: str


def marked(message: str, pages: Sequence[Page]) -> str:
    """The message with marks around what the pages show word for word, as if it stood in quotation marks."""
    texts = {text for page in pages for text in page.texts if _is_telling(text)}
    kept: list[str] = []
    keep = _keeping(kept)
    rest = re.sub(r"`[^`]+`", keep, QUOTED.sub(keep, ADDRESS.sub(keep, message)))
    for text in sorted(texts, key=len, reverse=True):
        pattern = rf"(?<![\w-]){re.escape(text)}(?![\w-])"
        rest = re.sub(pattern, _keeping(kept, MARKS), rest, flags=re.IGNORECASE)
    return _again(rest, kept)


def _keeping(kept: list[str], marks: str = "") -> Callable[[re.Match[str]], str]:
    """What puts each match aside, with marks around it, and leaves a sign in its place."""

    def keep(found: re.Match[str]) -> str:
        kept.append(f"{marks[:1]}{found[0]}{marks[1:]}")
        return _KEPT.format(len(kept) - 1)

    return keep


def _again(text: str, kept: Sequence[str]) -> str:
    while "\ue000" in text:
        text = re.sub("\ue000(\\d+)\ue001", lambda found: kept[int(found[1])], text)
    return text


def without_marks(text: str) -> str:
    """The text as the user wrote it."""
    return text.translate({ord(each): None for each in MARKS})


def _is_telling(text: str) -> bool:
    """Whether a text that is shown names an element: several words, one of them none that every request may have."""
    if not 1 < len(text.split()) <= 12 or len(text) > 80 or HAN.search(text):
        return False
    last = text.split()[-1]
    return not any_of(*words()["page"]).fullmatch(last) and len(left_over(_bare(text)).replace(" ", "")) > 2


def _bare(text: str) -> str:
    for table in ("kinds", "relations"):
        entries = words()[table]
        lists = entries.values() if isinstance(entries, dict) else [each[2] for each in entries]
        text = without(text, [any_of(*each) for each in lists])
    return text


def clauses(message: str) -> list[str]:
    """The parts of a message that each ask for something; a quotation, an address and a list are never cut."""
    return [each.text for each in read_apart(message)]


def read_apart(message: str) -> list[Clause]:
    """The clauses of a message, each with all that it needs to be read alone."""
    kept: list[str] = []
    keep = _keeping(kept)
    text = re.sub(r"`[^`]+`", keep, message.strip())
    text = _SHORTENED.sub(keep, ADDRESS.sub(keep, QUOTED.sub(keep, text)))
    doing = "|".join(
        each
        for name in ("rename", "remove", "add", "move", "change", "other")
        for each in words()["verbs"][name]
        if not HAN.search(each)
    )
    joined = "|".join(each for each in words()["conjunctions"] if not HAN.search(each))
    cut = re.compile(rf"(?:\s*,\s*|\s+)(?:(?:{joined})\s+)?(?=(?:please |bitte )?(?:{doing})\b)", re.IGNORECASE)
    parts: list[str] = []
    for sentence in STOP.split(text):
        pieces = re.split(r"[，,](?=.)", sentence) if HAN.search(sentence) else _cut(sentence, cut, joined)
        parts += [piece for piece in pieces if piece.strip(" .!?。，")]

    def again(part: str) -> str:
        return _again(part, kept).strip(" ,，。!！")

    found = []
    for part in map(_without_reason, _joined(parts)):
        found += [Clause(again(each), again(part)) for each in _told_apart(_of_subject(part), joined)]
    return found


_REFERS = re.compile(
    r"^(?:say|show|write|put|mention|add) (?:so|it|that|this|them)\b"
    r"(?!.*\b(?:top|bottom|below|above|under)\b)|^(?:sag|zeig|schreib)\w* (?:das|es)\b",
    re.IGNORECASE,
)
_COMPLAINT = re.compile(
    r"^(?P<subject>(?!it\b|they\b|this\b|that\b|i\b|we\b).+?)\s+(?:is|are|looks?|seems?)\s+(?!called|named)[^,]+"
    r",?\s+(?:(?:so|please|and)\s+)*make (?:it|them)\s+(?P<style>.+)$",
    re.IGNORECASE,
)


_TOLD_OF = re.compile(
    r"^(?:(?:our|my|the|unsere?n?|meine?n?|der|die|das|notre|mon|ma|le|la|nuestr[oa]|mi|el|我们的)\s*)?"
    r"(?P<label>[^\W\d_][^\d@,.:]{2,40}?)\s*(?:\b(?:is|are|ist|sind|lautet|est|es)\b|是)\s*(?P<value>[^,]*[\d@][^,]*?)"
    r",\s*(?:please |bitte |请)?(?P<verb>show|put|add|write|display|mention|zeig\w*|schreib\w*|setz\w*|affiche[rz]?"
    r"|mets|mettez|muéstra|muestra|pon|escribe|显示|写|放)[ -]?(?:(?:it|that|them|this|es|sie|ihn|das|le|la|lo)\b|它)?"
    r"\s*(?P<where>.*)$",
    re.IGNORECASE,
)
"""A fact with a figure or an address, and that it is to be shown: "our number is 020 7946 0158, show it here"."""
_DIALLED = re.compile(r"\+?[\d /()-]{6,}")


def _of_subject(part: str) -> str:
    """What is asked of "it" is asked of what the sentence is about: "the note is hard to read, make it darker"."""
    told = _TOLD_OF.match(part.strip(" .!"))
    if told is not None:
        dialled = _DIALLED.fullmatch(told["value"]) and group("phone").search(told["label"])
        label = told["label"][:1].upper() + told["label"][1:]
        text = f"{told['label']} {told['value']}" if dialled else f"“{label}: {told['value']}”"
        return f"{told['verb']} {text} {told['where']}"
    found = _COMPLAINT.match(part.strip(" .!"))
    return f"make {found['subject']} {found['style']}" if found else part


_REASON = re.compile(
    r"\s*,\s+(?:because|since|weil|denn|car|parce que|puisque|porque|ya que)\b.*$"
    r"|\s*,\s+(?!please\b|bitte\b)(?:[\w'’-]+\s+){1,4}?(?:has|have|is|are|was|were|can(?:not|['’]t)?|uses?|wants?|likes?"
    r"|gets?|finds?|sees?|prefers?|keeps?|(?:do|does)(?:n['’]t| not)|hat|haben|ist|sind|kann|können|nutz\w*|mag|mögen"
    r"|a|ont|est|sont|peut|peuvent|utilisent?|aiment?|tiene[n]?|es|son|puede[n]?|usan?|prefieren?)\s.*$",
    re.IGNORECASE,
)


def _without_reason(part: str) -> str:
    """A request without the sentence of the user's world behind its comma: "bigger buttons, dad has shaky hands"."""
    found = _REASON.search(part)
    if found is None:
        return part
    head, tail = part[: found.start()].strip(), found[0].strip(" ,")
    asks = is_style(head) or any(verb(each).match(head) for each in ("rename", "remove", "add", "move", "change"))
    looks = is_style(tail) or named("kinds", tail) is not None or group("field_words").search(tail) is not None
    doing = any(verb(each).search(tail) for each in ("rename", "remove", "add", "move"))
    own = re.search(r"[:：\ue000]", part) is not None or re.search(r"\d", tail) is not None
    return part if not asks or looks or doing or own else head


def _joined(parts: Sequence[str]) -> list[str]:
    """A sentence and the request that leans on it are one: "we are closed on Mondays, say so on the first page"."""
    found: list[str] = []
    for part in parts:
        before = found[-1].strip() if found else ""
        doing = not before or any(
            verb(name).match(before) for name in ("rename", "remove", "add", "move", "change", "other")
        )
        together = f"{before.rstrip(' ,.!')}, {part.strip()}"
        plain = not is_style(before)
        ordered = verb("other").search(before) and (order := order_in(part)) and not left_over(order.rest)
        leans = _REFERS.match(part.strip()) or (plain and _COMPLAINT.match(together)) or _TOLD_OF.match(together)
        if ordered or (not doing and leans):
            found[-1] = together
        else:
            found.append(part)
    return found


def _cut(sentence: str, cut: re.Pattern[str], joined: str) -> list[str]:
    """The sentence cut before verbs that follow a conjunction or a comma, and between what is asked of two kinds."""
    places = [0]
    for found in cut.finditer(sentence):
        between = found[0].strip(" ,").lower()
        if found.start() > 0 and ("," in found[0] or between):
            places.append(found.start())
    both = re.compile(rf"\s+(?:{joined})\s+(?=(?:the|an?|die|den|das|der|les?|la|el|los|las)\s+\S+\s)", re.IGNORECASE)
    pieces: list[str] = []
    for start, end in zip(places, [*places[1:], len(sentence)], strict=True):
        piece = re.sub(rf"^[\s,]*(?:(?:{joined})\s+)*", "", sentence[start:end], flags=re.IGNORECASE)
        halves = both.split(piece)
        whole = all(named("kinds", half) and is_style(half) for half in halves)
        pieces += halves if whole else [piece]
    return pieces


_WITH = "with|mit|avec|con"
_EXACTLY = re.compile(r"\s*[,:(]\s*(?P<hex>#(?:[0-9a-f]{6}|[0-9a-f]{3})\b)\)?(?=\s*(?:,|$))", re.IGNORECASE)
"""Figures behind a colour's name: the same colour, said exactly."""


def _told_apart(part: str, joined: str) -> list[str]:
    """A clause for each style and each element that a clause names: "red and bigger", "the prices and the names"."""
    if HAN.search(part):
        return [part]
    part = _EXACTLY.sub(r" \g<hex>", part)
    pieces = re.split(rf"\s*,\s*(?:(?:{joined}|{_WITH})\s+)?|\s+(?:{joined}|but|{_WITH})\s+", part, flags=re.IGNORECASE)
    kinds = [kind[0] for each in pieces if is_style(each) and (kind := named("kinds", each))]
    if len(kinds) == len(pieces) > 1 and "text" not in kinds[1:]:  # the letters of what was named are a part of it
        return [pieces[0], *(f"make {each}" for each in pieces[1:])]
    split = [pieces[0]]
    for piece in pieces[1:]:
        tail = style_tail(piece)
        if tail is None:
            break
        split.append(f"make {tail}")
    if len(split) == len(pieces) > 1 and is_style(split[0]):
        return split
    return _each_named(part, joined)


def _each_named(part: str, joined: str) -> list[str]:
    """The clause once for each of two elements that it names together, where it asks for a style or takes away."""
    kinds = "|".join(each for one in words()["kinds"].values() for each in one if not HAN.search(each))
    one = rf"(?:(?:the|all|both|our|my)\s+)*(?:{kinds})(?![\w-])|\ue000\d+\ue001"
    found = re.search(rf"(?<![\w-])(?P<a>{one})\s+(?:{joined})\s+(?P<b>{one})(?![\w-])", part, re.IGNORECASE)
    if found is None or not (is_style(part) or verb("remove").match(part.strip())):
        return [part]
    if group("between").search(part[: found.start()]):
        return [part]
    return [f"{part[: found.start()]}{found[name]}{part[found.end() :]}" for name in ("a", "b")]
