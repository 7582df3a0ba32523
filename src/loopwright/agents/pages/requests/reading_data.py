"""Requests about what an app keeps, read from a clause: records, values, fields, what is needed or asked first."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loopwright.agents.pages.account.effects import Effect
from loopwright.agents.pages.domain.grammar import table
from loopwright.agents.pages.domain.sample_data import field_kind
from loopwright.agents.pages.requests.kept import Kept, holder_of, likeness, meant, roots
from loopwright.agents.pages.requests.meaning import QUOTED, Page, colour_in, relation
from loopwright.agents.pages.requests.vocabulary import HAN, any_of, group, named, verb, without, words
from loopwright.kernel.account.reading import language_of, read_values

Lists = Sequence[Kept]


def _shape(name: str) -> re.Pattern[str]:
    return re.compile(words()[name], re.IGNORECASE)


def _shapes(name: str) -> list[re.Pattern[str]]:
    return [re.compile(each, re.IGNORECASE) for each in words()[name]]


_NAMED = re.compile(rf"《([^》]{{1,200}})》|{QUOTED.pattern}")
_MONEY = _shape("money_amount")


def read_data(clause: str, rest: str, slugs: Sequence[str], pages: Sequence[Page]) -> Effect | None:
    """The effect on what is kept that a clause asks for, where all of its words are understood; None else."""
    lists = [each for page in pages for each in page.lists]
    here = [each for each in lists if each.slug in slugs] or lists
    for read in _READERS:
        effect = read(clause, rest, here)
        if effect is not None:
            return effect
    return None


def quoted_parts(text: str) -> list[str]:
    """What stands in quotation marks, those of Chinese titles among them."""
    return [next(filter(None, each)).strip() for each in _NAMED.findall(text)]


def _unquoted(text: str) -> str:
    return _NAMED.sub(" ", text)


# --------------------------------------------------------------------------------------------------------------------
# What is asked before something is deleted; what an empty list says; what has to be filled in.
# --------------------------------------------------------------------------------------------------------------------


def _ask_first(clause: str, rest: str, lists: Lists) -> Effect | None:
    if not (group("asking").search(clause) and group("deleting").search(clause)) or quoted_parts(clause):
        return None
    left = without(clause, [group("asking"), group("deleting"), verb("change"), verb("add"), group("wanting")])
    left = re.sub(r"先|要|之?前|都|时|一?条|记录|的", " ", left) if HAN.search(left) else left
    if not roots(left):
        return Effect(operation="ask_first", kind="button")
    kept = meant(left, lists)
    return Effect(operation="ask_first", kind="button", pages=(kept.slug,)) if kept else None


def _when_empty(clause: str, rest: str, lists: Lists) -> Effect | None:
    said, bare = quoted_parts(clause), _unquoted(clause)
    states = len(group("emptiness").findall(bare)) > 1 or re.search(r"empty|leer|vide|vací|空", bare)
    if len(said) != 1 or not states:
        return None
    left = without(bare, [group("emptiness"), group("telling"), verb("add"), verb("change"), group("wanting")])
    kept = meant(left, [each for each in lists if each.entity])
    if kept is None:
        return None
    return Effect(operation="when_empty", value=said[0], anchor=kept.names[0], anchor_page=kept.slug)


def _require(clause: str, rest: str, lists: Lists) -> Effect | None:
    pair = next((each for each in words()["required_pairs"] if all(any_of(one).search(clause) for one in each)), ())
    if not (group("required").search(clause) or pair):
        return None
    known = [group("required"), group("field_words"), verb("change"), group("trailing"), *map(any_of, pair)]
    left = without(clause, known)
    found = [(kept, str(each["label"])) for kept in lists for each in kept.fields if _all_said(left, each, kept)]
    if _different(found) > 1:
        found = [(kept, label) for kept, label in found if kept.is_form]
    if _different(found) != 1:
        return None
    kept, label = found[0]
    return Effect(operation="require", kind="field", words=label, anchor=kept.names[0], anchor_page=kept.slug)


def _different(found: Sequence[tuple[Kept, str]]) -> int:
    return len({(kept.entity or (kept.slug, kept.number), label) for kept, label in found})


def _all_said(text: str, field: Mapping[str, Any], kept: Kept) -> bool:
    """Whether the text names the field, and says nothing but that and the list."""
    label = str(field["label"])
    names = [label, *kept.names, *kept.page]
    if likeness(label, [text]) == 1.0 and likeness(text, names) == 1.0:
        return True
    return HAN.search(text) is None and field["kind"] not in ("text", "notes", "") and _is_of_kind(text, field, names)


def _is_of_kind(text: str, field: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Whether a text names a field by another word for what it holds: "phone number" is the field "Phone"."""
    words_of = re.findall(r"[^\W_]+(?:-[^\W_]+)*", text)
    for start in range(len(words_of)):
        for end in range(len(words_of), start, -1):
            said = " ".join(words_of[start:end])
            rest = " ".join([*words_of[:start], *words_of[end:]])
            alone = re.fullmatch(table("fields").get(str(field["kind"]), "(?!)"), said, re.IGNORECASE) is not None
            if alone and (not roots(rest) or likeness(rest, names) == 1.0):
                return True
    return False


# --------------------------------------------------------------------------------------------------------------------
# A new field.
# --------------------------------------------------------------------------------------------------------------------

_EACH, _HAN_FIELD = _shapes("each_shapes"), _shapes("han_field_shapes")
_CHOICES, _OPENING, _ASKED = _shape("choices"), _shape("opening"), _shape("asked_for")
MOST_LABEL = 5
MOST_VALUE = 12


def _add_field(clause: str, rest: str, lists: Lists) -> Effect | None:
    plain = " ".join(clause.strip(" .!。").split())
    if group("search").search(_unquoted(plain)):
        return None  # a field for searching keeps nothing
    choices, plain = _choices(plain)
    for shape in _EACH:
        found = shape.fullmatch(re.sub(r"^(?:please |bitte |请)", "", plain, flags=re.IGNORECASE))
        if found and (kept := meant(found["thing"], lists)) is not None:
            return _field(found["label"], kept, choices)
    asked = _ASKED.match(plain)
    if asked is not None and (kept := meant(asked["thing"] or asked["de_thing"], lists, form=True)) is not None:
        return _field(asked["label"] or asked["de"], kept, choices)
    if not group("field_words").search(plain) or not (verb("add").search(plain) or group("wanting").search(plain)):
        return None
    if HAN.search(plain):
        for shape in _HAN_FIELD:
            found = shape.fullmatch(plain)
            if found and (kept := meant(found["thing"], lists, form=True)) is not None:
                return _field(found["label"], kept, choices)
        return None
    return _field_by_place(plain, lists, choices)


def _choices(text: str) -> tuple[list[str], str]:
    found = _CHOICES.search(text)
    if found is None:
        return [], text
    items = re.split(
        r"\s*[,、/]\s*(?:and |or |und |oder |et |ou |y |o )?|\s+(?:and|or|und|oder|et|ou|y|o)\s+", found["list"]
    )
    items = [each.strip(" \"“”«»„「」'") for each in items if each.strip()]
    return items, f"{text[: found.start()]} {text[found.end() :]}".strip()


def _field_by_place(text: str, lists: Lists, choices: Sequence[str]) -> Effect | None:
    """A field with the list or form that a preposition names; the longest name counts."""
    text = without(text, [verb("add"), group("wanting")])
    form = re.search(r"form|formul", text, re.IGNORECASE) is not None
    ways = list(any_of(*words()["prepositions"]).finditer(text))
    for way in ways:
        ends = sorted({each.end() for each in re.finditer(r"\S+", text) if each.start() >= way.end()}, reverse=True)
        for end in ends:
            thing = text[way.end() : end]
            if group("field_words").search(thing) or not (roots(thing) or group("form_words").search(thing)):
                continue
            kept = meant(thing, lists, form=form)
            if kept is not None and (made := _field(f"{text[: way.start()]} {text[end:]}", kept, choices)) is not None:
                return made
    kept = meant("", lists, form=form)
    return _field(text, kept, choices) if kept is not None else None


def _field(label: str, kept: Kept, choices: Sequence[str]) -> Effect | None:
    said = quoted_parts(label)
    bare = said[0] if said else without(label, [group("field_words"), group("called")])
    bare = " ".join(bare.split()).strip(" ,.:;")
    bare = re.sub(r"^(?:(?:for|für|pour|para|de|du|des)\s+)", "", bare, flags=re.IGNORECASE)
    while (shorter := _OPENING.sub("", bare)) != bare:
        bare = re.sub(r"^(?:(?:for|für|pour|para|de|du|des)\s+)", "", shorter, flags=re.IGNORECASE)
    bare = re.sub(r"\s+(?:to|in|on|for|zu|für|hinzu|de|pour|para|a)$", "", bare, flags=re.IGNORECASE)
    if not bare or len(bare.split()) > MOST_LABEL or not re.search(r"[^\W\d_]", bare) or _is_more(bare):
        return None
    if group("leading").match(bare):
        return None
    kind = "choice" if choices else field_kind(bare, language_of(bare) if HAN.search(bare) else _language(kept, bare))
    kind = kind if kind not in ("status", "colour") else "text"
    return Effect(
        operation="add_field", kind="field", words=bare[:1].upper() + bare[1:], value=kind, anchor=kept.names[0],
        anchor_page=kept.slug, values=tuple(("", each) for each in choices),
    )  # fmt: skip


def _is_more(label: str) -> bool:
    """Whether a label is none: it has another clause in it, or says how something is to look."""
    clause = re.search(r"[,;:，。；：]", label) is not None
    asks = len(label.split()) > 2 and any(verb(each).search(label) for each in ("remove", "change", "move", "rename"))
    looks = group("look_words").search(label) is not None or relation(label) is not None or colour_in(label) is not None
    kind = named("kinds", label)
    plain = kind is not None and kind[0] in ("page", "button", "icon", "header", "footer", "menu", "card", "section")
    return clause or asks or looks or plain or named("numbers", label) is not None


def _language(kept: Kept, label: str) -> str:
    """The language in which a field of this label has a kind: its own, else that of the app."""
    known = [each for each in ("en", "de", "fr", "es") if field_kind(label, each) not in ("text",)]
    own = language_of(f"{label} {' '.join(kept.names)}")
    return own if own in known or not known else known[0]


# --------------------------------------------------------------------------------------------------------------------
# Records: another value, a new one, one that goes.
# --------------------------------------------------------------------------------------------------------------------


def _record_in(text: str, lists: Lists) -> tuple[str, re.Match[str], Kept] | None:
    """The longest name of a record that stands in a text, and the list that holds it."""
    found = []
    for name in {record for kept in lists for record in kept.records if record}:
        edge = "{}" if HAN.search(name) else r"(?<!\w){}(?!\w)"
        match = re.search(edge.format(re.escape(name)), text, re.IGNORECASE)
        holder = holder_of(name, lists) if match else None
        if match is not None and holder is not None:
            found.append((name, match, holder))
    return max(found, key=lambda each: len(each[0])) if found else None


def _set_value(clause: str, rest: str, lists: Lists) -> Effect | None:
    plain = clause.strip(" .!。")
    found = _record_in(plain, lists)
    if found is None or verb("remove").search(plain) or verb("rename").search(plain):
        return None
    name, at, kept = found
    linked = [each for each in group("linking").finditer(plain) if each.start() >= at.end() or each.end() <= at.start()]
    for link in reversed([each for each in linked if each.start() >= at.end()]):
        value = without(plain[link.end() :], [group("trailing")]).strip(' ,:："“”„«»「」')
        asks = f"{plain[: at.start()]} {plain[at.end() : link.start()]} "
        asks += link[0] if group("price_words").search(link[0]) else ""
        if value and (effect := _value(name, value, asks, kept)) is not None:
            return effect
    return None


def _value(name: str, value: str, asks: str, kept: Kept) -> Effect | None:
    """The change of a value, where what is asked names one field of the list and nothing else."""
    asks = without(asks, [verb("change"), verb("add"), group("trailing"), group("linking"), group("pronouns")])
    asks = re.sub(
        r"['’]s\b|\b(?:update|modifie[rz]?|fija|actualiza|setze?|stelle?)\b|的|现在|把|将|请", " ", asks, flags=re.I
    )
    money = [each for each in kept.fields if each["kind"] == "money"]
    names = [*kept.names, *kept.page]
    field = next((each for each in kept.fields if likeness(each["label"], [asks]) == 1.0), None)
    if field is None or likeness(asks, [str(field["label"]), *names]) < 1.0:
        same = [each for each in kept.fields if _all_said(asks, each, kept)]
        field, asks = (same[0], "") if len(same) == 1 else (field, asks)
    if (
        field is None
        and len(money) == 1
        and (group("price_words").search(asks) or (_MONEY.fullmatch(value) and not roots(asks)))
    ):
        field = money[0]
    if field is None:
        return None
    left = group("price_words").sub(" ", asks) if field in money else asks
    value = re.sub(r"^(?:de|of|to|auf|à|a)\s+", "", value, flags=re.IGNORECASE)
    beside = re.sub(
        r"[$€£¥₹\d.,:]+|CHF|EUR|USD|GBP|euros?|dollars?|francs?|pounds?|元|块", " ", value, flags=re.IGNORECASE
    )
    if (
        field["kind"] in ("money", "number", "year", "time")
        and roots(beside)
        and likeness(beside, [field["label"], field["unit"]]) < 1
    ):
        return None
    if roots(left) and likeness(left, [field["label"], *kept.names, *kept.page]) < 1.0:
        return None
    others = [str(each["label"]) for each in kept.fields if each is not field]
    if len(value.split()) > MOST_VALUE or any(likeness(each, [value]) == 1.0 for each in others):
        return None
    return Effect(
        operation="set_value", kind="row", words=name, values=((str(field["label"]), value),), anchor=kept.names[0],
        anchor_page=kept.slug,
    )  # fmt: skip


def _remove_record(clause: str, rest: str, lists: Lists) -> Effect | None:
    if not verb("remove").search(clause):
        return None
    found = _record_in(clause, lists)
    if found is None:
        return _remove_counted(clause, lists)
    name, at, kept = found
    left = without(f"{clause[: at.start()]} {clause[at.end() :]}", [verb("remove"), group("pronouns")])
    left = re.sub(r"把|将|请|里面?|中|的|这[本个条]|[《》]", " ", left) if HAN.search(left) else left
    if roots(left) and likeness(left, [*kept.names, *kept.page]) < 1.0:
        return None
    return Effect(operation="remove", kind="row", words=name)


def _remove_counted(clause: str, lists: Lists) -> Effect | None:
    """The record at a place of its list, in the order in which it is shown: "delete the third sighting"."""
    counted = named("ordinals", clause)
    if counted is None or named("kinds", clause) is not None:
        return None
    left = f"{clause[: counted[1].start()]} {clause[counted[1].end() :]}"
    kept = meant(without(left, [verb("remove"), group("pronouns")]), [each for each in lists if each.records])
    nth = int(counted[0])
    at = nth - 1 if nth > 0 else nth
    if kept is None or not roots(left) or not -len(kept.records) <= at < len(kept.records):
        return None
    return Effect(operation="remove", kind="row", words=kept.records[at])


def _add_record(clause: str, rest: str, lists: Lists) -> Effect | None:
    plain = clause.strip(" .!。")
    if not verb("add").search(plain) or group("field_words").search(_unquoted(plain)):
        return None
    name, left = _new_name(plain)
    keeping = [each for each in lists if each.entity]
    if not name or not keeping:
        return None
    amounts = [each[0] for each in _MONEY.finditer(left)]
    bare = _MONEY.sub(" ", left)
    kept, pairs = _with_labels(bare, keeping, amounts)
    if kept is None:
        return None
    values = [("", re.sub(r"^(?:\D*?)(?=[$€£¥₹\d]|CHF|EUR|USD|GBP)", "", each).strip(" .,")) for each in amounts]
    return Effect(
        operation="add_record", kind="row", words=name, values=(*values, *pairs), anchor=kept.names[0],
        anchor_page=kept.slug,
    )  # fmt: skip


_RECORD = re.compile(
    r"(?:add|insert|create|füge?|ergänze|ajoute[rz]?|añade|agrega|crea)\s+(?:(?:an?|another|one more|new|eine[nr]?|ein|"
    r"neue[nrs]?|weitere[nrs]?|une?|nouve(?:au|lle)|una?|nuev[oa])\s+)+(?P<thing>[^:：]{2,40}?)(?:\s+hinzu)?\s*[:：]\s*"
    r"(?P<rest>\S.*)"
    r"|(?:请)?(?:添加|增加|加|新增)(?:一[个本条名位项])?(?:新的?)?(?P<han>[^:：]{1,12})[:：]\s*(?P<han_rest>\S.*)",
    re.IGNORECASE,
)


def _described(clause: str, lists: Lists) -> tuple[Kept, str] | None:
    """The list that a clause asks to have one more of, and what it says of it behind a colon."""
    found = _RECORD.fullmatch(clause.strip(" .!。"))
    kept = meant(found["thing"] or found["han"], [each for each in lists if each.entity]) if found else None
    return (kept, found["rest"] or found["han_rest"]) if found and kept else None


def _add_described(clause: str, rest: str, lists: Lists) -> Effect | None:
    """A record whose name and values stand behind what it is: "add a class: Glazing, 3 May 2027, teacher Tom"."""
    described = _described(clause, lists)
    if described is None or _NAMED.search(clause):
        return None
    kept, said = described
    pieces = [each for each in re.split(r"\s*[,;，；、]\s*", said) if each]
    if not pieces:
        return None
    pairs: list[tuple[str, str]] = []
    for piece in pieces[1:]:
        labelled = [(str(each["label"]), _labelled(piece, str(each["label"]))) for each in kept.fields]
        own = [(label, value) for label, (left, value) in labelled if value and not roots(left)]
        own = own or [(str(each["label"]), piece) for each in kept.fields if _could_be(piece, each)]
        if len(own) != 1 or own[0][0] in dict(pairs):
            return None
        pairs += own
    return Effect(
        operation="add_record", kind="row", words=pieces[0], values=tuple(pairs), anchor=kept.names[0],
        anchor_page=kept.slug,
    )  # fmt: skip


def _could_be(piece: str, field: Mapping[str, Any]) -> bool:
    """Whether words without a label are a value of a field, by its kind: a day, an amount, a number with its unit."""
    if field["kind"] == "money":
        return _MONEY.fullmatch(piece) is not None
    if field["kind"] == "number":
        return re.fullmatch(rf"\d[\d.,]*(?:\s*{re.escape(str(field['unit']))})?", piece) is not None
    return str(field["kind"]) in {each.type for each in read_values(piece)}


def describes_record(clause: str, pages: Sequence[Page]) -> bool:
    """Whether a clause asks for one more of what a list of the app keeps, with its values behind a colon."""
    return _described(clause, [each for page in pages for each in page.lists]) is not None


def _new_name(text: str) -> tuple[str, str]:
    """What the new record is called, and the clause without it."""
    found = _NAMED.search(text)
    if found is not None:
        return next(filter(None, found.groups())).strip(), f"{text[: found.start()]} {text[found.end() :]}"
    called = re.search(rf"(?:{group('called').pattern})\s*(?P<name>.+?){words()['name_end']}", text, re.IGNORECASE)
    if called is not None:
        return called["name"].strip(), f"{text[: called.start()]} {text[called.end() :]}"
    shape = words()["name_first"].replace("{verb}", verb("add").pattern).replace("{end}", words()["name_end"])
    first = re.search(shape, text, re.IGNORECASE)
    if first is not None and named("kinds", first["name"]) is None:
        return first["name"], f"{text[: first.start('name')]} {text[first.end('name') :]}"
    return "", text


def _with_labels(text: str, lists: Lists, amounts: Sequence[str]) -> tuple[Kept | None, list[tuple[str, str]]]:
    """The list in which a new record belongs, with the values beside its labels: "4 players", "author Kafka"."""
    for kept in lists:
        left, pairs = text, []
        for each in kept.fields:
            left, value = _labelled(left, str(each["label"]))
            pairs += [(str(each["label"]), value)] if value else []
        if not _takes(kept, amounts):
            continue
        bare = without(left, [verb("add"), group("called"), group("pronouns"), group("trailing"), group("joining")])
        bare = group("joining_han").sub(" ", bare) if HAN.search(bare) else bare
        if roots(bare) or group("form_words").search(bare):
            if meant(bare, lists) is kept:
                return kept, pairs
        elif (pairs or amounts) and len({each.entity for each in lists if _takes(each, amounts)}) == 1:
            return kept, pairs
    return None, []


def _labelled(text: str, label: str) -> tuple[str, str]:
    """A text without a label and the value beside it, and that value."""
    shape = words()["label_value_han" if HAN.search(label) else "label_value"].replace("{label}", re.escape(label))
    found = re.search(shape, text, re.IGNORECASE)
    if found is None:
        return text, ""
    value = next(filter(None, [found["before"], found["quoted"], found["value"]]))
    return f"{text[: found.start()]} {text[found.end() :]}", value.strip()


def _takes(kept: Kept, amounts: Sequence[str]) -> bool:
    return not amounts or any(each["kind"] == "money" for each in kept.fields)


_READERS: Sequence[Callable[[str, str, Lists], Effect | None]] = (
    _ask_first, _when_empty, _require, _add_field, _remove_record, _set_value, _add_described, _add_record,
)  # fmt: skip


# --------------------------------------------------------------------------------------------------------------------
# A new page whose content is said.
# --------------------------------------------------------------------------------------------------------------------

_PAGES, _SAYS = _shapes("page_shapes"), _shape("page_says")
_STATED = re.compile(r"\s*(?:with|mit|avec|con)?\s*[:：]")
_PAGES_THERE = re.compile(
    r"\b(?:on|in|to|of|every|each|all|this|that|the|any|jede[rns]?|allen?|chaque|toutes?|cada|todas?)$", re.IGNORECASE
)
"""What stands before "page" where none is new: "a message on every page: …"."""


def read_new_page(message: str) -> Effect | None:
    """A new page with a title and the words that are to stand there; None where a title or the words are lacking."""
    plain = " ".join(message.strip().split())
    for shape in _PAGES:
        found = shape.fullmatch(plain)
        if found is None:
            continue
        given = found.groupdict()
        title = next((given[key] for key in given if key != "rest" and given[key]), "").strip(' "“”„«»「」')
        rest = found["rest"]
        body = rest[_SAYS.match(rest).end() :].strip()  # type: ignore[union-attr]
        stated = _STATED.match(rest) or quoted_parts(body) or re.search(r"\d{3}|@", body) or HAN.search(body)
        if not title or not body or not stated or len(title.split()) > MOST_LABEL or _PAGES_THERE.search(title):
            return None
        lines = quoted_parts(body) or [each.strip(" .。") for each in re.split(r"\s*[,;；、，\n]\s*", body)]
        return Effect(
            operation="new_page",
            words=title[:1].upper() + title[1:],
            values=tuple(("", each) for each in lines if each),
        )
    return None
