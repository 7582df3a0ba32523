"""Commands on a layer of a project, as the `run_command` tool runs them."""

from pathlib import Path
from uuid import uuid4

import pytest

from loopwright.agents.ide.editing.checkpoints import CommandReport, LayeredCommand
from loopwright.agents.ide.sandbox import can_confine
from loopwright.agents.ide.sandbox import isolation as found_isolation
from loopwright.agents.ide.sandbox.isolation import Isolation
from tests.agents.ide.acting import project_at

confined = [
    pytest.mark.sandbox,
    pytest.mark.skipif(not can_confine(), reason="bubblewrap is missing, or may not make its namespaces"),
]


async def command(
    root: Path,
    line: str,
    run_id: str = "run-1",
    *,
    seconds: float = 60,
    network: bool = False,
    protected: bool = False,
    isolation: Isolation | None = None,
) -> CommandReport:
    """Run it at the root."""
    project = project_at(root)
    how = isolation or found_isolation(project.root, project.state_folder)
    assert how is not None
    wanted = LayeredCommand(line, project.root, seconds, network)
    return await project.commands.run(how, wanted, run_id=run_id, key=uuid4().hex, protected_allowed=protected)
