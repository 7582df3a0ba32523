"""Whether a style sheet can carry mobile pages, and the base that makes it do so."""

from dataclasses import dataclass
from importlib import resources

from loopwright.agents.pages.asking import Unusable
from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.design.inventory import take_inventory
from loopwright.agents.pages.parsing.css import extract_css

_PACKAGE = "loopwright.agents.pages.design"
MIN_CLASSES = 3
_TOUCH = "touch-target"


@dataclass(frozen=True)
class StyleSheet:
    """A style sheet that can be saved. `fixes` says what was added to the model's one."""

    css: str
    fixes: tuple[str, ...] = ()


def read_style_sheet(answer: str) -> StyleSheet | Unusable:
    """The style sheet of a model's answer, made fit for mobile pages where it is not."""
    css = extract_css(answer)
    if css is None:
        return Unusable("There is no whole style sheet in your answer. Send the whole file in one ```css fence.")
    if "</style" in css.lower():
        return Unusable("The file is CSS only; leave out every HTML tag.")
    inventory = take_inventory(css)
    if not inventory.variables or len(inventory.classes) < MIN_CLASSES:
        return Unusable(
            "The style sheet needs variables (`--color-primary: …` in `:root`) and component classes (.page, .btn, "
            ".card …). Send the whole file again."
        )
    lacking = mobile_errors(css)
    if not lacking:
        return StyleSheet(css)
    base = resources.files(_PACKAGE).joinpath("mobile-base.css").read_text(encoding="utf-8")
    return StyleSheet(f"{base}\n{css}", (f"put the mobile base before it ({', '.join(lacking)})",))


def mobile_errors(css: str) -> list[str]:
    """The rules that a plain page with this style sheet breaks.

    Of the probe's buttons one has to be large enough: style sheets differ in what they call one.
    """
    probe = resources.files(_PACKAGE).joinpath("probe.html").read_text(encoding="utf-8")
    report = validate_page(probe, css=css, slug="probe", known_slugs=("index",))
    broken = [issue.rule for issue in report.issues]
    forgiven = {_TOUCH} if broken.count(_TOUCH) < probe.count("<button") else set()
    return sorted(set(broken) - forgiven)
