"""A worker: takes over what the store holds, until nothing is left to be carried on."""

import asyncio
import logging
import sys
from pathlib import Path

from tests.engine.poison import acting_application
from tests.support.application import until


async def serve(folder: Path) -> None:
    """Take over runs until all rest."""
    async with acting_application(folder, worker=True) as application:

        async def all_rest() -> bool:
            await asyncio.sleep(0.2)
            return not any(
                [await application.stores.runs.find(status=status, limit=1) for status in ("queued", "running")]
            )

        await application.dispatcher.recover()
        await until(all_rest, seconds=1_800)


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    asyncio.run(serve(Path(sys.argv[1])))
