"""What the model is told of its work, of the stage, and of the project."""

import json
import re
from collections.abc import Collection, Sequence
from typing import Any

from loopwright.agents.pages.context.card import build_project_card, facts_name, summarise_page
from loopwright.agents.pages.context.relevance import (
    Project,
    load_page,
    load_project,
    named_pages,
    page_of,
    relevant_sections,
)
from loopwright.agents.pages.design.tokens import take_inventory
from loopwright.agents.pages.promises.keeping import load_promises
from loopwright.agents.pages.promises.promise import Promise
from loopwright.agents.pages.promises.wording import quoted
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.run import AgentRun

MOST_OF_TOKENS, MOST_OF_TOKENS_SMALL = 1_000, 240
"""Characters of the design tokens that stand in the prompt; tools that write are told of all, and of the classes."""

MANY_SECTIONS = 20
"""Beyond this many sections the model is asked to merge some (decision 16 of the field notes)."""

MAX_PAGES_WITH_FACTS = 5
"""Pages whose facts stand in the prompt; a task that concerns more of them concerns the app."""

MAX_PROMISES = 40
"""Promises of which the prompt tells."""

STAGE_PROMPTS = {
    "new-project": "pages/new-project",
    "refinement": "pages/refinement",
    "multi-page": "pages/multi-page",
}

_MENTION = re.compile(r"@([a-z0-9-]{1,40})")
_NOTHING = "(none yet)"


async def build_system_prompt(run: AgentRun) -> str:
    """What holds for every run."""
    return run.toolbox.prompts.render("pages/system-small" if run.profile == "small" else "pages/system")


async def build_stage_prompt(run: AgentRun) -> str:
    """What the run's stage is for, with the project as it is on entering it."""
    project = await load_project(run.services, run.state.session_id, Workspace(run.output_dir))
    summaries = await page_summaries(run, project)
    prompts, options = run.toolbox.prompts, run.state.options
    hint = " ".join([newest_request(run), *target_pages(run, project)])
    small = run.profile == "small"
    values = {
        "page_list": "\n".join(summaries) or _NOTHING,
        "sections": _sections_text(project, hint),
        "design_system": _design_system_text(project.css, MOST_OF_TOKENS_SMALL if small else MOST_OF_TOKENS),
        "promises": _promises_text(await load_promises(run.services, run.state.session_id)),
        "project_state": json.dumps(project_state(project, options, target_pages(run, project)), ensure_ascii=False),
    }
    if not small:
        values["project_card"] = build_project_card(project)
        values["options"] = json.dumps(_shown_options(options), ensure_ascii=False)
    context = prompts.render("pages/context-small" if small else "pages/context", **values)
    return prompts.render(STAGE_PROMPTS[run.state.stage], context=_without_task(context))


def project_state(project: Project, options: dict[str, Any], targets: list[str]) -> dict[str, Any]:
    """The state as data, for rule-based and small models."""
    return {
        "pages": [{"slug": page.slug, "title": page.title} for page in project.pages],
        "planned_pages": [entry.model_dump() for entry in project.planned],
        "product_type": project.product_type,
        "app_name": project.app_name,
        "design_system": bool(project.css),
        "product_doc_sections": list(project.sections),
        "generate_now": bool(options.get("generate_now")),
        "interview": options.get("interview"),
        "target_pages": targets,
    }


def newest_request(run: AgentRun) -> str:
    """What the user said last."""
    said = run.state.context.newest_user
    return said.content if said is not None else ""


def target_pages(run: AgentRun, project: Project) -> list[str]:
    """The pages that the user named: by option, or as `@slug` in the text where there is such a page."""
    known = {entry.slug for entry in project.sitemap()}
    mentioned = [slug for slug in _MENTION.findall(newest_request(run)) if slug in known]
    return list(dict.fromkeys([*(run.state.options.get("target_pages") or ()), *mentioned]))


async def page_summaries(run: AgentRun, project: Project) -> list[str]:
    """One line for each page that exists."""
    lines = []
    for page in project.pages:
        html = await load_page(run.services, run.state.session_id, project.workspace, page.slug)
        lines.append(f"- {page.slug} ({page.title}): {summarise_page(html or '')}")
    return lines


def _sections_text(project: Project, hint: str) -> str:
    titles = {entry.slug: entry.title for entry in project.sitemap()}
    chosen = relevant_sections(project.sections, hint, pages=titles)
    parts = [f"### {name} · {project.sections[name].title}\n{text}" for name, text in chosen.items()]
    parts += _facts(project, named_pages(hint, titles) | {page for name in chosen if (page := page_of(name))})
    if others := [name for name in project.sections if name not in chosen]:
        parts.append(f"Not shown here: {', '.join(others)}")
    if len(project.sections) > MANY_SECTIONS:
        parts.append(f"There are {len(project.sections)} sections: merge related ones (op merge).")
    return "\n\n".join(parts) or _NOTHING


def _facts(project: Project, slugs: Collection[str]) -> list[str]:
    """What is certainly true of the pages that a task concerns."""
    known = ((slug, project.facts.get(facts_name(slug))) for slug in project.slugs if slug in slugs)
    found = [f"### {facts_name(slug)} · as it is now\n{facts.content}" for slug, facts in known if facts is not None]
    return found[:MAX_PAGES_WITH_FACTS]


def _promises_text(promises: Sequence[Promise]) -> str:
    """The newest promises, a line each; the tools that write pages are told their checks."""
    lines = [f"- {each.id} ({', '.join(each.slugs)}) {quoted(each.request)}" for each in promises[-MAX_PROMISES:]]
    if len(promises) > MAX_PROMISES:
        lines.insert(0, f"({len(promises) - MAX_PROMISES} older ones are not shown; they count all the same)")
    return "\n".join(lines) or _NOTHING


def _design_system_text(css: str, most: int) -> str:
    if not css:
        return _NOTHING
    told = "; ".join(f"{name}: {value}" for name, value in take_inventory(css).variables.items())
    return told if len(told) <= most else f"{told[:most].rpartition(';')[0]}; …"


def _shown_options(options: dict[str, Any]) -> dict[str, Any]:
    known = ("interview", "generate_now", "target_pages", "style_reference", "images")
    return {name: options[name] for name in known if options.get(name) is not None}


def _without_task(rendered: str) -> str:
    """A rendered part without its first line, which names a task: only the whole prompt has one."""
    return rendered.partition("\n")[2]
