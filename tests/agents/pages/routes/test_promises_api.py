"""The ledger over HTTP: listed, replayed, withdrawn once."""

from pathlib import Path

from tests.support.application import in_process
from tests.support.pages_model import call
from tests.support.scripts import VAGUE, closing, one_page

ASKED = "Good morning, neighbours"
EDIT = call("edit_page", slug="index", edit_instructions=ASKED)


async def test_promises_over_http(tmp_path: Path) -> None:
    async with in_process(tmp_path, *one_page(), EDIT, closing("Done.")) as (client, _):
        made = (await client.post("/api/chat", json={"message": VAGUE})).json()
        session = made["session_id"]
        asked = f'change the heading to "{ASKED}"'
        await client.post("/api/chat", json={"message": asked, "session_id": session})
        url = f"/api/sessions/{session}/promises"

        (promise,) = (await client.get(url)).json()["promises"]
        assert (promise["id"], promise["request"], promise["status"]) == ("P1", asked, "active")
        assert promise["checks"][0]["kind"] == "element"

        checked = (await client.get(url, params={"check": True})).json()
        assert checked["promises"][0]["state"] == "kept"
        assert checked["summary"] == {"kept": 1, "unclear": 0, "broken": [], "static": 0}

        assert (await client.post(f"{url}/P1/withdraw", json={"check": 7})).status_code == 404
        gone = await client.post(f"{url}/P1/withdraw", json={"reason": "not any more", "check": 1})
        (given_up,) = gone.json()["given_up"]
        assert (given_up["number"], given_up["state"], given_up["reason"]) == (1, "withdrawn", "not any more")
        assert (gone.status_code, gone.json()["status"], gone.json()["reason"]) == (200, "withdrawn", "not any more")
        assert (await client.post(f"{url}/P1/withdraw")).status_code == 409
        assert (await client.post(f"{url}/P7/withdraw")).status_code == 404
        assert (await client.post(f"{url}/nonsense/withdraw")).status_code == 400
        assert (await client.get(url)).json()["promises"] == []
        assert len((await client.get(url, params={"withdrawn": True})).json()["promises"]) == 1
        assert (await client.get("/api/sessions/nowhere/promises")).status_code == 404
