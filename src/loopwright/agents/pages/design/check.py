"""Whether a style sheet can carry mobile pages, and what is added to it or taken out so that it does."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from loopwright.agents.pages.asking import Unusable
from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.design.branding import keep_brand, keep_contrast
from loopwright.agents.pages.design.completion import complete_schemes
from loopwright.agents.pages.design.hostility import purge, refusal_of
from loopwright.agents.pages.design.inventory import take_inventory
from loopwright.agents.pages.design.probing import probe_html
from loopwright.agents.pages.parsing.css import extract_css

PACKAGE = "loopwright.agents.pages.design"
MIN_CLASSES = 3
_TOUCH, _CONTRAST = "touch-target", "contrast"


@dataclass(frozen=True)
class StyleSheet:
    """A style sheet that can be saved. `fixes` says what was done to the model's one."""

    css: str
    fixes: tuple[str, ...] = ()


def read_style_sheet(answer: str, brand_colors: Sequence[str] = ()) -> StyleSheet | Unusable:
    """The style sheet of a model's answer, made fit for mobile pages where it is not.

    Args:
        answer: what the model said.
        brand_colors: colours that the user asked for (hex, the main one first): they are in the sheet to the digit.
    """
    css = extract_css(answer)
    if css is None:
        return Unusable("There is no whole style sheet in your answer. Send the whole file in one ```css fence.")
    refusal = refusal_of(css)
    if refusal is not None:
        return Unusable(refusal)
    purged = purge(css)
    if purged is None:
        return Unusable("The style sheet loads files from elsewhere. Leave out @import and url() of other files.")
    inventory = take_inventory(purged.css)
    if not inventory.variables or len(inventory.classes) < MIN_CLASSES:
        return Unusable(
            "The style sheet needs variables (`--color-primary: …` in `:root`) and component classes (.page, .btn, "
            ".card …). Send the whole file again."
        )
    fixes = [f"took out {', '.join(purged.removed[:6])}"] if purged.removed else []
    return completed(purged.css, fixes, brand_colors)


def completed(css: str, fixes: list[str], brand_colors: Sequence[str]) -> StyleSheet:
    """The sheet with the mobile base, the brand, both schemes and readable texts, where it lacks them.

    Args:
        css: a sheet that reaches nothing outside.
        fixes: what was done to it before, in words.
        brand_colors: colours that the user asked for (hex, the main one first).
    """
    lacking = mobile_errors(css)
    if lacking:
        base = resources.files(PACKAGE).joinpath("mobile-base.css").read_text(encoding="utf-8")
        css = f"{base}\n{css}"
        fixes.append(f"put the mobile base before it ({', '.join(lacking)})")
    css, said = keep_brand(css, brand_colors)
    fixes += said
    completion = complete_schemes(css, brand_colors)
    fixes += [completion.note] if completion.note else []
    css, said = keep_contrast(completion.css, brand_colors)
    return StyleSheet(css, (*fixes, *said))


def mobile_errors(css: str) -> list[str]:
    """The rules that a plain page with this style sheet breaks.

    Of the probe's buttons, and of its kinds of navigation, one has to be large enough: style sheets differ in what they
    call them. Contrast is not the base's affair.
    """
    probe = probe_html()
    report = validate_page(probe, css=css, slug="probe", known_slugs=("index",))
    broken = {issue.rule for issue in report.issues if _CONTRAST not in issue.rule}
    small = Counter(_tag(issue.selector) for issue in report.issues if issue.rule == _TOUCH)
    forgiven = {tag for tag, mark in (("button", "<button"), ("a", "<a ")) if small[tag] < probe.count(mark)}
    if not small.keys() - forgiven:
        broken.discard(_TOUCH)
    return sorted(broken)


def _tag(selector: str | None) -> str:
    """The tag that a selector's last step names; empty where it names an id."""
    return re.split(r"[.:#\[]", (selector or "").rpartition(" > ")[2])[0]
