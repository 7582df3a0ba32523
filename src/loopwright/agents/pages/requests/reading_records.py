"""Requests about single records of a list, read from a clause: another value, a new one, one that goes."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from loopwright.agents.pages.account.effects import Effect
from loopwright.agents.pages.domain.grammar import table
from loopwright.agents.pages.requests.kept import Kept, holder_of, likeness, meant, roots
from loopwright.agents.pages.requests.meaning import QUOTED, Page
from loopwright.agents.pages.requests.vocabulary import HAN, group, named, verb, without, words
from loopwright.kernel.account.reading import read_values

Lists = Sequence[Kept]


def shape(name: str) -> re.Pattern[str]:
    """A shape of the vocabulary."""
    return re.compile(words()[name], re.IGNORECASE)


def shapes(name: str) -> list[re.Pattern[str]]:
    """The shapes of the vocabulary that have one name."""
    return [re.compile(each, re.IGNORECASE) for each in words()[name]]


NAMED = re.compile(rf"《([^》]{{1,200}})》|{QUOTED.pattern}")
MONEY = shape("money_amount")
MOST_VALUE = 12


def quoted_parts(text: str) -> list[str]:
    """What stands in quotation marks, those of Chinese titles among them."""
    return [next(filter(None, each)).strip() for each in NAMED.findall(text)]


def unquoted(text: str) -> str:
    """The text without what stands in quotation marks."""
    return NAMED.sub(" ", text)


def all_said(text: str, field: Mapping[str, Any], kept: Kept) -> bool:
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


# Records: another value, a new one, one that goes.


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


def _counted_in(text: str, lists: Lists) -> tuple[str, re.Match[str], Kept] | None:
    """The record that a text counts in its list, in the order in which it is shown: "the third sighting"."""
    counted = named("ordinals", text)
    holding = [each for each in lists if each.records]
    if counted is None:
        return None
    begin, nth = counted[1].end(), int(counted[0])
    pieces = list(re.finditer(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+", text[begin:]))[:6]
    for piece in reversed(pieces):
        thing, shorter = text[begin : begin + piece.end()], text[begin : begin + piece.start()]
        kept = meant(thing, holding) if roots(thing) and roots(thing) != roots(shorter) else None
        at = nth - 1 if nth > 0 else nth
        if kept is not None and -len(kept.records) <= at < len(kept.records):
            whole = re.compile(re.escape(text[counted[1].start() : begin + piece.end()])).search(text)
            return (kept.records[at], whole, kept) if whole else None
    return None


def set_value(clause: str, rest: str, lists: Lists) -> Effect | None:
    """Another value for one field of one record: "the price of Silvaner is $9", "move the first class to 5 June"."""
    plain = clause.strip(" .!。")
    found = _record_in(plain, lists) or _counted_in(plain, lists)
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
    known = [group("resetting"), verb("change"), verb("move"), verb("add"), group("trailing"), group("linking")]
    asks = without(asks, [*known, group("pronouns")])
    asks = re.sub(
        r"['’]s\b|\b(?:update|modifie[rz]?|fija|actualiza|setze?|stelle?)\b|的|现在|把|将|请", " ", asks, flags=re.I
    )
    money = [each for each in kept.fields if each["kind"] == "money"]
    names = [*kept.names, *kept.page]
    field = next((each for each in kept.fields if likeness(each["label"], [asks]) == 1.0), None)
    if field is None or likeness(asks, [str(field["label"]), *names]) < 1.0:
        same = [each for each in kept.fields if all_said(asks, each, kept)]
        field, asks = (same[0], "") if len(same) == 1 else (field, asks)
    if (
        field is None
        and len(money) == 1
        and (group("price_words").search(asks) or (MONEY.fullmatch(value) and not roots(asks)))
    ):
        field = money[0]
    if field is None and not roots(asks):
        alike = [each for each in kept.fields if each["kind"] in ("date", "time") and _is_value(value, each)]
        field = alike[0] if len(alike) == 1 else None
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


def _is_value(text: str, field: Mapping[str, Any]) -> bool:
    """Whether a text is a value of the field's kind, and says nothing besides."""
    found = [each for each in read_values(text) if each.type == field["kind"]]
    return len(found) == 1 and not roots(f"{text[: found[0].start]} {text[found[0].end :]}")


def remove_record(clause: str, rest: str, lists: Lists) -> Effect | None:
    """A record that is to go, by its name or by its place in the list."""
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


def add_record(clause: str, rest: str, lists: Lists) -> Effect | None:
    """A record by its name, with the values that stand beside labels: "add Chablis for $18 to the wines"."""
    plain = clause.strip(" .!。")
    if not verb("add").search(plain) or group("field_words").search(unquoted(plain)):
        return None
    name, left = _new_name(plain)
    keeping = [each for each in lists if each.entity]
    if not name or not keeping:
        return None
    amounts = [each[0] for each in MONEY.finditer(left)]
    bare = MONEY.sub(" ", left)
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


_LISTED = re.compile(
    r"(?:please )?(?:add|insert|create|füge?|ergänze|ajoute[rz]?|añade|agrega|crea)\s+(?:(?:an?|the|another|new"
    r"|one more|eine[nr]?|ein|de[nr]|die|das|neue[nrs]?|une?|les?|la|una?|el)\s+)+(?P<thing>[\w-]+)\s+"
    r"(?P<rest>(?-i:[A-ZÄÖÜÉ])[^,:]*,\s*\S.*?)(?:\s+hinzu)?",
    re.IGNORECASE,
)
"""A thing, its name with a capital, and values behind commas: "add the song Greensleeves, traditional, 3 minutes"."""


def _described(clause: str, lists: Lists) -> tuple[Kept, str] | None:
    """The list that a clause asks to have one more of, and what it says of it behind a colon."""
    plain = clause.strip(" .!。")
    found, keeping = _RECORD.fullmatch(plain), [each for each in lists if each.entity]
    kept = meant(found["thing"] or found["han"], keeping) if found else None
    if found and kept:
        return kept, found["rest"] or found["han_rest"]
    listed = _LISTED.fullmatch(plain)
    kept = meant(listed["thing"], keeping) if listed and roots(listed["thing"]) else None
    return (kept, listed["rest"]) if listed and kept else None


def add_described(clause: str, rest: str, lists: Lists) -> Effect | None:
    """A record whose name and values stand behind what it is: "add a class: Glazing, 3 May 2027, teacher Tom"."""
    described = _described(clause, lists)
    if described is None or NAMED.search(clause):
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
        return MONEY.fullmatch(piece) is not None
    if field["kind"] == "number":
        return re.fullmatch(rf"\d[\d.,]*(?:\s*{re.escape(str(field['unit']))})?", piece) is not None
    return str(field["kind"]) in {each.type for each in read_values(piece)}


def describes_record(clause: str, pages: Sequence[Page]) -> bool:
    """Whether a clause asks for one more of what a list of the app keeps, with its values behind a colon."""
    return _described(clause, [each for page in pages for each in page.lists]) is not None


def _new_name(text: str) -> tuple[str, str]:
    """What the new record is called, and the clause without it."""
    found = NAMED.search(text)
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
