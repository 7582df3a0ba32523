"""How the offline model changes an app that exists: a new look, a new page, a new feature, or edits."""

from loopwright.agents.pages.offline.additions import add_page
from loopwright.agents.pages.offline.building import design_call
from loopwright.agents.pages.offline.checking import LOOK, check_and_mend, give_up, problems_of
from loopwright.agents.pages.offline.editing import edit, pages_meant
from loopwright.agents.pages.offline.features import add_feature
from loopwright.agents.pages.offline.going_back import go_back
from loopwright.agents.pages.offline.product_doc import Look, brand_style, recorded_look, with_patches
from loopwright.agents.pages.offline.promises import promises_in_the_way, withdrawal_asked_for
from loopwright.agents.pages.offline.reading import Reading
from loopwright.agents.pages.offline.removal import remove_pages
from loopwright.agents.pages.offline.studio.theme import read_theme
from loopwright.agents.pages.offline.wishes import Wish
from loopwright.agents.pages.offline.wording import enumeration, say
from loopwright.kernel.playbook import OfflineReply


def refine(reading: Reading, wish: Wish) -> OfflineReply:
    """The next move of a run that changes an app."""
    about_promises = withdrawal_asked_for(reading) or promises_in_the_way(reading, wish.text)
    if about_promises is not None:
        return about_promises
    if wish.kind == "undo":
        return go_back(reading, wish)
    if wish.kind == "remove_page":
        return remove_pages(reading, wish)
    if wish.kind == "new_page":
        return add_page(reading, wish)
    if wish.kind == "feature":
        return add_feature(reading, wish)
    if wish.kind == "restyle":
        restyled = _restyle(reading, wish)
        if restyled is not None:
            return restyled
    return edit(reading, wish.text, pages_meant(reading, wish.text))


def _restyle(reading: Reading, wish: Wish) -> OfflineReply | None:
    """A new design system: all pages share it, so one call changes them all. None when no new look is recognised."""
    theme = read_theme(wish.text)
    if not (theme.mode or theme.brand_colors or theme.style_words):
        return None
    done = reading.succeeded("create_design_system")
    if done is None:
        tried = reading.calls_of("create_design_system")
        if reading.spent("create_design_system"):
            return give_up(reading, tried[-1])
        before = recorded_look(reading.system)
        look = Look(
            theme.mode or before.mode,
            theme.brand_colors or before.colors,
            theme.style_words or before.style_words,
        )
        text = with_patches("I make the design system anew; every page uses it.", [] if tried else [brand_style(look)])
        return OfflineReply(text, [*([LOOK] if tried else []), design_call(reading, look)])
    checked = check_and_mend(reading, reading.slugs)
    if checked is not None:
        return checked
    wanted = [theme.mode or "", *theme.brand_colors, *theme.style_words]
    change = f"the design system: {', '.join(word for word in wanted if word)}"
    headline = f"The new look is on all pages: {enumeration(reading.slugs)}."
    return OfflineReply(
        say(
            "changed", headline=headline, changes=[change], problems=problems_of(reading, reading.slugs), versions=False
        )
    )
