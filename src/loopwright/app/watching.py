"""Watching a run: its events as they come, and its last line."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from typing import Any

from loopwright.app.loopwright import Loopwright
from loopwright.engine.drafts import Live
from loopwright.kernel.account.fold import nothing_told
from loopwright.kernel.account.settling import NOTED
from loopwright.kernel.events import Event
from loopwright.kernel.gates import Gate
from loopwright.kernel.ports import RunRecord
from loopwright.kernel.state import TERMINAL, RunState, under_way

# How the account of a run reads for people: what was not used first, what was kept as a count that opens.

SECTIONS = ("taken_back", "superseded", "not_used", "refused", "asked", "assumed", "kept")
LABELS = {
    "en": ("Taken back", "Replaced", "Not used", "Refused", "Asked", "Assumed", "Kept"),
    "de": ("Zurückgenommen", "Ersetzt", "Nicht umgesetzt", "Abgelehnt", "Gefragt", "Angenommen", "Erfüllt"),
    "fr": ("Retiré", "Remplacé", "Non pris en compte", "Refusé", "Demandé", "Supposé", "Respecté"),
    "es": ("Retirado", "Sustituido", "No tenido en cuenta", "Rechazado", "Preguntado", "Supuesto", "Cumplido"),
    "zh": ("已撤回", "已替换", "没有做到", "已拒绝", "已询问", "假定", "已做到"),
}
"""What each section of the account is called, in the language of what the user said."""
NOT_USED = {
    "en": "Not used: ",
    "de": "Nicht umgesetzt: ",
    "fr": "Non pris en compte : ",
    "es": "No se ha tenido en cuenta: ",
    "zh": "没有做到：",
}
"""How the ending begins that leaves out what was said, in the language in which it was said."""
REFUSED = {
    "en": "Refused: ",
    "de": "Abgelehnt: ",
    "fr": "Refusé : ",
    "es": "Rechazado: ",
    "zh": "不能做：",
}
"""The same for what was refused, each with its reason."""
WORDS = 44
"""How many characters of the user's words are shown before the reason."""


def account_lines(account: Mapping[str, Any], run_id: str = "", *, every: bool = False) -> Iterator[str]:
    """The account, a line for each statement.

    Args:
        account: as in the run's last line; one without statements gives no lines.
        run_id: for the command that shows all of it; without one it is not told.
        every: show each kept statement with what was measured, instead of their number.
    """
    labels = dict(zip(SECTIONS, LABELS[_language(account)], strict=True))
    width = max(map(len, labels.values()))
    for section in SECTIONS[:-1]:
        for entry in account.get(section) or ():
            said = f"“{entry['text']}”"
            reason = entry.get("reason") or ""
            yield f"{labels[section]:<{width}} {said:<{WORDS if reason else 0}} {reason}".rstrip()
    kept = account.get("kept") or ()
    if kept and not every:
        more = f"   (loopwright runs show {run_id} --all shows what was measured)" if run_id else ""
        yield f"{labels['kept']:<{width}} {len(kept)}{more}"
    for entry in kept if every else ():
        told = f"  ({entry['reason']})" if entry.get("reason") else ""
        yield f"{labels['kept']:<{width}} “{entry['text']}”{told}"
        for found in entry["evidence"]:
            place = f" · {found['where']}" if found["where"] else ""
            yield f"{'':<{width}}   {found['check']}: {found['value']}{place}"


def _language(account: Mapping[str, Any]) -> str:
    """The language of what the user said."""
    from loopwright.kernel.account.reading import language_of  # its tables are needed only where something was said

    said = [entry["text"] for section in SECTIONS for entry in account.get(section) or ()]
    return language_of(" ".join(said)) if said else "en"


NOT_TAKEN_BACK = "what it has changed was not taken back"
"""No ending undoes anything; whether a change of it is any good is not said."""

EXIT_CODES = {"complete": 0, "waiting": 3, "error": 4, "cancelled": 5}


def last_line(record: RunRecord, state: RunState, final: dict[str, Any] | None) -> dict[str, Any]:
    """What a run came to: `complete`, `waiting`, `error` or `cancelled`, with the agent's own fields.

    Args:
        record: the run.
        state: its folded state.
        final: payload of its terminal event, or None while it waits.

    What a gate's details hold under `last_line` stands in the line itself: an agent's own words for why it waits.
    """
    spent = state.spent
    common = {
        "agent": record.agent,
        "session_id": record.session_id,
        "run_id": record.run_id,
        "steps": spent.steps,
        "cost_usd": round(spent.usd, 6) if spent.usd_known else None,
        "model": state.last_response.model if state.last_response else None,
    }
    if state.open_gate is not None:
        told = state.open_gate.details.get("last_line") or {}
        return {"type": "waiting", **told, **common, "gate": describe_gate(state.open_gate)} | _questions(
            state.open_gate
        )
    account = (final or {}).get("account") or nothing_told()
    if state.status == "completed" and final is not None:
        message = told_first(account) + final["text"]
        return {"type": "complete", **common, "message": message, **final["result"], "account": account}
    if state.status == "cancelled":
        return {
            "type": "cancelled",
            **common,
            "message": f"The run was cancelled after {state.steps} steps; {NOT_TAKEN_BACK}.",
        }
    if state.status == "parked":
        return {"type": "error", **common, **_parked(record, state)}
    failure = final or {
        "code": "interrupted",
        "message": f"The run stopped before its end (it is {state.status}); {NOT_TAKEN_BACK}.",
        "hint": f"loopwright runs resume {record.run_id}",
    }
    hint = failure["hint"] or f"loopwright runs show {record.run_id}"
    told = failure.get("result") or {}
    error = {"code": failure["code"], "message": failure["message"], "hint": hint}
    return {"type": "error", **told, **common, **error, "account": account}


def told_first(account: Mapping[str, Any]) -> str:
    """The lines with which an ending begins that leaves out or refuses what was said; nothing where nothing is."""
    refused = [f"“{each['text']}” ({each['reason']})" for each in account.get("refused") or ()]
    missing = [entry["text"] for entry in account.get("not_used") or () if entry["reason"] != NOTED]
    missing += [entry["text"] for entry in account.get("taken_back") or ()]
    if not missing and not refused:
        return ""
    language = _language(account)
    lines = [f"{NOT_USED[language]}{'; '.join(f'“{text}”' for text in missing)}"] if missing else []
    lines += [f"{REFUSED[language]}{'; '.join(refused)}"] if refused else []
    return "\n".join(lines) + "\n\n"


def _parked(record: RunRecord, state: RunState) -> dict[str, Any]:
    return {
        "code": "parked",
        "message": f"The run is parked: {record.deaths} processes in a row died while they carried it on. "
        f"What it was doing: {under_way(state)}.",
        "hint": f"loopwright runs resume {record.run_id} --anyway",
    }


def _questions(gate: Gate) -> dict[str, Any]:
    return {"questions": [question_payload(i, q) for i, q in enumerate(gate.questions)]} if gate.questions else {}


def question_payload(index: int, question: Any) -> dict[str, Any]:
    """A question as the wire shows it."""
    data: dict[str, Any] = question.model_dump(exclude_none=True)
    return {"index": index, **data}


def describe_gate(gate: Gate) -> dict[str, Any]:
    """A gate as the wire shows it."""
    return {
        "gate_id": gate.gate_id,
        "run_id": gate.gate_id.rpartition(".")[0],
        "kind": gate.kind,
        "status": gate.status,
        "title": gate.title,
        "digest": gate.digest,
        "details": gate.details,
        "questions": [question_payload(i, q) for i, q in enumerate(gate.questions)],
        "answer": gate.answer,
    }


# Use case: follow a run, its journal and what is shown live, in one stream.


def is_terminal(event: Event) -> bool:
    """Whether nothing comes after this event."""
    return event.type.startswith("run_") and event.type.removeprefix("run_") in TERMINAL


def is_pause(event: Event) -> bool:
    """Whether the run rests after this event: for good, until a human answers, or until one lets it try again."""
    return is_terminal(event) or event.type in ("run_waiting_input", "run_parked")


async def watch_run(
    application: Loopwright,
    run_id: str,
    since_seq: int = 0,
    *,
    until_pause: bool = False,
    begin: Callable[[], None] | None = None,
    writing: bool = False,
) -> AsyncGenerator[Event | Live, None]:
    """The run's events after `since_seq` and its live pieces, as they come.

    Ends after the terminal event; with `until_pause` also when the run rests and no later event is known.
    `writing` adds the answers to tools and the calls that are being written, piece by piece. `begin` is called once the
    run is watched: who carries it on there misses nothing that is shown live.

    Raises:
        NotFound: there is no such run.
    """
    await application.stores.runs.get(run_id)
    with application.broadcast.listen(run_id, writing=writing) as live:
        if begin is not None:
            begin()
        events = application.stores.journal.watch(run_id, since_seq)
        next_event = asyncio.ensure_future(anext(events, None))
        next_live = asyncio.ensure_future(live.get())
        try:
            while True:
                await asyncio.wait({next_event, next_live}, return_when=asyncio.FIRST_COMPLETED)
                stored = next_event.done()
                while next_live.done() or (stored and not live.empty()):  # what was shown before an event comes first
                    if next_live.done():
                        yield next_live.result()
                        next_live = asyncio.ensure_future(live.get())
                    else:
                        await asyncio.sleep(0)  # the one getter takes every piece, so that none overtakes another
                if not stored:
                    continue
                event = next_event.result()
                if event is None:
                    return
                yield event
                if until_pause and is_pause(event) and not await _went_on(application, event):
                    return
                next_event = asyncio.ensure_future(anext(events, None))
        finally:
            for task in (next_event, next_live):
                task.cancel()
            await asyncio.gather(next_event, next_live, return_exceptions=True)
            await events.aclose()


async def _went_on(application: Loopwright, event: Event) -> bool:
    return bool(await application.stores.journal.read(event.run_id, event.seq, 1))
