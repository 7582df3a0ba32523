"""The check of what is to change by itself: a page is left alone for a while, and looked at again."""

import asyncio
from typing import TYPE_CHECKING

from loopwright.agents.pages.account.arguments import Lives
from loopwright.agents.pages.account.pages import changed_figures, figures_of, files_of, result_of
from loopwright.agents.pages.account.vocabulary import literally, stands
from loopwright.kernel.account import Check, Measured, NotMeasurable
from loopwright.kernel.errors import LoopwrightError

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun

WAIT = 1.3
"""Seconds for which a page is left alone: more than the second in which a clock or a countdown changes."""


async def lives(run: "AgentRun", said: Lives) -> Measured:
    """A figure with the words beside it is another one after a while in which nobody touched the page.

    Raises:
        NothingThereYet: there is no page.
        NotMeasurable: there is no browser, or it went away while it looked.
    """
    result = await result_of(run)
    if not result.rendered:
        raise NotMeasurable("without a browser nothing changes by itself")
    try:
        for slug, page in result.pages.items():
            if not all(stands(word, f"{page.title} {page.text}") for word in said.words):
                continue
            async with run.services.browser.page(files_of(run.output_dir), f"pages/{slug}.html") as open_page:
                before = await figures_of(open_page)
                await asyncio.sleep(WAIT)
                for text in changed_figures(before, await figures_of(open_page)):
                    if all(stands(word, text) for word in said.words) and all(literally(v, text) for v in said.values):
                        return Measured(True, f"{slug}: “{text[:100]}” changes by itself", result.how, result.digest)
    except LoopwrightError as error:
        raise NotMeasurable(f"the browser did not show the pages: {error.message}") from error
    told = f"no figure for “{' '.join([*said.words, *said.values])}” changes by itself"
    return Measured(False, told, result.how, result.digest)


LIVES = Check("lives", Lives, lives)
