"""Which kind of page a page is: read off its slug, its title and, where both say nothing, its description."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from loopwright.agents.pages.brief.knowledge import find_app_name
from loopwright.agents.pages.interview.plan import by_decision, make_plan
from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.contracts import AppPlan, PlannedPage

HOME, FALLBACK = "home", "section"
_HOME_SLUG = "index"


def infer_archetype(slug: str, title: str, description: str = "", product_type: str | None = None) -> str:
    """The archetype of a page; `section` when nothing fits.

    A product type has words of its own (key `archetypes` of its JSON: archetype → pattern); they win over the common
    ones.  The description counts last, since it names other pages too ("a button to order").
    """
    if slug == _HOME_SLUG:
        return HOME
    name = f"{slug.replace('-', ' ')} {title}".lower()
    tables = [_own_patterns(product_type), _common_patterns()] if product_type else [_common_patterns()]
    for text in (name, description.lower()):
        for table in tables:
            found = next((archetype for archetype, pattern in table if pattern.search(text)), None)
            if found is not None:
                return found
    return FALLBACK


Patterns = tuple[tuple[str, "re.Pattern[str]"], ...]


@cache
def _common_patterns() -> Patterns:
    return _compiled(resources.read_json("archetypes.json"))


@cache
def _own_patterns(product_type: str) -> Patterns:
    path = f"products/{product_type}.json"
    if not resources.exists(path):
        return ()
    return _compiled(resources.read_json(path).get("archetypes", {}))


def _compiled(table: dict[str, str]) -> Patterns:
    return tuple((name, re.compile(rf"(?<![a-z])(?:{pattern})(?![a-z])")) for name, pattern in table.items())


# From a brief and the user's answers to the plan of an app.

Answers = Mapping[str, str | list[str]]


def plan_app(brief: str, answers: Answers | None = None) -> AppPlan:
    """The plan: product type, name, look and pages; the answers win over the brief, the brief over what is usual."""
    plan = make_plan(brief, answers)
    return AppPlan(
        brief=brief,
        product_type=plan.product_type,
        app_name=plan.app_name,
        tagline=plan.tagline,
        audience=plan.audience,
        theme=plan.look,
        page_count=len(plan.pages),
        pages=tuple(
            PlannedPage(
                p.slug, p.title, p.description, infer_archetype(p.slug, p.title, p.description, plan.product_type)
            )
            for p in plan.pages
        ),
        features=plan.features,
        named="name" in by_decision(answers or {}) or find_app_name(brief) is not None,
    )
