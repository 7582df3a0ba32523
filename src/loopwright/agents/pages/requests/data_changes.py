"""Requests about what an app keeps, carried out in its records, in the settings of its lists and in its forms."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from importlib import resources
from typing import Any

from loopwright.agents.pages.account.effects import Effect, plain
from loopwright.agents.pages.account.effects_data import rows_of
from loopwright.agents.pages.account.looks import Look, Looks
from loopwright.agents.pages.compliance.markup import Edit
from loopwright.agents.pages.domain.app_model import Block, Field
from loopwright.agents.pages.domain.sample_data import key_of
from loopwright.agents.pages.editing.source_map import SourceElement, SourceMap
from loopwright.agents.pages.offline.studio.details import environment
from loopwright.agents.pages.requests.app import App, NotDone
from loopwright.agents.pages.requests.kept import (
    DATA,
    Kept,
    edited,
    field_of,
    kept_on,
    part_of,
    record_index,
    records_in,
    with_records,
    with_setup,
)
from loopwright.kernel.account.reading import read_values

_FIGURE = re.compile(r"\d[\d.,’']*")
_SIGN = re.compile(r"[$€£¥₹]|CHF|EUR|USD|GBP|dollar|pound|[元块]", re.IGNORECASE)
_SIGNS = {"元": "¥", "块": "¥", "EUR": "€", "USD": "$", "DOLLAR": "$", "GBP": "£", "POUND": "£"}


def _kept(effect: Effect, app: App) -> Kept:
    """The list or form that an effect names, on the page on which it was found."""
    found = [
        each
        for each in kept_on(effect.anchor_page, app.pages.get(effect.anchor_page, ""))
        if effect.anchor in each.names
    ]
    if effect.operation in ("require", "remove_field", "set_value"):
        label = effect.values[0][0] if effect.operation == "set_value" else effect.words
        found = [each for each in found if field_of(label, each) is not None] or found
    if not found:
        raise NotDone("absent", what=effect.anchor)
    return found[0]


# Records.


def add_record(effect: Effect, app: App, looks: Looks) -> App:
    """The app with one more record in a list; only the fields that were said are filled.

    Raises:
        NotDone: the list has one of this name, or has no field for what was said.
    """
    kept = _kept(effect, app)
    html = app.pages[kept.slug]
    records = records_in(html).get(kept.entity, [])
    if record_index(effect.words, records) is not None:
        raise NotDone("so_already")
    made: dict[str, Any] = {"id": _fresh(kept.entity, records), "name": effect.words}
    for label, text in effect.values:
        field = field_of(label, kept) if label else _field_for_money(kept)
        if field is None:
            raise NotDone("no_place", what=label or text)
        made[field["key"]] = value_of(field, text, html, _shown_day("", looks[kept.slug]))
    return redrawn(with_records(app, kept.entity, [*records, made]), kept.entity)


def set_value(effect: Effect, app: App, looks: Looks) -> App:
    """The app with another value in one field of a record.

    Raises:
        NotDone: there is no such record, or the text is not a value of the field.
    """
    kept = _kept(effect, app)
    html = app.pages[kept.slug]
    records = [dict(each) for each in records_in(html).get(kept.entity, [])]
    at = record_index(effect.words, records)
    label, text = effect.values[0]
    field = field_of(label, kept)
    if at is None or field is None:
        raise NotDone("absent", what=effect.words if at is None else label)
    records[at][field["key"]] = value_of(field, text, html, _shown_day(effect.words, looks[kept.slug]))
    return redrawn(with_records(app, kept.entity, records), kept.entity)


def without_record(name: str, app: App) -> App | None:
    """The app without a record of this name; None where it is not the name of just one record of one list."""
    every = {entity: records for html in app.pages.values() for entity, records in records_in(html).items()}
    found = [(entity, at) for entity, each in every.items() if (at := record_index(name, each)) is not None]
    if len(found) != 1:
        return None
    entity, at = found[0]
    return redrawn(with_records(app, entity, [*every[entity][:at], *every[entity][at + 1 :]]), entity)


def _fresh(entity: str, records: Sequence[Mapping[str, Any]]) -> str:
    known = {str(each.get("id")) for each in records}
    number = len(records) + 1
    while f"{entity.lower()}-{number}" in known:
        number += 1
    return f"{entity.lower()}-{number}"


def _field_for_money(kept: Kept) -> Mapping[str, Any] | None:
    found = [each for each in kept.fields if each["kind"] == "money"]
    return found[0] if len(found) == 1 else None


def _shown_day(name: str, look: Look) -> str:
    """The day that the row of a record shows, or without a name the first one that a row shows."""
    rows = [row for row in rows_of(look) if plain(row).startswith(plain(name))]
    days = [str(each.value) for row in rows for each in read_values(row) if each.type == "date"]
    return min((each for each in days if re.fullmatch(_DAY, each)), default="")


_DAY = r"\d{4}-\d\d-\d\d"
_NEAR = 90
"""Days within which a day without a year is the one beside the day that it replaces; else the next one is meant."""


def _with_year(day: str, shown: str) -> str:
    """A day that was said without its year ("--06-05"), in a year that fits the day beside which it stands."""
    if not day.startswith("--") or not shown:
        return day
    then = date.fromisoformat(shown)
    for year in (then.year, then.year - 1, then.year + 1):
        with suppress(ValueError):
            near = date.fromisoformat(f"{year}{day[1:]}")
            if abs((near - then).days) <= _NEAR:
                return near.isoformat()
    return f"{then.year + (day[2:] < shown[5:])}{day[1:]}"


def value_of(field: Mapping[str, Any], text: str, html: str, shown: str = "") -> Any:
    """A text as the value of a field; `shown` is the day beside which a day without a year stands.

    Raises:
        NotDone: it is none, or an amount in another currency than the page has.
    """
    kind = field["kind"]
    if kind in ("money", "number", "year"):
        figure = _FIGURE.search(text)
        sign = _SIGN.search(text)
        if figure is None:
            raise NotDone("no_value", what=text)
        own = str(json.loads(DATA.search(html)["data"]).get("currency", "")).strip()  # type: ignore[index]
        if sign and kind == "money" and _SIGNS.get(sign[0].upper(), sign[0].upper()) != own:
            raise NotDone("other_currency", what=text, detail=own)
        beside = re.findall(r"[^\W\d_]{2,}", text.replace(figure[0], " "))
        unit = str(field.get("unit", "")).casefold()
        if kind == "number" and unit and any(each.casefold()[:3] != unit[:3] for each in beside):
            raise NotDone("no_value", what=text)
        return _number(figure[0])
    if kind in ("date", "time"):
        said = [each.value for each in read_values(text) if each.type == kind]
        hours, minutes = divmod(int(said[0]), 60) if kind == "time" and len(said) == 1 else (0, 0)
        made = f"{hours:02d}:{minutes:02d}" if kind == "time" and len(said) == 1 else ""
        made = _with_year(str(said[0]), shown) if kind == "date" and len(said) == 1 else made
        if not re.fullmatch(r"\d\d:\d\d" if kind == "time" else _DAY, made):
            raise NotDone("no_value", what=text)
        return made
    return text.strip()


def _number(figure: str) -> int | float:
    """A figure as it is written: the last point or comma before one or two digits is that of the decimals."""
    figure = figure.strip(".,")
    whole, _, part = (
        figure.replace(",", ".").rpartition(".") if re.search(r"[.,]\d{1,2}$", figure) else (figure, "", "")
    )
    made = float(f"{re.sub(r'[^0-9]', '', whole)}.{part or 0}")
    return int(made) if made == int(made) else made


def redrawn(app: App, entity: str) -> App:
    """The app with the rows that stand in the source before scripts run, made anew of the records."""
    for slug, html in app.pages.items():
        if f'data-records="{entity}"' not in html:
            continue
        records, data = records_in(html).get(entity, []), json.loads(DATA.search(html)["data"])  # type: ignore[index]
        for kept in [each for each in kept_on(slug, html) if each.entity == entity]:
            part = part_of(html, kept)
            inside = [each for each in SourceMap(html).select("[data-list]") if part.start <= each.start < part.end]
            if not inside or "<li" not in html[inside[0].tag.end : inside[0].content_end]:
                continue
            blank = {str(each["key"]): "" for each in kept.fields}
            told = {"fields": kept.fields, "state": kept.state, "records": [blank | each for each in records]}
            rows = _macros(data.get("currency", "")).rows(told)
            html = html[: inside[0].tag.end] + str(rows).strip() + html[inside[0].content_end :]
        app = app.with_page(slug, html)
    return app


def _macros(currency: str = "") -> Any:
    """The builder's own macros for rows and fields."""
    return (
        environment()
        .get_template("pages/neutral/parts.html.j2")
        .make_module(
            {
                "t": lambda label, meaning="": label,
                "money": lambda amount: f"{currency}{float(amount):.2f}",
                "page": {"title": ""},
                "record_kinds": (),
                "icon_shape": lambda name: "",
            }
        )
    )


# Forms.


def add_field(effect: Effect, app: App, looks: Looks) -> App:
    """The app with one more field: in every form of the list, and in the settings by which its records are shown.

    Raises:
        NotDone: no form is there in the source.
    """
    kept = _kept(effect, app)
    choices = tuple(value for _, value in effect.values)
    same = [(slug, each) for slug in app.pages for each in kept_on(slug, app.pages[slug]) if _is_one(each, kept)]
    for slug, each in same:
        if field_of(effect.words, each) is not None:
            raise NotDone("so_already")
        key = _free_key(effect.words, each)
        field = Field(key, effect.words, effect.value or "text", choices)  # type: ignore[arg-type]
        html = _with_inputs(app.pages[slug], each, field)
        told = {"key": key, "kind": field.kind, "label": field.label, "unit": ""}
        html = with_setup(html, each, fields=[*each.fields, told]) if each.entity else html
        app = app.with_page(slug, html)
    return app


def _is_one(one: Kept, other: Kept) -> bool:
    return one.entity == other.entity if other.entity else (one.slug, one.number) == (other.slug, other.number)


def _free_key(label: str, kept: Kept) -> str:
    known = {"id", "name", "done", "kept", "votes", "acted", *(str(each["key"]) for each in kept.fields)}
    key = key_of(label)
    return key if key not in known else f"{key}_2"


def _with_inputs(html: str, kept: Kept, field: Field) -> str:
    part = part_of(html, kept)
    block = Block("list", "", "", kept.entity, (field,))
    edits = []
    for form in _forms(html, part):
        named = re.search(r"\bid=[\"']([\w-]+?)-[\w]+[\"']", html[form.tag.end : form.content_end])
        prefix = named[1] if named else form.tag.value("id") or f"form-{kept.number}"
        submit = [
            each
            for each in SourceMap(html).select("button, input[type=submit]")
            if form.start < each.start < form.end and each.tag.value("type") in ("submit", None)
        ]
        if not submit:
            continue
        edits.append(Edit(submit[0].start, submit[0].start, str(_macros().input(block, field, prefix)).strip()))
    if not edits:
        raise NotDone("absent", what=field.label)
    return edited(html, edits)


def _forms(html: str, part: SourceElement) -> list[SourceElement]:
    if part.name == "form":
        return [part]
    return [each for each in SourceMap(html).select("form") if part.start <= each.start < part.end and each.whole]


def remove_field(effect: Effect, app: App, looks: Looks) -> App:
    """The app without a field: in every form of the list, in the settings by which records are shown, and in them.

    Raises:
        NotDone: the field is not in the source.
    """
    kept = _kept(effect, app)
    done = False
    for slug, each in [(at, one) for at, html in app.pages.items() for one in kept_on(at, html) if _is_one(one, kept)]:
        field = field_of(effect.words, each)
        if field is None:
            continue
        html, part = app.pages[slug], part_of(app.pages[slug], each)
        every = [one for one in SourceMap(html).select("input, select, textarea") if part.start <= one.start < part.end]
        frames = [_frame(one, every) for one in every if _is_field(html, one, field)]
        spans = dict.fromkeys((one.start, one.end) for one in frames)
        done = done or bool(spans)
        html = edited(html, [Edit(start, end, "") for start, end in spans])
        left = [one for one in each.fields if one is not field]
        app = app.with_page(slug, with_setup(html, each, fields=left) if each.entity else html)
        rest = [{k: v for k, v in one.items() if k != field["key"]} for one in records_in(html).get(each.entity, [])]
        app = with_records(app, each.entity, rest)
    if not done:
        raise NotDone("absent", what=effect.words)
    return redrawn(app, kept.entity)


def _frame(control: SourceElement, every: Sequence[SourceElement]) -> SourceElement:
    """What stands around a control and its label, and around no control of another name."""
    frame = control
    while frame.parent is not None and frame.parent.name in ("div", "label", "p", "fieldset"):
        inside = [one for one in every if frame.parent.start <= one.start < frame.parent.end]
        if any(one.tag.value("name") != control.tag.value("name") for one in inside if one is not control):
            break
        frame = frame.parent
    return frame


def require(effect: Effect, app: App, looks: Looks) -> App:
    """The app with a field that has to be filled in before a form is sent.

    Raises:
        NotDone: the source has no such field.
    """
    kept = _kept(effect, app)
    html = app.pages[kept.slug]
    part, field = part_of(html, kept), field_of(effect.words, kept)
    edits: list[Edit] = []
    for control in SourceMap(html).select("input, select, textarea"):
        if not (part.start <= control.start < part.end and field and _is_field(html, control, field)):
            continue
        if control.tag.attribute("required") is None:
            at = control.tag.start + 1 + len(control.name)
            edits.append(Edit(at, at, " required"))
        name = control.tag.value("id")
        if name and f'data-error-for="{name}"' not in html:
            note = f'<p class="field-error" data-error-for="{name}" hidden></p>'
            edits.append(Edit(control.end, control.end, note))
    if not edits:
        raise NotDone("absent", what=effect.words)
    return app.with_page(kept.slug, edited(html, edits))


def _is_field(html: str, control: SourceElement, field: Mapping[str, Any]) -> bool:
    if field["key"]:
        return control.tag.value("name") == str(field["key"])
    name, around = control.tag.value("id") or "", control.parent
    label = re.search(rf"<label\b[^>]*\bfor=[\"']{re.escape(name)}[\"'][^>]*>(.*?)</label>", html, re.DOTALL)
    text = label[1] if name and label else ""
    if not text and around is not None and around.name == "label":
        text = html[around.tag.end : control.start]
    return " ".join(re.sub(r"<[^>]+>", " ", text).split()) == str(field["label"])


# How lists behave.

QUESTION = {
    "en": ("Really delete this?", "Cancel", "Delete"),
    "de": ("Wirklich löschen?", "Abbrechen", "Löschen"),
    "fr": ("Vraiment supprimer ?", "Annuler", "Supprimer"),
    "es": ("¿Eliminar de verdad?", "Cancelar", "Eliminar"),
    "zh": ("确定要删除吗？", "取消", "删除"),
}


def ask_first(effect: Effect, app: App, looks: Looks) -> App:
    """The app with a question before a record is deleted.

    Raises:
        NotDone: nothing can be deleted on the pages meant.
    """
    script = resources.files("loopwright.agents.pages.requests").joinpath("ask_first.js").read_text(encoding="utf-8")
    done = False
    for slug, html in app.pages.items():
        if (effect.pages and slug not in effect.pages) or "data-records=" not in html or "data-ask-first" in html:
            continue
        body = SourceMap(html).first("body")
        if body is None:
            raise NotDone("unreadable", page=slug)
        question, no, yes = QUESTION.get(looks[slug].lang[:2].lower(), QUESTION["en"])
        dialog = (
            f'<dialog class="sheet" data-ask-first aria-label="{question}">'
            f'<form class="form" method="dialog"><p>{question}</p>'
            f'<button class="btn btn-soft btn-block" value="no">{no}</button>'
            f'<button class="btn btn-primary btn-block" value="yes">{yes}</button></form></dialog>\n'
        )
        at = body.content_end
        app, done = app.with_page(slug, f"{html[:at]}{dialog}<script>\n{script}</script>\n{html[at:]}"), True
    if not done:
        raise NotDone("absent", what="")
    return app


def when_empty(effect: Effect, app: App, looks: Looks) -> App:
    """The app with other words in a list that holds nothing."""
    kept = _kept(effect, app)
    return app.with_page(kept.slug, with_setup(app.pages[kept.slug], kept, empty=effect.value))
