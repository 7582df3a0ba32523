"""`DesignSpecWorkflow`: what spec 001 promises to callers and panels."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.designspec.usecases import DesignSpecWorkflow, PanelCallbacks, WorkflowState
from loopwright.app.loopwright import Loopwright
from loopwright.app.settings import Settings
from loopwright.kernel.errors import Conflict, InvalidInput

BOX = "Create a box domain 20x60x30mm"


class Panels:
    """Everything that panels were told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []

    def callbacks(self) -> PanelCallbacks:
        """Callbacks that write everything down."""

        def note(name: str) -> Any:
            return lambda news: self.told.append((name, news))

        return PanelCallbacks(**{name: note(name) for name in PanelCallbacks.__dataclass_fields__})

    def of(self, name: str) -> list[Any]:
        """What one of them was told."""
        return [news for each, news in self.told if each == name]


@pytest.fixture
async def application(tmp_path: Path):
    async with Loopwright.open(Settings(home=tmp_path / "home", output_dir=tmp_path / "out")) as opened:
        yield opened


async def test_from_a_message_to_a_run(application, tmp_path):
    panels = Panels()
    workflow = DesignSpecWorkflow(application, use_legacy_agent=True, callbacks=panels.callbacks())
    await workflow.on_start(project_dir=tmp_path / "part")
    assert workflow.state is WorkflowState.IDLE
    line = await workflow.on_user_message(BOX)
    assert line["type"] == "waiting"
    assert workflow.state is WorkflowState.WAITING_PATCH_APPROVAL
    pending = workflow.pending_patch
    assert panels.of("on_pending_patches") == [[pending]]
    with pytest.raises(Conflict):
        await workflow.on_user_message("another thing")
    with pytest.raises(Conflict):
        await workflow.approve_patch("not-this-one")
    with pytest.raises(Conflict):
        await workflow.approve_pending_run()
    assert workflow.get_spec()["domains"] == {}
    line = await workflow.approve_patch(pending["details"]["proposal_id"])
    assert line["type"] == "complete"
    assert len(workflow.get_spec()["domains"]) == 1
    assert panels.of("on_spec_update")[-1] == workflow.get_spec()
    await workflow.on_user_message("add one straight channel from the top, 2 mm wide")
    await workflow.approve_patch(workflow.pending_patch["gate_id"])
    await workflow.on_user_message("run until compile_domains")
    assert workflow.state is WorkflowState.WAITING_RUN_APPROVAL
    assert panels.of("on_pending_run_request")[-1]["details"]["run_until"] == "compile_domains"
    line = await workflow.reject_pending_run()
    assert (line["type"], workflow.state) == ("complete", WorkflowState.IDLE)
    assert not panels.of("on_artifact_update")
    await workflow.on_user_message("run until compile_domains")
    line = await workflow.approve_pending_run()
    assert line["stages"] == ["compile_policies", "compile_domains"]
    assert len(panels.of("on_artifact_update")[-1]) == 1
    states = panels.of("on_state_change")
    assert states[:3] == [WorkflowState.PROCESSING, WorkflowState.WAITING_PATCH_APPROVAL, WorkflowState.PROCESSING]
    assert WorkflowState.RUNNING in states
    assert states[-1] is WorkflowState.IDLE


async def test_a_run_of_the_callers_own(application, tmp_path):
    workflow = DesignSpecWorkflow(application, use_legacy_agent=True)
    with pytest.raises(Conflict):
        await workflow.run_until("full")
    await workflow.on_start(project_dir=tmp_path / "part")
    for message in (BOX, "add one straight channel from the top, 2 mm wide"):
        await workflow.on_user_message(message)
        await workflow.approve_patch(workflow.pending_patch["gate_id"])
    with pytest.raises(InvalidInput, match="There is no pipeline stage"):
        await workflow.run_until("everything")
    line = await workflow.run_until("mesh_merge")
    assert line["success"] is True
    assert line["stages"][-1] == "union_voids"


async def test_a_rejected_patch_and_a_project_that_is_opened_again(application, tmp_path):
    workflow = DesignSpecWorkflow(application, use_legacy_agent=True)
    await workflow.on_start(project_dir=str(tmp_path / "part"))
    await workflow.on_user_message(BOX)
    await workflow.reject_patch(workflow.pending_patch["gate_id"])
    assert workflow.get_spec()["domains"] == {}
    again = DesignSpecWorkflow(application, use_legacy_agent=True)
    await again.on_start(project_dir=tmp_path / "part")
    await again.on_user_message(BOX)
    assert again.pending_patch is not None
    assert len(await application.stores.sessions.find(agent="designspec")) == 1
