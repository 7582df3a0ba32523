"""What the pages of an app keep, read from their source: lists with fields and records, and forms."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.agents.pages.compliance.markup import Edit, apply_edits
from loopwright.agents.pages.editing.regions import Unmappable
from loopwright.agents.pages.editing.source_map import SourceElement, SourceMap
from loopwright.agents.pages.requests.app import App
from loopwright.agents.pages.requests.vocabulary import HAN, group

DATA = re.compile(r"(<script\b[^>]*\bid=[\"']app-data[\"'][^>]*>)(?P<data>.*?)(</script>)", re.DOTALL)
_SETUP = re.compile(r"(<script\b[^>]*\bdata-setup\b[^>]*>)(?P<data>.*?)(</script>)", re.DOTALL)


@dataclass(frozen=True)
class Kept:
    """A list or a form of a page.

    `names` are what it may be called (heading, noun, button), `page` those of its page, `fields` the labels of its
    fields, `records` the names of what it holds; `entity` is empty where it keeps nothing that could be read. `is_form`
    says that its form stands open on the page.
    """

    slug: str
    number: int
    names: tuple[str, ...]
    page: tuple[str, ...]
    fields: tuple[Mapping[str, Any], ...]
    records: tuple[str, ...]
    entity: str
    is_form: bool
    state: str = ""


def kept_on(slug: str, html: str) -> tuple[Kept, ...]:
    """The lists and forms of a page, in the order of its source; nothing where the markup cannot be read."""
    try:
        source = SourceMap(html)
    except Unmappable:
        return ()
    every = records_in(html)
    title = _text(html, source.first("h1"))
    found = []
    for number, part in enumerate(parts_of(source)):
        inner = html[part.start : part.end]
        entity = part.tag.value("data-records") or ""
        setup = _setup(inner) if entity else {}
        is_form = not entity or "data-own-form" in inner
        own = [_heading(inner), str(setup.get("noun", "")), _button(inner) if is_form else "", _under_heading(inner)]
        own.append(entity)
        names = tuple(dict.fromkeys(each for each in own if each)) or (title or slug,)
        fields = setup.get("fields") or [{"label": each, "key": "", "kind": ""} for each in _labels(inner)]
        known = tuple(str(each.get("name", "")) for each in every.get(entity, ()))
        page, state = (title, slug.replace("-", " ")), str(setup.get("state", ""))
        found.append(Kept(slug, number, names, page, tuple(fields), known, entity, is_form, state))
    return tuple(found)


def parts_of(source: SourceMap) -> list[SourceElement]:
    """The parts of a page that keep something: sections of records, and forms with fields elsewhere."""
    lists = [each for each in source.select("[data-records]") if each.whole]
    forms = [
        each
        for each in source.select("main form")
        if each.whole
        and not any(part.start <= each.start < part.end for part in lists)
        and re.search(
            r"<(?:input|textarea|select)\b(?![^>]*type=[\"'](?:search|hidden))", source.html[each.start : each.end]
        )
    ]
    return sorted([*lists, *forms], key=lambda each: each.start)


def part_of(html: str, kept: Kept) -> SourceElement:
    """The part in the source of its page."""
    return parts_of(SourceMap(html))[kept.number]


def records_in(html: str) -> dict[str, list[dict[str, Any]]]:
    """The records with which a page starts, by entity."""
    found = DATA.search(html)
    if found is None:
        return {}
    try:
        data = json.loads(found["data"])
    except ValueError:
        return {}
    records: dict[str, list[dict[str, Any]]] = data.get("records") or {}
    return records


def with_records(app: App, entity: str, records: Sequence[Mapping[str, Any]]) -> App:
    """The app with other records of an entity, on every page that holds them."""
    for slug, html in app.pages.items():
        found = DATA.search(html)
        if found is None or entity not in records_in(html):
            continue
        data = json.loads(found["data"])
        data["records"][entity] = list(records)
        app = app.with_page(slug, html[: found.start("data")] + as_json(data) + html[found.end("data") :])
    return app


def with_setup(html: str, kept: Kept, **changes: Any) -> str:
    """The page with other settings of a list."""
    part = part_of(html, kept)
    found = _SETUP.search(html, part.start, part.end)
    if found is None:
        return html
    data = {**json.loads(found["data"]), **changes}
    return html[: found.start("data")] + as_json(data) + html[found.end("data") :]


def as_json(data: Any) -> str:
    """Data as it may stand in a script element."""
    text = json.dumps(data, ensure_ascii=True)
    return text.replace("<", "\\u003c").replace("'", "\\u0027").replace("&", "\\u0026")


def edited(html: str, edits: Sequence[Edit]) -> str:
    """The page after edits."""
    return apply_edits(html, sorted(edits, key=lambda each: each.start))


def _setup(inner: str) -> dict[str, Any]:
    found = _SETUP.search(inner)
    try:
        data: dict[str, Any] = json.loads(found["data"]) if found else {}
    except ValueError:
        return {}
    return data


def _text(html: str, element: SourceElement | None) -> str:
    return "" if element is None else _plain(html[element.tag.end : element.content_end])


def _plain(markup: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", re.sub(r"<svg.*?</svg>", " ", markup, flags=re.DOTALL)).split())


def _heading(inner: str) -> str:
    found = re.search(r"<h[23]\b[^>]*>(.*?)</h[23]>", inner, re.DOTALL)
    return _plain(found[1]) if found else ""


def _under_heading(inner: str) -> str:
    """A few words under the heading, which say more of what the list is; a sentence is none."""
    found = re.search(r"</h[23]>(?:</div>)?\s*<p\b[^>]*>(.*?)</p>", inner, re.DOTALL)
    text = _plain(found[1]) if found else ""
    return text if len(text.split()) <= 5 else ""


def _button(inner: str) -> str:
    found = re.search(r"<button\b[^>]*type=[\"']submit[\"'][^>]*>(.*?)</button>", inner, re.DOTALL)
    return _plain(found[1]) if found else ""


def _labels(inner: str) -> list[str]:
    return [
        _plain(each)
        for each in re.findall(r"<label\b[^>]*>(.*?)(?:<input|<select|<textarea|</label>)", inner, re.DOTALL)
    ]


# Which of them is meant.


def roots(text: str) -> list[str]:
    """The beginnings of the words of a text, by which "booking" and "book", "Sorte" and "Sorten" are one."""
    text = re.sub("[的了]", " ", group("form_words").sub(" ", text.lower()))
    found: list[str] = []
    for word in re.findall(r"[^\W_]+", text):
        if HAN.search(word):
            found += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        elif len(word) > 2 and not group("little_words").fullmatch(word):
            found.append(re.sub(r"(?:formular|liste|seite)$", "", word) or word)
    return found


def _alike(one: str, other: str) -> bool:
    if HAN.search(one) or HAN.search(other):
        return one in other or other in one
    short, long = sorted((one, other), key=len)
    if len(short) < 4:
        return short == long
    same = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return same >= max(4, len(short) - 3) and same * 2 >= len(long) - 2


def likeness(words: str, names: Sequence[str]) -> float:
    """The share of the words that stand in one of the names, 0 to 1."""
    wanted = roots(words)
    known = [root for name in names for root in roots(name)]
    return sum(any(_alike(each, root) for root in known) for each in wanted) / len(wanted) if wanted else 0.0


def meant(words: str, lists: Sequence[Kept], *, form: bool = False) -> Kept | None:
    """The list or form that words name; without words the only one there is. None where that is not one.

    Args:
        words: what is left of a clause to name it; all of it has to be said of the list.
        lists: those that there are.
        form: whether the clause calls it a form: then one that stands open goes first.
    """
    if form and any(each.is_form for each in lists) and not roots(words):
        lists = [each for each in lists if each.is_form]
    if not roots(words):
        return lists[0] if len(lists) == 1 else None
    rated = [
        (
            (
                likeness(words, [*each.names, *each.page]),
                form and each.is_form,
                likeness(words, each.names),
                each.is_form == form,
            ),
            each,
        )
        for each in lists
    ]
    best = max((rate for rate, _ in rated), default=(0.0, False, 0.0, False))
    found = [each for rate, each in rated if rate == best]
    if best[0] < 1.0 or len({each.entity or (each.slug, each.number) for each in found}) != 1:
        return None
    return found[0]


def field_of(label: str, kept: Kept) -> Mapping[str, Any] | None:
    """The field of a list that a label names, in any number."""
    same = [each for each in kept.fields if each["label"].casefold() == label.casefold()]
    near = same or [each for each in kept.fields if likeness(label, [each["label"]]) == 1.0]
    return near[0] if len(near) == 1 else None


def holder_of(name: str, lists: Sequence[Kept]) -> Kept | None:
    """The list that holds a record of this name; None where none or several do."""
    found = {each.entity: each for each in lists if any(_same(name, record) for record in each.records)}
    return next(iter(found.values())) if len(found) == 1 else None


def _same(one: str, other: str) -> bool:
    return " ".join(re.findall(r"[^\W_]+", one.casefold())) == " ".join(re.findall(r"[^\W_]+", other.casefold())) != ""


def record_index(name: str, records: Sequence[Mapping[str, Any]]) -> int | None:
    """Where the record of a name stands."""
    found = [at for at, each in enumerate(records) if _same(name, str(each.get("name", "")))]
    return found[0] if len(found) == 1 else None
