"""The interview over HTTP: four actions of the widget, and the product doc that users edit."""

import json
from pathlib import Path
from typing import Any

import httpx

from loopwright.kernel.messages import split_blocks
from tests.support.application import in_process
from tests.support.pages_model import call
from tests.support.scripts import QUESTIONS, VAGUE, closing, one_page

ASK = call("ask_user", questions=QUESTIONS)
LOOK, PAGES, AUDIENCE = (str(question["question"]) for question in QUESTIONS)


async def say(client: httpx.AsyncClient, message: str, session_id: str | None = None) -> dict[str, Any]:
    reply = await client.post("/api/chat", json={"message": message, "session_id": session_id})
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


def widget(action: str, **answers: Any) -> str:
    listed = [{"id": f"q{n}", "question": q, "type": "single", "value": v} for n, (q, v) in enumerate(answers.items())]
    block = json.dumps({"action": action, "answers": listed})
    return f"<INTERVIEW_ANSWERS>{block}</INTERVIEW_ANSWERS>\nAnswer summary: …"


async def test_submit_batch_answers_and_remembers(tmp_path: Path) -> None:
    async with in_process(tmp_path, ASK, *one_page()) as (client, dialogue):
        asked = await say(client, VAGUE)
        done = await say(client, widget("submit_batch", **{LOOK: "Cool", AUDIENCE: "Students"}), asked["session_id"])
        assert (done["phase"], done["run_id"]) == ("complete", asked["run_id"])
        told = dialogue.asked[1].messages[-1].content
        assert '"Which look?": "Cool"' in told
        assert f"{PAGES} → Menu" in told.partition("assumed")[2]
        interview = (await client.get(f"/api/sessions/{asked['session_id']}/interview")).json()
        assert interview["answers"][AUDIENCE]["answer"] == "Students"
        assert interview["answers"][PAGES]["assumed"] is True


async def test_skip_batch_takes_the_defaults(tmp_path: Path) -> None:
    async with in_process(tmp_path, ASK, *one_page()) as (client, dialogue):
        asked = await say(client, VAGUE)
        done = await say(client, widget("skip_batch"), asked["session_id"])
        assert done["phase"] == "complete"
        told = dialogue.asked[1].messages[-1].content
        assert told.startswith("No answers were given.")
        assert f"- {PAGES} → Menu" in told


async def test_generate_now_ends_the_questions_of_the_run(tmp_path: Path) -> None:
    """What the model asks afterwards is answered by the controller, and the run goes on."""
    again = call("ask_user", questions=[{"question": "Really?", "type": "text"}])
    async with in_process(tmp_path, ASK, again, *one_page()) as (client, dialogue):
        asked = await say(client, VAGUE)
        done = await say(client, widget("generate_now", **{LOOK: "Cool"}), asked["session_id"])
        assert done["phase"] == "complete"
        assert '"Which look?": "Cool"' in dialogue.asked[1].messages[-1].content
        assert "the user wants it generated now" in dialogue.asked[2].messages[-1].content


async def test_update_answers_after_the_run_begins_one_that_says_what_changes(tmp_path: Path) -> None:
    async with in_process(tmp_path, ASK, *one_page(), closing("Changed.")) as (client, dialogue):
        asked = await say(client, VAGUE)
        session = asked["session_id"]
        await say(client, widget("submit_batch", **{LOOK: "Cool"}), session)
        changed = await say(client, widget("update_answers", **{"Which colours?": "Gold, dark theme"}), session)
        assert changed["run_id"] != asked["run_id"]
        dialogue_words = [split_blocks(m.content)[0] for m in dialogue.asked[-1].messages if m.role == "user"]
        said = next(words for words in reversed(dialogue_words) if words)
        assert said.startswith("I change my answers:\n- Which colours? → Gold, dark theme")
        assert "the design system is made anew, no page is" in said
        assert said.endswith("Keep everything else.")


async def test_update_answers_while_a_run_waits(tmp_path: Path) -> None:
    """What is pending stays pending; the model hears of the change with the answers."""
    async with in_process(tmp_path, ASK, *one_page()) as (client, dialogue):
        asked = await say(client, VAGUE)
        session = asked["session_id"]
        same = await say(client, widget("update_answers", **{"What is it called?": "Moka"}), session)
        assert (same["phase"], same["run_id"]) == ("waiting_input", asked["run_id"])
        assert [question["question"] for question in same["questions"]] == [LOOK, PAGES, AUDIENCE]
        done = await say(client, widget("update_answers", **{LOOK: "Warm"}), session)
        assert done["phase"] == "complete"
        told = dialogue.asked[1].messages[-1].content
        assert '"Which look?": "Warm"' in told
        assert "What is it called? → Moka" in told.partition("changed earlier answers")[2]


async def test_blocks_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    async with in_process(tmp_path) as (client, _):
        for block in (
            '{"action": "shout"}',
            '{"action": "submit_batch", "answers": [{"value": "x"}]}',
            "[" * 5_000,
            "{",
        ):
            body = {"message": f"<INTERVIEW_ANSWERS>{block}</INTERVIEW_ANSWERS>", "session_id": "nobody"}
            assert (await client.post("/api/chat", json=body)).status_code == 400, block[:50]


async def test_a_user_edits_the_product_doc(tmp_path: Path) -> None:
    async with in_process(tmp_path, *one_page()) as (client, _):
        session = (await say(client, VAGUE))["session_id"]
        url = f"/api/sessions/{session}/product-doc"
        body = {"sections": [{"name": "audience", "title": "Audience", "content": "Night owls"}]}
        first = await client.patch(url, json=body, headers={"Idempotency-Key": "k1"})
        assert first.status_code == 200, first.text
        assert first.json()["sections"]["audience"]["updated_by"] == "user"
        assert "Audience: Night owls" in first.json()["project_card"]
        await client.patch(url, json=body, headers={"Idempotency-Key": "k1"})
        history = (await client.get(f"{url}/history", params={"section": "audience"})).json()["patches"]
        assert [(patch["author"], patch["after"]) for patch in history] == [("user", "Night owls")]
        gone = await client.patch(url, json={"sections": [{"name": "audience", "op": "remove"}]})
        assert "audience" not in gone.json()["sections"]
        for bad in ({"sections": []}, {"sections": [{"name": "../x"}]}, {"sections": [{"name": "a", "op": "sing"}]}):
            assert (await client.patch(url, json=bad)).status_code == 422
        assert (await client.patch("/api/sessions/nobody/product-doc", json=body)).status_code == 404
