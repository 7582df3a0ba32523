"""The history of pages over HTTP: versions, differences, undo, redo, an element brought back."""

from pathlib import Path

from tests.support.application import in_process
from tests.support.pages_model import call
from tests.support.scripts import VAGUE, building, closing, one_page, slugs_of


async def test_what_changed_and_the_ways_back(tmp_path: Path) -> None:
    edit = [call("edit_page", slug="index", edit_instructions="Freshly roasted"), closing("Done.")]
    async with in_process(tmp_path, *one_page(), *edit) as (client, _):
        session = (await client.post("/api/chat", json={"message": VAGUE})).json()["session_id"]
        root = f"/api/sessions/{session}"
        nothing = await client.post(f"{root}/undo")
        assert nothing.status_code == 409, nothing.text
        await client.post("/api/chat", json={"session_id": session, "message": "another heading"})
        (page,) = (await client.get(f"{root}/history")).json()["pages"]
        assert [version["source"] for version in page["versions"]] == ["edit", "generate"]
        assert (page["slug"], page["undo_to"], page["redo_to"], page["changed_on_disk"]) == ("index", 1, None, False)
        diff = (await client.get(f"{root}/pages/index/diff")).json()
        assert diff["counts"] == {"added": 0, "removed": 0, "moved": 0, "changed": 1}
        assert diff["elements"][0]["words"][1] == "Freshly roasted"
        assert any(line.startswith("+") and "Freshly roasted" in line for line in diff["lines"])
        undone = (await client.post(f"{root}/undo", json={"slug": "index"})).json()
        assert [(v["slug"], v["version"], v["source"]) for v in undone["versions"]] == [("index", 3, "undo")]
        redone = (await client.post(f"{root}/redo")).json()
        assert redone["versions"][0]["version"] == 4
        body = {"version": 1, "element": "h1"}
        restored = await client.post(f"{root}/pages/index/restore", json=body)
        assert restored.json()["versions"][0]["source"] == "restore"
        unknown = await client.post(f"{root}/pages/index/restore", json={"version": 1, "element": "#nope"})
        assert unknown.status_code == 400
        assert (await client.get(f"{root}/pages/nope/diff")).status_code == 404


async def test_a_page_is_deleted_and_comes_back(tmp_path: Path) -> None:
    async with in_process(tmp_path, *building(VAGUE)) as (client, _):
        session = (await client.post("/api/chat", json={"message": VAGUE})).json()["session_id"]
        root, slugs = f"/api/sessions/{session}", slugs_of(VAGUE)
        html = (await client.get(f"{root}/pages/cart")).json()["html"]
        home = await client.delete(f"{root}/pages/index")
        assert (home.status_code, "home page" in home.text) == (400, True)
        done = (await client.delete(f"{root}/pages/cart")).json()
        assert (done["slug"], done["links"][0]) == ("cart", "index: taken out: “cart”.")
        assert done["promises"][0].startswith("No longer kept of P")
        listed = (await client.get(f"{root}/pages")).json()["pages"]
        assert [page["slug"] for page in listed] == [slug for slug in slugs if slug != "cart"]
        for gone in (f"{root}/pages/cart", f"{root}/pages/cart/preview"):
            assert (await client.get(gone)).status_code == 404
        assert (await client.delete(f"{root}/pages/cart")).status_code == 404
        assert "cart.html" not in (await client.get(f"{root}/export?form=html")).text
        told = {page["slug"]: page["deleted"] for page in (await client.get(f"{root}/history")).json()["pages"]}
        assert [slug for slug, deleted in told.items() if deleted] == ["cart"]
        undone = (await client.post(f"{root}/undo")).json()
        assert {version["slug"] for version in undone["versions"]} == set(slugs)
        assert (await client.get(f"{root}/pages/cart")).json()["html"] == html
