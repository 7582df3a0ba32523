"""What the statements of a message claim where an app exists already: effects, or why they were refused."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopwright.agents.pages.account import ACCOUNT
from loopwright.agents.pages.account.changing import asked, files_before, looks_before
from loopwright.agents.pages.account.effects import Effect, plain
from loopwright.agents.pages.account.reading import is_fresh, read_claims
from loopwright.agents.pages.requests.meaning import Page, known_pages
from loopwright.agents.pages.requests.reading import Request, read_requests
from loopwright.agents.pages.requests.vocabulary import any_of, group, left_over, sentence, verb, without, words
from loopwright.kernel.account import Claim, Declined, Reading, Statement
from loopwright.kernel.account.reading import Token, hard_tokens, language_of
from loopwright.kernel.events import ToolResultRecorded

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun

TOOL = "change_app"


async def read_statements(run: "AgentRun", statements: Sequence[Statement]) -> Mapping[str, Reading]:
    """The claims of a message: of a brief what is to be there, of a request what is to be different."""
    if await is_fresh(run) or run.state.stage == "new-project":
        return await read_claims(run, statements)
    rows = await run.services.pages.of_session(run.state.session_id)
    then = await files_before(run)
    sources = {row.slug: then.get(f"pages/{row.slug}.html", "") for row in rows}
    pages = known_pages({row.slug: row.title for row in rows}, sources, await looks_before(run, then))
    refused = await _refused(run)
    found: dict[str, Reading] = {}
    rest: list[Statement] = []
    asked_for: dict[int, list[Request]] = {}
    fresh = [each for each in statements if each.message in run.state.account.fresh]
    statements = [each for each in statements if each not in fresh]
    for each in sorted(statements, key=lambda one: (one.message, one.parts[0])):
        if group("undo_several").search(each.text) and verb("undo").match(each.text.strip()):
            found[each.id] = Declined(sentence(language_of(each.text), "one_undo"))
            continue
        if verb("undo").fullmatch(each.text.strip(" .!。")):
            said = {"step": "undo", "order": "last", "literal": [token.text for token in hard_tokens(each.text)]}
            found[each.id] = Claim(check="undone", arguments=said)
            continue
        if each.message not in asked_for:
            asked_for[each.message] = read_requests(run.state.said[each.message], pages)
        parts = [run.state.said[each.message][slice(*part)] for part in each.parts]
        effects = _effects_of(each.text, parts, asked_for[each.message], pages)
        if effects:
            everywhere = group("everywhere").search(each.text) is not None
            only = group("only").search(each.text) is not None
            said = asked(*effects, everywhere=everywhere, only=only)
            found[each.id] = Claim(check="changed", arguments=_with_literal(said, hard_tokens(each.text), *effects))
        elif reason := _reason(each.text, refused):
            found[each.id] = Declined(reason)
        else:
            rest.append(each)
    rest += fresh  # said before there was anything to change
    return {**await read_claims(run, rest), **found} if rest else found


def _effects_of(text: str, parts: Sequence[str], requests: Sequence[Request], pages: Sequence[Page]) -> list[Effect]:
    """The effects of the clause that a statement is, or is a piece of, as the tool reads it; else what it asks alone.

    The tool and the account cut a message each in its own way ("sort by date" and "newest first" are one clause, "red
    and bigger" are two). A part that was not understood leaves the statement without any.
    """
    around = [each for each in requests if all(plain(part) in plain(each.whole) for part in parts)]
    around.sort(key=lambda each: len(each.whole))
    same = [each for each in around if each.whole == around[0].whole] or read_requests(text, pages)
    effects = [each.effect for each in same if each.effect is not None]
    if any(each.operation == "new_page" and any(plain(text) in plain(v) for _, v in each.values) for each in effects):
        return []  # words that are to be seen, as those of a brief
    return effects if len(effects) == len(same) else []


_NUMBERED = ("columns", "currency", "switch")
"""The operations whose value is the figure, or the name, that the words say in their own form."""
_KEYS = {"negation": "not_literal", "from": "since", "until": "until"}
"""Where a hard word stands in the arguments of a claim, by its kind or, where it orders, by its code."""


def _with_literal(arguments: dict[str, Any], tokens: Sequence[Token], *effects: Effect) -> dict[str, Any]:
    """The arguments with the hard words of a statement that the effects put on a page, or hold as their value."""
    texts = [" ".join([each.value, each.words, each.leads, *(f"{a} {b}" for a, b in each.values)]) for each in effects]
    digits = [re.sub(r"\D", "", text) for text in texts]
    valued = any(each.operation in _NUMBERED or each.kind == "row" for each in effects)
    in_order = any(each.operation == "sort" and each.relation for each in effects)
    found: dict[str, list[str]] = {}
    for token in tokens:
        figures = re.sub(r"\D", "", token.text)
        own = without(token.text, [group("field_words"), any_of(*words()["page"])]) if token.kind == "name" else ""
        bare = plain(own or token.text)
        shown = bool(bare) and any(bare in plain(text) for text in texts)
        dialled = len(figures) > 4 and any(figures in each for each in digits)
        ends = in_order and token.kind == "superlative"
        if shown or dialled or ends or (valued and token.kind == "number"):
            key = _KEYS.get(token.code if token.kind == "order" else token.kind, "literal")
            found.setdefault(key, []).append(token.text)
    return {**arguments, **found}


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
        said = left_over(each.get("whole") or each["said"]).lower()
        if own and (own in said or said in own):
            return str(each["why"])
    return ""


APP_ACCOUNT = replace(ACCOUNT, read=read_statements)
"""What the kernel needs to settle what users say of an app: when it is new, and when it is changed."""
