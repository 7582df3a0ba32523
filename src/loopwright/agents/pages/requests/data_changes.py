"""Requests about what an app keeps, carried out in its records, in the settings of its lists and in its forms."""

import html as entities
import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from loopwright.agents.pages.account.effects import Effect
from loopwright.agents.pages.account.looks import Looks
from loopwright.agents.pages.brief.sitemap import slugify
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
    if effect.operation in ("require", "set_value"):
        label = effect.words if effect.operation == "require" else effect.values[0][0]
        found = [each for each in found if field_of(label, each) is not None] or found
    if not found:
        raise NotDone("absent", what=effect.anchor)
    return found[0]


# --------------------------------------------------------------------------------------------------------------------
# Records.
# --------------------------------------------------------------------------------------------------------------------


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
        made[field["key"]] = value_of(field, text, html)
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
    records[at][field["key"]] = value_of(field, text, html)
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


def value_of(field: Mapping[str, Any], text: str, html: str) -> Any:
    """A text as the value of a field.

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
        return _number(figure[0])
    if kind in ("date", "time"):
        shape = r"\d{4}-\d\d-\d\d" if kind == "date" else r"\d\d:\d\d"
        days = [str(each.value) for each in read_values(text) if re.fullmatch(shape, str(each.value))]
        if len(days) != 1:
            raise NotDone("no_value", what=text)
        return days[0]
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
            told = {"fields": kept.fields, "records": [blank | each for each in records]}
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


# --------------------------------------------------------------------------------------------------------------------
# Forms.
# --------------------------------------------------------------------------------------------------------------------


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


# --------------------------------------------------------------------------------------------------------------------
# How lists behave.
# --------------------------------------------------------------------------------------------------------------------

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


# --------------------------------------------------------------------------------------------------------------------
# A page.
# --------------------------------------------------------------------------------------------------------------------

MOST_IN_MENU = 5
_PHONE = re.compile(r"\+?\d[\d \-/()]{5,}\d")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")


def new_page(effect: Effect, app: App, looks: Looks) -> App:
    """The app with one more page in the frame of another one; menus with space lead to it, else the home page does.

    Raises:
        NotDone: there is such a page, or no page from which a frame could be taken.
    """
    slug = _free_slug(effect.words, app)
    others = [each for each in app.pages if each != "index"] or list(app.pages)
    model = next((each for each in others if SourceMap(app.pages[each]).first("main")), None)
    if model is None:
        raise NotDone("unreadable", page=others[0])
    made = _framed(app.pages[model], effect)
    app = app.with_page(slug, made)
    for each in list(app.pages):
        app = app.with_page(each, _linked(app.pages[each], effect.words, slug, each))
    return app


def _free_slug(title: str, app: App) -> str:
    slug = slugify(title) or f"page-{len(app.pages) + 1}"
    if slug in app.pages:
        raise NotDone("page_there", what=title)
    return slug


def _framed(html: str, effect: Effect) -> str:
    """The page of another one with its own title and lines, without what only the other one needs."""
    source = SourceMap(html)
    main, head, title = source.first("main"), source.first("h1"), source.first("title")
    if main is None:
        raise NotDone("unreadable", page="")
    text = entities.escape(effect.words, quote=False)
    lines = [_line(value) for _, value in effect.values]
    body = f"<p>{lines[0]}</p>" if len(lines) == 1 else f"<ul>{''.join(f'<li>{each}</li>' for each in lines)}</ul>"
    heading = "" if head and not main.start <= head.start < main.end else f"<h1>{text}</h1>\n"
    edits = [
        Edit(
            main.tag.end,
            main.content_end,
            f'\n{heading}<section class="section"><div class="card card-pad">{body}</div></section>\n',
        )
    ]
    if head and heading == "":
        edits.append(Edit(head.tag.end, head.content_end, text))
    if title is not None:
        old = html[title.tag.end : title.content_end]
        edits.append(
            Edit(title.tag.end, title.content_end, text + (f" · {old.rpartition(' · ')[2]}" if " · " in old else ""))
        )
    for each in source.elements:
        if (
            each.name == "script"
            and not each.tag.value("src")
            and each.tag.value("id") != "app-data"
            and each.start > main.end
        ):
            edits.append(Edit(each.start, each.end, ""))
        if each.name == "meta" and each.tag.value("name") == "description":
            edits.append(Edit(each.start, each.end, ""))
    made = edited(html, edits)
    return re.sub(r'\s+aria-current="page"', "", made)


def _line(text: str) -> str:
    shown = entities.escape(text, quote=False)
    if mail := _MAIL.search(shown):
        return shown.replace(mail[0], f'<a href="mailto:{mail[0]}">{mail[0]}</a>')
    if phone := _PHONE.search(shown):
        number = re.sub(r"[^\d+]", "", phone[0])
        return shown.replace(phone[0], f'<a href="tel:{number}">{phone[0]}</a>') if len(number) > 5 else shown
    return shown


def _linked(html: str, title: str, slug: str, here: str) -> str:
    """The page with an entry of its menu for another one where there is space; the home page has a way in any case."""
    items = [each for each in SourceMap(html).select("nav.bottom-nav a[href]") if each.whole]
    text = entities.escape(title, quote=False)
    if items and len(items) < MOST_IN_MENU:
        last = items[-1]
        entry = re.sub(r"\s(?:aria-current|id|data-[\w-]+)=(?:\"[^\"]*\"|'[^']*')", "", html[last.start : last.end])
        entry = re.sub(r"\shref=(?:\"[^\"]*\"|'[^']*')", f' href="{slug}.html"', entry, count=1)
        words = list(re.finditer(r">([^<>]*[^<>\s][^<>]*)<", entry))
        current = ' aria-current="page"' if here == slug else ""
        entry = f"{entry[: words[-1].start(1)]}{text}{entry[words[-1].end(1) :]}".replace("<a ", f"<a{current} ", 1)
        return f"{html[: last.end]}\n{entry}{html[last.end :]}"
    main = SourceMap(html).first("main")
    if here != "index" or main is None:
        return html
    link = f'<section class="section"><a class="btn btn-soft btn-block" href="{slug}.html">{text}</a></section>\n'
    return f"{html[: main.content_end]}{link}{html[main.content_end :]}"
