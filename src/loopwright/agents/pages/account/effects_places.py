"""Effects on places, columns, menus, switches and currencies."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from loopwright.agents.pages.account.effects import Effect, Verdict, lightness, plain, targets, within
from loopwright.agents.pages.account.looks import Element, Look, Looks


def judge_move(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """The element stands where it was to go, it is there once as before, and nothing else went."""
    moved, seen = [], 0
    for slug in scope:
        old, new = targets(effect, before[slug]), targets(effect, after[slug])
        if not old:
            continue
        seen += 1
        if len(new) != len(old):
            return Verdict(holds=False, told=f"{slug}: {len(old)} → {len(new)} of them")
        if _stands(effect, before[slug], old[0]):
            continue
        if not _stands(effect, after[slug], new[0]):
            return Verdict(holds=False, told=f"{slug}: it does not stand there")
        moved.append(slug)
    if not seen:
        return Verdict(holds=False, told=f"there is no {effect.words or effect.kind}", absent=True)
    told = f"stands {effect.place} {effect.anchor or effect.anchor_kind}".strip()
    return Verdict(holds=bool(moved), told=f"{told} on {', '.join(moved) or 'no page'}", so_already=not moved)


def _stands(effect: Effect, look: Look, element: Element) -> bool:
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
    meant = Effect(operation="style", kind=effect.anchor_kind, words=effect.anchor)
    anchors = [each for each in targets(meant, look) if not _inside(each, element)]
    if not anchors:
        return False
    first = anchors[0]
    return (
        element.y >= first.y + first.height - 4
        if effect.place == "below"
        else element.y + element.height <= first.y + 4
    )


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
