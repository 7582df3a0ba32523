"""What one message describes is settled in the run of the message that builds it; what was not said is not settled."""

import json
from typing import Any

from loopwright.kernel.gates import Finished
from tests.agents.designspec.workflow.support import APPROVE, REJECT, Talk, say, talk

SIDES = ("x_mm", "y_mm", "z_mm")
BODY = {"op": "add_box", "x_mm": 20, "y_mm": 20, "z_mm": 20}
BORE = {"op": "add_channels", "count": 1, "from_face": "top", "to_face": "bottom", "diameter_mm": 2}
DESCRIBED = (
    "A box 20 x 20 x 20 mm with a straight channel of 2 mm diameter along z, through. Walls of at least 1 mm. "
    "One inlet on the top and one outlet on the bottom. Connect the inlet to the outlet."
)
QUESTION = {"id": "size", "question": "How large is the body?", "default": "For example: a 20 mm cube"}


def told(talking: Talk) -> dict[str, list[dict[str, Any]]]:
    assert isinstance(talking.outcome, Finished), talking.outcome
    found: dict[str, list[dict[str, Any]]] = talking.stored("run_completed")[0]["account"]
    return found


def checks(entries: list[dict[str, Any]]) -> set[str]:
    return {each["check"] for entry in entries for each in entry["evidence"]}


async def test_what_was_described_is_kept_once_a_later_message_builds_it(tmp_path):
    first = await talk(tmp_path / "part", say("A part.", operations=[BODY, BORE]), message=DESCRIBED)
    await first.answer(APPROVE)
    account = told(first)
    assert checks(account["kept"]) == {"box", "ports", "channels", "reaches"}
    assert {each["where"] for entry in account["kept"] for each in entry["evidence"]} == {
        "spec.json as approved; not built yet"
    }
    assert checks(account["not_used"] + account["assumed"]) == {"wall"}

    run = say("I run it.", operations=[{"op": "run", "until": "full"}])
    second = Talk(tmp_path / "part", [run, say("It is built.")], message="Run it")
    second.earlier = first.run.state.account.lasting()
    await second.begin()
    await second.answer(APPROVE)
    account = told(second)
    assert checks(account["kept"]) == {"built", "wall"}, json.dumps(account, indent=1)
    assert not account["taken_back"]
    assert not checks(account["not_used"] + account["assumed"])
    assert all(each["where"].endswith("solid.stl") for entry in account["kept"] for each in entry["evidence"])


async def test_a_later_width_takes_the_place_of_the_earlier_and_of_nothing_else(tmp_path):
    build = {"op": "run", "until": "full"}
    said = "A 20 mm cube with a channel of 2 mm diameter along z, through."
    first = await talk(tmp_path / "part", say("A part.", operations=[BODY, BORE, build]), say("Built."), message=said)
    await first.answer(APPROVE)
    await first.answer(APPROVE)
    assert {entry["text"] for entry in told(first)["kept"]} >= {"along z", "through"}
    wider = {"op": "set", "path": "channels_1.diameter_mm", "value": 3}
    second = Talk(tmp_path / "part", [say("Wider.", operations=[wider, build]), say("Built.")])
    second.message, second.earlier = "The channel is 3 mm wide", first.run.state.account.lasting()
    await second.begin()
    await second.answer(APPROVE)
    await second.answer(APPROVE)
    account = told(second)
    assert [entry["text"] for entry in account["superseded"]] == ["with a channel of 2 mm diameter"]
    assert not account["taken_back"], account
    assert [entry["text"] for entry in account["kept"]] == ["The channel is 3 mm wide"]


async def test_the_account_reads_what_the_user_answers_and_not_what_was_asked(tmp_path):
    script = [say("I need a size.", questions=[QUESTION]), say("A box.", operations=[BODY]), say("As you like.")]
    talking = await talk(tmp_path / "part", *script, message="Make a body.")
    await talking.answer({"answers": {"0": "a box 20 x 20 x 20 mm"}})
    await talking.answer({**REJECT, "comment": "I want two holes"})
    texts = [entry["text"] for entries in told(talking).values() for entry in entries]
    assert texts == ["Make a body", "a box 20 x 20 x 20 mm", "I want two holes"]


async def test_a_default_that_is_accepted_is_not_the_users_word(tmp_path):
    script = [say("I need a size.", questions=[QUESTION]), say("A box.", operations=[BODY])]
    talking = await talk(tmp_path / "part", *script, message="Make a body.")
    await talking.answer({"answers": {"0": QUESTION["default"]}})
    await talking.answer(APPROVE)
    assert [entry["text"] for entries in told(talking).values() for entry in entries] == ["Make a body"]


async def test_what_a_patch_would_take_back_is_told_before_the_user_is_asked(tmp_path):
    said = "A 20 mm cube with a channel of 2 mm diameter along z, through."
    first = await talk(tmp_path / "part", say("A part.", operations=[BODY, BORE]), message=said)
    await first.answer(APPROVE)
    careless = [
        {"op": "set", "path": "channels_1.diameter_mm", "value": 1.5},
        {"op": "add_box"} | dict.fromkeys(SIDES, 30),
    ]
    second = Talk(tmp_path / "part", [say("Larger.", operations=careless)], message="Make the cube 30 mm")
    second.earlier = first.run.state.account.lasting()
    await second.begin()
    (proposal,) = second.stored("patch_proposed")
    (lost,) = proposal["preview"]["takes_back"]
    assert lost.startswith("“with a channel of 2 mm diameter”: ")
    assert "1.5" in lost


async def test_what_the_user_asks_to_be_otherwise_is_not_told_as_taken_back(tmp_path):
    said = "A 20 mm cube with a channel of 2 mm diameter along z, through."
    first = await talk(tmp_path / "part", say("A part.", operations=[BODY, BORE]), message=said)
    await first.answer(APPROVE)
    wider = [{"op": "set", "path": "channels_1.diameter_mm", "value": 3}]
    second = Talk(tmp_path / "part", [say("Wider.", operations=wider)], message="The channel is 3 mm wide")
    second.earlier = first.run.state.account.lasting()
    await second.begin()
    (proposal,) = second.stored("patch_proposed")
    assert "takes_back" not in proposal["preview"]
