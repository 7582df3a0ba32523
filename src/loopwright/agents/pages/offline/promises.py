"""What the offline model does when a change would break a promise: ask for its withdrawal, or say what is in the way.

A withdrawal is asked for only where the wish speaks of the thing that was promised: “remove the newsletter” does of
“add a newsletter”. A promise about something else is one that the edit must not touch, and the user hears of it.
"""

import re
from collections.abc import Mapping, Sequence

from loopwright.agents.pages.ledger.relation import subject_words
from loopwright.agents.pages.offline.checking import Call, is_mending
from loopwright.agents.pages.offline.reading import Done, Reading
from loopwright.agents.pages.offline.wording import enumeration, excerpt, say
from loopwright.kernel.playbook import OfflineReply

WRITERS = ("edit_page", "generate_page", "create_design_system")

_REFUSAL = re.compile(r"^Error: .{0,200}\bbreaks the promises? ", re.DOTALL)
_NAMED = re.compile(r"\b(P[1-9][0-9]*) “([^”]*)”")
_WITHDRAW = re.compile(
    r"^(?:withdraw|take back|give up|drop|cancel|forget)\s+(?:the\s+)?(?:promises?\s+)?"
    r"(P\d+(?:(?:\s*,\s*|\s*,?\s+and\s+)P\d+)*)\s*[.!]?$|^(?:撤回|取消)(?:承诺)?\s*(P\d+)\s*[。！]?$",
    re.IGNORECASE,
)
_REASON = 400
"""Characters of the wish that stand in a withdrawal's reason."""


def withdrawal_asked_for(reading: Reading) -> OfflineReply | None:
    """The next move where the user asks for a promise to be withdrawn, in so many words; None for other wishes."""
    asked = _WITHDRAW.match(reading.wish)
    if asked is None:
        return None
    done = reading.calls_of("withdraw_promise")
    if not done:
        names = asked[1] or asked[2]
        return OfflineReply("", [("withdraw_promise", {"promise_id": names.upper(), "reason": reading.wish[:_REASON]})])
    told = excerpt(done[-1].output.replace(" Now make the change that the user asked for.", ""))
    return OfflineReply(say("withdrawn", told=told))


def promises_in_the_way(reading: Reading, wish: str) -> OfflineReply | None:
    """The next move where changes were refused because of promises; None where none was."""
    refused = _refused(reading)
    if not refused:
        return None
    withdrawals = reading.calls_of("withdraw_promise")
    if withdrawals and not withdrawals[-1].failed:
        again = [call for call in refused if call.step < withdrawals[-1].step]
        if again:
            calls: list[Call] = [(call.name, call.arguments) for call in again]
            calls += [("validate_html", {"slug": call.slug}) for call in again if call.slug]
            return OfflineReply("Now I make the change.", calls)
    named = _named(refused)
    asked_before = {name for call in withdrawals for name in _names_in(call.arguments)}
    about = [name for name, words in named.items() if name not in asked_before and _speaks_of(wish, words)]
    if about and set(named) - asked_before == set(about):
        arguments = {"promise_id": ", ".join(about), "reason": wish[:_REASON]}
        text = "That is the contrary of something that you asked for earlier; I ask whether it may go."
        return OfflineReply(text, [("withdraw_promise", arguments)])
    return _tell(reading, refused, kept=bool(withdrawals) and withdrawals[-1].failed)


def _refused(reading: Reading) -> list[Done]:
    """The newest attempt at each change, where it was refused because of a promise."""
    newest: dict[tuple[str, str], Done] = {}
    for call in reading.done:
        if call.name in WRITERS and not is_mending(call):
            newest[call.name, call.slug] = call
    return [call for call in newest.values() if _REFUSAL.match(call.output)]


def _named(refused: Sequence[Done]) -> dict[str, str]:
    """The promises that refusals name, each with the words that tell what it is about: its request and its checks."""
    words: dict[str, str] = {}
    for call in refused:
        for name, request in _NAMED.findall(call.output):
            findings = [line for line in call.output.splitlines() if line.startswith(f"{name}:")]
            expected = " ".join(line.partition("; found ")[0] for line in findings)
            words[name] = f"{words.get(name, '')} {request} {expected}"
    return words


def _speaks_of(wish: str, words: str) -> bool:
    return bool(subject_words(wish) & subject_words(words))


def _names_in(arguments: Mapping[str, object]) -> list[str]:
    return re.findall(r"P[1-9][0-9]*", str(arguments.get("promise_id", "")))


def _tell(reading: Reading, refused: Sequence[Done], *, kept: bool) -> OfflineReply:
    promises = {name: request for call in refused for name, request in _NAMED.findall(call.output)}
    places = {call.slug for call in refused}
    written = [call for call in reading.done if call.name in WRITERS and not call.failed and call.slug not in places]
    changed = enumeration(list(dict.fromkeys(f"`{call.slug}`" for call in written if call.slug)))
    lines = [f"{name}: “{request}”" for name, request in promises.items()]
    return OfflineReply(say("promises", changed=changed, kept=kept, promises=lines, names=enumeration(list(promises))))
