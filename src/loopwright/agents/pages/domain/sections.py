"""The parts of a page that show what a brief says: lists, things to tick off, facts, forms, calculators."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from loopwright.agents.pages.domain.clauses import MAIL, PHONE, bare, runs_in
from loopwright.agents.pages.domain.entering import SHORT, Input, Outline, Row, Rows
from loopwright.agents.pages.domain.formulas import Calculation
from loopwright.agents.pages.domain.framing import MOST_OF_A_NAME, PAGE

_KINDS = (
    ("email", re.compile(r"e-?mail", re.I)),
    ("tel", re.compile(r"phone|mobile|telefon|handy|\btel\b", re.I)),
    ("date", re.compile(r"\b(?:date|day|birthday|datum|tag|geburtstag)\b", re.I)),
    ("time", re.compile(r"\b(?:time|uhrzeit|zeit)\b", re.I)),
    (
        "number",
        re.compile(r"\b(?:numbers? of|how many|count|amount|quantity|age|anzahl|menge|alter|wie ?viele)\b", re.I),
    ),
)
_LONG = re.compile(r"message|comment|note|nachricht|kommentar|anmerkung|bemerkung", re.I)


@dataclass(frozen=True)
class Words:
    """What the page itself says, in its language."""

    details: str
    checklist: str
    calculator: str
    prices: str
    dates: str
    choice: str
    phone: str
    mail: str
    send: str
    kept: str
    calculate: str
    result: str
    formula: str


WORDS: Mapping[str, Words] = {
    "en": Words(
        "Details",
        "Checklist",
        "Calculator",
        "Prices",
        "Dates",
        "Choice",
        "Phone",
        "E-mail",
        "Send",
        "Kept on this device",
        "Calculate",
        "Result",
        "Calculated as",
    ),
    "de": Words(
        "Details",
        "Checkliste",
        "Rechner",
        "Preise",
        "Termine",
        "Auswahl",
        "Telefon",
        "E-Mail",
        "Absenden",
        "Auf diesem Gerät gespeichert",
        "Berechnen",
        "Ergebnis",
        "Gerechnet als",
    ),
    "zh": Words(
        "详情",
        "清单",
        "计算器",
        "价格",
        "日期",
        "选择",
        "电话",
        "邮箱",
        "提交",
        "已保存在此设备上",
        "计算",
        "结果",
        "计算方式",
    ),
}


def words_in(lang: str) -> Words:
    """The page's own words in a language."""
    return WORDS.get(lang, WORDS["en"])


def outlined(
    outline: Outline, calculation: Calculation | None, notes: Sequence[str], lang: str, title: str
) -> list[str]:
    """The sections of a page, in the order in which they are read.

    Args:
        outline: what the brief says.
        calculation: what the page calculates.
        notes: words of the brief on the numbers of the calculation.
        lang: the language of the page.
        title: what stands in its head, and is not said again.
    """
    words = words_in(lang)
    parts = [_lead(outline, title)]
    if calculation is not None:
        parts.append(_calculator(calculation, words))
    parts += [_list(each, number) for number, each in enumerate(outline.lists, 1)]
    parts.append(facts_of([*outline.facts, *(Row(note) for note in notes)], words))
    if outline.form is not None:
        parts.append(form_of(outline.form_title, outline.form or [Input("Name")], "form-1", words))
    return [part for part in parts if part]


def _lead(outline: Outline, title: str) -> str:
    """What the page is about, beyond its title, and what is told of it."""
    known = set(_words(title))
    lines = [each for each in dict.fromkeys([outline.subject, *outline.told]) if set(_words(each)) - known]
    text = "".join(f'<p class="lead">{escape(capital(line))}</p>' for line in lines)
    return f'<div class="section">{text}</div>' if text else ""


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def capital(text: str) -> str:
    """A text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def _list(rows: Rows, number: int) -> str:
    items = "".join(
        f'<li class="list-item pair">{_row(row, f"tick-{number}-{at}" if rows.ticked else "")}</li>'
        for at, row in enumerate(rows.rows, 1)
    )
    return _section(rows.title, f'<ul class="stack" role="list">{items}</ul>')


def _row(row: Row, tick: str) -> str:
    label = escape(capital(row.label))
    value = f' <span class="price">{escape(row.value)}</span>' if row.value else ""
    if tick:
        return f'<label class="row"><input type="checkbox" data-tick="{tick}"> {label}</label>{value}'
    return f"<span>{label}</span>{value}"


def facts_of(facts: Sequence[Row], words: Words) -> str:
    """A block of facts, each with what it is about."""
    items = "".join(_fact(row, words) for row in facts)
    return _section(words.details, f'<ul class="card stack" role="list">{items}</ul>') if items else ""


def _fact(row: Row, words: Words) -> str:
    label, value = row.label, escape(row.value)
    if MAIL.fullmatch(row.value):
        label, value = label or words.mail, f'<a href="mailto:{value}">{value}</a>'
    elif PHONE.fullmatch(row.value):
        number = "".join(sign for sign in row.value if sign.isdigit() or sign == "+")
        label, value = label or words.phone, f'<a href="tel:{number}">{value}</a>'
    if value and label:
        return f'<li class="pair"><span>{escape(capital(label))}</span> <strong>{value}</strong></li>'
    return f"<li>{escape(capital(label))}{value[:1].upper()}{value[1:]}</li>"


def form_of(title: str, fields: Sequence[Input], name: str, words: Words) -> str:
    """A form with real inputs; what is sent is kept in the browser and shown below it."""
    inputs = "".join(_input(field, number, words) for number, field in enumerate(fields, 1))
    return _section(
        title,
        f'<form class="card stack" data-list="{name}">{inputs}<button class="btn" type="submit">{words.send}</button>'
        f'<p role="status" data-said="{words.kept}"></p></form><ul class="stack" role="list" id="{name}"></ul>',
    )


def _input(field: Input, number: int, words: Words) -> str:
    label = escape(capital(field.label or words.choice))
    name = "-".join(_words(field.label)) or f"f{number}"
    if field.choices:
        options = "".join(f"<option>{escape(capital(choice))}</option>" for choice in field.choices)
        return f'<label class="field">{label}<select class="input" name="{name}">{options}</select></label>'
    if _LONG.search(field.label):
        return f'<label class="field">{label}<textarea class="input" name="{name}" rows="3"></textarea></label>'
    kind = next((kind for kind, pattern in _KINDS if pattern.search(field.label)), "text")
    more = ' min="0"' if kind == "number" else ""
    return f'<label class="field">{label}<input class="input" type="{kind}" name="{name}"{more}></label>'


def _calculator(calculation: Calculation, words: Words) -> str:
    inputs = []
    for number, each in enumerate(calculation.inputs):
        label = escape(capital(each.label))
        if each.choices:
            options = "".join(
                f'<option value="{choice.replace(",", ".")}">{escape(f"{choice} {each.unit}".strip())}</option>'
                for choice in each.choices
            )
            field = f'<select class="input" name="{each.name}" data-value="{number}">{options}</select>'
        else:
            kind = 'type="number" inputmode="decimal" step="any"'
            field = f'<input class="input" {kind} name="{each.name}" data-value="{number}">'
        inputs.append(f'<label class="field">{label}{field}</label>')
    button = f'<button class="btn" type="submit">{words.calculate}</button>'
    result = f"<span>{escape(capital(calculation.result or words.result))}</span>"
    return _section(
        "",
        f'<form class="card stack" data-calculates>{"".join(inputs)}{button}'
        f'<p class="pair">{result} <output class="price">–</output></p>'
        f'<p class="muted">{words.formula}: {escape(calculation.told)}</p></form>',
    )


def _section(title: str, body: str) -> str:
    heading = f"<h2>{escape(capital(title))}</h2>" if title else ""
    return f'<section class="section">{heading}{body}</section>'


# What a brief calls what its page is for: given names, what somebody has or does, of whom a statement speaks.

_CAPITAL = r"[A-ZÄÖÜ][\w'’-]*"
_NAME = rf"(?:[Tt]he |[Dd](?:er|ie|as|en|em) )?{_CAPITAL}(?:\s+(?:(?:&|\+|of|the|and)\s+)?(?!I\b)(?:{_CAPITAL}|\d+\b))*"
_CALLED = re.compile(
    r",?\s*(?i:\b(?:(?:is|are) )?(?:called|named)\b|\bnamens\b|\b(?:names? is|name ist|heißt|heisst|heißen)\b)\s+"
    rf"(?:[\"“„«](?P<quoted>[^\"”“»]+)[\"”“»]|(?P<name>{_NAME}))"
)
_SAYS_NAME = re.compile(r"\b(?:heißt|heisst|heißen|is|are|ist)\b")
_WE_ARE = re.compile(
    rf"^(?i:we are|we're|i am|i'm|this is)\s+(?i:the|an?|our)\s+"
    rf"(?P<kind>(?:[a-zäöüß-]+\s+)+)(?P<name>{_NAME})"
)
_BESIDE = re.compile(
    rf"\b(?i:our|my|unser\w*|mein\w*)\s+(?P<kind>(?:[\w'’-]+\s+){{0,3}}[\w'’-]+),\s+(?P<name>{_NAME})(?:,(?=\s)|"
    rf"(?=[.:;]|$))"
)
_OF_CALLED = re.compile(rf"^(?P<kind>(?:[a-zäöüß-]+\s+)*[a-zäöüß-]{{3,}})\s+(?P<name>{_NAME})$")
_PLACED = re.compile(
    r"\b(?:in|at|near|on|from|of|by|to|for|with|and|or|the|an?|our|die|das|den|dem|unser\w*|im|bei|aus|am|des|der|"
    r"und|mit|für|on|until|every)$"
)
_THING = re.compile(r"(?:.*\s)?(?:an?|the|our|my|eine?[nrms]?|unser\w*|mein\w*|der|die|das)\s+", re.I)
_KEEPS = re.compile(
    r"^(?:i|we|ich|wir)\s+(?:are(?= an? )|sind(?= eine?)|look after|manage|betreue\w*|run|own|have|teach|give|"
    r"offer|sell|organi[sz]e|führe\w*|habe\w*|gebe\w*|leite\w*|"
    r"betreibe\w*|"
    r"biete\w*|verkaufe\w*|organisiere\w*)\s+(?P<thing>.+)$",
    re.I,
)
_SUBJECT = re.compile(
    r"(?:[Oo]ur|[Tt]he)\s+(?P<english>(?:[\w'’-]+\s+){1,4}?)(?:[a-z]+[^s\W]s|is|are|has|have)\b|"
    r"(?:Unser\w*|Der|Die|"
    r"Das)\s+(?P<german>(?:[a-zäöü]+e[rsnm]?\s+)?[A-ZÄÖÜ][\w-]+(?:\s+[A-ZÄÖÜ][\w-]+)*)\s+[a-zäöü]+t\b"
)


@dataclass(frozen=True)
class Named:
    """A given name, what kind of thing has it, and the sentence without it."""

    text: str
    name: str = ""
    kind: str = ""


def without_name(sentence: str) -> Named:
    """A sentence without the name that it gives to what the page is for."""
    called = _CALLED.search(sentence)
    if called and not (_SAYS_NAME.search(called[0]) and re.search(r"[:,]\s", sentence[: called.start()])):
        before, after = sentence[: called.start()], sentence[called.end() :]
        name = _plain(called["quoted"] or called["name"])
        kind = _kind(before)
        if PAGE.search(before):
            return Named(f"{before}{after}", name, kind)
        return Named(re.sub(r"^[\s,]*(?:and|und)?\s+", "", after).strip(), name, kind)
    if beside := _BESIDE.search(sentence):
        kept = sentence[: beside.end("kind")] + sentence[beside.end() :]
        return Named(kept, _plain(beside["name"]), beside["kind"])
    if ours := _WE_ARE.search(sentence):
        after = re.sub(r"^[\s,]*(?:and|und)?\s+", "", sentence[ours.end() :]).strip()
        return Named(after, _plain(ours["name"]), ours["kind"].strip())
    return Named(sentence)


def name_in(subject: str) -> tuple[str, str]:
    """The name at the end of a subject, and what stands before it: "food truck", "Smoke & Lime"."""
    found = _OF_CALLED.match(subject)
    if found is None or _PLACED.search(found["kind"]):
        return "", subject
    return _plain(found["name"]), found["kind"]


def name_at_start(sentence: str) -> str:
    """The name with which a sentence begins: "The Lantern Film Club shows …"."""
    found = re.match(rf"(?:The|Der|Die|Das)\s+({_CAPITAL}(?:\s+(?:(?:&|of)\s+)?{_CAPITAL})+)\s", sentence)
    return found[1] if found else ""


def thing_of(statement: str) -> str:
    """What somebody says that they have or do: "I run a salon", "Ich gebe Nachhilfe"."""
    found = _KEEPS.match(statement)
    thing = bare(re.split(r",|\s(?:and|und)\s", found["thing"])[0]) if found else ""
    return thing if len(thing.split()) <= MOST_OF_A_NAME else ""


def subject_of(statement: str) -> str:
    """Of whom or what a statement speaks: "Our running group meets …", "Unser Chor sucht …"."""
    found = _SUBJECT.match(statement)
    return (found["english"] or found["german"]).strip() if found else ""


def _plain(name: str) -> str:
    return re.sub(r"^(?:the|der|die|das|den|dem)\s+", "", name.strip(" .,"), flags=re.I)


def _kind(before: str) -> str:
    """The thing at the end of a text: "I run a dog grooming salon"."""
    found = _THING.match(before)
    words = before[found.end() :].split() if found else before.split()
    return " ".join(words) if 0 < len(words) <= MOST_OF_A_NAME else ""


# The title of a page, and where the rest is said of what it is about: as a heading, or below the title.

LONGEST_TITLE = 40
"""Characters."""


def give_title(found: Outline, topic: str, kinds: Sequence[str]) -> None:
    """The name, and where what the page is about is said."""
    if not found.name:
        found.name, kind = name_in(found.subject)
        if found.name:
            topic = kind if topic == found.subject else topic
            kinds, found.subject = [kind], kind
    titled = found.name or found.subject
    if found.name and found.subject != topic:
        kinds = [found.subject, *kinds]
    if topic and titled != topic:
        bearer = next((each for each in found.lists if not each.title), None)
        if bearer is not None and len(topic.split()) <= SHORT:
            bearer.title = _nominative(topic)
        else:
            found.told.insert(0, topic)
    said = " ".join([*found.told, topic]).lower()
    for kind in dict.fromkeys(kinds):
        if kind and kind.lower() not in said:
            found.told.insert(0, kind)
    found.subject = "" if found.name else found.subject


def title_of(outline: Outline, lang: str) -> str:
    """A title by what a page has, where nothing in the brief names it."""
    words = words_in(lang)
    rows = [row for each in outline.lists for row in each.rows]
    if outline.ticked:
        return words.checklist
    if outline.calculation:
        return words.calculator
    if outline.form_title:
        return capital(outline.form_title)
    if rows and all(row.value for row in rows):
        timed = any(run.kind == "time" for run in runs_in(rows[0].value))
        return words.dates if timed else words.prices
    return next((capital(fact.label) for fact in outline.facts if " " in fact.label and fact.value), "")


def short_title(subject: str) -> str:
    """As much of what a page is about as fits into a title."""
    pieces = re.split(
        r"(?=\s+(?:for|of|from|at|on|in|with|für|von|vom|der|des|am|im|mit|unserer|unseres|zum|zur)\s)", subject
    )
    kept = pieces[0]
    for piece in pieces[1:]:
        if len(kept) + len(piece) > LONGEST_TITLE:
            break
        kept += piece
    return capital(kept.strip())


def _nominative(topic: str) -> str:
    """A German heading that stood after "mit" in the plural: "Preisen"."""
    return re.sub(
        r"((?:preis|termin|kurs|konzert|rezept|angebot|gericht|getränk|produkt|film|spiel|tag)e)n$",
        r"\1",
        topic,
        flags=re.I,
    )
