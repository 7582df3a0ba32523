"""Claims, leases and verdicts: one holder at a time, and only the holder says what became of it."""

import pytest

from loopwright.kernel.errors import Conflict, InvalidInput
from tests.stores.requirements.bench import Bench


async def test_two_owners_never_hold_the_same(bench: Bench) -> None:
    added = [row.requirement_id for row in await bench.add(5)]
    first, second = await bench.claim("first", 3), await bench.claim("second", 3)
    assert first + second == added
    assert await bench.claim("third", 3) == []


async def test_what_is_held_comes_first_and_with_its_lease_renewed(bench: Bench) -> None:
    await bench.add(5)
    held = await bench.claim("first", 2, seconds=60)
    bench.clock.passes(50)
    assert (await bench.claim("first", 3, seconds=60))[:2] == held
    bench.clock.passes(50)
    assert not set(await bench.claim("second", 5)) & set(held)


async def test_a_repeated_claim_gives_the_same(bench: Bench) -> None:
    await bench.add(5)
    once = await bench.store.claim("first", 2, 60, phase=2, key="k")
    again = await bench.store.claim("first", 4, 60, phase=2, key="k")
    assert [row.requirement_id for row in again] == [row.requirement_id for row in once]


async def test_an_abandoned_requirement_is_taken_over_when_its_lease_is_out(bench: Bench) -> None:
    await bench.add(1)
    (name,) = await bench.claim("first", 1, seconds=60)
    bench.clock.passes(60)
    assert await bench.claim("second", 1) == []
    bench.clock.passes(1)
    assert await bench.claim("second", 1) == [name]
    with pytest.raises(Conflict, match="held by another job"):
        await bench.settle(name, "first")
    settled = await bench.settle(name, "second")
    assert (settled.status, settled.settled_by, settled.retry_count) == ("integrated", "second", 1)


async def test_a_late_holder_that_nobody_replaced_may_still_settle(bench: Bench) -> None:
    await bench.add(1)
    (name,) = await bench.claim("first", 1, seconds=1)
    bench.clock.passes(3_600)
    assert (await bench.settle(name, "first")).status == "integrated"


async def test_a_verdict_is_passed_once(bench: Bench) -> None:
    await bench.add(1)
    (name,) = await bench.claim("first", 1)
    result = {"duplicates": ["R-0001"]}
    rejected = await bench.store.settle(
        name, "first", "rejected", reason="duplicate", validation_result=result, phase=2, key="k"
    )
    assert (rejected.rejection_reason, rejected.validation_result, rejected.claimed_by) == ("duplicate", result, None)
    again = await bench.store.settle(name, "first", "rejected", reason="other", phase=2, key="k")
    assert again == rejected
    with pytest.raises(Conflict, match="is rejected"):
        await bench.settle(name, "first")


async def test_no_verdict_without_meaning(bench: Bench) -> None:
    await bench.add(1)
    (name,) = await bench.claim("first", 1)
    for status, reason in (("rejected", " "), ("failed", ""), ("done", "x"), ("pending", "x")):
        with pytest.raises(InvalidInput):
            await bench.store.settle(name, "first", status, reason=reason, phase=2, key="k")
    assert (await bench.store.get(name)).status == "validating"


async def test_nobody_settles_what_nobody_holds(bench: Bench) -> None:
    (row,) = await bench.add(1)
    with pytest.raises(Conflict, match="pending") as caught:
        await bench.settle(row.requirement_id, "first")
    assert "claim" in caught.value.hint


async def test_a_failed_one_may_be_tried_again(bench: Bench) -> None:
    await bench.add(1)
    (name,) = await bench.claim("first", 1)
    failed = await bench.settle(name, "first", "failed")
    assert (failed.last_error, failed.retry_count) == ("because", 1)
    assert await bench.claim("second", 1) == []
    assert (await bench.store.retry(name)).status == "pending"
    with pytest.raises(Conflict):
        await bench.store.retry(name)
    assert await bench.claim("second", 1) == [name]


async def test_released_ones_are_free_at_once(bench: Bench) -> None:
    await bench.add(3)
    held = await bench.claim("first", 2)
    await bench.settle(held[0], "first")
    assert await bench.store.release("first") == held[1:]
    assert held[1] in await bench.claim("second", 3)


async def test_claims_may_be_kept_to_some_jobs(bench: Bench) -> None:
    await bench.add(2)
    await bench.add(2, job="second")
    rows = await bench.store.claim("first", 9, 60, phase=2, key="k", jobs=["second"])
    assert {row.job_id for row in rows} == {"second"}
    assert len(rows) == 2
