"""Effects on what an app keeps: records, fields of forms, what is needed, what is asked before something is deleted."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loopwright.agents.pages.account.effects import Effect, Verdict, plain
from loopwright.agents.pages.account.looks import Look, Looks
from loopwright.kernel.account.reading import read_values

_NOT_TRIED = "nothing here can be tried without a browser, or nothing is kept here"
_TYPES: Mapping[str, Sequence[str]] = {
    "phone": ("tel",), "email": ("email",), "date": ("date",), "time": ("time",), "number": ("number",),
    "money": ("number",), "year": ("number",), "choice": ("select", "radio"), "notes": ("textarea",),
    "photo": ("file",),
}  # fmt: skip


def rows_of(look: Look) -> list[str]:
    """What the rows of a page say, each in words and figures."""
    rows = [each for each in look.of_kind("row") if not each.fixed]
    return [" ".join(each.text.split()) for each in rows]


_MONEY_WORDS = re.compile(r"\b(?:EUR|USD|CHF|GBP|euros?|dollars?|francs?|franken|pounds?)\b|[元块]", re.IGNORECASE)


def _says(row: str, value: str) -> bool:
    """Whether a row shows a value: its words, its day, or its figure, however these are written."""
    days = _days(value)
    if days:
        return all(any(each.endswith(day.removeprefix("-")) for each in _days(row)) for day in days)
    figures = re.findall(r"\d[\d.,]*", value)
    if len(figures) == 1 and not re.search(r"[^\W\d_]{2,}", _MONEY_WORDS.sub("", value)):
        return any(_amount(each) == _amount(figures[0]) for each in re.findall(r"\d[\d.,]*", row))
    return plain(value) in plain(row)


def _days(text: str) -> set[str]:
    return {str(each.value) for each in read_values(text) if each.type == "date"}


def _amount(figure: str) -> float:
    whole, _, part = figure.strip(".,").replace(",", ".").rpartition(".")
    if whole and len(part) < 3:
        return float(f"{whole.replace('.', '')}.{part}")
    return float(f"{whole}{part}".replace(".", "") or 0)


def judge_record(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """One row has the name and all values that were said, and every other row says what it said before."""
    told, done, was = "", [], []
    for slug in scope:
        then, now = Counter(rows_of(before[slug])), Counter(rows_of(after[slug]))
        named = [row for row in now if plain(row).startswith(plain(effect.words))]
        fits = [row for row in named if all(_says(row, value) for _, value in effect.values)]
        if any(_is_row(row, effect) for row in then):
            was.append(slug)
        if not fits or then[fits[0]]:
            continue
        gone, come = then - now, now - then
        older = [row for row in gone if not plain(row).startswith(plain(effect.words))]
        if older and effect.operation == "add_record":
            return Verdict(holds=False, told=f"“{older[0][:60]}” would go")
        if come.total() != 1 or gone.total() != (0 if effect.operation == "add_record" else 1):
            return Verdict(holds=False, told=f"{come.total()} rows would be others")
        done.append(slug)
        told = f"“{fits[0][:80]}” on {slug}"
    absent = effect.operation == "set_value" and not any(
        plain(row).startswith(plain(effect.words)) for slug in scope for row in rows_of(before[slug])
    )
    told = told or f"no row says {' '.join([effect.words, *(value for _, value in effect.values)])}"
    return Verdict(holds=bool(done), told=told, so_already=bool(was) and not done, absent=absent)


def _is_row(row: str, effect: Effect) -> bool:
    return plain(row).startswith(plain(effect.words)) and all(_says(row, value) for _, value in effect.values)


def _forms(looks: Looks, scope: Sequence[str]) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    for slug in scope:
        for number, form in enumerate(looks[slug].forms):
            yield slug, number, form


def _field(form: Mapping[str, Any], words: str) -> Mapping[str, Any] | None:
    return next((each for each in form["fields"] if plain(words) == plain(_bare(each["label"]))), None)


def _bare(label: str) -> str:
    return re.sub(r"\s*[(*].*$", "", label)


def judge_add_field(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """A form has the field; it can be sent with it, and what is typed into it is seen as what is typed into others."""
    then = {(slug, number): form for slug, number, form in _forms(before, scope)}
    done, was, told = [], [], _NOT_TRIED
    wanted = [value for _, value in effect.values]
    for slug, number, form in _forms(after, scope):
        old, field = then.get((slug, number)), _field(form, effect.words)
        if old is not None and _field(old, effect.words) is not None:
            was.append(slug)
            continue
        if field is None or old is None:
            continue
        told = f"“{effect.words}” in the form of {slug}"
        lost = [each["label"] for each in old["fields"] if _field(form, _bare(each["label"])) is None]
        kinds = _TYPES.get(effect.value, ())
        if lost or not form["sent"]:
            return Verdict(holds=False, told=f"{told}: {f'{lost[0]} went' if lost else 'it cannot be sent'}")
        if (kinds and field["type"] not in kinds) or [each for each in wanted if each not in field["options"]]:
            return Verdict(holds=False, told=f"{told}: another kind of field")
        if [each for each in old["kept"] if each != "Name"] and field["label"] not in form["kept"]:
            return Verdict(holds=False, told=f"{told}: what is typed is not kept")
        done.append(slug)
    return Verdict(holds=bool(done), told=told, so_already=bool(was) and not done)


def judge_remove_field(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """No form and no row has the field any more; every other field is there, and the forms can be sent."""
    then = [(slug, number, form) for slug, number, form in _forms(before, scope) if _field(form, effect.words)]
    if not then:
        return Verdict(holds=False, told=f"no form that could be tried has “{effect.words}”", absent=True)
    now = {(slug, number): form for slug, number, form in _forms(after, scope)}
    for slug, number, old in then:
        form = now.get((slug, number))
        if form is None or not form["sent"]:
            return Verdict(holds=False, told=f"the form of {slug} cannot be sent")
        left = [each["label"] for each in form["fields"]]
        if left != [each["label"] for each in old["fields"] if plain(_bare(each["label"])) != plain(effect.words)]:
            return Verdict(holds=False, told=f"the form of {slug} has {', '.join(left)}")
        label = re.compile(rf"(?<!\w){re.escape(effect.words)}(?!\w)", re.IGNORECASE)
        shown = [row for row in rows_of(after[slug]) if label.search(row)]
        if shown and len(shown) >= sum(label.search(row) is not None for row in rows_of(before[slug])):
            return Verdict(holds=False, told=f"“{shown[0][:60]}” on {slug}")
    return Verdict(holds=True, told=f"“{effect.words}” is gone from {', '.join(slug for slug, _, _ in then)}")


def judge_require(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """A form is not sent without the field, and is sent with it."""
    done, was, told = [], [], _NOT_TRIED
    then = {(slug, number): form for slug, number, form in _forms(before, scope)}
    for slug, number, form in _forms(after, scope):
        field, old = _field(form, effect.words), then.get((slug, number))
        if field is None or old is None:
            continue
        told = f"the form of {slug} is sent without “{effect.words}”"
        if _field(old, effect.words) and field["label"] in old["needed"]:
            was.append(slug)
        elif field["label"] in form["needed"] and form["sent"]:
            done.append(slug)
    told = f"not sent without “{effect.words}” on {', '.join(done)}" if done else told
    return Verdict(holds=bool(done), told=told, so_already=bool(was) and not done)


def _lists(looks: Looks, scope: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for slug in scope:
        for each in looks[slug].lists:
            yield slug, each


def judge_ask_first(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """Wherever something can be deleted, a question comes first; only a yes deletes it."""
    then = [each for _, each in _lists(before, scope) if each["goes"]]
    now = [each for _, each in _lists(after, scope) if each["goes"]]
    asks = [each for each in now if each["asks"] and each["stays"]]
    told = f"asked first in {len(asks)} of {len(now)} lists" if now else _NOT_TRIED
    was = bool(then) and all(each["asks"] for each in then)
    return Verdict(holds=bool(asks) and len(asks) == len(now) == len(then) and not was, told=told, so_already=was)


def judge_when_empty(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """A list from which all was deleted says the words."""
    now = [slug for slug, each in _lists(after, scope) if plain(effect.value) in plain(each["empty"])]
    was = [slug for slug, each in _lists(before, scope) if plain(effect.value) in plain(each["empty"])]
    told = f"“{effect.value}” in the empty list of {', '.join(now) or 'no page'}"
    return Verdict(holds=len(now) > len(was), told=told, so_already=bool(was) and len(now) == len(was))


def judge_new_page(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """There is one page more, headed by the title, that says all lines and to which an older page leads."""
    new = [slug for slug in after if slug not in before]
    if len(new) != 1:
        return Verdict(holds=False, told="there is no new page")
    look = after[new[0]]
    if not _heads(look, effect.words):
        return Verdict(holds=False, told=f"the new page is not headed “{effect.words}”")
    texts = [plain(each.text) for each in look.elements]
    lacking = [line for _, line in effect.values if not any(plain(line) in text for text in texts)]
    if lacking:
        return Verdict(holds=False, told=f"the new page does not say “{lacking[0]}”")
    ways = [s for s in before if s in after and any(e.href == f"{new[0]}.html" for e in after[s].elements)]
    return Verdict(holds=bool(ways), told=f"“{effect.words}”, reached from {', '.join(ways) or 'no page'}")


def _heads(look: Look, title: str) -> bool:
    return any(plain(each.text) == plain(title) for each in look.of_kind("headline"))
