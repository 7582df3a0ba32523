"""Serving one editor over stdin and stdout."""

import asyncio
import os
import sys
from typing import cast

from acp import Agent, run_agent

from loopwright.agents.ide.contracts.options import IdeOptions
from loopwright.app.loopwright import Loopwright
from loopwright.cli.ide.acp.agent import IdeAgent

LONGEST_MESSAGE = 50_000_000
"""Bytes of one message of the client: its prompts may embed files."""


async def serve(house: Loopwright, defaults: IdeOptions) -> int:
    """Serve until the client closes its end. stdout is the protocol's alone: what else is printed goes to stderr."""
    reader, writer = await _streams()
    agent = cast(Agent, IdeAgent(house, defaults))  # the SDK answers "method not found" for what is not there
    await run_agent(agent, writer, reader)
    return 0


async def _streams() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    protocol_end = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    reader = asyncio.StreamReader(limit=LONGEST_MESSAGE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop=loop), protocol_end
    )
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)
