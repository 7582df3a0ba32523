"""What differs between two plans, and how much of the work each difference asks for."""

from dataclasses import dataclass
from typing import Literal

from loopwright.agents.pages.brief.look import ThemeWishes
from loopwright.agents.pages.contracts import SuggestedPage
from loopwright.agents.pages.interview.plan import Plan

Part = Literal["product_type", "name", "look", "pages", "features"]


@dataclass(frozen=True, slots=True)
class PlanDifference:
    """What a changed answer changes; everything that is empty or None stays as it is.

    Only what differs is made anew: a look by `create_design_system`, a name by an edit of the pages that show it, pages
    by `generate_page` and by links to them. Another product type is another app: its pages replace the old plan.
    """

    product_type: str | None = None
    renamed: tuple[str, str] | None = None
    """The old and the new name."""
    look: ThemeWishes | None = None
    added: tuple[SuggestedPage, ...] = ()
    removed: tuple[SuggestedPage, ...] = ()
    features: tuple[str, ...] = ()
    audience: str | None = None
    """A new audience; what it changes of the look stands in `look`."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """What has to be made anew, by name."""
        found: list[Part] = []
        found += ["product_type"] if self.product_type else []
        found += ["name"] if self.renamed else []
        found += ["look"] if self.look else []
        found += ["pages"] if self.added or self.removed else []
        found += ["features"] if self.features else []
        return tuple(found)

    @property
    def weight(self) -> int:
        """How much of the app is made anew, in pages: a name touches every page a little, a look all at once."""
        weight = 8 if self.product_type else 0
        weight += len(self.added) + len(self.removed) + len(self.features)
        weight += 3 if self.look else 0
        return weight + (2 if self.renamed else 0)


def compare_plans(before: Plan, after: Plan) -> PlanDifference:
    """What has to be made anew when the plan turns from one into the other."""
    old, new = {page.slug for page in before.pages}, {page.slug for page in after.pages}
    return PlanDifference(
        product_type=after.product_type if after.product_type != before.product_type else None,
        renamed=(before.app_name, after.app_name) if after.app_name != before.app_name else None,
        look=after.look if after.look != before.look else None,
        added=tuple(page for page in after.pages if page.slug not in old),
        removed=tuple(page for page in before.pages if page.slug not in new),
        features=tuple(feature for feature in after.features if feature not in before.features),
        audience=after.audience if after.audience != before.audience else None,
    )
