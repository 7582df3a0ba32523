"""Claims that a model chooses are held to the user's words, and to a check that failed before."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from loopwright.kernel.account import AccountKit, Assumed, Check, Reading, Statement
from loopwright.kernel.account.model_claims import is_said
from loopwright.kernel.account.settling import CHOSEN
from loopwright.kernel.run import AgentRun
from loopwright.kernel.testing import ScriptedModel, start_run
from tests.kernel.account.test_settling import ThingIs, of, put, thing_is, told
from tests.kernel.toys import World, play, toy_spec

MESSAGE = "The cup holds 4 coins."
QUOTES = '{"statements": [["The cup holds 4 coins"]]}'


async def reads_nothing(run: AgentRun, statements: Sequence[Statement]) -> Mapping[str, Reading]:
    """No rule reads anything."""
    return {}


CHECK = Check("thing_is", ThingIs, thing_is, about=("thing",))
KIT = AccountKit(checks=(CHECK,), read=reads_nothing)


def choice(**arguments: Any) -> str:
    """The model's answer that claims this of the first statement."""
    return json.dumps({"claims": [{"statement": 1, "check": "thing_is", "arguments": arguments}]})


def started(chosen: str, *work: Any, kit: AccountKit = KIT, **things: str) -> AgentRun:
    script = [QUOTES, chosen, *work]
    world = World(things={"spoon": "bent", **things})
    options = {"account_reading": "model"}
    return start_run(replace(toy_spec(), account=kit), ScriptedModel(script), MESSAGE, services=world, options=options)


async def test_a_chosen_check_that_failed_before_earns_kept():
    run = started(choice(thing="cup", value="4 coins"), put("cup", "4 coins"), "Done.")
    await play(run)
    assert of(told(run), "cup") == ("kept", CHOSEN)


async def test_a_chosen_check_that_held_before_proves_nothing():
    run = started(choice(thing="cup", value="4 coins"), "Done.", cup="4 coins")
    await play(run)
    section, reason = of(told(run), "cup")
    assert section == "not_used"
    assert reason.startswith("not verified: before the work")


@pytest.mark.parametrize(
    "arguments",
    [
        {"thing": "spoon", "value": "bent"},
        {"thing": "cup", "value": "coins"},
        {"thing": "cup", "value": "4 coins", "more": 1},
    ],
    ids=["something else that holds", "without the hard token", "another form"],
)
async def test_what_is_made_up_is_refused(arguments: dict[str, Any]):
    run = started(choice(**arguments), put("cup", "4 coins"), "Done.")
    await play(run)
    assert of(told(run), "cup")[0] == "not_used"


async def test_a_chosen_check_comes_before_an_assumption():
    async def assumes(run: AgentRun, statements: Sequence[Statement]) -> Mapping[str, Reading]:
        return {each.id: Assumed("some coins") for each in statements if not each.hard}

    run = started(choice(thing="cup", value="4 coins"), put("cup", "4 coins"), "Done.", kit=replace(KIT, read=assumes))
    await play(run)
    assert of(told(run), "cup")[0] == "kept"


async def test_an_answer_of_another_form_claims_nothing():
    run = started("I would measure all of it.", put("cup", "4 coins"), "Done.")
    await play(run)
    assert of(told(run), "cup")[0] == "not_used"


async def test_a_small_model_is_not_asked():
    world = World(things={"spoon": "bent"})
    model = ScriptedModel(['{"quotes": ["The cup holds 4 coins"]}', put("cup", "4 coins"), "Done."], kind="small")
    spec, options = replace(toy_spec(), account=KIT), {"account_reading": "model"}
    await play(start_run(spec, model, MESSAGE, services=world, options=options))
    assert [request.labels.stage for request in model.requests].count("account") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"thing": "cup", "value": "4 coins"}, True),
        ({"thing": "cup", "value": "5 coins"}, False),
        ({"thing": "jug", "value": "4 coins"}, False),
        ({"size": 40.0}, False),
        ({"count": 4}, True),
    ],
)
def test_values_are_those_of_the_user(arguments: dict[str, Any], said: bool) -> None:
    assert is_said(CHECK, arguments, MESSAGE) is said
