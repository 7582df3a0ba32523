"""Whether an edit has done what it asks, and nothing besides."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from loopwright.agents.pages.account.effects import Effect, Verdict, measures, settled, targets
from loopwright.agents.pages.account.effects_data import (
    judge_add_field,
    judge_ask_first,
    judge_new_page,
    judge_record,
    judge_remove_field,
    judge_require,
    judge_when_empty,
)
from loopwright.agents.pages.account.effects_moods import judge_restyle
from loopwright.agents.pages.account.effects_places import (
    judge_columns,
    judge_currency,
    judge_menu,
    judge_move,
    judge_sort,
    judge_swap,
    judge_switch,
)
from loopwright.agents.pages.account.effects_style import (
    judge_brand,
    judge_style,
    judge_text_size,
    judge_theme,
    others_changed,
)
from loopwright.agents.pages.account.effects_words import (
    judge_remove,
    judge_rename,
    judge_retitle,
    judge_say,
    judge_search,
    judge_show,
    judge_unhide,
)
from loopwright.agents.pages.account.looks import Element, Look, Looks

KEPT_WORDS = 0.9
"""The share of a page's texts that a change of style, place or layout leaves as they are."""


def judge(effect: Effect, before: Looks, after: Looks, *, alone: bool = True) -> Verdict:
    """Whether the pages after an edit have what it asks, and did not have it before.

    Args:
        effect: what is asked.
        before: the pages before the edit.
        after: the pages after it.
        alone: whether nothing else was done in between; then what changed besides is the edit's fault.
    """
    effect = settled(effect, before)
    scope = [slug for slug in before if slug in after and (not effect.pages or slug in effect.pages)]
    verdict = JUDGES[effect.operation](effect, before, after, scope)
    if verdict.holds and alone:
        harm = _harm(effect, before, after) or others_changed(effect, before, after, scope)
        if harm:
            return Verdict(holds=False, told=harm)
    return verdict


def _harm(effect: Effect, before: Looks, after: Looks) -> str:
    """What the edit did besides: a page that scrolls sideways now, pages that were not meant, texts that went."""
    for slug, now in after.items():
        then = before.get(slug)
        if then is None:
            continue
        if now.wide and not then.wide:
            return f"{slug} scrolls sideways now"
        if effect.operation not in ("rename", "remove", "currency", "say", "retitle"):
            old, new = Counter(then.texts()), Counter(now.texts())
            if old.total() and (old & new).total() < KEPT_WORDS * old.total() - 2:
                return f"texts of {slug} went"
        if effect.inside and (other := _outside_changed(effect, then, now)):
            return f"{slug}: {other}"
        if effect.pages and slug not in effect.pages and measures(then) != measures(now):
            return f"{slug} changed as well"
    return ""


def _outside_changed(effect: Effect, then: Look, now: Look) -> str:
    """That what is of the kind and stands elsewhere looks different or went: "the menu icons" are not all icons."""
    every = effect.model_copy(update={"inside": ""})

    def others(look: Look) -> list[tuple[object, ...]]:
        meant = {id(each) for each in targets(effect, look)}
        return [
            (e.tag, e.own, e.colour, e.ground, e.size, e.weight, round(e.radius), *_extent(e))
            for e in targets(every, look)
            if id(e) not in meant
        ]

    return "" if others(then) == others(now) else f"{effect.kind} outside the {effect.inside} changed as well"


def _extent(element: Element) -> tuple[int, ...]:
    """How large something is, where that is its look; texts and boxes make way for what stands beside them."""
    return (element.width, element.height) if {"icon", "image"} & set(element.kinds) else ()


JUDGES: Mapping[str, Callable[[Effect, Looks, Looks, Sequence[str]], Verdict]] = {
    "style": judge_style,
    "brand": judge_brand,
    "text_size": judge_text_size,
    "restyle": judge_restyle,
    "rename": judge_rename,
    "remove": judge_remove,
    "show": judge_show,
    "move": judge_move,
    "columns": judge_columns,
    "switch": judge_switch,
    "currency": judge_currency,
    "menu": judge_menu,
    "theme": judge_theme,
    "swap": judge_swap,
    "sort": judge_sort,
    "search": judge_search,
    "filter": judge_search,
    "unhide": judge_unhide,
    "say": judge_say,
    "retitle": judge_retitle,
    "add_record": judge_record,
    "set_value": judge_record,
    "add_field": judge_add_field,
    "remove_field": judge_remove_field,
    "require": judge_require,
    "ask_first": judge_ask_first,
    "when_empty": judge_when_empty,
    "new_page": judge_new_page,
}
