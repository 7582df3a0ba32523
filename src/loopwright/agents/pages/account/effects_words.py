"""Effects on words and parts: renamed, removed, shown."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from loopwright.agents.pages.account.effects import Effect, Verdict, again, plain, targets, within
from loopwright.agents.pages.account.effects_places import stands
from loopwright.agents.pages.account.looks import Element, Look, Looks


def standing(words: str, text: str) -> int:
    """How often words stand in a text, as whole words in any case; Chinese as it is written."""
    edge = "" if re.search(r"[\u3040-\u9fff]", words) else r"(?<!\w){}(?!\w)"
    pattern = re.escape(words) if not edge else edge.format(re.escape(words))
    return len(re.findall(pattern, text, re.IGNORECASE))


def judge_rename(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """Where the old words stood, the new ones stand, and the old ones are in no text, title or name."""
    old, new = effect.words, effect.value
    had = {slug: standing(old, before[slug].words) for slug in scope}
    if not any(had.values()):
        return Verdict(holds=False, told=f"“{old}” does not stand there", absent=True)
    inner = standing(old, new)
    left = {slug: standing(old, after[slug].words) - inner * standing(new, after[slug].words) for slug in scope}
    come = {slug: standing(new, after[slug].words) - standing(new, before[slug].words) for slug in scope}
    lacking = [slug for slug in scope if had[slug] and come[slug] < had[slug] - standing(old, new) * had[slug] * 0]
    told = f"“{old}” {sum(had.values())} → {max(0, sum(left.values()))} times, “{new}” {sum(come.values())} more"
    return Verdict(holds=not any(each > 0 for each in left.values()) and not lacking, told=told)


def judge_remove(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """What is meant is seen no more, what stood around it is, and nothing leads to it."""
    was = sum(len(targets(effect, before[slug])) for slug in scope)
    if not was:
        return Verdict(holds=False, told=f"there is no {effect.words or effect.kind}", absent=True)
    left = sum(len(targets(effect, after[slug])) for slug in scope)
    if effect.nth:  # another one has its place now: how often its words stand there tells
        meant = [(slug, each) for slug in scope for each in targets(effect, before[slug])]
        left = sum(len(again(each, after[slug])) >= len(again(each, before[slug])) for slug, each in meant)
        kinds = effect.model_copy(update={"nth": 0})
        more = sum(len(targets(kinds, before[s])) - len(targets(kinds, after[s])) for s in scope) - len(meant)
        if more > 0:
            return Verdict(holds=False, told=f"{more} more would go than was meant")
    told = f"{was} → {left} on {len(scope)} pages"
    for slug in scope:
        gone = {each.path[1:] for each in targets(effect, before[slug]) if re.fullmatch(r"#[\w-]+", each.path)}
        dead = [e.text for e in after[slug].elements if e.href.startswith("#") and e.href[1:] in gone]
        if dead:
            return Verdict(holds=False, told=f"“{dead[0][:40]}” leads to what went")
        own = sum(len(each.text) for each in targets(effect, before[slug]))
        rest = len(before[slug].words) - own
        if len(after[slug].words) < 0.6 * rest:
            return Verdict(holds=False, told=f"more of {slug} would go than was meant")
        if bare := _left_bare(before[slug], after[slug]):
            return Verdict(holds=False, told=f"“{bare}” would stand over nothing")
    return Verdict(holds=left == 0, told=told)


def _left_bare(before: Look, after: Look) -> str:
    """A heading under which nothing is left, though something was."""

    def empty(look: Look) -> set[str]:
        return {
            each.text
            for each in look.of_kind("section")
            if any(e.text == each.text for e in look.of_kind("heading")) and each.text
        }

    return next(iter(empty(after) - empty(before)), "")


def judge_show(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """The text is seen on the pages that are meant, in its place; a telephone number can be called."""
    missing, found = [], []
    for slug in scope:
        was = [e for e in before[slug].elements if _holds_text(e, effect.value)]
        now = [e for e in after[slug].elements if _holds_text(e, effect.value)]
        if len(now) <= len(was):
            missing.append(slug)
            continue
        inner = min(now, key=lambda e: len(e.text))
        if problem := _misplaced(effect, inner, after[slug]):
            return Verdict(holds=False, told=f"{slug}: {problem}")
        leads = [e for e in now if e.href == effect.leads and {effect.kind, "button", "link"} & set(e.kinds)]
        if effect.leads and not leads:
            return Verdict(holds=False, told=f"{slug}: it does not lead to {effect.leads}")
        found.append(slug)
    phone = re.fullmatch(r".*?\+?\d[\d \-/]{5,}\d", effect.value) if effect.kind == "phone" else None
    if phone and not any(e.href.startswith("tel:") for s in scope for e in after[s].elements):
        return Verdict(holds=False, told="the number cannot be called")
    if effect.kind == "code" and not any(e.mono and effect.value in e.text for s in scope for e in after[s].elements):
        return Verdict(holds=False, told="it does not stand there as code")
    told = f"“{effect.value[:80]}” on {', '.join(found) or 'no page'}"
    return Verdict(holds=bool(found) and not missing, told=told)


def judge_say(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """The one thing that is meant says something else now, where it stood, and nothing else does."""
    meant = {slug: found for slug in scope if (found := targets(effect, before[slug]))}
    texts = {each.text for found in meant.values() for each in found}
    if not texts:
        return Verdict(holds=False, told=f"there is no {effect.words or effect.kind}", absent=True)
    if len(texts) > 1:
        return Verdict(holds=False, told=f"there are {len(texts)}: {', '.join(sorted(texts))[:120]}")
    (old,) = texts
    if old == effect.value:
        return Verdict(holds=False, told=f"it says “{old}”", so_already=True)
    for slug, found in meant.items():
        then, now = before[slug].elements, after[slug].elements
        if len(now) != len(then):
            return Verdict(holds=False, told=f"{slug}: other things came or went")
        both = list(zip(then, now, strict=True))
        if {new.text for was, new in both if was in found} != {effect.value}:
            return Verdict(holds=False, told=f"{slug}: it does not say so")
        others = [(was.own, new.own) for was, new in both if was.own == old and not _held(was, before[slug], found)]
        if any(was != new for was, new in others):
            return Verdict(holds=False, told=f"{slug}: “{old[:80]}” would change elsewhere as well")
    return Verdict(holds=True, told=f"“{old[:80]}” → “{effect.value[:80]}” on {', '.join(meant)}")


def _held(element: Element, look: Look, found: Sequence[Element]) -> bool:
    """Whether an element is one of these, or stands in one of them."""
    return any(each in found for each in (element, *look.around(element)))


def judge_retitle(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """A page is called otherwise in its own heading and title, and wherever a link leads to it by its old name."""
    if not effect.anchor_page:
        return _judge_name(effect, before, after, scope)
    old, new, own = plain(effect.words), plain(effect.value), effect.anchor_page

    def names(look: Look) -> list[str]:
        links = [each.text for each in look.elements if each.href == f"{own}.html"]
        heads = [each.text for each in look.of_kind("headline")] if look.slug == own else []
        return [plain(each) for each in [*links, *heads]]

    had = sum(names(before[slug]).count(old) for slug in scope)
    left = sum(names(after[slug]).count(old) for slug in scope)
    come = sum(names(after[slug]).count(new) - names(before[slug]).count(new) for slug in scope)
    if not had:
        return Verdict(holds=False, told=f"no link and no heading calls it “{effect.words}”", absent=True)
    title = plain(after[own].title) if own in after else ""
    told = f"“{effect.words}” {had} → {left}, “{effect.value}” {come} times in links, heading and title"
    return Verdict(holds=left == 0 and come == had and new in title, told=told)


def _judge_name(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """Each title and each text that called the app by its old name has the new one, and none has the old one."""
    old, new = effect.words, effect.value
    called = [slug for slug in scope if old in before[slug].title]
    if not called:
        return Verdict(holds=False, told=f"no title says “{old}”", absent=True)
    titled = [slug for slug in called if new in after[slug].title]
    was = sum(text.count(old) for slug in scope for text in before[slug].texts())
    come = sum(text.count(new) for slug in scope for text in after[slug].texts())
    come -= sum(text.count(new) for slug in scope for text in before[slug].texts())
    left = sum(text.count(old) for slug in scope for text in after[slug].texts()) - max(0, come) * new.count(old)
    told = f"“{old}” {was} → {max(0, left)}, “{new}” in {len(titled)} of {len(called)} titles"
    return Verdict(holds=titled == called and left <= 0 and come >= was, told=told, so_already=old == new)


def judge_search(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """Each page meant has a field in which one types or chooses, and then only the rows that say it are seen."""
    then, now = ({slug: _searches(effect, looks[slug]) for slug in scope} for looks in (before, after))
    told, works, was = "", [], [slug for slug in scope if any(map(_finds, then[slug]))]
    for slug in scope:
        if now[slug] and not then[slug] and not any(map(_finds, now[slug])):
            return Verdict(holds=False, told=f"{slug}: the field finds nothing")
        for each in now[slug]:
            nonsense = f", nonsense {each['none']}" if "none" in each else ""
            told = f"{slug}: “{each['word']}” leaves {each['hits']} of {each['all']} rows{nonsense}"
            if _finds(each):
                works.append(slug)
                break
    new = set(works) - set(was)
    return Verdict(holds=bool(new), told=told or "there is no field for searching", so_already=bool(was) and not new)


def _searches(effect: Effect, look: Look) -> list[Mapping[str, Any]]:
    """The fields into which one types, or those in which one chooses a value of what is named."""
    if effect.operation == "search":
        return [each for each in look.searches if "by" not in each]
    return [each for each in look.searches if "by" in each and plain(each["by"]) == plain(effect.words)]


def _finds(search: Mapping[str, Any]) -> bool:
    rows, hits = search["all"], search["hits"]
    typed = "by" in search or (search["none"] == 0 and search["said"])
    return bool(0 < hits < rows and search["right"] and typed and search["back"] == rows)


def judge_unhide(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """What is meant is seen, where it was not."""
    was = sum(len(targets(effect, before[slug])) for slug in scope)
    now = sum(len(targets(effect, after[slug])) for slug in scope)
    return Verdict(holds=now > was == 0, told=f"{was} → {now} on {len(scope)} pages", so_already=was > 0)


def _holds_text(element: Element, value: str) -> bool:
    return " ".join(value.split()) in element.text or value in element.label


def _misplaced(effect: Effect, element: Element, look: Look) -> str:
    if effect.place == "top":
        above = [e for e in look.of_kind("text") if e.y + e.height <= element.y and not e.fixed]
        body = [e for e in above if "heading" not in e.kinds and not within(e, look, ("header", "menu"))]
        return "" if len(body) <= 3 and element.y < 500 else f"{len(body)} texts stand above it"
    if effect.place == "bottom":
        after = [
            e
            for e in look.of_kind("text")
            if e.y >= element.y + element.height and not e.fixed and not within(e, look, ("menu",))
        ]
        return f"“{after[0].text[:40]}” stands below it" if after else ""
    if effect.place in ("below", "above"):
        return "" if stands(effect, look, element) else f"it does not stand {effect.place} it"
    if effect.place == "after_headline":
        heads = look.of_kind("headline")
        if not heads:
            return "there is no headline"
        end = heads[0].y + heads[0].height
        between = [e for e in look.of_kind("text") if end <= e.y and e.y + e.height <= element.y and e is not element]
        near_it = [e for e in between if not within(e, look, ("menu",))]
        return "" if element.y >= end - 2 and len(near_it) <= 1 else "it does not stand under the headline"
    return ""
