"""A worker: claims requirements, settles each, and says every verdict that was stored; ends when nothing is left."""

import asyncio
import os
import sys
from pathlib import Path

from loopwright.agents.jobs.store.requirements import RequirementRecord, SqlRequirements
from loopwright.kernel.errors import Conflict
from loopwright.stores.database import Database

LEASE_SECONDS = 1.0
"""Short, so that what a dead worker held is soon free again; a living one that is slower goes on with its next."""


async def settle(store: SqlRequirements, row: RequirementRecord, owner: str) -> None:
    """Every fifth is rejected."""
    status = "rejected" if row.position % 5 == 0 else "integrated"
    reason = "duplicate" if status == "rejected" else ""
    key = f"settle-{row.requirement_id}"
    try:
        await store.settle(row.requirement_id, owner, status, reason=reason, phase=2, key=key)
    except Conflict:
        return  # Its lease ran out, and the other worker has taken it over.
    # One line in one system call: what has reached the pipe survives the process.
    os.write(1, f"{row.requirement_id} {owner}\n".encode())


async def main(url: str, owner: str, batch: int, hangs_after: int) -> None:
    """Work until every requirement has a verdict; what others hold is waited for.

    After `hangs_after` verdicts (unless 0) it says so amid a batch, of which it never settles the second half.
    """
    async with await Database.open(url, Path()) as database:
        store = SqlRequirements(database)
        calls = settled = 0
        while True:
            calls += 1
            held = await store.claim(owner, batch, LEASE_SECONDS, phase=2, key=f"claim-{calls}")
            if hangs_after and settled >= hangs_after and held:
                settling = [asyncio.create_task(settle(store, row, owner)) for row in held[: batch // 2]]
                os.write(1, b"hangs\n")
                await asyncio.gather(*settling, asyncio.Event().wait())
            await asyncio.gather(*(settle(store, row, owner) for row in held))
            settled += len(held)
            if not held:
                counts = await store.counts()
                if counts["pending"] + counts["validating"] == 0:
                    return
                await asyncio.sleep(0.05)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
