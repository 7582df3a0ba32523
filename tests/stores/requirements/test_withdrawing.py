"""A rewind of a job takes back what it did to requirements in later phases, and nothing else."""

from tests.stores.requirements.bench import Bench


async def test_what_was_added_later_is_gone(bench: Bench) -> None:
    early, late = await bench.add(2, phase=2), await bench.add(3, phase=4)
    others = await bench.add(1, phase=9, job="second")
    undone = await bench.store.withdraw_after("creator", 2)
    assert sorted(undone.removed) == sorted(row.requirement_id for row in late)
    assert await bench.store.find() == early + others
    assert (await bench.store.withdraw_after("creator", 2)).removed == []


async def test_later_claims_and_verdicts_are_undone(bench: Bench) -> None:
    await bench.add(4)
    early = await bench.claim("first", 1, phase=2)
    await bench.settle(early[0], "first", phase=2)
    later = await bench.claim("first", 2, phase=4)
    await bench.settle(later[0], "first", "rejected", phase=4)
    other = await bench.claim("second", 1, phase=9)
    undone = await bench.store.withdraw_after("first", 2)
    assert sorted(undone.reopened) == sorted(later)
    reopened = await bench.store.get(later[0])
    assert (reopened.status, reopened.rejection_reason, reopened.settled_by) == ("pending", "", None)
    assert (await bench.store.get(early[0])).status == "integrated"
    assert (await bench.store.get(other[0])).claimed_by == "second"
    # The same call as before the rewind must be able to say something else now.
    assert sorted(await bench.claim("first", 2, phase=4)) == sorted(later)


async def test_later_edits_are_undone_newest_first(bench: Bench) -> None:
    (row,) = await bench.add(1)
    for phase, name in ((2, "early"), (4, "late"), (6, "latest")):
        await bench.store.update(
            row.requirement_id, {"name": name, "tags": [name]}, job_id="creator", phase=phase, key=bench.key()
        )
    undone = await bench.store.withdraw_after("creator", 2)
    assert undone.restored == [row.requirement_id]
    back = await bench.store.get(row.requirement_id)
    assert (back.name, back.tags) == ("early", ["early"])
