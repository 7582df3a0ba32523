"""A session's design system over HTTP: tokens, impact, change, versions, restore."""

from pathlib import Path

from tests.support.application import in_process
from tests.support.scripts import VAGUE, one_page


async def test_the_design_system_over_http(tmp_path: Path) -> None:
    async with in_process(tmp_path, *one_page()) as (client, _):
        session = (await client.post("/api/chat", json={"message": VAGUE})).json()["session_id"]
        url = f"/api/sessions/{session}/design-system"

        design = (await client.get(f"{url}/tokens")).json()
        assert design["version"] == 1
        token = next(each for each in design["tokens"] if each["kind"] == "colour")
        assert design["drift"]["index"]["score"] >= 0

        body = {"changes": {token["name"]: "#abc123"}}
        seen = (await client.post(f"{url}/tokens/impact", json=body)).json()
        assert seen["impact"]["changes"][0] == {
            "token": token["name"], "scheme": "light", "before": token["light"], "after": "#abc123", "follows": "",
        }  # fmt: skip
        assert seen["lines"][0].startswith(f"{token['name']}: {token['light']} → #abc123")
        assert (await client.get(f"{url}/tokens")).json() == design

        made = await client.post(f"{url}/tokens", json=body)
        assert (made.status_code, made.json()["version"]["version"]) == (200, 2)
        changed = (await client.get(f"{url}/tokens")).json()
        assert next(each for each in changed["tokens"] if each["name"] == token["name"])["light"] == "#abc123"

        back = await client.post(f"{url}/restore")
        assert (back.status_code, back.json()["restored_from"]) == (200, 1)
        assert (await client.post(f"{url}/restore")).status_code == 409
        assert (await client.post(f"{url}/restore", json={"version": 9})).status_code == 404
        assert len((await client.get(f"{url}/versions")).json()["versions"]) == 3
        for wrong in ({"changes": {}}, {"changes": {"--x": "red"}, "scheme": "sepia"}, {"changes": {"--x": "}"}}):
            assert (await client.post(f"{url}/tokens", json=wrong)).status_code in (400, 404, 422)
        assert (await client.get("/api/sessions/nowhere/design-system/tokens")).status_code == 404
