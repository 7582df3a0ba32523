"""Going back with a session's design system: the promises are replayed, whether a version is named or not."""

from pathlib import Path

import pytest

from loopwright.agents.pages.ledger.checks import ElementCheck
from loopwright.agents.pages.ledger.promise import PromiseDraft
from loopwright.agents.pages.workspace import Workspace
from loopwright.app.design_tokens import restore_design
from loopwright.app.promises import withdraw_promise
from loopwright.kernel.errors import Conflict
from tests.support.house import opened

HIDDEN, SHOWN = "#news { display: none; }", "#news { color: #111111; }"
PAGE = '<!doctype html><html lang="en"><head><title>Home</title></head><body><p id="news">News</p></body></html>'


@pytest.mark.parametrize("version", [None, 1])
async def test_a_promise_stands_against_every_way_back(tmp_path: Path, version: int | None) -> None:
    async with opened(tmp_path) as (house, _):
        workspace = Workspace(tmp_path / "s")
        await house.stores.sessions.create(agent="pages", session_id="s", output_dir=str(workspace.folder))
        for css in (HIDDEN, SHOWN):
            await house.stores.design_systems.save("s", css, source="create")
        workspace.write_design_system(SHOWN)
        check = ElementCheck(slug="index", selector="#news", visible=True)
        draft = PromiseDraft(request="show the news", author="controller", checks=(check,))
        await house.stores.promises.record("s", "index", [draft], run_id="r", call_id="c")
        await house.stores.pages.save("s", "index", PAGE, source="generate", run_id="r", call_id="c")
        with pytest.raises(Conflict, match="P1 “show the news”"):
            await restore_design(house, "s", version)
        assert workspace.read_design_system() == SHOWN
        await withdraw_promise(house, "s", "P1")
        assert (await restore_design(house, "s", version)).restored_from == 1
        assert workspace.read_design_system() == HIDDEN
