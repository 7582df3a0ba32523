"""Messages that need no tool: greetings, questions, and wishes that none of the tools can fulfil."""

from loopwright.agents.pages.offline.reading import Reading
from loopwright.agents.pages.offline.wishes import Wish, is_continuation
from loopwright.agents.pages.offline.wording import enumeration, say
from loopwright.kernel.playbook import OfflineReply


def plain_answer(reading: Reading, wish: Wish) -> OfflineReply | None:
    """The answer to a message that asks for no work; None when there is work to do."""
    state = reading.state
    pages = page_names(reading)
    if wish.kind in ("greeting", "question") or (wish.kind == "continue" and _nothing_to_go_on_with(reading)):
        first = state.pages[-1].slug if state.pages else ""
        return OfflineReply(say("capabilities", app_name=app_name(reading), pages=pages, first=first))
    if wish.kind == "undo" and not pages:
        return OfflineReply(say("undo", pages=pages, reason=""))
    if wish.kind == "new_app" and state.pages:
        return OfflineReply(say("another_app", app_name=app_name(reading)))
    return None


def app_name(reading: Reading) -> str:
    """The app's name as the session knows it; the empty text when there is none yet."""
    return reading.state.app_name or (reading.state.pages[0].title if reading.state.pages else "")


def page_names(reading: Reading) -> str:
    """The existing pages for a sentence: “`index`, `menu` and `cart`”."""
    return enumeration([f"`{slug}`" for slug in reading.slugs])


def _nothing_to_go_on_with(reading: Reading) -> bool:
    """Whether “go on” has no object: nothing planned is missing, and no earlier message says what to make."""
    missing = [page for page in reading.state.planned_pages if page.slug not in reading.slugs]
    if reading.state.pages:
        return not missing
    return not missing and all(is_continuation(earlier) for earlier in reading.earlier)
