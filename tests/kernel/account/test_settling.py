"""Statements are settled by measurement, and by nothing else."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from loopwright.kernel.account import (
    AccountKit,
    Asked,
    Assumed,
    Check,
    Claim,
    Declined,
    Measured,
    NothingThereYet,
    NotMeasurable,
    Reading,
    Statement,
)
from loopwright.kernel.events import ContextSeeded
from loopwright.kernel.messages import Message
from loopwright.kernel.run import AgentRun
from loopwright.kernel.testing import ScriptedModel, check_journal, resume_run, start_run
from tests.kernel.toys import World, journal_of, play, stored, toy_spec

MESSAGE = "The cup holds 4 coins. The jug is red. It is sung by goldfish."


class ThingIs(BaseModel):
    """A thing and its value."""

    model_config = ConfigDict(extra="forbid")

    thing: str
    value: str


async def thing_is(run: AgentRun, arguments: ThingIs) -> Measured:
    """Whether the thing has the value."""
    if arguments.value == "broken":
        raise RuntimeError("boom") from None
    if arguments.value == "dark":
        raise NotMeasurable("there is no light")
    if not run.services.things:
        raise NothingThereYet("the world is empty")
    found = run.services.things.get(arguments.thing, "nothing")
    return Measured(found == arguments.value, found, f"things[{arguments.thing}]")


async def read_things(run: AgentRun, statements: Sequence[Statement]) -> Mapping[str, Reading]:
    """'The cup … 4 coins … means that the cup has the value "4 coins"."""
    found: dict[str, Reading] = {}
    for statement in statements:
        words = re.findall(r"cup|jug|4 coins|red", statement.text)
        if len(words) == 2:
            found[statement.id] = Claim(check="thing_is", arguments={"thing": words[0], "value": words[1]})
    return found


KIT = AccountKit(checks=(Check("thing_is", ThingIs, thing_is, about=("thing",)),), read=read_things)


def put(thing: str, value: str) -> list[tuple[str, dict[str, Any]]]:
    return [("put", {"thing": thing, "value": value})]


def started(script: list[Any], *, kit: AccountKit = KIT, message: str = MESSAGE, **things: str) -> AgentRun:
    spec = replace(toy_spec(), account=kit)
    return start_run(spec, ScriptedModel(script), message, services=World(things={"spoon": "bent", **things}))


def told(run: AgentRun) -> dict[str, list[dict[str, Any]]]:
    """The account in the run's last event, by section: (the statement's first words, its reason)."""
    (ending,) = stored(run, "run_completed")
    account: dict[str, list[dict[str, Any]]] = ending["account"]
    return account


def of(account: dict[str, list[dict[str, Any]]], word: str) -> tuple[str, str]:
    """The section and the reason of the one statement that has this word."""
    ((section, reason),) = [(s, e["reason"]) for s, entries in account.items() for e in entries if word in e["text"]]
    return section, reason


async def test_what_was_made_is_kept_with_evidence_and_the_rest_is_not_used():
    run = started([put("cup", "4 coins"), "All done."])
    await play(run)
    account = told(run)
    assert of(account, "cup") == ("kept", "")
    assert of(account, "jug") == ("not_used", "not so in the result: nothing")
    assert of(account, "goldfish") == ("not_used", "")
    (kept,) = account["kept"]
    assert kept["evidence"] == [
        {
            "check": "thing_is",
            "arguments": {"thing": "cup", "value": "4 coins"},
            "before": False,
            "after": True,
            "value": "4 coins",
            "where": "things[cup]",
            "digest": "",
        }
    ]
    check_journal(journal_of(run).events[run.state.run_id])


async def test_a_model_that_only_says_done_has_kept_nothing():
    run = started(["All done. The cup holds 4 and the jug is red."])
    await play(run)
    account = told(run)
    assert account["kept"] == []
    assert {of(account, word)[0] for word in ("cup", "jug", "goldfish")} == {"not_used"}


async def test_what_held_before_is_kept_in_these_words_and_never_as_a_change():
    run = started(["All done."], cup="4 coins")
    await play(run)
    assert of(told(run), "cup") == ("kept", "it was so already")


async def test_a_claim_without_the_hard_token_is_refused():
    async def careless(run: AgentRun, statements: Sequence[Statement]) -> Mapping[str, Reading]:
        claim = Claim(check="thing_is", arguments={"thing": "spoon", "value": "bent"})
        return {statement.id: claim for statement in statements if statement.hard}

    run = started(["Done."], kit=replace(KIT, read=careless))
    await play(run)
    account = told(run)
    assert account["kept"] == []
    assert stored(run, "statement_checked") == []
    assert of(account, "cup")[0] == "not_used"


async def test_an_assumption_never_stands_for_a_hard_token():
    async def lenient(run: AgentRun, statements: Sequence[Statement]) -> Mapping[str, Reading]:
        return {statement.id: Assumed("taken as it is") for statement in statements}

    run = started(["Done."], kit=replace(KIT, read=lenient))
    await play(run)
    account = told(run)
    assert of(account, "cup")[0] == "not_used"
    assert of(account, "goldfish") == ("assumed", "taken as it is")


async def test_an_answer_of_asked_that_asks_nothing_is_not_used():
    async def evasive(run: AgentRun, statements: Sequence[Statement]) -> Mapping[str, Reading]:
        return {statement.id: Asked("no-such-gate") for statement in statements}

    run = started(["Done."], kit=replace(KIT, read=evasive))
    await play(run)
    assert told(run)["asked"] == []


async def test_a_refusal_is_told_with_its_reason():
    async def plain(run: AgentRun, statements: Sequence[Statement]) -> Mapping[str, Reading]:
        return {s.id: Declined("nothing here can sing") for s in statements if "goldfish" in s.text}

    run = started(["Done."], kit=replace(KIT, read=plain))
    await play(run)
    assert of(told(run), "goldfish") == ("refused", "nothing here can sing")


@pytest.mark.parametrize("value", ["dark", "broken"])
async def test_a_check_that_cannot_measure_settles_nothing(value: str):
    async def read(run: AgentRun, statements: Sequence[Statement]) -> Mapping[str, Reading]:
        claim = Claim(check="thing_is", arguments={"thing": "song", "value": value})
        return {s.id: claim for s in statements if "goldfish" in s.text}

    run = started(["Done."], kit=replace(KIT, read=read))
    await play(run)
    section, reason = of(told(run), "goldfish")
    assert section == "assumed"
    assert reason.startswith("not verified: ")


async def test_claims_of_unknown_checks_or_with_wrong_arguments_are_refused():
    async def wrong(run: AgentRun, statements: Sequence[Statement]) -> Mapping[str, Reading]:
        bad = [Claim(check="marked", arguments={}), Claim(check="thing_is", arguments={"thing": "cup", "size": 4})]
        return dict(zip([s.id for s in statements], bad, strict=False))

    run = started([put("cup", "4 coins"), "Done."], kit=replace(KIT, read=wrong))
    await play(run)
    assert told(run)["kept"] == []


async def test_a_claim_made_only_at_the_end_proves_nothing_where_there_was_a_result_before():
    asked: list[int] = []

    async def late(run: AgentRun, statements: Sequence[Statement]) -> Mapping[str, Reading]:
        asked.append(len(statements))
        return await read_things(run, statements) if len(asked) > 1 else {}

    run = started([put("cup", "4 coins"), "Done."], kit=replace(KIT, read=late))
    await play(run)
    assert told(run)["kept"] == []

    async def fresh(run: AgentRun) -> bool:
        return True

    asked.clear()
    run = started([put("cup", "4 coins"), "Done."], kit=replace(KIT, read=late, fresh=fresh))
    await play(run)
    assert of(told(run), "cup")[0] == "kept"
    (cup,) = [each for each in run.state.account.statements.values() if "cup" in each.text]
    assert cup.evidence[-1].before is False, "later runs, which measure it again, must find it there"


async def test_the_model_is_told_once_what_does_not_hold_where_the_agent_wants_it():
    run = started(["All done.", put("cup", "4 coins"), "Now."], kit=replace(KIT, sends_back=1))
    await play(run)
    (said,) = stored(run, "controller_message")
    assert "cup holds 4 coins" in said["text"]
    assert "nothing" in said["text"]
    assert of(told(run), "cup")[0] == "kept"
    assert of(told(run), "jug")[0] == "not_used"


async def test_a_later_message_takes_the_place_of_what_it_contradicts_and_the_rest_is_measured_again():
    first = started([put("cup", "4 coins"), put("jug", "red"), "Done."])
    await play(first)
    kept = first.state.account.lasting()
    kept = [each for each in kept if each.state == "kept"]
    assert len(kept) == 2

    async def blue(run: AgentRun, statements: Sequence[Statement]) -> Mapping[str, Reading]:
        claim = Claim(check="thing_is", arguments={"thing": "jug", "value": "blue"})
        return {s.id: claim for s in statements if "blue" in s.text}

    run = started([], kit=replace(KIT, read=blue), message="Jug blue.", cup="4 coins", jug="red")
    seed = ContextSeeded(messages=[Message.user("Jug blue.")], account=kept)
    run = resume_run(run, ScriptedModel([put("jug", "blue"), put("cup", "3"), "Done."]), payloads=[seed])
    await play(run)
    account = told(run)
    assert of(account, "blue")[0] == "kept"
    assert [entry["text"] for entry in account["taken_back"]] == [s.text for s in kept if "cup" in s.text]
    assert [entry["text"] for entry in account["superseded"]] == [s.text for s in kept if "jug" in s.text]


async def test_what_an_earlier_message_asked_is_kept_once_it_is_so():
    first = started([put("cup", "4 coins"), "Done."])
    await play(first)
    assert of(told(first), "jug")[0] == "not_used"
    run = started([], message="Now the jug.", cup="4 coins")
    seed = ContextSeeded(messages=[Message.user("Now the jug.")], account=first.state.account.lasting())
    run = resume_run(run, ScriptedModel([put("jug", "red"), "Done."]), payloads=[seed])
    await play(run)
    (kept,) = [entry for entry in told(run)["kept"] if "jug" in entry["text"]]
    assert kept["evidence"][-1]["after"] is True
    assert [entry["text"] for entry in told(run)["taken_back"]] == []


async def test_a_run_that_dies_while_it_settles_is_settled_by_the_next_owner():
    async def dies(run: AgentRun) -> dict[str, Any]:
        raise KeyboardInterrupt

    run = started([put("cup", "4 coins"), "All done."])
    run = resume_run(replace(run, toolbox=replace(run.toolbox, spec=replace(run.spec, finish=dies))))
    with pytest.raises(KeyboardInterrupt):
        await play(run)
    again = resume_run(replace(run, toolbox=replace(run.toolbox, spec=replace(run.spec, finish=toy_spec().finish))))
    await play(again)
    assert of(told(again), "cup")[0] == "kept"
    assert len(stored(again, "statements_read")) == 1
    assert len(stored(again, "statement_settled")) == 3


async def test_a_model_may_cut_the_message_and_loses_no_word_of_it():
    quotes = '{"statements": [["The cup holds 4 coins"], ["made of gold"]]}'
    spec = replace(toy_spec(), account=KIT)
    options = {"account_reading": "model"}
    model = ScriptedModel([quotes, '{"claims": []}', put("cup", "4 coins"), "Done."])
    run = start_run(spec, model, MESSAGE, services=World(things={"spoon": "bent"}), options=options)
    await play(run)
    (read,) = stored(run, "statements_read")
    assert read["by"] == "model"
    words = " ".join(statement["text"] for statement in read["statements"])
    assert all(word in words for word in ("cup", "4", "jug", "red", "goldfish"))
    assert "gold" not in words.split()
    assert of(told(run), "cup")[0] == "kept"
