"""Calls beside one that ends something: the run, the stage, the user's patience."""

import asyncio

import pytest

from loopwright.kernel.errors import BudgetExceeded
from loopwright.kernel.gates import Cancelled, Failed, Finished
from loopwright.kernel.policy import COMPLETE, Transition
from loopwright.kernel.spec import Limits
from loopwright.kernel.testing import Death, MortalJournal, ScriptedModel, check_journal, resume_run, start_run
from tests.kernel.toys import TOOLS, Look, Move, World, journal_of, play, stored, toy_spec

ENDS = [Transition("work", "finish", COMPLETE)]


class QuickMove(Move):
    def touches(self, params):
        return frozenset()


class SlowLook(Look):
    async def act(self, params, ctx):
        await asyncio.sleep(0.005)
        return await super().act(params, ctx)


def spec(*tools, **more):
    named = {tool.name for tool in tools}
    return toy_spec(tools=(*tools, *(tool for tool in TOOLS if tool.name not in named)), **more)


BOTH = [("move", {"thing": "finish"}), ("look", {"thing": "x"})]


async def test_a_call_that_runs_beside_the_one_that_ends_the_run_is_waited_for():
    run = start_run(spec(QuickMove(), SlowLook(), transitions=ENDS), ScriptedModel([BOTH]), services=World())
    assert await play(run) == Finished("signalled finish")
    assert [result["success"] for result in stored(run, "tool_result")] == [True, True]
    check_journal(journal_of(run).events[run.state.run_id])


async def test_a_call_that_was_left_when_its_owner_died_after_the_end_gets_its_result():
    journal = MortalJournal(dies_at=[4])  # started, both calls started, the move's result, the look's result
    run = start_run(
        spec(QuickMove(), SlowLook(), transitions=ENDS), ScriptedModel([BOTH]), journal=journal, services=World()
    )
    with pytest.raises(Death):
        await play(run)
    assert len(stored(run, "tool_result")) == 1
    assert await play(resume_run(run)) == Finished("signalled finish")
    assert len(stored(run, "tool_result")) == 2
    check_journal(journal.events[run.state.run_id])


async def test_calls_that_wait_for_their_turn_do_not_run_once_the_user_cancels():
    class Cancelling(Look):
        async def act(self, params, ctx):
            run.cancel()
            return await super().act(params, ctx)

    world = World()
    calls = [("look", {"thing": str(number)}) for number in range(6)]
    run = start_run(spec(Cancelling(), limits=Limits(concurrency=2)), ScriptedModel([calls]), services=world)
    assert await play(run) == Cancelled()
    assert world.count("look") <= 2
    check_journal(journal_of(run).events[run.state.run_id])


async def test_a_spent_budget_ends_the_run_when_the_calls_beside_it_are_done():
    class Spending(Look):
        async def act(self, params, ctx):
            if params.thing == "0":
                raise BudgetExceeded("no more")
            await asyncio.sleep(0.002)
            return await super().act(params, ctx)

    calls = [("look", {"thing": str(number)}) for number in range(3)]
    run = start_run(spec(Spending()), ScriptedModel([calls]), services=World())
    assert await play(run) == Failed("budget_exceeded", "no more", "")
    assert len(stored(run, "tool_result")) == 2
    check_journal(journal_of(run).events[run.state.run_id])
