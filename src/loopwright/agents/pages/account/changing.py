"""The check of what an edit asks: the pages as they were before the run, and as they are now."""

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.pages.account.effects import Effect, Verdict, measures
from loopwright.agents.pages.account.judging import judge
from loopwright.agents.pages.account.looks import Looks, look_at
from loopwright.agents.pages.account.pages import files_of
from loopwright.kernel.account import Check, Measured, NothingThereYet, NotMeasurable
from loopwright.kernel.errors import LoopwrightError

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun


class Asked(Effect):
    """An effect as a statement claims it, with what its words "everywhere", "all", "last" and "newest first" mean.

    `all_pages` says that it is meant everywhere, `every` that it is demanded of each element that is meant, `position`
    which element is counted, or which end of an order is meant (`end`: of a menu), `order` how things are sorted,
    `absent` that something is to be there no more, or that nothing is there, `before` that something comes before
    something else, `also` what else the same words ask for ("red and bigger"), `only` that every other page is as it
    was. `literal` are words and figures of the user that the effect puts on the page as they are, or has in another
    form ("Swiss francs" is CHF), `not_literal`, `since` and `until` those of them that deny something ("closed"),
    or say from when or until when.
    """

    all_pages: bool = Field(default=False)
    every: bool = Field(default=False)
    absent: bool = Field(default=False)
    also: tuple[Effect, ...] = ()
    before: bool = Field(default=False)
    only: bool = Field(default=False)
    position: Literal["", "first", "last"] = ""
    order: Literal["", "ascending", "descending"] = ""
    end: Literal["", "top", "bottom"] = ""
    literal: tuple[str, ...] = ()
    not_literal: tuple[str, ...] = ()
    since: tuple[str, ...] = ()
    until: tuple[str, ...] = ()


OF_EVERY = (
    "style",
    "restyle",
    "theme",
    "text_size",
    "rename",
    "remove",
    "sort",
    "currency",
    "brand",
    "switch",
    "menu",
    "add_field",
    "ask_first",
)
"""The operations whose predicates are false as soon as one element or page that is meant lacks the effect."""

STATES = ("style", "theme", "move", "sort", "currency", "menu", "columns")
"""The operations that ask for a state that every element meant can be in already, unlike “rounder”."""


def asked(effect: Effect, *also: Effect, everywhere: bool, only: bool = False) -> dict[str, Any]:
    """The arguments of a claim that effects are there.

    Args:
        effect: what a clause asks for, all of whose words were read.
        also: what else it asks for.
        only: whether the clause says that no other page is meant.
        everywhere: whether the clause says that all pages are meant.
    """
    arguments = effect.model_dump(mode="json", exclude_defaults=True)
    if everywhere:
        arguments["all_pages"] = True
    if effect.operation in OF_EVERY and not effect.nth:
        arguments["every"] = True
    if -1 in (effect.nth, effect.anchor_nth):
        arguments["position"] = "last"
    if effect.place == "at" and effect.anchor_nth in (1, -1):
        arguments |= {"position": "first", "end": "top"} if effect.anchor_nth == 1 else {"end": "bottom"}
    if effect.operation in ("remove", "when_empty"):
        arguments["absent"] = True
    if effect.operation == "ask_first":
        arguments["before"] = True
    if effect.operation == "sort" and effect.relation:
        arguments["order"] = "descending" if effect.relation == "less" else "ascending"
        arguments["position"] = "first"
    if only and effect.pages:
        arguments["only"] = True
    if also:
        arguments["also"] = [each.model_dump(mode="json", exclude_defaults=True) for each in also]
    return arguments


async def looks_before(run: "AgentRun", files: Mapping[str, str]) -> Looks:
    """How the files of `files_before` look; nothing where no browser is there to show them."""
    browser: Any = getattr(run.services, "browser", None)
    if browser is None or browser.why_not() is not None:
        return {}
    try:
        return await look_at(browser, files, _slugs(files))
    except LoopwrightError:
        return {}


async def files_before(run: "AgentRun") -> dict[str, str]:
    """The files as they were when the run began, by path."""
    services, session = run.services, run.state.session_id
    found: dict[str, str] = {}
    for page in await services.pages.of_session(session, deleted=True):
        for version in await services.pages.versions(session, page.slug):
            if version.run_id != run.state.run_id:
                if not version.deleted and not version.released:
                    found[f"pages/{page.slug}.html"] = await services.pages.html(session, page.slug, version.version)
                break
    now = files_of(run.output_dir)
    sheet = now.get("design-system.css", "")
    for version in await services.design_systems.versions(session):
        if version.run_id != run.state.run_id:
            sheet = await services.design_systems.css(session, version.version)
            break
    return {**found, "design-system.css": sheet}


async def _measure(run: "AgentRun", said: Asked) -> Measured:
    then, now = await files_before(run), files_of(run.output_dir)
    if not any(path.startswith("pages/") for path in then):
        raise NothingThereYet
    browser: Any = getattr(run.services, "browser", None)
    if browser is None or browser.why_not() is not None:
        raise NotMeasurable("how pages look is seen in a browser only")
    try:
        before = await look_at(browser, then, _slugs(then))
        after = await look_at(browser, now, _slugs(now))
    except LoopwrightError as error:
        raise NotMeasurable(f"the browser did not show the pages: {error.message}") from error
    verdicts = [_as_it_stands(each, before, after) for each in (said, *said.also)]
    if said.only:
        others = [slug for slug in before if slug in after and slug not in said.pages]
        changed = [slug for slug in others if measures(before[slug]) != measures(after[slug])]
        verdicts += [Verdict(holds=not changed, told=f"changed besides: {', '.join(changed) or 'no page'}")]
    verdict = next((each for each in verdicts if not each.holds), verdicts[0])
    told = "; ".join(each.told for each in verdicts) if verdict.holds else verdict.told
    digest = hashlib.sha256("\0".join(f"{path}\0{text}" for path, text in sorted(now.items())).encode()).hexdigest()
    return Measured(verdict.holds, told, "seen in the browser before and after", digest)


def _as_it_stands(said: Effect, before: Looks, after: Looks) -> Verdict:
    """The effect since the run began; what was so before and is so still holds, and is told as no change."""
    verdict = judge(said, before, after, alone=False)
    compared = said.operation == "style" and said.relation in ("more", "less")
    if verdict.holds or compared or said.operation not in STATES:
        return verdict
    still = all(judge(said, looks, looks).so_already for looks in (before, after))
    return verdict.model_copy(update={"holds": True}) if still else verdict


class Undone(BaseModel):
    """That the last change was taken back."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: Literal["undo"] = "undo"
    order: Literal["last"] = "last"
    literal: tuple[str, ...] = ()
    """The words that say so ("back" is also a place)."""


async def _measure_undone(run: "AgentRun", said: Undone) -> Measured:
    """Every file that this run has changed is, byte for byte, one of its older versions."""
    then, now = await files_before(run), files_of(run.output_dir)
    services, session = run.services, run.state.session_id
    changed = [path for path in {*then, *now} if then.get(path) != now.get(path)]
    for path in changed:
        older: list[str | None] = []
        if path.startswith("pages/"):
            slug = path.removeprefix("pages/").removesuffix(".html")
            versions = await services.pages.versions(session, slug)
            kept = [each for each in versions if each.run_id != run.state.run_id]
            older = [await services.pages.html(session, slug, v.version) for v in kept if not (v.deleted or v.released)]
        else:
            sheets = await services.design_systems.versions(session)
            older = [
                await services.design_systems.css(session, v.version) for v in sheets if v.run_id != run.state.run_id
            ]
        if path in now and now[path] not in older:
            return Measured(False, f"{path} is none of its older versions", path)
    told = f"{', '.join(sorted(changed)) or 'nothing'} as before the last change"
    return Measured(bool(changed), told, "read back from the saved files")


def _slugs(files: Mapping[str, str]) -> list[str]:
    return [path.removeprefix("pages/").removesuffix(".html") for path in files if path.startswith("pages/")]


CHANGED = Check("changed", Asked, _measure, lasting=False, seconds=60.0)
"""That what a message asked of an app is seen on its pages since."""

UNDONE = Check("undone", Undone, _measure_undone, lasting=False)
"""That what was asked to be undone is as it was."""
