"""Records what the model is sent in a job of each agent, as readable files.

python -m tests.e2e.record_requests [AGENT …]
"""

import asyncio
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from loopwright.app.models import open_offline_model
from loopwright.models.client import OpenAIClient
from tests.e2e.strict_jobs import INSTEAD, JOBS, application_with, readable
from tests.support.strict_client import StrictClient
from tests.support.strict_endpoint import PROFILES

REQUESTS = Path(__file__).with_name("requests")


async def recorded(folder: Path, agent: str) -> str:
    """The requests of the agent's small job, as an OpenAI endpoint gets them."""
    async with open_offline_model() as offline:
        assert isinstance(offline, OpenAIClient)
        client = StrictClient(PROFILES["openai"], "native", offline, INSTEAD.get(agent, {}))
        async with application_with(folder, client) as application:
            await JOBS[agent](application, folder)
    return readable(client.endpoint.bodies, folder)


async def main() -> None:
    """Write the files."""
    os.environ["LOOPWRIGHT_SELF_CHECK"] = "0"  # as in every test: else a browser's words come in where there is one
    REQUESTS.mkdir(exist_ok=True)
    for agent in sys.argv[1:] or JOBS:
        with TemporaryDirectory() as folder:
            (REQUESTS / f"{agent}.txt").write_text(await recorded(Path(folder), agent), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
