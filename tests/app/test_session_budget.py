"""What the other runs of a session have spent counts against the session's cap, and nothing else does."""

from dataclasses import replace
from pathlib import Path

import pytest

from loopwright.app.loopwright import with_settings
from loopwright.app.starting import NewRun, create_run, start_run
from loopwright.kernel.events import BudgetCharged
from loopwright.kernel.state import RunState
from tests.engine.toys import TOY, LookingModel, toy_application


async def test_a_run_knows_what_its_session_has_spent(tmp_path: Path) -> None:
    async with toy_application(tmp_path, LookingModel(looks=0), max_usd_per_session=2.0) as application:
        # The toy is put in as it is; what an installation sets is put upon it here as it is for real agents.
        application.toolboxes["toy"] = replace(
            application.toolboxes["toy"], spec=with_settings(TOY, application.settings)
        )
        first = await create_run(application, NewRun("first", agent="toy"))
        claim = await application.stores.runs.claim(first.run_id, application.owner)
        spent = BudgetCharged(tokens=1, cost_usd=1.5, total_tokens=1, total_usd=1.5)
        await application.stores.journal.append(claim, first.seq, [spent])
        await application.stores.runs.release(claim)
        await application.dispatcher.drive(first.run_id)
        elsewhere = await start_run(application, NewRun("elsewhere", agent="toy"))
        await application.dispatcher.wait(elsewhere.run_id)
        second = await create_run(application, NewRun("second", agent="toy", session_id=first.session_id))
        state = RunState.fold(second.run_id, await application.stores.journal.read(second.run_id))
        run = await application.assemble(state, await application.stores.runs.claim(second.run_id, application.owner))
        assert run.budget.spent_in_session == pytest.approx(1.5)
        assert run.budget.limits.max_usd_per_session == 2.0
