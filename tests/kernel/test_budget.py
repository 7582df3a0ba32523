"""Limits on tokens and money."""

import asyncio
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.kernel.budget import Budget, BudgetLimits
from loopwright.kernel.errors import BudgetExceeded
from loopwright.kernel.events import ModelResponse, Usage
from loopwright.kernel.gates import Failed, Finished
from loopwright.kernel.spec import Limits
from loopwright.kernel.testing import ScriptedModel, resume_run, start_run
from tests.kernel.toys import TOOLS, Draft, World, play, stored, toy_spec


class Priced(ScriptedModel):
    """Estimates and charges one price."""

    price: float | None = 0.25

    def estimate_cost(self, request):
        return self.price


def costing(text: str, usd: float | None, tokens: int = 100) -> ModelResponse:
    return ModelResponse(text=text, usage=Usage(prompt_tokens=tokens), cost_usd=usd)


def spec(**limits):
    return toy_spec(limits=Limits(budget=BudgetLimits(**limits)))


LOOK = [("look", {"thing": "a"})]


async def test_a_cap_on_tokens_stops_before_the_call():
    model = ScriptedModel([costing("", 0.0, 500)])
    run = start_run(spec(max_tokens_per_run=100), model)
    model.script = ["never asked", "never asked"]
    run.budget.tokens = 90
    outcome = await play(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "budget_exceeded"
    assert "cap is 100" in outcome.message
    assert outcome.hint
    assert model.requests == []


async def test_a_cap_on_money_stops_before_the_call():
    model = Priced([ModelResponse(**{**costing("", 0.25).model_dump(), "text": ""}), costing("Done.", 0.25)])
    run = start_run(spec(max_usd_per_run=0.45), model)
    outcome = await play(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "budget_exceeded"
    assert len(model.requests) == 1
    assert run.state.usd == 0.25
    assert [charge["total_usd"] for charge in stored(run, "budget_charged")] == [0.25]


async def test_a_cap_per_day_counts_what_other_runs_spent():
    model = Priced([])
    run = start_run(spec(max_usd_per_day=1.0), model)
    run.budget.spent_today = 0.9
    outcome = await play(run)
    assert isinstance(outcome, Failed)
    assert "this day" in outcome.message


async def test_without_a_price_money_caps_warn_and_token_caps_hold():
    model = Priced([costing("", None), costing("", None), costing("Done.", None)])
    model.price = None
    run = start_run(spec(max_usd_per_run=0.01, max_tokens_per_run=100_000), model)
    seen = []
    run.sink = lambda run_id, kind, data: seen.append(kind)
    assert await play(run) == Finished("Done.")
    assert seen.count("warning") == 1
    assert run.state.usd_known is False
    assert stored(run, "budget_charged")[-1]["total_usd"] is None
    assert run.state.tokens == 300


async def test_a_budget_goes_on_where_it_was_after_a_resume():
    model = Priced([costing("", 0.25), costing("Done.", 0.25)])
    run = start_run(spec(max_usd_per_run=10), model)
    await play(run)
    resumed = resume_run(run)
    assert (resumed.budget.tokens, resumed.budget.usd) == (run.budget.tokens, run.budget.usd) == (200, 0.5)


async def test_calls_side_by_side_cannot_pass_a_cap_together():
    class SideBySide(Draft):
        effect = "pure"

    class Slow(Priced):
        async def complete(self, request, on_delta=None):
            await asyncio.sleep(0)
            return await super().complete(request, on_delta)

    tools = (SideBySide(), *(tool for tool in TOOLS if tool.name != "draft"))
    calls = [("draft", {"thing": str(i)}) for i in range(4)]
    model = Slow([calls, *[costing("half", 0.25)] * 8])
    model.price = 0.25
    run = start_run(
        toy_spec(tools=tools, limits=Limits(budget=BudgetLimits(max_usd_per_run=1.0))), model, services=World()
    )
    outcome = await play(run)
    assert isinstance(outcome, Failed)
    assert outcome.code == "budget_exceeded"
    assert run.state.usd <= 1.0
    assert (run.budget.held_tokens, run.budget.held_usd) == (0, 0.0)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"max_usd_per_run": 1.0}, "this run to $1.1000"),
        ({"max_usd_per_session": 2.0}, "this session to $2.1000"),
        ({"max_usd_per_day": 3.0}, "this day to $3.1000"),
    ],
)
def test_each_cap_on_money_counts_what_belongs_to_it(limits, told):
    budget = Budget(BudgetLimits(**limits), usd=0.6, spent_in_session=1.0, spent_today=2.0)
    budget.check(1, 0.4)
    with pytest.raises(BudgetExceeded, match=re.escape(told)) as caught:
        budget.check(1, 0.5)
    assert "LOOPWRIGHT_MAX_USD_PER_" in caught.value.hint
    assert budget.caps_money


def test_a_soft_ceiling_stops_nothing():
    budget = Budget(BudgetLimits(soft_usd_per_turn=0.5), usd=99.0)
    budget.check(1_000_000, 99.0)
    assert not budget.caps_money


prices = st.none() | st.floats(0, 2)


@given(st.lists(st.tuples(st.integers(0, 500), prices), max_size=20), st.integers(0, 2_000), st.floats(0, 5))
def test_what_was_allowed_never_sums_up_to_more_than_the_cap(calls, token_cap, usd_cap):
    budget = Budget(BudgetLimits(max_tokens_per_run=token_cap, max_usd_per_run=usd_cap))
    for tokens, usd in calls:
        try:
            budget.check(tokens, usd)
        except BudgetExceeded:
            continue
        charged = budget.charge(Usage(prompt_tokens=tokens), usd)
        assert (charged.total_usd is None) == (not budget.usd_known)
    assert budget.tokens <= token_cap
    assert budget.usd <= usd_cap + 1e-9


def test_a_reservation_is_given_back_when_the_call_fails():
    budget = Budget(BudgetLimits(max_tokens_per_run=10))

    def call():
        with budget.reserve(10, 0.1):
            with pytest.raises(BudgetExceeded):
                budget.check(1, None)
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        call()
    budget.check(10, None)
