"""Which decisions are made already: by the brief, by earlier answers, or by the product doc."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from loopwright.agents.pages.brief.knowledge import MOST_READ
from loopwright.agents.pages.brief.look import read_theme
from loopwright.agents.pages.brief.naming import find_app_name
from loopwright.agents.pages.brief.negation import without_negations
from loopwright.agents.pages.brief.scenario import UNKNOWN, detect_scenario
from loopwright.agents.pages.brief.sitemap import named_pages, wanted_page_count
from loopwright.agents.pages.interview.decisions import Answers, Decision, by_decision

_AUDIENCE = re.compile(
    r"\b(?:aimed at|audience|made for|meant for|designed for)\b"
    r"|\bfor\s+(?:(?:a|an|the|my|our|busy|small|young|old|older|retired|new|all|every|two|pregnant|indie|amateur|local)\s+)*"
    r"(?:[\w'-]+\s+)?(?:users?|customers?|guests?|visitors?|students?|kids|children|parents|famil(?:y|ies)|teams?|people"
    r"|beginners?|professionals?|seniors?|teens?|teenagers?|adults?|women|men|couples|workers|employees|freelancers"
    r"|developers|designers|patients|members|vegans|owners|runners|travell?ers|hikers|lovers|fans|volunteers|everyone)\b"
    r"|面向|针对|给(?:老人|孩子|学生|家长|女朋友|妈妈|爸爸)|(?:家庭|学生|儿童|亲子|年轻人|老年人|上班族|新员工|团队|新手)(?:使用|专用|的|自)?",
    re.IGNORECASE,
)
_SECTIONS: Mapping[str, Decision] = {
    "audience": "audience",
    "target": "audience",
    "persona": "audience",
    "user": "audience",
    "colour": "colours",
    "color": "colours",
    "feature": "features",
    "data": "data",
}
"""A section of the product doc whose name has such a word says what was decided."""


@dataclass(frozen=True)
class Facts:
    """What is known of a project before a question is asked.

    `sections` is the product doc, name → content.
    """

    brief: str = ""
    answers: Answers = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)

    def known(self) -> dict[Decision, str]:
        """The decisions that are made, each with where that is said: `brief`, `answers` or the section's name."""
        made: dict[Decision, str] = dict.fromkeys(decided_by_brief(self.brief), "brief")
        for name, content in self.sections.items():
            made |= dict.fromkeys(_decided_by_section(name, content), name)
        return made | dict.fromkeys(by_decision(self.answers), "answers")


def decided_by_brief(brief: str) -> tuple[Decision, ...]:
    """What the user's own words settle; what they do not want settles nothing."""
    brief = brief[:MOST_READ]
    text = without_negations(brief)
    theme = read_theme(text)
    settled: dict[Decision, bool] = {
        "product_type": detect_scenario(text).name != UNKNOWN,
        "purpose": detect_scenario(text).name != UNKNOWN,
        "audience": _AUDIENCE.search(text) is not None,
        "pages": bool(named_pages(text)) or wanted_page_count(text) is not None,
        "style": bool(theme.style_words),
        "colours": bool(theme.brand_colors or theme.mode),
        "name": find_app_name(brief) is not None,
    }
    return tuple(decision for decision, given in settled.items() if given)


def _decided_by_section(name: str, content: str) -> tuple[Decision, ...]:
    if not content.strip() or name.startswith("pages."):
        return ()
    found: list[Decision] = [decision for word, decision in _SECTIONS.items() if word in name]
    if name == "pages":
        found.append("pages")
    if any(word in name for word in ("style", "brand", "design", "look")):
        theme = read_theme(content)
        found += ["colours"] if theme.brand_colors or theme.mode else []
        found += ["style"] if theme.style_words else []
    return tuple(found)
