"""Requests carried out one after the other: each one is tried, looked at, and kept only where its effect is there."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from loopwright.agents.pages.account.effects import Effect, Verdict, settled
from loopwright.agents.pages.account.judging import judge
from loopwright.agents.pages.account.looks import Looks
from loopwright.agents.pages.editing.regions import Unmappable
from loopwright.agents.pages.requests import adding, controls, data_changes, new_pages, ordering, rewriting, styling
from loopwright.agents.pages.requests.app import App, NotDone
from loopwright.agents.pages.requests.reading import Request
from loopwright.agents.pages.requests.vocabulary import named, sentence

Maker = Callable[[Effect, App, Looks], App]
Look = Callable[[App], Awaitable[Looks]]

MAKERS: Mapping[str, Maker] = {
    "style": styling.restyle,
    "text_size": styling.scale_texts,
    "columns": styling.columns,
    "brand": styling.brand,
    "rename": rewriting.rename,
    "remove": rewriting.remove,
    "show": adding.show,
    "move": rewriting.move,
    "switch": adding.add_switch,
    "currency": rewriting.currency,
    "menu": adding.add_menu_item,
    "restyle": styling.remood,
    "theme": styling.theme,
    "swap": ordering.swap,
    "sort": ordering.sort,
    "search": controls.add_search,
    "filter": controls.add_filter,
    "unhide": controls.unhide,
    "say": rewriting.say,
    "retitle": rewriting.retitle,
    "add_record": data_changes.add_record,
    "set_value": data_changes.set_value,
    "add_field": data_changes.add_field,
    "remove_field": data_changes.remove_field,
    "require": data_changes.require,
    "ask_first": data_changes.ask_first,
    "when_empty": data_changes.when_empty,
    "new_page": new_pages.new_page,
}

INSISTING = ("style", "restyle", "text_size", "columns", "remove")
"""What is done by rules of style, against which a more particular rule of the page may stand."""


@dataclass(frozen=True)
class Outcome:
    """What became of a request: done and seen, or the reason why not (a name in `replies.json` and what it names)."""

    said: str
    effect: Effect | None
    done: bool
    told: str
    why: str = ""
    values: tuple[tuple[str, str], ...] = ()
    pages: tuple[str, ...] = ()
    whole: str = ""


async def carry_out(requests: Sequence[Request], app: App, look: Look) -> tuple[App, list[Outcome]]:
    """The app with those requests whose effect is seen afterwards, and what became of each."""
    outcomes: list[Outcome] = []
    first = looks = await look(app)
    for request in requests:
        if request.effect is None:
            values = (("what", request.what),)
            outcomes.append(
                Outcome(request.said, None, done=False, told="", why=request.why or "unknown", values=values)
            )
            continue
        outcome, changed, seen = await _tried(request, request.effect, app, looks, look)
        if changed is not None:
            app, looks = changed, seen
        elif outcome.why == "so_already":
            outcome = _come_with_another(outcome, request.effect, first, looks)
        outcomes.append(outcome)
    if sum(each.done for each in outcomes) > 1:
        app, outcomes = await _still_there(requests, outcomes, app, first, looks, look)
    wholes = [request.whole for request in requests]
    return app, [replace(each, whole=whole) for each, whole in zip(outcomes, wholes, strict=True)]


async def _still_there(
    requests: Sequence[Request], outcomes: Sequence[Outcome], app: App, first: Looks, looks: Looks, look: Look
) -> tuple[App, list[Outcome]]:
    """What was done and is there no more, because a later request moved its element, is done once more."""
    found: list[Outcome] = []
    for request, outcome in zip(requests, outcomes, strict=True):
        effect = outcome.effect
        since = judge(effect, first, looks, alone=False) if effect is not None and outcome.done else None
        if effect is None or since is None or since.holds or since.absent:  # absent: an earlier request named it so
            found.append(outcome)
            continue
        changed, again = _made(request, effect, app, looks)
        if changed is not None:
            seen = await look(changed)
            again = _judged(request.said, judge(effect, first, seen, alone=False), app, changed, effect)
            app, looks = (changed, seen) if again.done else (app, looks)
        lost = replace(outcome, done=False, told=again.told, why="without_effect", values=(("told", again.told),))
        found.append(again if again.done else lost)
    return app, found


def _come_with_another(outcome: Outcome, effect: Effect, first: Looks, looks: Looks) -> Outcome:
    """What was so already because an earlier request of the same message has brought it is done."""
    verdict = judge(effect, first, looks, alone=False)
    return replace(outcome, done=True, told=verdict.told, why="", values=()) if verdict.holds else outcome


async def _tried(
    request: Request, effect: Effect, app: App, looks: Looks, look: Look
) -> tuple[Outcome, App | None, Looks]:
    """What became of a request, and the app after it where its effect is seen; a rule that is outweighed insists."""
    changed, outcome = _made(request, effect, app, looks)
    if changed is None:
        return outcome, None, looks
    for insists in (False, True):
        if insists:
            if effect.operation not in INSISTING:
                break
            changed, _ = _made(request, effect, replace(app, insists=True), looks)
        if changed is None:
            break
        seen = await look(changed)
        outcome = _judged(request.said, judge(effect, looks, seen), app, changed, effect)
        if outcome.done:
            return outcome, replace(changed, insists=False), seen
    return outcome, None, looks


def _made(request: Request, effect: Effect, app: App, looks: Looks) -> tuple[App | None, Outcome]:
    effect = settled(effect, looks)
    as_is = judge(effect, looks, looks)
    if as_is.so_already or as_is.absent:
        why = "so_already" if as_is.so_already else "absent"
        what = effect.words or _as_said(request.said) or effect.kind
        return None, Outcome(
            request.said, effect, done=False, told=as_is.told, why=why, values=(("told", as_is.told), ("what", what))
        )
    maker = MAKERS[effect.operation]
    if effect.operation == "style" and effect.kind == "page" and effect.property == "ground":
        maker = styling.paint_page
    try:
        return maker(effect, app, looks), Outcome(request.said, effect, done=False, told="")
    except NotDone as error:
        values = tuple(error.values.items())
        return None, Outcome(request.said, effect, done=False, told="", why=error.why, values=values)
    except Unmappable as error:
        return None, Outcome(
            request.said, effect, done=False, told=str(error), why="unreadable", values=(("page", ""),)
        )


def _as_said(said: str) -> str:
    """The kind of element, and which one it is, in the user's own words."""
    found = [match[1] for table in ("ordinals", "kinds") if (match := named(table, said))]
    return " ".join(each[0] for each in sorted(found, key=lambda each: each.start()))


def _judged(said: str, verdict: Verdict, before: App, after: App, effect: Effect) -> Outcome:
    if verdict.holds:
        written = [slug for slug, html in after.pages.items() if html != before.pages.get(slug)]
        pages = tuple(after.pages) if after.css != before.css else tuple(written)
        return Outcome(said, effect, done=True, told=verdict.told, pages=pages)
    why = "so_already" if verdict.so_already else "without_effect"
    return Outcome(said, effect, done=False, told=verdict.told, why=why, values=(("told", verdict.told),))


def reason_of(outcome: Outcome, language: str) -> str:
    """Why a request was not carried out, for the user."""
    return sentence(language, outcome.why, **dict(outcome.values))


def told(outcomes: Sequence[Outcome], language: str, *, seen: bool = True) -> str:
    """What became of the requests, in the user's language: first what was not done."""
    lines = [
        sentence(language, "not_done", said=each.said, why=reason_of(each, language))
        for each in outcomes
        if not each.done
    ]
    for each in outcomes:
        if each.done:
            how = "" if seen else f" ({sentence(language, 'read')})"
            lines.append(sentence(language, "done", said=each.said, told=each.told, pages=", ".join(each.pages)) + how)
    pages = ", ".join(dict.fromkeys(slug for each in outcomes if each.done for slug in each.pages))
    head = sentence(language, "some", pages=pages) if pages else sentence(language, "nothing")
    offers = [sentence(language, "offers")] if not pages and any(each.why == "unknown" for each in outcomes) else []
    return "\n".join([head, "", *(f"- {line}" for line in lines), *(["", *offers] if offers else [])])
