"""Rules about scripts: they compile, and what they look up or lead to exists. Nothing is run."""

from collections.abc import Iterator

from loopwright.agents.pages.compliance.javascript import Script, facts_of
from loopwright.agents.pages.compliance.javascript.values import UNKNOWN
from loopwright.agents.pages.compliance.links import slug_of
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.compliance.report import Issue
from loopwright.agents.pages.compliance.rules.rule import Rule


def check_syntax(page: Page) -> Iterator[Issue]:
    """A script that does not compile is left out as a whole, with everything it was to do."""
    for script in page.scripts:
        facts = facts_of(script.text, script.kind)
        selector = page.selector_of(script.node)
        if facts.not_judged:
            message = f"The script could not be checked: {facts.not_judged}. Make it shorter and flatter."
            yield Issue(rule="script-syntax", severity="warning", message=message, selector=selector)
        elif facts.problem is not None and script.kind not in ("json", "import map"):
            where = f"line {facts.problem.line}" if script.name == "script" else script.name
            yield Issue(
                rule="script-syntax",
                severity="error",
                message=f"The script does not compile, so nothing of it runs. {_said(script)}",
                selector=selector,
                measured=f"{where}: {facts.problem.message[:200]}",
            )


def _said(script: Script) -> str:
    if script.name != "script":
        return f"Correct the {script.name} attribute, or attach the behaviour in a <script>."
    if script.node.text(deep=True).count("<!--"):
        return "Mind that <!-- begins a comment in a script."
    return "Correct the line; inside a string, write <\\/script> for the end tag."


def check_data(page: Page) -> Iterator[Issue]:
    """Data for scripts has to be JSON, or whoever reads it fails."""
    for script in page.scripts:
        problem = facts_of(script.text, script.kind).problem if script.kind in ("json", "import map") else None
        if problem is not None:
            yield Issue(
                rule="script-data",
                severity="error",
                message="The data in the script element is no JSON. Quote names with double quotes, leave out comments "
                "and trailing commas.",
                selector=page.selector_of(script.node),
                measured=f"line {problem.line}: {problem.message}",
            )


def check_ids(page: Page) -> Iterator[Issue]:
    """An element that a script takes for granted has to be there: otherwise the script stops in the middle."""
    present = {node.attributes.get("id") or "" for node in page.find("[id]")}
    made = [name for script in page.scripts for name in facts_of(script.text, script.kind).made_ids]
    beginnings = tuple(name.removesuffix(UNKNOWN) for name in made if name.endswith(UNKNOWN))
    present.update(made)
    for script in page.scripts:
        for identifier in facts_of(script.text, script.kind).looked_up:
            if identifier not in present and not identifier.startswith(beginnings or (UNKNOWN,)):
                yield Issue(
                    rule="script-id",
                    severity="warning",
                    message=f"A script uses the element with the id '{identifier}', and there is none. Give the "
                    "element that id, or test for it.",
                    selector=page.selector_of(script.node),
                    measured=identifier,
                )


def check_links(page: Page) -> Iterator[Issue]:
    """A script leads only to pages that exist."""
    if page.known_slugs is None:
        return
    pages = ", ".join(f"{slug}.html" for slug in sorted(page.known_slugs))
    for script in page.scripts:
        for way in facts_of(script.text, script.kind).navigations:
            slug = slug_of(way.address)
            if slug is not None and slug not in page.known_slugs:
                yield Issue(
                    rule="script-link",
                    severity="error",
                    message=f"A script leads to the page '{slug}', which does not exist. Pages are: {pages}.",
                    selector=page.selector_of(script.node),
                    measured=way.address[:200],
                )


SCRIPT_RULES = (
    Rule("script-syntax", "Every script, handler and javascript: address compiles.", check_syntax),
    Rule("script-data", "Data in script elements is JSON.", check_data),
    Rule("script-id", "Elements that scripts take for granted exist.", check_ids),
    Rule("script-link", "Scripts lead to pages that exist.", check_links),
)
