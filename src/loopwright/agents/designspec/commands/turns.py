"""Holds a conversation: each message is a run that is followed to its end or to a gate."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopwright.agents.designspec.usecases import describe_plan, message_for, run_options
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run
from loopwright.cli.answers import AnswerSource
from loopwright.cli.views import follow, make_view

DONE = 0


@dataclass
class Conversation:
    """One project, one source of answers, message after message."""

    application: Loopwright
    folder: Path
    answers: AnswerSource
    as_json: bool
    options: dict[str, Any]
    run_until: str | None = None

    async def hold(self, messages: AsyncIterator[str]) -> int:
        """Carry out the messages in order; one that waits or fails ends the conversation, unless a person types.

        Returns:
            The exit code of the last run.
        """
        code, ran = DONE, False
        async for message in messages:
            options = self.options | ({"run_until": self.run_until} if self.run_until else {})
            code, ran_now = await self._one(await message_for(self.application, self.folder, message, options))
            ran = ran or ran_now
            if code != DONE and not self.answers.interactive:
                return code
        if self.run_until and not ran:
            code, _ = await self._one(await self._closing_run(self.run_until))
        return code

    async def _closing_run(self, until: str) -> NewRun:
        from loopwright.agents.designspec.pipeline.reports import RunPlan

        plan = RunPlan(run_until=until)
        return await message_for(
            self.application, self.folder, describe_plan(plan), self.options | run_options(plan, confirm=True)
        )

    async def _one(self, new: NewRun) -> tuple[int, bool]:
        """Follow one run; tells its exit code, and whether the pipeline ran in it."""
        record = await create_run(self.application, new)
        code = await follow(self.application, record.run_id, make_view(self.as_json), self.answers)
        events = await self.application.stores.journal.read(record.run_id)
        return code, any(event.type == "pipeline_started" for event in events)
