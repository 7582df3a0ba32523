"""Effects on places, columns, menus, switches and currencies."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from loopwright.agents.pages.account.effects import (
    Effect,
    Verdict,
    again,
    anchors,
    lightness,
    plain,
    targets,
    within,
)
from loopwright.agents.pages.account.looks import Element, Look, Looks
from loopwright.agents.pages.account.vocabulary import HAN
from loopwright.kernel.account.reading import read_values


def judge_move(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """The element stands where it was to go, it is there once as before, and nothing else went."""
    if effect.place == "at":
        return _judge_counted(effect, before, after, scope)
    moved, seen = [], 0
    for slug in scope:
        old, new = targets(effect, before[slug]), targets(effect, after[slug])
        if not old:
            continue
        seen += 1
        if effect.nth:  # it is counted otherwise where it stands now
            new = again(old[0], after[slug])
            old = again(old[0], before[slug])
        if len(new) != len(old):
            return Verdict(holds=False, told=f"{slug}: {len(old)} → {len(new)} of them")
        if _stands(effect, before[slug], before[slug], old[0]):
            continue
        if not _stands(effect, before[slug], after[slug], new[0]):
            return Verdict(holds=False, told=f"{slug}: it does not stand there")
        moved.append(slug)
    if not seen:
        return Verdict(holds=False, told=f"there is no {effect.words or effect.kind}", absent=True)
    told = f"stands {effect.place} {effect.anchor or effect.anchor_kind}".strip()
    return Verdict(holds=bool(moved), told=f"{told} on {', '.join(moved) or 'no page'}", so_already=not moved)


def _judge_counted(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """The element is the one that was counted among its like, and the others follow each other as before."""
    every = effect.model_copy(update={"words": "", "place": ""})
    done, was, seen = [], [], 0
    for slug in scope:
        old, new = ([each.text for each in sorted(targets(every, s[slug]), key=_place)] for s in (before, after))
        meant = {each.text for each in targets(effect, before[slug])}
        if len(meant) != 1 or len(old) < max(2, effect.anchor_nth):
            continue
        seen += 1
        (text,) = meant
        rest = [each for each in old if each != text]
        kept = [each for each in new if each != text] == rest and len(new) == len(old)
        at = effect.anchor_nth - 1 if effect.anchor_nth > 0 else effect.anchor_nth
        was += [slug] if old[at] == text else []
        done += [slug] if kept and new[at] == text else []
    if not seen:
        return Verdict(holds=False, told=f"there is no {effect.words}", absent=True)
    told = f"{effect.kind} “{effect.words}” is number {effect.anchor_nth} on {', '.join(done) or 'no page'}"
    return Verdict(holds=len(done) == seen > len(was), told=told, so_already=len(was) == seen)


def stands(effect: Effect, look: Look, element: Element) -> bool:
    """Whether an element stands at the place that an effect names."""
    return _stands(effect, look, look, element)


def _stands(effect: Effect, first_look: Look, look: Look, element: Element) -> bool:
    if effect.place in ("top", "bottom"):
        if "menu" in element.kinds:
            return (element.y > 500 if effect.place == "bottom" else element.y < 200) or False
        others = [
            e
            for e in look.of_kind("text")
            if not e.fixed
            and "headline" not in e.kinds
            and not within(e, look, ("header", "menu", "footer"))
            and not _inside(e, element)
        ]
        if effect.place == "top":
            return sum(e.y + e.height <= element.y + 2 for e in others) <= 1
        return sum(e.y >= element.y + element.height - 2 for e in others) == 0
    beside = anchors(effect, first_look)
    if effect.anchor_nth:
        beside = [found for each in beside for found in again(each, look)]
    elif first_look is not look:
        beside = anchors(effect, look)
    beside = [each for each in beside if not _inside(each, element)]
    if not beside:
        return False
    return _precedes(beside[0], element) if effect.place == "below" else _precedes(element, beside[0])


def _precedes(one: Element, other: Element) -> bool:
    """Whether an element is read before another: it stands above it, or left of it on one line."""
    beside = abs(one.y - other.y) < 12 and one.x + one.width <= other.x + 4
    return one.y + one.height <= other.y + 4 or beside


def judge_swap(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """Two things that stood one before the other stand the other way round, each there as often as before."""
    done, seen = [], 0
    for slug in scope:
        one, other = targets(effect, before[slug])[:1], anchors(effect, before[slug])[:1]
        if not one or not other or one == other:
            continue
        seen += 1
        found = [(again(each[0], before[slug]), again(each[0], after[slug])) for each in (one, other)]
        if any(len(old) != len(new) for old, new in found):
            return Verdict(holds=False, told=f"{slug}: one went, or came twice")
        (old, new), (old_other, new_other) = found
        was, now = _precedes(old[0], old_other[0]), _precedes(new[0], new_other[0])
        back = _precedes(new_other[0], new[0])
        if was != now and now != back:
            done.append(slug)
    if not seen:
        what = " / ".join(filter(None, [effect.words or effect.kind, effect.anchor or effect.anchor_kind]))
        return Verdict(holds=False, told=f"there are no two: {what}", absent=True)
    return Verdict(holds=len(done) == seen, told=f"the other way round on {', '.join(done) or 'no page'}")


def judge_sort(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """Lists of the things that are meant stand in order, with the same entries as before; what has no value is last."""
    lists = {slug: sorted_lists(effect, before[slug]) for slug in scope}
    if not any(lists.values()):
        return Verdict(holds=False, told=f"there is no list of “{effect.words}” with “{effect.value}”", absent=True)
    done, was = [], []
    for slug, found in lists.items():
        for entries in found:
            now = [again(each, after[slug]) for each in entries]
            if not all(now):
                return Verdict(holds=False, told=f"{slug}: entries went")
            order = sorted(entries, key=lambda each: _place(again(each, after[slug])[0]))
            was.append(_in_order(effect, entries))
            done.append(_in_order(effect, order))
    told = f"{sum(done)} of {len(done)} lists in order of {effect.value}"
    return Verdict(holds=all(done) and not all(was), told=told, so_already=all(was))


def _place(element: Element) -> tuple[int, int]:
    return round(element.y / 8), element.x


def without_plural(word: str) -> str:
    """A plural without its ending, so that the singular is found too."""
    return re.sub(r"(?:ies|es|s|en|n)$", "", word) if len(word) > 4 and not HAN.search(word) else word


def sorted_lists(effect: Effect, look: Look) -> list[list[Element]]:
    """The lists of a page that a sort is about, in reading order: rows or cards beside each other that have a value."""
    groups: dict[int, list[Element]] = defaultdict(list)
    for each in look.elements:
        if {"row", "card"} & set(each.kinds) and not within(each, look, ("menu", "header", "footer", "row")):
            groups[each.inside].append(each)
    chosen = _named_so(plain(without_plural(effect.words)), look, [each for each in groups.values() if len(each) > 1])
    found = [sorted(group, key=_place) for group in chosen]
    return [group for group in found if sum(key_of(effect.value, each) is not None for each in group) > 1]


def _named_so(name: str, look: Look, groups: Sequence[list[Element]]) -> Sequence[list[Element]]:
    """The lists that a name is about: those right under a heading that says it, else all under the page's heading.

    What heads an entry heads no list.
    """
    if not name:
        return groups
    entries = {id(each) for group in groups for each in group}
    heads = [
        (at, each)
        for at, each in enumerate(look.elements)
        if "heading" in each.kinds and not any(id(holder) in entries for holder in look.around(each))
    ]
    places = {id(each): at for at, each in enumerate(look.elements)}
    under = []
    for group in groups:
        first = min(places[id(each)] for each in group)
        nearest = next((head for at, head in reversed(heads) if at < first), None)
        under += [group] if nearest is not None and name in plain(nearest.text) else []
    whole = any(name in plain(head.text) for _, head in heads if "headline" in head.kinds)
    return under or (groups if whole else [])


def key_of(by: str, entry: Element) -> float | str | None:
    """What an entry is sorted by: the words that it begins with, an amount, a date, or what follows a label."""
    if by == "name":
        return plain(entry.text) or None
    text = entry.text
    if by not in ("price", "date"):
        found = re.search(rf"(?<![^\W_]){re.escape(by)}\w*\W+(?P<rest>.+)", text, re.IGNORECASE)
        if found is None:
            return None
        text = found["rest"]
    if by == "price":
        money = next((m for m in MONEY.finditer(text) if m["before"] or m["after"]), None)
        return float(re.sub(r"[,.](?=\d{3}(?!\d))", "", money["figure"]).replace(",", ".")) if money else None
    dates = [each for each in read_values(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", str(each.value))]
    if dates:
        return str(dates[0].value)
    if by == "date":
        return None
    number = re.match(r"[^\w\s]?\s?(\d+(?:[.,]\d+)?)", text)
    return float(number[1].replace(",", ".")) if number else plain(text)


def _in_order(effect: Effect, entries: Sequence[Element]) -> bool:
    keys = [key_of(effect.value, each) for each in entries]
    have = [key for key in keys if key is not None]
    if None in keys[: len(have)] or len({type(key) for key in have}) > 1:
        return False
    ways = {"more": (False,), "less": (True,)}.get(effect.relation, (False, True))
    return any(have == sorted(have, reverse=falls) for falls in ways)


def _inside(element: Element, around: Element) -> bool:
    return (
        around.x <= element.x + 1
        and around.y <= element.y + 1
        and element.x + element.width <= around.x + around.width + 1
        and element.y + element.height <= around.y + around.height + 1
    )


def judge_columns(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """Things of the kind stand side by side, so many in a row, and none is cut off."""
    wanted = int(effect.value or 2)
    if effect.anchor:  # the things are named: only pages with a heading of that name show them
        name = plain(effect.anchor)
        scope = [slug for slug in scope if any(name in plain(each.text) for each in before[slug].of_kind("heading"))]
    now = {slug: _side_by_side(targets(effect, after[slug])) for slug in scope}
    was = {slug: _side_by_side(targets(effect, before[slug])) for slug in scope}
    if not any(len(targets(effect, before[slug])) > 1 for slug in scope):
        return Verdict(holds=False, told=f"there are no {effect.kind}s that could stand side by side", absent=True)
    done = [slug for slug in scope if now[slug] == wanted]
    told = f"{wanted} side by side on {', '.join(done) or 'no page'}"
    held = [slug for slug in scope if was[slug] == wanted]
    return Verdict(holds=bool(set(done) - set(held)), told=told, so_already=bool(held) and not set(done) - set(held))


def _side_by_side(elements: Sequence[Element]) -> int:
    lines: dict[int, list[Element]] = defaultdict(list)
    for each in elements:
        if each.x + each.width <= 440:
            lines[each.y // 12].append(each)
    return max((len({e.x for e in line}) for line in lines.values()), default=0)


def judge_switch(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """Each page has a switch; tapped, it turns a light page dark or a dark one light, and tapped again back."""
    works, told = [], ""
    for slug in scope:
        if _ground(before[slug]) != _ground(after[slug]):
            return Verdict(holds=False, told=f"{slug} is turned over before anybody taps the switch")
        for seen in after[slug].taps.values():
            light = [lightness(each) for each in seen]
            if abs(light[0] - light[1]) > 0.3 and abs(light[0] - light[2]) < 0.05:
                works.append(slug)
                told = f"{seen[0]} → {seen[1]} → {seen[2]}"
                break
    was = [slug for slug in scope if before[slug].taps]
    told = f"a switch works on {len(works)} of {len(scope)} pages ({told})"
    return Verdict(holds=len(works) == len(scope) > 0 and not was, told=told, so_already=bool(was))


def _ground(look: Look) -> str:
    return next((each.ground for each in look.of_kind("page")), "")


MONEY = re.compile(
    r"(?P<before>[$€£¥₹]|CHF|EUR|USD|GBP|kr|元|Fr\.)?\s?(?P<figure>\d[\d.,]*\d|\d)\s?(?P<after>[$€£¥₹]|CHF|EUR|USD|GBP|kr\b|元|Fr\.)?"
)


def _amounts(look: Look) -> list[tuple[str, str]]:
    """The amounts of money on a page: currency and figure."""
    found = []
    for each in look.of_kind("text"):
        for match in MONEY.finditer(each.text if len(each.text) < 40 else each.own):
            sign = match["before"] or match["after"]
            found += [(sign, match["figure"].replace(",", "."))] if sign else []
    return found


def judge_currency(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """Every amount has the new currency, and the same figure as before."""
    had = [amount for slug in scope for amount in _amounts(before[slug])]
    now = [amount for slug in scope for amount in _amounts(after[slug])]
    if not had:
        return Verdict(holds=False, told="there are no amounts of money", absent=True)
    other = {sign for sign, _ in now if sign != effect.value}
    same = Counter(figure for _, figure in had) == Counter(figure for _, figure in now)
    was = all(sign == effect.value for sign, _ in had)
    told = f"{len(now)} amounts in {effect.value}" + (f", {', '.join(sorted(other))} left" if other else "")
    return Verdict(holds=not other and same and not was, told=told, so_already=was)


def judge_menu(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """The menu of every page has an entry with these words that leads to the address."""

    def has(look: Look) -> bool:
        return any(effect.words.lower() in e.text.lower() and e.href == effect.value for e in look.of_kind("menu item"))

    done, was = [s for s in scope if has(after[s])], [s for s in scope if has(before[s])]
    told = f"“{effect.words}” in the menu of {len(done)} of {len(scope)} pages"
    return Verdict(holds=len(done) == len(scope) > len(was), told=told, so_already=len(was) == len(scope))
