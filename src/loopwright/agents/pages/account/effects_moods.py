"""What a word for a whole look means, as movements of measured style: the check of "make it more playful"."""

from collections.abc import Mapping, Sequence

from loopwright.agents.pages.account.effects import Effect, Property, Verdict, measures
from loopwright.agents.pages.account.effects_style import judge_style
from loopwright.agents.pages.account.looks import Looks

_Movement = tuple[str, Property, str, str]

MOODS: Mapping[str, Sequence[_Movement]] = {
    "playful": (("button", "radius", "more", ""), ("card", "radius", "more", ""), ("heading", "weight", "more", "")),
    "bold": (("heading", "weight", "more", ""), ("heading", "size", "more", ""), ("button", "weight", "more", "")),
    "elegant": (("heading", "face", "set", "serif"), ("heading", "weight", "less", ""), ("card", "space", "more", "")),
    "classic": (("heading", "face", "set", "serif"), ("button", "radius", "less", ""), ("card", "radius", "less", "")),
    "calm": (("heading", "weight", "less", ""), ("heading", "size", "less", ""), ("card", "space", "more", "")),
    "minimal": (("heading", "weight", "less", ""), ("card", "radius", "less", ""), ("card", "space", "more", "")),
    "modern": (
        ("heading", "face", "set", "sans-serif"),
        ("heading", "weight", "more", ""),
        ("card", "space", "more", ""),
    ),
    "warm": (("page", "warmth", "more", ""), ("button", "radius", "more", "")),
}
"""For each word the kinds of elements that change, their property, the way, and the value that is set."""


def movements(effect: Effect) -> list[Effect]:
    """The changes of style that a restyle consists of."""
    return [
        Effect.model_validate(
            {
                "operation": "style",
                "kind": kind,
                "property": what,
                "relation": way,
                "value": value,
                "pages": effect.pages,
            }
        )
        for kind, what, way, value in MOODS[effect.value]
    ]


def judge_restyle(effect: Effect, before: Looks, after: Looks, scope: Sequence[str]) -> Verdict:
    """Each movement that the word means is seen, or was there already, and every page looks different."""
    verdicts = [judge_style(each, before, after, scope) for each in movements(effect)]
    there = [each for each in verdicts if not each.absent]
    told = "; ".join(each.told for each in there)
    if there and all(each.so_already for each in there):
        return Verdict(holds=False, told=told, so_already=True)
    same = [slug for slug in scope if measures(before[slug]) == measures(after[slug])]
    if same:
        return Verdict(holds=False, told=f"{', '.join(same)} would look as before")
    holds = sum(each.holds for each in there) >= min(2, len(there)) > 0
    return Verdict(holds=holds and all(each.holds or each.so_already for each in there), told=told)
