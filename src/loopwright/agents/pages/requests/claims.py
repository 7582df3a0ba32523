"""What the statements of a message claim where an app exists already: effects, or why they were refused."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopwright.agents.pages.account import ACCOUNT
from loopwright.agents.pages.account.changing import asked
from loopwright.agents.pages.account.effects import Effect, plain
from loopwright.agents.pages.account.reading import is_fresh, read_claims
from loopwright.agents.pages.requests.meaning import Page
from loopwright.agents.pages.requests.reading import Request, read_clause, read_requests
from loopwright.agents.pages.requests.vocabulary import group, left_over, verb
from loopwright.kernel.account.kit import Claim, Declined, Reading, Statement
from loopwright.kernel.events import ToolResultRecorded

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun

TOOL = "change_app"


async def read_statements(run: "AgentRun", statements: Sequence[Statement]) -> Mapping[str, Reading]:
    """The claims of a message: of a brief what is to be there, of a request what is to be different."""
    if await is_fresh(run) or run.state.stage == "new-project":
        return await read_claims(run, statements)
    rows = await run.services.pages.of_session(run.state.session_id)
    pages = [Page(row.slug, row.title) for row in rows]
    refused = await _refused(run)
    found: dict[str, Reading] = {}
    rest: list[Statement] = []
    asked_for: dict[int, list[Request]] = {}
    fresh = [each for each in statements if each.message in run.state.account.fresh]
    statements = [each for each in statements if each not in fresh]
    for each in sorted(statements, key=lambda one: (one.message, one.parts[0])):
        if verb("undo").fullmatch(each.text.strip(" .!。")):
            found[each.id] = Claim(check="undone", arguments={"step": "undo"})
            continue
        if each.message not in asked_for:
            asked_for[each.message] = read_requests(run.state.said[each.message], pages)
        effect = _effect_of(each.text, asked_for[each.message], pages)
        if effect is not None:
            everywhere = group("everywhere").search(each.text) is not None
            found[each.id] = Claim(check="changed", arguments=asked(effect, everywhere=everywhere))
        elif reason := _reason(each.text, refused):
            found[each.id] = Declined(reason)
        else:
            rest.append(each)
    rest += fresh  # said before there was anything to change
    return {**await read_claims(run, rest), **found} if rest else found


def _effect_of(text: str, requests: Sequence[Request], pages: Sequence[Page]) -> Effect | None:
    """The effect of the clause that a statement is, or is a piece of, as the tool reads it; else what it asks alone.

    The tool and the account cut a message each in its own way ("sort by date" and "newest first" are one clause).
    """
    around = sorted((each for each in requests if plain(text) in plain(each.said)), key=lambda each: len(each.said))
    return around[0].effect if around else read_clause(text, pages).effect


async def _refused(run: "AgentRun") -> list[Mapping[str, Any]]:
    """What this run could not carry out, with the reasons that the user was told."""
    events = await run.journal.read(run.state.run_id)
    results = [e.payload for e in events if e.type == ToolResultRecorded.type and e.payload["name"] == TOOL]
    requests = [each for result in results for each in (result.get("artifacts") or {}).get("requests", ())]
    return [each for each in requests if not each["done"]]


def _reason(text: str, refused: Sequence[Mapping[str, Any]]) -> str:
    """The reason told for the clause that says this, or for the one of which it is a part."""
    own = left_over(text).lower()
    for each in refused:
        said = left_over(each["said"]).lower()
        if own and (own in said or said in own):
            return str(each["why"])
    return ""


APP_ACCOUNT = replace(ACCOUNT, read=read_statements)
"""What the kernel needs to settle what users say of an app: when it is new, and when it is changed."""
