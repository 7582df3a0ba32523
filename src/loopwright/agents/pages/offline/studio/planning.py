"""From a brief and the user's answers to the plan of an app."""

from collections.abc import Mapping

from loopwright.agents.pages.brief.naming import find_app_name
from loopwright.agents.pages.interview.decisions import by_decision
from loopwright.agents.pages.interview.plan import make_plan
from loopwright.agents.pages.offline.studio.archetypes import infer_archetype
from loopwright.agents.pages.offline.studio.contracts import AppPlan, PlannedPage

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
