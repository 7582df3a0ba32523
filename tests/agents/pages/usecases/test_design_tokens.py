"""Going back with a session's design system: the promises are replayed, whether a version is named or not."""

from pathlib import Path

import pytest

from loopwright.agents.pages.promises.checks import ElementCheck
from loopwright.agents.pages.promises.promise import PromiseDraft
from loopwright.agents.pages.services import pages_stores
from loopwright.agents.pages.usecases.design_tokens import restore_design
from loopwright.agents.pages.usecases.promises import withdraw_promise
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import Conflict
from tests.support.application import opened

HIDDEN, SHOWN = "#news { display: none; }", "#news { color: #111111; }"
PAGE = '<!doctype html><html lang="en"><head><title>Home</title></head><body><p id="news">News</p></body></html>'


@pytest.mark.parametrize("version", [None, 1])
async def test_a_promise_stands_against_every_way_back(tmp_path: Path, version: int | None) -> None:
    async with opened(tmp_path) as (application, _):
        workspace = Workspace(tmp_path / "s")
        await application.stores.sessions.create(agent="pages", session_id="s", output_dir=str(workspace.folder))
        for css in (HIDDEN, SHOWN):
            await (await pages_stores(application)).design_systems.save("s", css, source="create")
        workspace.write_design_system(SHOWN)
        check = ElementCheck(slug="index", selector="#news", visible=True)
        draft = PromiseDraft(request="show the news", author="controller", checks=(check,))
        await (await pages_stores(application)).promises.record("s", "index", [draft], run_id="r", call_id="c")
        await (await pages_stores(application)).pages.save(
            "s", "index", PAGE, source="generate", run_id="r", call_id="c"
        )
        with pytest.raises(Conflict, match="P1 “show the news”"):
            await restore_design(application, "s", version)
        assert workspace.read_design_system() == SHOWN
        await withdraw_promise(application, "s", "P1")
        assert (await restore_design(application, "s", version)).restored_from == 1
        assert workspace.read_design_system() == HIDDEN
