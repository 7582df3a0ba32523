"""`change_tokens`: asked for first, with what it touches; then the sheet, its version, and the journal."""

from pathlib import Path

import pytest

from loopwright.agents.pages.events import TokensChanged
from loopwright.agents.pages.tools.design import ChangeTokens, ChangeTokensParameters
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kernel.events import GateAnswered
from loopwright.kernel.gates import Finished, Waiting
from loopwright.kernel.loop import run_agentic_loop
from tests.agents.pages.studio import CSS, SESSION, Studio, events_of, page


def furnish(studio: Studio) -> None:
    """A design system and a page on disk."""
    (studio.folder / "design-system.css").write_text(CSS, encoding="utf-8")
    (studio.folder / "pages").mkdir()
    body = '<button class="btn">One</button><button class="btn">Two</button>'
    (studio.folder / "pages" / "index.html").write_text(page("index", body=body), encoding="utf-8")


def preview(folder: Path, **changes: str) -> list[str]:
    """What a person is shown."""
    shown = ChangeTokens().preview(ChangeTokensParameters(changes=dict(changes)), folder, None)
    lines: list[str] = shown["preview"]["changes"]
    return lines


async def test_the_preview_says_what_it_touches(studio: Studio) -> None:
    furnish(studio)
    lines = preview(studio.folder, brand="#ffee00")
    assert lines[0] == "--brand: #2563eb → #ffee00 (light and dark)"
    assert lines[1] == "Touches 1 rule and 2 elements on 1 page (index 2)."
    assert any("→ 1." in line and "#FFFFFF on #FFEE00 at index: button.btn" in line for line in lines)
    with pytest.raises(InvalidInput, match="no token --brnd"):
        preview(studio.folder, brnd="red")
    assert (studio.folder / "design-system.css").read_text(encoding="utf-8") == CSS


async def test_a_sheet_must_be_there(studio: Studio) -> None:
    with pytest.raises(NotFound, match="no design system"):
        preview(studio.folder, brand="red")


async def test_the_change_is_made_once(studio: Studio) -> None:
    furnish(studio)
    for _ in range(2):  # the second time as after a crash
        made = await studio.call("change_tokens", {"changes": {"--brand": "#1d4ed8"}}, call_id="one")
        assert made.success, made.output
    assert (studio.folder / "design-system.css").read_text(encoding="utf-8") == CSS.replace("#2563eb", "#1d4ed8")
    versions = await studio.stores.design_systems.versions(SESSION)
    assert [(each.version, each.source) for each in versions] == [(2, "tokens"), (1, "hand")]
    told = [each for each in studio.emitter.recorded if isinstance(each, TokensChanged)]
    assert (told[0].version, told[0].elements, told[0].weakened) == (2, 2, 0)
    refused = await studio.call("change_tokens", {"changes": {"--brand": "12px"}})
    assert not refused.success
    assert "is no colour" in refused.output


async def test_versions_and_going_back(studio: Studio) -> None:
    store = studio.stores.design_systems
    for number in range(1, 4):
        await store.save(SESSION, f".v{number} {{}}", source="create", run_id="r", call_id=str(number))
    assert await store.css(SESSION, 2) == ".v2 {}"
    assert await store.undo_target(SESSION, on_disk=".v3 {}") == 2
    undone = await store.restore(SESSION, 2, on_disk=".v3 {}")
    assert (undone.version, undone.restored_from) == (4, 2)
    assert await store.undo_target(SESSION, on_disk=".v2 {}") == 1
    await store.restore(SESSION, 1, on_disk=".v2 {}")
    with pytest.raises(Conflict, match="no older"):
        await store.undo_target(SESSION, on_disk=".v1 {}")
    assert (await store.restore(SESSION, 3)).version == 6
    # A change by hand is a version of its own, and the newest change.
    assert await store.undo_target(SESSION, on_disk=".mine {}") == 6
    back = await store.restore(SESSION, 6, on_disk=".mine {}")
    assert (back.version, await store.css(SESSION, 7), await store.css(SESSION, 8)) == (8, ".mine {}", ".v3 {}")
    with pytest.raises(NotFound):
        await store.css(SESSION, 99)


async def test_a_run_waits_for_the_yes(studio: Studio) -> None:
    furnish(studio)
    await studio.stores.pages.save(SESSION, "index", studio.file("index"), source="generate")
    change = [("change_tokens", {"changes": {"--brand": "#1d4ed8"}})]
    run = studio.start([change], "another blue")
    waiting = await run_agentic_loop(run)
    assert isinstance(waiting, Waiting)
    assert waiting.gate.kind == "patch"
    assert waiting.gate.details["preview"]["changes"][1].startswith("Touches 1 rule and 2 elements")
    assert (studio.folder / "design-system.css").read_text(encoding="utf-8") == CSS
    said = GateAnswered(gate_id=waiting.gate.gate_id, answer={"decision": "approve"})
    run = studio.again(run, ["It is bluer."], said)
    assert await studio.play(run) == Finished("It is bluer.")
    assert "#1d4ed8" in (studio.folder / "design-system.css").read_text(encoding="utf-8")
    assert [event.payload["changes"] for event in events_of(run, TokensChanged.type)] == [{"--brand": "#1d4ed8"}]
