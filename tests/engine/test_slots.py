"""So many at once, and each session in its turn."""

import asyncio

from loopwright.engine.ownership import FairSlots


async def order_of(sessions: list[str], places: int) -> tuple[list[str], int]:
    """The order in which the sessions' runs execute, and how many did at once at most."""
    slots, order, now, most = FairSlots(places), [], 0, 0

    async def run(session: str) -> None:
        nonlocal now, most
        async with slots.place(session):
            now += 1
            most = max(most, now)
            order.append(session)
            await asyncio.sleep(0)
            now -= 1

    await asyncio.gather(*(run(session) for session in sessions))
    assert not slots.full
    return order, most


async def test_no_more_than_the_places_run_at_once() -> None:
    order, most = await order_of(["a"] * 50, 7)
    assert (len(order), most) == (50, 7)


async def test_a_session_with_five_hundred_runs_starves_nobody() -> None:
    order, _ = await order_of(["many"] * 500 + ["b"] * 3 + ["c"], 2)
    assert order.index("c") < 6
    assert [index for index, session in enumerate(order) if session == "b"][-1] < 10


async def test_whoever_stops_waiting_takes_no_place() -> None:
    slots = FairSlots(1)
    async with slots.place("a"):
        waiting = [asyncio.create_task(slots._take("b")) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
    waiting[1].cancel()  # the place was given to it at this very moment
    await asyncio.wait({waiting[1], waiting[2]}, timeout=5)
    assert waiting[2].done()
    assert not waiting[2].cancelled()
    slots._give_back()
    assert not slots.full
